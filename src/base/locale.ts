/** The language and region for numbers and dates. */

/**
 * If no language is set (`LANG=C.UTF-8`), WebKit reports `en-US-u-va-posix`, which is meant for
 * programs: it writes 1234567 without separators. For people it is replaced by plain English.
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
