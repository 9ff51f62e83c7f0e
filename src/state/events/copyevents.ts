/** Events as text for the clipboard. */
import { formatTimeFull, timeFromNanos } from '../../base/time';
import type { EventDetail } from '../../ipc/generated';
import { shownColumns, TEXT } from './columns';
import type { ViewColumn } from '../view/viewstate';

export const COPY_FORMATS = ['text', 'json', 'markdown'] as const;
export type CopyFormat = (typeof COPY_FORMATS)[number];

export function copied(
  events: readonly EventDetail[],
  format: CopyFormat,
  columns: readonly ViewColumn[],
): string {
  switch (format) {
    case 'text':
      return events.map((event) => event.text).join('\n');
    case 'json':
      return events.map((event) => JSON.stringify(asObject(event))).join('\n');
    case 'markdown':
      return markdown(events, columns);
  }
}

/** The value of a column of an event, or an empty text. */
export function columnText(event: EventDetail, field: string): string {
  if (field === 'time') return event.row.time === null ? '' : writtenTime(event.row.time);
  if (field === 'level') return event.row.level === 'none' ? '' : event.row.level;
  if (field === 'source') return event.source.name;
  if (field === 'line') return String(event.row.line);
  if (field === TEXT) return event.text;
  return event.fields.find(({ name }) => name === field)?.value ?? '';
}

export function writtenTime(nanos: string): string {
  return `${formatTimeFull(timeFromNanos(nanos)).replace(' ', 'T')}Z`;
}

/** The same as a line of NDJSON from the command line: the built-in fields, then the event's own. */
function asObject(event: EventDetail): Record<string, unknown> {
  const { row, source } = event;
  const own = event.fields.map(({ name, value, kind }) => [name, typed(value, kind)] as const);
  const names = new Set(['time', 'source', 'line', 'level', 'raw']);
  return {
    time: row.time === null ? null : writtenTime(row.time),
    source: source.name,
    line: row.line,
    level: row.level,
    raw: event.text,
    ...Object.fromEntries(own.filter(([name]) => !names.has(name))),
  };
}

/** Integers beyond 2^53 stay strings, because most JSON readers would round them. */
function typed(value: string, kind: EventDetail['fields'][number]['kind']): unknown {
  if (kind === 'bool') return value === 'true';
  const number = Number(value);
  if (kind === 'int') return Number.isSafeInteger(number) ? number : value;
  return kind === 'float' && Number.isFinite(number) ? number : value;
}

/** A table; a single event becomes a code block after a line with its origin. */
function markdown(events: readonly EventDetail[], columns: readonly ViewColumn[]): string {
  const fields = shownColumns(columns).map(({ field }) => field);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rows = events.map((event) => line(fields.map((field) => cell(columnText(event, field)))));
  return [line(fields.map(cell)), line(fields.map(() => '---')), ...rows].join('\n');
}

/** Escapes characters that would end a cell or begin markup. */
function cell(text: string): string {
  return text.replace(/[\\`*_[\]<>|&]/g, '\\$&').replace(/\r?\n|\r/g, '<br>');
}
