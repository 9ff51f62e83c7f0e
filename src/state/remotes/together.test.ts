import { expect, test } from 'vitest';

import { pathWith, placesOf } from './together';

test('path names the clusters that a case is shown with', () => {
  const folder = '/home/me/a: b.case';
  expect(placesOf(folder)).toBeNull();
  expect(placesOf('remote:prod')).toBeNull();
  const one = pathWith(folder, 'prod', true);
  expect(one).toBe('with:prod:/home/me/a: b.case');
  expect(placesOf(one)).toEqual({ folder, remotes: ['prod'] });
  const two = pathWith(one, 'staging', true);
  expect(placesOf(two)).toEqual({ folder, remotes: ['prod', 'staging'] });
  expect(pathWith(two, 'prod', true)).toBe('with:staging,prod:/home/me/a: b.case');
  expect(pathWith(two, 'prod', false)).toBe('with:staging:/home/me/a: b.case');
  expect(pathWith(one, 'prod', false)).toBe(folder);
});
