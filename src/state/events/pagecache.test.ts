import { expect, it } from 'vitest';

import { PAGE_ROWS, PageCache } from './pagecache';

const page = (name: string) => Array.from({ length: PAGE_ROWS }, (_, row) => `${name}${row}`);

it('finds a row in its page and none in missing pages', () => {
  const cache = new PageCache<string>(4);
  cache.put('view', 2, 1, page('c'));
  expect(cache.row('view', 2 * PAGE_ROWS)).toBe('c0');
  expect(cache.row('view', 3 * PAGE_ROWS - 1)).toBe(`c${PAGE_ROWS - 1}`);
  expect(cache.row('view', 3 * PAGE_ROWS)).toBeUndefined();
  expect(cache.row('other', 2 * PAGE_ROWS)).toBeUndefined();
});

it('has no row past the end of a short page', () => {
  const cache = new PageCache<string>(4);
  cache.put('view', 0, 1, ['only']);
  expect(cache.row('view', 1)).toBeUndefined();
});

it('returns a stale page but does not call it fresh', () => {
  const cache = new PageCache<string>(4);
  cache.put('view', 0, 1, page('old'));
  expect(cache.row('view', 0)).toBe('old0');
  expect(cache.isFresh('view', 0, 1)).toBe(true);
  expect(cache.isFresh('view', 0, 2)).toBe(false);
});

it('keeps the newer answer if an older one arrives later', () => {
  const cache = new PageCache<string>(4);
  cache.put('view', 0, 2, page('new'));
  cache.put('view', 0, 1, page('old'));
  expect(cache.row('view', 0)).toBe('new0');
});

it('evicts the least recently used page', () => {
  const cache = new PageCache<string>(2);
  cache.put('view', 0, 1, page('a'));
  cache.put('view', 1, 1, page('b'));
  cache.row('view', 0);
  cache.put('view', 2, 1, page('c'));
  expect(cache.row('view', 0)).toBe('a0');
  expect(cache.row('view', PAGE_ROWS)).toBeUndefined();
  expect(cache.row('view', 2 * PAGE_ROWS)).toBe('c0');
});
