import { expect, it } from 'vitest';

import { tellingEnds } from './names';

it('leaves out the folders that all files share', () => {
  const paths = ['logs.tar/a/server.log', 'logs.tar/b/server.log', 'logs.tar/a/state.log'];
  expect([...tellingEnds(paths).values()]).toEqual(['a/server.log', 'b/server.log', 'state.log']);
});

it('keeps the whole path if it is the end of another one, or occurs twice', () => {
  const ends = (...paths: string[]) => [...tellingEnds(paths).values()];
  expect(ends('app.log', 'old/app.log')).toEqual(['app.log', 'old/app.log']);
  expect(ends('a/app.log', 'a/app.log')).toEqual(['a/app.log']);
});
