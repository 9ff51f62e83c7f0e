/** The clauses of a filter that list values of one field: how they are read, and how they grow and shrink. */
import type { KnownField, QueryClause, QueryEdit } from '../../ipc/generated';
import { expressionOf, fieldName, isEndOf, isVisible, literalOf, quoted } from '../query/querytext';
import { isNumber } from './coverage';

/** One alternative of a clause: `=value`, `:value` or `:/expression/`. */
export interface Alternative {
  readonly operator: '=' | ':';
  /** Without quotation marks or slashes. */
  readonly value: string;
  readonly isRegex: boolean;
}

/** The values that a filter includes, and those that it excludes. */
export interface Choice {
  readonly included: ReadonlySet<string>;
  readonly excluded: ReadonlySet<string>;
}

export const NO_CHOICE: Choice = { included: new Set(), excluded: new Set() };

/** How the values of a field are written in a clause. */
export interface ValueField {
  readonly name: string;
  /** The values that an alternative matches; null if it is no list of values. */
  read(alternative: Alternative): readonly string[] | null;
  write(values: readonly string[]): readonly Alternative[];
}

/** A clause that lists values of a field. */
interface ValueClause {
  readonly at: number;
  readonly text: string;
  readonly isNegated: boolean;
  readonly values: readonly string[];
}

export interface ChoiceEdits {
  readonly edits: readonly QueryEdit[];
  /** The texts of the clauses that are removed. */
  readonly removed: readonly string[];
}

/**
 * The values of a field as they are. Numbers, booleans and levels are equal or not; of texts, `:`
 * only compares words, so that the clause needs `=`. A value that `clause` writes as an expression is one here too.
 */
export function valueField(
  { name, kinds }: Pick<KnownField, 'name' | 'kinds'>,
  files: readonly string[] = [],
): ValueField {
  const isLevel = name === 'level';
  const isBool = kinds.length > 0 && kinds.every((kind) => kind === 'bool');
  const isWhole = isLevel || isBool || isNumber({ name, kinds, ecs: null, present: null });
  return {
    name,
    read: ({ operator, value, isRegex }) => {
      if (isRegex) {
        const literal = literalOf(value);
        return literal?.isWhole ? [literal.text] : null;
      }
      if (operator === ':' && !isWhole) return null;
      return [isLevel ? value.toLowerCase() : value];
    },
    write: (values) => {
      const operator = isWhole && values.length > 1 ? ':' : '=';
      return values.map((value) =>
        isVisible(value) && !(name === 'source' && isEndOf(value, files))
          ? { operator, value, isRegex: false }
          : { operator: ':', value: `^${expressionOf(value)}$`, isRegex: true },
      );
    },
  };
}

/** The choice that a filter makes among the values of a field. */
export function choiceOf(clauses: readonly QueryClause[], field: ValueField): Choice {
  return chosen(valueClauses(clauses, field));
}

/** The edits that lead from one choice to another: the clause grows, shrinks, comes or goes. */
export function choiceEdits(
  clauses: readonly QueryClause[],
  field: ValueField,
  change: (now: Choice) => Choice,
): ChoiceEdits {
  const own = valueClauses(clauses, field);
  const now = chosen(own);
  const next = change(now);
  const [replaced, gone, added]: [QueryEdit[], ValueClause[], QueryEdit[]] = [[], [], []];
  for (const isNegated of [false, true]) {
    const wanted = isNegated ? next.excluded : next.included;
    const [first, ...others] = own.filter((clause) => clause.isNegated === isNegated);
    const isSame = sameValues(wanted, isNegated ? now.excluded : now.included);
    if (isSame && (wanted.size > 0 || first === undefined)) continue;
    gone.push(...others);
    if (wanted.size === 0) {
      if (first !== undefined) gone.push(first);
      continue;
    }
    const clause = listClause(field.name, field.write([...wanted]), isNegated);
    if (first === undefined) added.push({ kind: 'add', clause });
    else replaced.push({ kind: 'replace', at: first.at, clause });
  }
  // Each removal moves only the clauses that follow it.
  const removed = gone.toSorted((one, other) => other.at - one.at);
  return {
    edits: [...replaced, ...removed.map(({ at }): QueryEdit => ({ kind: 'remove', at })), ...added],
    removed: removed.map(({ text }) => text),
  };
}

/** The filter without the clauses that list values of a field: what the counts of all its values are of. */
export function withoutChoice(
  filter: string,
  clauses: readonly QueryClause[],
  field: ValueField,
): string {
  const own = new Set(valueClauses(clauses, field).map(({ at }) => at));
  if (own.size === 0) return filter;
  const others = clauses.filter(({ text }, at) => text !== '' && !own.has(at));
  return others.map(({ text }) => `(${text})`).join(' ');
}

/** What the clauses that list values of a field say of them, without their negations. */
export function choiceClauses(clauses: readonly QueryClause[], field: ValueField): string[] {
  return valueClauses(clauses, field).map(({ text, isNegated }) =>
    isNegated ? innerOf(text) : text,
  );
}

/** `status:(502 OR 504)`, `path="/a" OR path="/b"`. */
export function listClause(
  field: string,
  alternatives: readonly Alternative[],
  isNegated = false,
): string {
  const name = fieldName(field);
  const text = ({ value, isRegex }: Alternative) => (isRegex ? `/${value}/` : quoted(value));
  const one = (each: Alternative) => `${name}${each.operator}${text(each)}`;
  const isList = alternatives.length > 1;
  if (isList && alternatives.every(({ operator }) => operator === ':')) {
    return `${isNegated ? 'NOT ' : ''}${name}:(${alternatives.map(text).join(' OR ')})`;
  }
  const joined = alternatives.map(one).join(' OR ');
  return isNegated ? `NOT ${isList ? `(${joined})` : joined}` : joined;
}

/** Includes a value, or no longer. */
export function toggled({ included, excluded }: Choice, values: readonly string[]): Choice {
  const isAll = values.every((value) => included.has(value));
  return {
    included: isAll ? without(included, values) : new Set([...included, ...values]),
    excluded: without(excluded, values),
  };
}

/** Excludes a value, or no longer. */
export function turned({ included, excluded }: Choice, values: readonly string[]): Choice {
  const turn = toggled({ included: excluded, excluded: included }, values);
  return { included: turn.excluded, excluded: turn.included };
}

function without(all: ReadonlySet<string>, values: readonly string[]): ReadonlySet<string> {
  return new Set([...all].filter((value) => !values.includes(value)));
}

function sameValues(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((value) => other.has(value));
}

function valueClauses(clauses: readonly QueryClause[], field: ValueField): ValueClause[] {
  return clauses.flatMap(({ text, isNegated }, at) => {
    const read = alternativesOf(isNegated ? innerOf(text) : text, field.name);
    const values = read?.map((each) => field.read(each)) ?? [null];
    if (values.includes(null)) return [];
    return [{ at, text, isNegated, values: values.flatMap((each) => each ?? []) }];
  });
}

/** Of clauses that include, all must hold; of those that exclude, each does. */
function chosen(own: readonly ValueClause[]): Choice {
  const [first, ...others] = own.filter(({ isNegated }) => !isNegated);
  const isInAll = (value: string) => others.every(({ values }) => values.includes(value));
  const excluded = own.filter(({ isNegated }) => isNegated).flatMap(({ values }) => values);
  return {
    included: new Set(first?.values.filter(isInAll)),
    excluded: new Set(excluded),
  };
}

/** What a negated clause negates. */
function innerOf(text: string): string {
  const inner = text.replace(/^NOT /, '');
  return /^\(.*\)$/su.test(inner) ? inner.slice(1, -1) : inner;
}

const NAME = /^(?:"((?:[^"\\]|\\.)*)"|([^\s:=<>!~()"]+))([:=])/su;
const QUOTED = /^"((?:[^"\\]|\\.)*)"(?!~)/su;
const REGEX = /^\/((?:[^\\/]|\\.)+)\/(?=$| OR |\))/su;
const BARE = /^[\p{L}\p{N}_.@/#%+;,:-]+(?=$| OR |\))/u;
/** Bare words that are no values: networks, and what ends like an expression. */
const NO_VALUE = /^[\da-f.:]+\/\d+$|\/i?$/iu;

/** The alternatives of a clause in the spelling of the engine; null if it is of other fields, or more than a list. */
function alternativesOf(clause: string, field: string): Alternative[] | null {
  const found: Alternative[] = [];
  let rest = clause;
  const take = (operator: Alternative['operator']): boolean => {
    const regex = operator === ':' ? REGEX.exec(rest) : null;
    const match = regex ?? QUOTED.exec(rest) ?? BARE.exec(rest);
    if (match === null) return false;
    const value = match[1] ?? match[0];
    if (match[1] === undefined && NO_VALUE.test(value)) return false;
    const isRegex = regex !== null;
    found.push({ operator, value: isRegex ? value : unescaped(value), isRegex });
    rest = rest.slice(match[0].length);
    return true;
  };
  const next = (): boolean => {
    if (!rest.startsWith(' OR ')) return false;
    rest = rest.slice(' OR '.length);
    return true;
  };
  do {
    const name = NAME.exec(rest);
    if (name === null || (name[2] ?? unescaped(name[1] ?? '')) !== field) return null;
    rest = rest.slice(name[0].length);
    const operator = name[3] as Alternative['operator'];
    const isList = operator === ':' && rest.startsWith('(');
    if (isList) rest = rest.slice(1);
    do {
      if (!take(operator)) return null;
    } while (isList && next());
    if (isList && !rest.startsWith(')')) return null;
    if (isList) rest = rest.slice(1);
  } while (next());
  return rest === '' ? found : null;
}

function unescaped(text: string): string {
  return text.replace(/\\(["\\])/g, '$1');
}
