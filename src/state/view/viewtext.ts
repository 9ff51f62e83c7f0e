/**
 * A view as one string and back. Default values are left out, so that a simple view is short and a
 * view written by an older version still works.
 */
import { formatTimeFull, parseTime } from '../../base/time';
import type { RangeChoice } from './ranges';
import { START, type FollowUp, type Json, type ViewColumn, type ViewState } from './viewstate';

/** The text form of a part of a view. Reading returns undefined for an invalid text. */
interface ViewPart<T> {
  write(value: T): string;
  read(text: string): T | undefined;
}

const MARK = 'timberline-view';

const plain: ViewPart<string> = { write: (value) => value, read: (text) => text };

function choice<T extends string>(...choices: readonly T[]): ViewPart<T> {
  return { write: (value) => value, read: (text) => choices.find((each) => each === text) };
}

function json<T>(understood: (value: Json | undefined) => T | undefined): ViewPart<T> {
  return {
    write: (value) => JSON.stringify(value),
    read: (text) => {
      try {
        return understood(JSON.parse(text) as Json);
      } catch {
        return undefined;
      }
    },
  };
}

type Members = { readonly [name: string]: Json | undefined };

function members(value: Json | undefined): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : {};
}

function list<T>(understood: (value: Members) => T | undefined) {
  return json<readonly T[]>((value) => {
    if (!Array.isArray(value)) return undefined;
    return value
      .map((each: Json) => understood(members(each)))
      .filter((each) => each !== undefined);
  });
}

const lines = json<readonly string[]>((value) =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined,
);

const range: ViewPart<RangeChoice> = {
  write: (value) => {
    if (value === null) return '';
    const ends = [value.from, value.to].map((time) => formatTimeFull(time).replace(' ', 'T'));
    return [...ends, ...(value.written === undefined ? [] : [value.written])].join('/');
  },
  read: (text) => {
    if (text === '') return null;
    const [first = '', second = '', ...rest] = text.split('/');
    const from = parseTime(first);
    const to = parseTime(second);
    if (from === null || to === null || from >= to) return undefined;
    return rest.length === 0 ? { from, to } : { from, to, written: rest.join('/') };
  },
};

const PARTS: { readonly [Name in keyof ViewState]: ViewPart<ViewState[Name]> } = {
  query: plain,
  off: lines,
  pinned: lines,
  range,
  order: choice('oldestFirst', 'newestFirst'),
  sort: json((value) => {
    if (value === null) return null;
    const { field, descending } = members(value);
    return typeof field === 'string' ? { field, descending: descending === true } : undefined;
  }),
  columns: list<ViewColumn>(({ field, widthPx, pinned }) => {
    if (typeof field !== 'string') return undefined;
    const width = typeof widthPx === 'number' && widthPx > 0 ? widthPx : null;
    return { field, widthPx: width, pinned: pinned === true };
  }),
  tab: plain,
  followUps: list<FollowUp>(({ id, kind, title, about }) => {
    const named = [id, kind, title].every((each) => typeof each === 'string');
    return named
      ? { id: id as string, kind: kind as string, title: title as string, about: about ?? null }
      : undefined;
  }),
  timeline: json((value) => {
    const { split, scale, lanes, widthNs, pinned } = members(value);
    return {
      split: typeof split === 'string' && split !== '' ? split : START.timeline.split,
      scale: scale === 'logarithmic' ? scale : 'linear',
      lanes: lanes === true,
      widthNs: typeof widthNs === 'string' && /^[1-9]\d{0,17}$/.test(widthNs) ? widthNs : null,
      pinned: (Array.isArray(pinned) ? pinned : []).flatMap((each: Json) => {
        const { id, text } = members(each);
        const isTemplate = typeof id === 'string' && /^[stgf][0-9a-f]{16}$/.test(id);
        return isTemplate ? [{ id, text: typeof text === 'string' ? text : id }] : [];
      }),
    };
  }),
  zone: plain,
  charts: json((value) => value),
  comparison: json((value) => value),
};

const NAMES = Object.keys(PARTS) as (keyof ViewState)[];

function written<Name extends keyof ViewState>(state: ViewState, name: Name): string {
  return PARTS[name].write(state[name]);
}

export function textOfView(state: ViewState): string {
  const text = new URLSearchParams({ [MARK]: '1' });
  for (const name of NAMES) {
    const part = written(state, name);
    if (part !== written(START, name)) text.set(name, part);
  }
  return text.toString();
}

/** Null if the text is no view. An unknown part has its default. */
export function viewOfText(text: string): ViewState | null {
  const read = new URLSearchParams(text.trim());
  if (!read.has(MARK)) return null;
  const parts = NAMES.flatMap((name) => {
    const part = read.get(name);
    const value = part === null ? undefined : PARTS[name].read(part);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...START, ...(Object.fromEntries(parts) as Partial<ViewState>) };
}

/** Whether two views show the same. */
export function sameView(a: ViewState, b: ViewState): boolean {
  return (
    a === b || NAMES.every((name) => a[name] === b[name] || written(a, name) === written(b, name))
  );
}
