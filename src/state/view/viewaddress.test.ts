import { beforeEach, describe, expect, it, vi } from 'vitest';

import type { AddressPlace } from '../../base/addressplace';
import { asTime } from '../../base/time';
import { MOST_CHARACTERS, readAddress, type Address, type AddressProblem } from './address';
import { ViewHistory } from './history.svelte';
import { START } from './viewstate';
import { ViewAddress } from './viewaddress';

interface Entry {
  readonly state: unknown;
  readonly hash: string;
}

/** A browser's history; it moves when the test lets it. */
class FakePlace implements AddressPlace {
  entries: Entry[] = [{ state: null, hash: '' }];
  at = 0;
  reloads = 0;
  #asked: number[] = [];
  #moved = () => {};

  get hash(): string {
    return this.entries[this.at]!.hash;
  }

  get state(): unknown {
    return this.entries[this.at]!.state;
  }

  get length(): number {
    return this.entries.length;
  }

  push(state: unknown, hash: string): void {
    this.entries = [...this.entries.slice(0, this.at + 1), { state, hash }];
    this.at += 1;
  }

  replace(state: unknown, hash: string): void {
    this.entries = this.entries.with(this.at, { state, hash });
  }

  go(steps: number): void {
    this.#asked.push(steps);
  }

  link(hash: string): string {
    return `http://here/#${hash}`;
  }

  reload(): void {
    this.reloads += 1;
  }

  onMove(moved: () => void): () => void {
    this.#moved = moved;
    return () => {};
  }

  /** Makes the moves that were asked for, as a browser does later. */
  settle(): void {
    for (let steps = this.#asked.shift(); steps !== undefined; steps = this.#asked.shift())
      this.goes(steps);
  }

  /** A person goes back or forward. */
  goes(steps: number): void {
    this.at += steps;
    this.#moved();
  }

  /** A person types an address. */
  types(hash: string): void {
    this.push(null, hash);
    this.#moved();
  }

  get queries(): (string | undefined)[] {
    return this.entries.map(({ hash }) => readAddress(hash)?.view?.query);
  }
}

let place: FakePlace;
let history: ViewHistory;
let address: ViewAddress;
let problems: AddressProblem[];
let opened: Address[];

beforeEach(() => {
  vi.useFakeTimers();
  place = new FakePlace();
  problems = [];
  opened = [];
  address = new ViewAddress(place, {
    open: (other) => other.caseName === 'b.case' && opened.push(other) > 0,
    report: (problem) => void problems.push(problem),
  });
  history = new ViewHistory();
  address.show('a.case', history);
});

const ask = (...queries: string[]) => queries.forEach((query) => history.change({ query }));

describe('back and forward', () => {
  it('of the browser walk the history of the view', () => {
    ask('a', 'b');
    expect(place.queries).toEqual(['', 'a', 'b']);
    place.goes(-1);
    expect(history.current.query).toBe('a');
    expect([history.canGoBack, history.canGoForward]).toEqual([true, true]);
    place.goes(-1);
    place.goes(2);
    expect(history.current.query).toBe('b');
    ask('c');
    expect(place.queries).toEqual(['', 'a', 'b', 'c']);
  });

  it('are the same steps as undo and redo, and a new step replaces those undone', () => {
    ask('a', 'b');
    history.undo();
    history.undo();
    place.settle();
    expect(place.at).toBe(0);
    history.redo();
    place.settle();
    expect([place.at, place.queries[place.at]]).toEqual([1, 'a']);
    ask('c');
    expect(place.queries).toEqual(['', 'a', 'c']);
    place.goes(-1);
    expect(history.current.query).toBe('a');
  });

  it('leave notes as they are', () => {
    const note = { undo: vi.fn(), redo: vi.fn() };
    ask('a');
    history.did(note);
    ask('b');
    place.goes(-1);
    place.goes(-1);
    expect(history.current.query).toBe('');
    expect(note.undo).not.toHaveBeenCalled();
    history.undo();
    expect(note.undo).toHaveBeenCalledOnce();
    place.goes(2);
    expect(history.current.query).toBe('b');
  });

  it('still work after a reload, from the addresses', () => {
    ask('a', 'b', 'c');
    place.goes(-1);
    const again = new ViewHistory(() => {}, address.read()!.view!);
    address.show('a.case', again);
    expect(again.current.query).toBe('b');
    place.goes(-1);
    expect(again.current.query).toBe('a');
    place.goes(2);
    expect(again.current.query).toBe('c');
    place.goes(-2);
    expect(again.current.query).toBe('a');
  });

  it('end well if steps are made while the browser still moves', () => {
    ask('a', 'b');
    history.undo();
    ask('c', 'd');
    place.settle();
    expect(place.queries[place.at]).toBe('d');
    history.undo();
    place.settle();
    expect(place.queries[place.at]).toBe('c');
    ask('e');
    expect(place.queries[place.at]).toBe('e');
  });

  it('hold where the browser has dropped the oldest entries', () => {
    ask('a', 'b', 'c');
    place.entries = place.entries.slice(2);
    place.at = 1;
    history.undo();
    place.settle();
    expect(place.queries[place.at]).toBe('b');
    history.undo();
    place.settle();
    vi.advanceTimersByTime(1_000);
    expect([history.current.query, place.queries[place.at]]).toEqual(['a', 'a']);
    ask('d');
    expect(place.queries[place.at]).toBe('d');
  });
});

it('makes one entry of merged steps, with the last of them', () => {
  history.change({ query: 'e' }, 'typed');
  history.change({ query: 'er' }, 'typed');
  history.change({ query: 'err' }, 'typed');
  ask('x');
  expect(place.queries).toEqual(['', 'err', 'x']);
  history.change({ range: { from: asTime(0n), to: asTime(9n) } }, 'wheel');
  history.change({ range: { from: asTime(0n), to: asTime(5n) } }, 'wheel');
  vi.advanceTimersByTime(1_000);
  expect(readAddress(place.hash)?.view?.range?.to).toBe(5n);
});

describe('a typed address', () => {
  it('is a step like any other', () => {
    ask('a');
    place.types('case=a.case&timberline-view=1&query=linked');
    expect([history.current.query, problems]).toEqual(['linked', []]);
    place.goes(-1);
    expect(history.current.query).toBe('a');
    place.goes(1);
    expect(history.current.query).toBe('linked');
  });

  it.each([
    ['query=a', { kind: 'damaged', about: '' }],
    ['%E0%A4%A', { kind: 'damaged', about: '' }],
    ['case=a.case&timberline-view=2&query=a', { kind: 'newer', about: '' }],
    ['case=c.case&timberline-view=1&query=a', { kind: 'otherCase', about: 'c.case' }],
  ])('%s is reported, and shows the plain view', (hash, problem) => {
    ask('a');
    place.types(hash);
    expect([history.current, problems]).toEqual([START, [problem]]);
    expect(readAddress(place.hash)).toEqual({ caseName: 'a.case', view: START, problem: null });
    place.goes(-1);
    expect(history.current.query).toBe('a');
  });

  it('opens another case that is known here', () => {
    place.types('case=b.case&timberline-view=1&query=b');
    expect(opened.map(({ view }) => view?.query)).toEqual(['b']);
    const other = new ViewHistory(() => {}, opened[0]!.view!);
    address.show('b.case', other);
    other.change({ query: 'c' });
    place.goes(-1);
    expect(other.current.query).toBe('b');
  });

  it('with a token starts the page again, which takes the token out of it', () => {
    ask('a');
    place.types('token=abc');
    expect([place.reloads, problems]).toEqual([1, []]);
  });

  it('that is cut off to nothing changes nothing', () => {
    ask('a');
    place.types('');
    expect(history.current.query).toBe('a');
    expect(place.queries[place.at]).toBe('a');
  });
});

it('keeps a query of 100 kB out of the address, and its step in the history', () => {
  ask('a', 'x'.repeat(100_000));
  expect(place.hash.length).toBeLessThan(MOST_CHARACTERS);
  expect(address.read()).toEqual({ caseName: 'a.case', view: null, problem: null });
  place.goes(-1);
  expect(history.current.query).toBe('a');
  place.goes(1);
  expect(history.current.query).toHaveLength(100_000);
});

it('has a link to the view, without a token, unless the view is too long', () => {
  ask('a');
  const link = 'http://here/#case=a.case&timberline-view=1&query=a';
  expect(address.link).toBe(link);
  ask('x'.repeat(100_000));
  expect(address.link).toBeNull();
  address.leave();
  expect(address.link).toBeNull();
});

it('another case has entries of its own, and no case has none', () => {
  ask('a');
  const other = new ViewHistory();
  address.show('b.case', other);
  expect(place.entries.map(({ hash }) => readAddress(hash)?.caseName)).toEqual([
    'a.case',
    'a.case',
    'b.case',
  ]);
  address.leave();
  expect(place.hash).toBe('');
  ask('ignored');
  expect(place.hash).toBe('');
});
