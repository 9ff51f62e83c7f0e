import { expect, test } from 'vitest';

import { shellQuoted } from './shell';

test.each([
  ['/cases/web.case', '/cases/web.case'],
  ['/my cases/web.case', "'/my cases/web.case'"],
  ["it's $(rm) `x`", "'it'\\''s $(rm) `x`'"],
  ['', "''"],
])('%j is %s in a shell', (text, quoted) => expect(shellQuoted(text)).toBe(quoted));
