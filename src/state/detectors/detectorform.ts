/** The form of a detector: which fields each kind has, and what they change in the keys of its text. */
import type { DetectorProblem, KeyChange, KeyValue, WrittenKey } from '../../ipc/generated';

export const DETECTOR_KINDS = [
  'threshold',
  'anomaly',
  'absence',
  'newPattern',
  'surge',
  'sequence',
] as const;
export type DetectorKind = (typeof DETECTOR_KINDS)[number];

/** The kind of a field's value; `time` is an instant or a date. */
export type FormType =
  'text' | 'number' | 'duration' | 'filter' | 'measure' | 'names' | 'choice' | 'time';

export interface FormField {
  /** The keys that it can set, one at a time: of two, a person chooses. */
  readonly keys: readonly [FormKey, ...FormKey[]];
  /** The values of a `choice`; the first one applies if none is written. */
  readonly choices?: readonly string[];
}

export interface FormKey {
  readonly key: string;
  readonly type: FormType;
  /** The value that applies if none is written, as text. */
  readonly usual?: string;
  /** Whether a detector of the kind must have it, or one of its alternatives. */
  readonly isNeeded?: boolean;
}

const field = (key: string, type: FormType, usual?: string): FormField => ({
  keys: [{ key, type, ...(usual === undefined ? {} : { usual }) }],
});
const choice = (key: string, ...choices: string[]): FormField => ({
  keys: [{ key, type: 'choice', usual: choices[0]! }],
  choices,
});
const either = (...keys: [FormKey, ...FormKey[]]): FormField => ({ keys });
const needed = (key: string, type: FormType, usual: string): FormKey => ({
  key,
  type,
  usual,
  isNeeded: true,
});

/** The fields of every detector. */
export const COMMON_FIELDS: readonly FormField[] = [
  field('title', 'text'),
  choice('severity', 'medium', 'informational', 'low', 'high', 'critical'),
  field('query', 'filter', '*'),
  field('by', 'names'),
];

export const KIND_FIELDS: Readonly<Record<DetectorKind, readonly FormField[]>> = {
  threshold: [
    field('threshold.measure', 'measure', 'count'),
    field('threshold.every', 'duration', '1m'),
    either(needed('threshold.above', 'number', '10'), needed('threshold.below', 'number', '10')),
    field('threshold.for', 'duration'),
    field('threshold.clear', 'number'),
    field('threshold.of', 'filter'),
    field('threshold.least', 'number', '0'),
  ],
  anomaly: [
    field('anomaly.measure', 'measure', 'count'),
    field('anomaly.every', 'duration', '5m'),
    field('anomaly.sensitivity', 'number', '6'),
    choice('anomaly.direction', 'both', 'up', 'down'),
    choice('anomaly.season', 'auto', 'week', 'day', 'none'),
    field('anomaly.window', 'duration'),
    field('anomaly.bins', 'number', '1'),
    field('anomaly.least', 'number', '0'),
  ],
  absence: [
    either(needed('absence.longer', 'duration', '10m'), needed('absence.times', 'number', '5')),
  ],
  newPattern: [
    either({ key: 'pattern.learn', type: 'duration' }, { key: 'pattern.since', type: 'time' }),
    field('pattern.least', 'number', '1'),
  ],
  surge: [either(needed('pattern.surge', 'number', '10')), field('pattern.least', 'number', '1')],
  sequence: [
    either(
      needed('sequence.then', 'filter', 'level:error'),
      needed('sequence.without', 'filter', 'level:error'),
    ),
    either(needed('sequence.within', 'duration', '5m')),
  ],
};

export type FormKeys = readonly WrittenKey[];

export function writtenKey(keys: FormKeys, key: string): WrittenKey | undefined {
  return keys.find((each) => each.key === key);
}

/** The table of the condition. */
const TABLE: Readonly<Record<DetectorKind, string>> = {
  threshold: 'threshold',
  anomaly: 'anomaly',
  absence: 'absence',
  newPattern: 'pattern',
  surge: 'pattern',
  sequence: 'sequence',
};

/** The kind of a detector; null if it has no condition, or several. */
export function kindOf(keys: FormKeys): DetectorKind | null {
  const tables = [...new Set(Object.values(TABLE))].filter(
    (name) => writtenKey(keys, name) !== undefined,
  );
  if (tables.length !== 1) return null;
  const isSurge = writtenKey(keys, 'pattern.surge') !== undefined;
  if (tables[0] === 'pattern') return isSurge ? 'surge' : 'newPattern';
  return DETECTOR_KINDS.find((kind) => TABLE[kind] === tables[0])!;
}

const set = (key: string, value: KeyValue): KeyChange => ({ key, value, renamed: null });
const without = (key: string): KeyChange => ({ key, value: null, renamed: null });
const rename = (key: string, renamed: string): KeyChange => ({ key, value: null, renamed });

/**
 * Makes a detector one of another kind. Keys that both kinds have stay, as does what this form does not
 * know; the others go, and those that the kind needs get their usual values.
 */
export function kindChanges(keys: FormKeys, kind: DetectorKind): KeyChange[] {
  const table = TABLE[kind];
  const former = [...new Set(Object.values(TABLE))].filter(
    (name) => writtenKey(keys, name) !== undefined,
  );
  const [kept, ...others] = former.includes(table)
    ? [table, ...former.filter((name) => name !== table)]
    : former;
  const own = KIND_FIELDS[kind].flatMap((each) => each.keys.map(({ key }) => key));
  const isOwn = (name: string) => own.includes(`${table}.${name}`);
  const inKept = keys.flatMap(({ key }) =>
    kept !== undefined && key.startsWith(`${kept}.`) ? [key.slice(kept.length + 1)] : [],
  );
  const known = new Set(
    Object.values(KIND_FIELDS).flatMap((fields) =>
      fields.flatMap((each) => each.keys.map(({ key }) => key.slice(key.indexOf('.') + 1))),
    ),
  ).add('new');
  const gone = inKept.filter((name) => known.has(name) && !isOwn(name));
  const stays = new Set(inKept.filter((name) => !gone.includes(name)));
  const missing = KIND_FIELDS[kind].flatMap(({ keys: [first, ...rest] }) => {
    const isThere = [first, ...rest].some(({ key }) => stays.has(key.slice(table.length + 1)));
    return first.isNeeded === true && !isThere
      ? [set(first.key, valueOf(first, first.usual!)!)]
      : [];
  });
  // An anomaly needs no key, but its table.
  const least = kind === 'anomaly' && kept === undefined ? [set('anomaly.measure', 'count')] : [];
  return [
    ...others.map(without),
    ...(kept === undefined || kept === table ? [] : [rename(kept, table)]),
    ...(kind === 'newPattern' ? [set('pattern.new', true)] : []),
    ...missing,
    ...least,
    ...gone
      .filter((name) => kind !== 'newPattern' || name !== 'new')
      .map((name) => without(`${table}.${name}`)),
  ];
}

/** The text of a field's value, as a person writes it. */
export function textOf(value: KeyValue | undefined): string {
  if (value === undefined) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function valueOf({ type }: FormKey, text: string): KeyValue | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (type === 'names')
    return trimmed
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
  // Anything but a number stays a text, and the engine names its problem.
  const number = Number(trimmed);
  return type === 'number' && Number.isFinite(number) ? number : trimmed;
}

/** A field was written. An empty one goes from the text. */
export function fieldChange(key: FormKey, text: string): KeyChange {
  return { key: key.key, value: valueOf(key, text), renamed: null };
}

/** Another key of a field is chosen; a value of the same type stays. */
export function keyChanges(keys: FormKeys, from: FormKey, to: FormKey): KeyChange[] {
  if (from.key === to.key) return [];
  const written = writtenKey(keys, from.key);
  if (written !== undefined && from.type === to.type)
    return [rename(from.key, to.key.slice(to.key.indexOf('.') + 1))];
  const value = to.usual === undefined ? null : valueOf(to, to.usual);
  return [...(value === null ? [] : [set(to.key, value)]), without(from.key)];
}

/** The key of a field that is written; the first one if none is. */
export function shownKey(keys: FormKeys, { keys: all }: FormField): FormKey {
  return all.find(({ key }) => writtenKey(keys, key) !== undefined) ?? all[0];
}

/**
 * What is wrong with a field: a problem at its line that names it or its value. A line can have several
 * keys, and what names none of them belongs to no field.
 */
export function fieldProblem(
  keys: FormKeys,
  key: string,
  problems: readonly DetectorProblem[],
): DetectorProblem | undefined {
  const written = writtenKey(keys, key);
  if (written === undefined) return undefined;
  const named = [`\`${key.slice(key.indexOf('.') + 1)}\``, `\`${textOf(written.value)}\``];
  const isAlone = keys.filter(({ line }) => line === written.line).length === 1;
  return problems.find(
    ({ line, message }) =>
      line === written.line && (isAlone || named.some((name) => message.includes(name))),
  );
}
