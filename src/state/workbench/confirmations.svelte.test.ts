import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { Confirmations, SHOWN_MS } from './confirmations.svelte';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('shows the latest message and lets it go away by itself', () => {
  const said = new Confirmations(new Lifetime());
  said.say('Copied 4');
  vi.advanceTimersByTime(SHOWN_MS - 1);
  const next = { name: 'Show', run: () => {} };
  said.say('Added to the notebook.', next);
  vi.advanceTimersByTime(SHOWN_MS - 1);
  expect(said.current).toEqual({ text: 'Added to the notebook.', next });
  vi.advanceTimersByTime(1);
  expect(said.current).toBeNull();
});

it('keeps a message while the pointer or the focus is on it', () => {
  const said = new Confirmations(new Lifetime());
  said.say('Copied 4');
  said.hold();
  vi.advanceTimersByTime(10 * SHOWN_MS);
  expect(said.current).toEqual({ text: 'Copied 4' });
  said.release();
  vi.advanceTimersByTime(SHOWN_MS);
  expect(said.current).toBeNull();
});

it('ends with the case', () => {
  const lifetime = new Lifetime();
  const said = new Confirmations(lifetime);
  said.say('Copied 4');
  lifetime.end();
  expect(vi.getTimerCount()).toBe(0);
});
