import { expect, it } from 'vitest';

import { wrapped } from './wrapping';

it.each([
  ['com.acme.shop.CheckoutController', ['com.', 'acme.', 'shop.', 'CheckoutController']],
  ['C:\\srv\\app.exe', ['C:\\', 'srv\\', 'app.', 'exe']],
  [
    'https://shop.example/a?b=1&c=2',
    ['https://', 'shop.', 'example/', 'a?', 'b=', '1&', 'c=', '2'],
  ],
  ['two words', ['two words']],
  ['-1.5 …', ['-1.', '5 …']],
  ['', ['']],
])('breaks %j after its signs', (text, pieces) => expect(wrapped(text)).toEqual(pieces));

it('keeps every letter of a text of any length, in a bounded number of pieces', () => {
  for (const text of [
    'a.'.repeat(50_000),
    '.'.repeat(100_000),
    '\u{1f600}\u202e.b'.repeat(9_000),
  ]) {
    expect(wrapped(text).join('')).toBe(text);
    expect(wrapped(text).length).toBeLessThanOrEqual(10_001);
  }
});
