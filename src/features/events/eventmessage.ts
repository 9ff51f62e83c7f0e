import { jsonLeaves, type JsonNode } from '../../base/jsontree';
import type { Row } from '../../ipc/generated';

/** An event with its message first, then what else was written on the first line. */
export interface EventMessage {
  readonly message: string;
  readonly rest: string;
}

/** Names that loggers use for the message, the most common first. */
const MESSAGES = ['message', 'msg', '@message', 'short_message', 'textpayload', 'log', 'event'];
/** Times and levels have columns of their own. */
const OWN_COLUMN =
  /^(@?(timestamp|time|ts?|level)|datetime|event_?time|lvl|severity|log_?level|levelname|log\.level)$/i;

/** Null for an event without a message, or whose message is all of it: it is shown as written. */
export function messageOf(
  row: Pick<Row, 'text' | 'cut' | 'level'>,
  known: string | null | undefined,
): EventMessage | null {
  return row.text.startsWith('{') ? inJson(row, known) : inText(row, known);
}

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*';
const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?:[.,:]\d+)?(?:\s*[AP]M\b)?`;
const ZONE = String.raw`(?:\s?(?:Z|UTC|GMT|[A-Z]{3,4}|[+-]\d{2}:?\d{2})\b)?`;
const STAMPS = [
  String.raw`\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T _:-]${CLOCK})?${ZONE}`,
  // An address has a fourth number.
  String.raw`\d{1,2}[-/.](?:\d{1,2}|${MONTH})[-/.]\d{2,4}(?!\.?\d)(?:[T :]${CLOCK})?${ZONE}`,
  String.raw`(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s+)?${MONTH}\s+\d{1,2},?(?:\s+\d{4})?\s+${CLOCK}${ZONE}(?:\s+\d{4}\b)?`,
  // A day of the year: `2026.293.17:56:04`.
  String.raw`\d{4}[-.]\d{3}[T.: -]${CLOCK}${ZONE}`,
  CLOCK + ZONE,
  String.raw`\d{10}(?:\d{3}|\.\d+)?\b`,
];
/** A time, with the name of its field if that is written. */
const STAMP = new RegExp(
  String.raw`(?:\b[\w@.]+=["']?)?(?<![\w.])(?:${STAMPS.join('|')})["']?`,
  'g',
);
const LEVEL =
  /(?:\b(?:level|lvl|severity|log_?level)=["']?\w+["']?)|(?<![\w./-])(?:TRACE|DEBUG|INFO|INFORMATION|NOTICE|WARN|WARNING|ERROR|ERR|SEVERE|FATAL|CRITICAL|CRIT|ALERT|EMERG)\b/gi;
/** A syslog priority with its version. */
const PRIORITY = /^<\d{1,3}>\d?\s*/;
const EMPTY_BRACKETS = /\[\s*\]|\(\s*\)|<\s*>|\{\s*\}/g;
const EDGES = /^[\s:|,;–-]+|[\s:|,;–-]+$/g;

/** The message of a line, and what is before and after it without the time and the level, which have columns. */
function inText(
  { text, cut, level }: Pick<Row, 'text' | 'cut' | 'level'>,
  known: string | null | undefined,
): EventMessage | null {
  const message = known?.trim() ?? '';
  if (message === '') return request(text, level !== 'none');
  const at = message === '' ? -1 : text.lastIndexOf(message);
  if (at < 0) return cutMessage(text, cut, message);
  // The name of the field and its quotes belong to the message.
  const before = text.slice(0, at).replace(/[\w@.]+=["']?$/, '');
  const after = text.slice(at + message.length).replace(/^["'](?=\s|$)/, '');
  if (before.trim() === '' && after.trim() === '') return null;
  const [onLine = '', ...below] = after.trimEnd().split(/\r?\n/);
  const head = withoutColumns(before, level !== 'none');
  const rest = [head, onLine.trim()].filter((part) => part !== '').join(' ');
  return { message: [message, ...below].join('\n'), rest };
}

/** The request of a line of a web server, and its status. */
const REQUEST = /"([A-Z]{3,12} [^"\s]+)(?: HTTP\/[\d.]+)?" ([1-5]\d\d)(?=\s|$)/;

/** A request is what a line without a message says; the time before it has a column. */
function request(text: string, hasLevel: boolean): EventMessage | null {
  const found = REQUEST.exec(text);
  if (found === null) return null;
  const [all, asked, status] = found;
  const head = withoutColumns(text.slice(0, found.index), hasLevel);
  const after = text.slice(found.index + all.length).trim();
  const rest = [head, after].filter((part) => part !== '').join(' ');
  return { message: `${asked} ${status}`, rest };
}

/**
 * A long message is cut in the row, and its beginning is at the end of the text. One of several lines
 * is returned whole: its last lines name the cause.
 */
function cutMessage(text: string, cut: boolean, message: string): EventMessage | null {
  const start = message.slice(0, CUT_START);
  const at = cut && start.length === CUT_START ? text.indexOf(start) : -1;
  const isOneLine = !message.includes('\n');
  if (at < 0) return null;
  // Between its beginning and its cause, lines are left out.
  if (!isOneLine) return { message, rest: '' };
  return at > 0 && message.startsWith(text.slice(at))
    ? { message: text.slice(at), rest: '' }
    : null;
}

/** So much of a message is found in the text by chance in no log. */
const CUT_START = 40;

function withoutColumns(before: string, hasLevel: boolean): string {
  const timed = before.replace(PRIORITY, '').replace(STAMP, '');
  const plain = hasLevel ? timed.replace(LEVEL, '') : timed;
  let [left, last] = [plain, ''];
  while (left !== last) [left, last] = [left.replace(EMPTY_BRACKETS, ''), left];
  return left
    .replace(/\s+/g, ' ')
    .replace(EDGES, '')
    .replace(/^[\])>]+\s*|\s*[[(<]+$/g, '');
}

function inJson(
  { text, cut }: Pick<Row, 'text' | 'cut'>,
  known: string | null | undefined,
): EventMessage | null {
  const leaves = jsonLeaves(text, cut);
  if (leaves === null) return null;
  const message = known || messageIn(leaves);
  if (!message) return null;
  const others = leaves.filter(({ path, text }) => text !== message && !OWN_COLUMN.test(path));
  return { message, rest: others.map(pair).join(' ') };
}

function messageIn(leaves: readonly JsonNode[]): string | undefined {
  const texts = leaves.filter(({ kind }) => kind === 'string');
  return MESSAGES.map((name) => texts.find(({ path }) => path.toLowerCase() === name)).find(
    (found) => found !== undefined,
  )?.text;
}

function pair({ kind, path, text }: JsonNode): string {
  const isPlain = kind !== 'string' || /^[^\s"=]+$/.test(text);
  return `${path}=${isPlain ? text : JSON.stringify(text)}`;
}
