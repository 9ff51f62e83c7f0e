/** Severity levels: the order, the letters and the token names that every view shares. */
export const LEVELS = [
  'none',
  'trace',
  'debug',
  'info',
  'notice',
  'warn',
  'error',
  'fatal',
] as const;

export type LevelName = (typeof LEVELS)[number];

const LETTERS: Record<LevelName, string> = {
  none: '·',
  trace: 'T',
  debug: 'D',
  info: 'I',
  notice: 'N',
  warn: 'W',
  error: 'E',
  fatal: 'F',
};

export function levelLetter(level: LevelName): string {
  return LETTERS[level];
}
