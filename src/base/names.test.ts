import { expect, it } from 'vitest';

import { tellingEnds } from './names';

it('leaves out the folders that do not tell a file apart', () => {
  const paths = ['logs.tar/a/server.log', 'logs.tar/b/server.log', 'logs.tar/a/state.log'];
  expect([...tellingEnds(paths).values()]).toEqual(['a/server.log', 'b/server.log', 'state.log']);
});

it('keeps all of a path that is the end of another one, or is there twice', () => {
  const ends = (...paths: string[]) => [...tellingEnds(paths).values()];
  expect(ends('app.log', 'old/app.log')).toEqual(['app.log', 'old/app.log']);
  expect(ends('a/app.log', 'a/app.log')).toEqual(['a/app.log']);
});
