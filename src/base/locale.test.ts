import { afterEach, expect, test, vi } from 'vitest';

import { readable } from './locale';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test.each([
  ['en-US-u-va-posix', 'en-US'],
  ['en-US-posix', 'en-US'],
  ['en-u-nu-latn-va-posix', 'en-US'],
  ['de-DE', 'de-DE'],
  ['ar-EG-u-nu-arab', 'ar-EG-u-nu-arab'],
])('resolves %s to %s', (found, expected) => expect(readable(found)).toBe(expected));

test('digits are grouped if the system has no language', async () => {
  const asked: (string | undefined)[] = [];
  const { NumberFormat } = Intl;
  const posix = (locale?: string, options?: Intl.NumberFormatOptions) => {
    asked.push(locale);
    return new NumberFormat(locale ?? 'en-US-u-va-posix', options);
  };
  const stubbed = function (locale?: string, options?: Intl.NumberFormatOptions) {
    return posix(locale, options);
  };
  vi.stubGlobal('Intl', Object.assign(Object.create(Intl), { NumberFormat: stubbed }));
  vi.resetModules();
  expect(posix().format(1_234_567)).toBe('1234567');
  const { formatBytes, formatCount } = await import('./format');
  expect(formatCount(1_234_567)).toBe('1,234,567');
  expect(formatBytes(1_234_567)).toBe('1.23 MB');
  // The system's locale is read once, when the module is loaded.
  expect(asked.slice(1).filter((locale) => locale === undefined)).toHaveLength(1);
});
