/** The language and region that numbers and dates are written for. */

/**
 * Where no language is set (`LANG=C.UTF-8`), WebKit's own is `en-US-u-va-posix`, which is made for programs: it
 * writes 1234567 without separators. People read that as the English it is next to.
 */
export function readable(locale: string): string {
  return /-posix\b/i.test(locale) ? 'en-US' : locale;
}

const locale = readable(new Intl.NumberFormat().resolvedOptions().locale);

export function numberFormat(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, options);
}

export function dateFormat(options: Intl.DateTimeFormatOptions = {}): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, options);
}
