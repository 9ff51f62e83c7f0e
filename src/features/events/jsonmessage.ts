import { jsonLeaves, type JsonNode } from '../../base/jsontree';
import type { Row } from '../../ipc/generated';

/** A JSON event with its message first, then its other fields. */
export interface JsonMessage {
  readonly message: string;
  readonly rest: string;
}

/** Names that loggers use for the message, the most common first. */
const MESSAGES = ['message', 'msg', '@message', 'short_message', 'textpayload', 'log', 'event'];
/** Times and levels have columns of their own. */
const OWN_COLUMN =
  /^(@?timestamp|@t|ts?|time|datetime|level|lvl|severity|log_?level|levelname|log\.level)$/i;

/** Null for a text that is no JSON or has no message: it is shown as written. */
export function jsonMessageOf(
  { text, cut }: Pick<Row, 'text' | 'cut'>,
  known: string | null | undefined,
): JsonMessage | null {
  if (!text.startsWith('{')) return null;
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
