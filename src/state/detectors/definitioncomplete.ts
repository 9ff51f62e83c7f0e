/** Completion in the definition of a detector: keys where one begins, and values of known keys. */
import type { KnownField } from '../../ipc/generated';
import { COMMON_FIELDS, KIND_FIELDS, type FormField, type FormType } from './detectorform';
import { DURATIONS, measureChoices } from './formchoices';

export interface DefinitionCompletion {
  /** Where the replaced text begins. */
  readonly from: number;
  readonly options: readonly string[];
  /** Whether options are keys, which a value follows. */
  readonly isKey: boolean;
}

interface KnownKey {
  readonly type: FormType;
  readonly choices: readonly string[];
}

const TABLES = ['threshold', 'anomaly', 'absence', 'pattern', 'sequence'] as const;

function keysOf(fields: readonly FormField[]): [string, KnownKey][] {
  return fields.flatMap(({ keys, choices = [] }) =>
    keys.map(({ key, type }): [string, KnownKey] => [key, { type, choices }]),
  );
}

const KEYS: ReadonlyMap<string, KnownKey> = new Map([
  ['name', { type: 'text', choices: [] }],
  ['description', { type: 'text', choices: [] }],
  ...keysOf(COMMON_FIELDS),
  ['needs', { type: 'names', choices: [] }],
  ['pattern.new', { type: 'choice', choices: ['true'] }],
  ...keysOf(Object.values(KIND_FIELDS).flat()),
] as [string, KnownKey][]);

/** The keys of a table; those of a detector have no table, and conditions are among them. */
function keysIn(table: string): readonly string[] {
  const start = table === '' ? '' : `${table}.`;
  const names = [...KEYS.keys()].filter((key) =>
    table === '' ? !key.includes('.') : key.startsWith(start),
  );
  return [...names.map((key) => key.slice(start.length)), ...(table === '' ? TABLES : [])];
}

/** The completions at a position; null in comments, and where nothing is known. */
export function completeDefinition(
  text: string,
  at: number,
  fields: readonly KnownField[],
): DefinitionCompletion | null {
  const before = text.slice(0, at);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  if (/^\s*#/.test(line)) return null;
  const { table } = headBefore(before);
  const head = /^\s*\[{1,2}([\w.]*)$/.exec(line);
  if (head !== null) {
    const names = ['detector', ...TABLES.map((name) => `detector.${name}`)];
    return completion(at, head[1]!, names, false);
  }
  const inline = /^\s*(\w+)\s*=\s*\{(.*)$/.exec(line);
  const scope = inline === null || !isOpen(inline[2]!) ? table : inline[1]!;
  const own = scope === table ? line : lastPart(inline![2]!);
  const key = /^\s*([\w]*)$/.exec(own);
  if (key !== null) {
    const written = writtenIn(text, at, scope === table ? null : line);
    const names = keysIn(scope).filter((name) => name === key[1] || !written.has(name));
    return completion(at, key[1]!, names, true);
  }
  const value = /^\s*([\w]+)\s*=\s*(.*)$/.exec(own);
  if (value === null) return null;
  const known = KEYS.get(scope === '' ? value[1]! : `${scope}.${value[1]}`);
  if (known === undefined) return null;
  const open = /"([^"\\]*)$/.exec(value[2]!);
  const isInText = open !== null && (value[2]!.split('"').length - 1) % 2 === 1;
  if (isInText) return completion(at, open[1]!, valuesOf(known, fields), false);
  if (value[2] !== '' || known.type === 'number') return null;
  const quoted = valuesOf(known, fields).map((each) => (each === 'true' ? each : `"${each}"`));
  return completion(
    at,
    '',
    known.type === 'names' ? quoted.map((each) => `[${each}]`) : quoted,
    false,
  );
}

function completion(
  at: number,
  written: string,
  options: readonly string[],
  isKey: boolean,
): DefinitionCompletion | null {
  const lower = written.toLowerCase();
  const fitting = options.filter((each) =>
    isKey ? each.startsWith(lower) : each.toLowerCase().includes(lower),
  );
  return fitting.length === 0 ? null : { from: at - written.length, options: fitting, isKey };
}

function valuesOf({ type, choices }: KnownKey, fields: readonly KnownField[]): readonly string[] {
  if (type === 'choice') return choices;
  if (type === 'duration') return DURATIONS;
  if (type === 'measure') return measureChoices(fields);
  return type === 'names' ? fields.map(({ name }) => name) : [];
}

/** The last head of a table before a position, and the condition that it is of. */
function headBefore(before: string): { readonly end: number; readonly table: string } {
  const head = [...before.matchAll(/^\s*\[{1,2}detector(?:\.(\w+))?\]{1,2}/gm)].at(-1);
  return head === undefined
    ? { end: 0, table: '' }
    : { end: head.index + head[0].length, table: head[1] ?? '' };
}

/** Whether a table on one line is still open at its end. */
function isOpen(rest: string): boolean {
  return !rest.replace(/"(?:[^"\\]|\\.)*"/g, '').includes('}');
}

/** The part after the last comma that is in no text and no list. */
function lastPart(rest: string): string {
  const bare = rest.replace(/"(?:[^"\\]|\\.)*"|\[[^\]]*\]/g, (text) => '_'.repeat(text.length));
  return rest.slice(bare.lastIndexOf(',') + 1);
}

/** The keys that the table of a position has. */
function writtenIn(text: string, at: number, line: string | null): ReadonlySet<string> {
  if (line !== null) return new Set([...line.matchAll(/(\w+)\s*=/g)].map(([, name]) => name!));
  const { end } = headBefore(text.slice(0, at));
  const next = text.slice(at).search(/^\s*\[/m);
  const section = text.slice(end, next < 0 ? text.length : at + next);
  return new Set([...section.matchAll(/^\s*(\w+)\s*=/gm)].map(([, name]) => name!));
}
