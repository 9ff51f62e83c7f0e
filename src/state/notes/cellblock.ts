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
  return ['```' + [kind, ...words].join(' '), text, '```', ''].join('\n');
}

function option(value: string | number | Time): string {
  if (typeof value === 'bigint') return `${formatTimeFull(value).replace(' ', 'T')}Z`;
  // Quotes end an option, so it has none.
  const text = String(value).replaceAll('"', '');
  return /\s/.test(text) || text === '' ? `"${text}"` : text;
}
