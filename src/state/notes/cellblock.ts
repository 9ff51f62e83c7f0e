/** The text of a cell, as a notebook page holds it. */
import { formatTimeFull, type Time, type TimeRange } from '../../base/time';
import type { CellKind } from '../../ipc/generated';

interface CellOptions {
  readonly id?: string;
  readonly by?: string;
  readonly rows?: number;
  readonly range?: TimeRange | null;
  /** The zone in which the query was written; null for UTC. */
  readonly zone?: string | null;
  readonly title?: string;
}

export function cellBlock(kind: CellKind, text: string, options: CellOptions = {}): string {
  const { id, by, rows, range, zone, title } = options;
  const written = Object.entries({ id, by, rows, from: range?.from, to: range?.to, zone, title });
  const words = written.flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name}=${option(value)}`],
  );
  // No text ends its own fence, and one of backticks has none in its first line.
  const mark = words.some((word) => word.includes('`')) ? '~' : '`';
  const runs = [...text.matchAll(/^ {0,3}(`{3,}|~{3,})/gm)].map(([, run]) => run!.length + 1);
  const fence = mark.repeat(Math.max(3, ...runs));
  return [fence + [kind, ...words].join(' '), text, fence, ''].join('\n');
}

function option(value: string | number | Time): string {
  if (typeof value === 'bigint') return `${formatTimeFull(value).replace(' ', 'T')}Z`;
  // Quotes end an option, and lines end all of them, so it has none.
  const text = String(value)
    .replaceAll('"', '')
    .replace(/[\r\n]+/g, ' ');
  return /\s/.test(text) || text === '' ? `"${text}"` : text;
}
