import { describe, expect, it, vi } from 'vitest';

import { Lifetime } from '../base/lifetime';
import type { Patterns } from '../ipc/generated';
import { FakeClient, settled } from './fakeclient';
import { Request, type RequestOptions } from './request.svelte';

type Listed = Pick<Patterns, 'total' | 'fraction'>;
const found = (total: number, fraction = 1): Patterns =>
  ({ total, fraction }) as Partial<Patterns> as Patterns;

/** A request for the patterns of a query. */
function screen(options: RequestOptions<string> = {}) {
  const client = new FakeClient();
  const lifetime = new Lifetime();
  const request = new Request<string, Listed>(
    lifetime,
    (query, { signal, show }) =>
      client.call('patterns', { view: { query } } as never, {
        signal,
        progress: (part) => show(part, part.fraction),
      }),
    options,
  );
  const calls = () => client.callsTo('patterns');
  return { lifetime, request, calls, queries: () => calls().map(({ args }) => args.view.query) };
}

describe('a new question of a person', () => {
  it('never shows an overtaken answer, whichever arrives first', async () => {
    const { request, calls } = screen();
    request.ask('old');
    request.ask('young');
    expect(calls()[0]!.options.signal!.aborted).toBe(true);
    await calls()[1]!.answer(found(2));
    calls()[0]!.options.progress!(found(1, 0.5));
    await calls()[0]!.answer(found(1));
    expect(request).toMatchObject({ value: { total: 2 }, busy: false, isStale: false });
  });

  it('ignores an overtaken failure', async () => {
    const { request, calls } = screen();
    request.ask('old');
    request.ask('young');
    await calls()[0]!.fail({ code: 'internal', message: 'too late' });
    await calls()[1]!.answer(found(2));
    expect(request).toMatchObject({ failure: null, value: { total: 2 } });
  });

  it('asks again for a former question whose answer a part of another one replaced', async () => {
    const { request, calls } = screen();
    request.ask('one');
    await calls()[0]!.answer(found(1));
    request.ask('two');
    calls()[1]!.options.progress!(found(2, 0.3));
    request.ask('one');
    expect(calls()).toHaveLength(3);
    await calls()[2]!.answer(found(1));
    expect(request).toMatchObject({ value: { total: 1 }, busy: false, isStale: false });
  });

  it('dims the value while it is read again', async () => {
    const { request, calls } = screen();
    request.ask('one');
    await calls()[0]!.answer(found(1));
    const answer = request.answer('one');
    expect(request).toMatchObject({ value: { total: 1 }, busy: true, isStale: true });
    await calls()[1]!.answer(found(2));
    expect(await answer).toMatchObject({ total: 2 });
    expect(request.isStale).toBe(false);
  });

  it('does not ask what is being asked or is known', async () => {
    const { request, calls } = screen();
    request.ask('same');
    request.ask('same');
    await calls()[0]!.answer(found(1));
    request.ask('same');
    expect(calls()).toHaveLength(1);
    request.retry();
    expect(calls()).toHaveLength(2);
  });

  it('keeps the last valid value, stale, until its own answer arrives', async () => {
    const { request, calls } = screen();
    request.ask('one');
    expect(request.isStale).toBe(false);
    await calls()[0]!.answer(found(1));
    request.ask('two');
    expect(request).toMatchObject({ value: { total: 1 }, isStale: true, ownValue: null });
    await calls()[1]!.fail({ code: 'internal', message: 'broken' });
    expect(request).toMatchObject({ value: { total: 1 }, isStale: true });
    expect(request.failure?.message).toBe('broken');
    request.ask('one');
    expect(request).toMatchObject({ isStale: false, failure: null, busy: false });
    expect(request.ownValue?.total).toBe(1);
    expect(calls()).toHaveLength(2);
  });
});

describe('a case that grows', () => {
  it('asks again, and keeps the value meanwhile', async () => {
    const { lifetime, request, calls } = screen();
    lifetime.grow();
    expect(calls()).toHaveLength(0);
    request.ask('errors');
    await calls()[0]!.answer(found(1));
    lifetime.grow();
    expect(request).toMatchObject({ value: { total: 1 }, isStale: true, busy: true });
    expect(request.ownValue?.total).toBe(1);
    await calls()[1]!.answer(found(2));
    expect(request).toMatchObject({ value: { total: 2 }, isStale: false, busy: false });
  });

  it('lets the running run end, then asks once for all growth since', async () => {
    const { lifetime, request, calls } = screen();
    request.ask('errors');
    lifetime.grow();
    lifetime.grow();
    expect(calls()[0]!.options.signal!.aborted).toBe(false);
    await calls()[0]!.answer(found(1));
    expect(request).toMatchObject({ value: { total: 1 }, isStale: true, busy: true });
    await calls()[1]!.answer(found(2));
    expect(calls()).toHaveLength(2);
    expect(request).toMatchObject({ value: { total: 2 }, isStale: false, busy: false });
  });

  it('is followed after a failure', async () => {
    const { lifetime, request, calls } = screen();
    request.ask('errors');
    lifetime.grow();
    await calls()[0]!.fail({ code: 'internal', message: 'broken' });
    expect(request.failure).not.toBeNull();
    await calls()[1]!.answer(found(2));
    expect(request).toMatchObject({ failure: null, value: { total: 2 } });
  });

  it('is dropped when a person asks something else', async () => {
    const { lifetime, request, calls, queries } = screen();
    request.ask('one');
    lifetime.grow();
    request.ask('two');
    await calls()[1]!.answer(found(2));
    expect(queries()).toEqual(['one', 'two']);
  });

  it('reaches the requests of its children, until they end', async () => {
    const { lifetime, calls } = screen();
    const child = lifetime.child();
    const request = new Request<string, number>(child, () => Promise.resolve(calls().length));
    const load = vi.fn(() => Promise.resolve(1));
    const other = new Request<string, number>(child, load);
    request.ask('a');
    other.ask('a');
    await settled();
    lifetime.grow();
    await settled();
    expect(load).toHaveBeenCalledTimes(2);
    child.end();
    lifetime.grow();
    await settled();
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('is asked about at most once in an interval, where a request says so', async () => {
    vi.useFakeTimers();
    const { lifetime, request, calls } = screen({ everyMs: 1_000 });
    request.ask('errors');
    void calls()[0]!.answer(found(1));
    await vi.advanceTimersByTimeAsync(0);
    for (const total of [2, 3, 4]) {
      lifetime.grow();
      void calls().at(-1)!.answer(found(total));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(calls()).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(calls()).toHaveLength(3);
    vi.useRealTimers();
  });

  it('changes nothing where the data do not matter', async () => {
    const { lifetime, request, calls } = screen({ ignoresGrowth: true });
    request.ask('errors');
    await calls()[0]!.answer(found(1));
    lifetime.grow();
    expect(calls()).toHaveLength(1);
    expect(request.isStale).toBe(false);
  });
});

it('lets a run end whose questions come faster than its answers', async () => {
  const { request, calls, queries } = screen();
  request.ask('1', 'follow');
  request.ask('2', 'follow');
  request.ask('3', 'follow');
  expect(calls()[0]!.options.signal!.aborted).toBe(false);
  await calls()[0]!.answer(found(1));
  expect(request).toMatchObject({ value: { total: 1 }, isStale: true, busy: true });
  await calls()[1]!.answer(found(3));
  expect(queries()).toEqual(['1', '3']);
  expect(request).toMatchObject({ value: { total: 3 }, isStale: false, busy: false });
});

it('shows parts of an answer, and never less than it has', async () => {
  const { lifetime, request, calls } = screen();
  request.ask('one');
  expect(request).toMatchObject({ busy: true, fraction: 0 });
  const part = (at: number, total: number, fraction: number) =>
    calls()[at]!.options.progress!(found(total, fraction));
  part(0, 5, 0.5);
  part(0, 2, 0.2);
  expect(request.value?.total).toBe(5);
  await calls()[0]!.answer(found(9));
  expect(request.fraction).toBe(1);
  // The newer answer to the same question comes whole; one to another question does not.
  lifetime.grow();
  part(1, 4, 0.4);
  expect(request).toMatchObject({ value: { total: 9 }, fraction: 0.4 });
  request.ask('two');
  part(2, 1, 0.1);
  expect(request).toMatchObject({ value: { total: 1 }, isStale: false });
});

it('asks only while it is on the screen, if a request says so', async () => {
  const { lifetime, request, calls } = screen({ onlyShown: true });
  request.ask('errors');
  expect(calls()).toHaveLength(0);
  request.shown = true;
  await calls()[0]!.answer(found(1));
  request.shown = false;
  lifetime.grow();
  expect(calls()).toHaveLength(1);
  expect(request.isStale).toBe(true);
  request.shown = true;
  expect(calls()).toHaveLength(2);
  request.shown = false;
  expect(calls()[1]!.options.signal!.aborted).toBe(true);
  expect(request.busy).toBe(false);
});

it('shows nothing after a stop, and asks nothing until somebody asks', async () => {
  const { lifetime, request, calls } = screen();
  request.ask('errors');
  request.stop();
  await calls()[0]!.answer(found(1));
  lifetime.grow();
  expect(request).toMatchObject({ value: null, busy: false });
  expect(calls()).toHaveLength(1);
  request.ask('errors');
  await calls()[1]!.fail({ code: 'internal', message: 'broken' });
  request.ask('errors');
  expect(calls()).toHaveLength(2);
  // Whoever comes back tries again.
  request.ask(null);
  request.ask('errors');
  expect(calls()).toHaveLength(3);
});

it('is quiet about what the engine stopped, and tells a wrong query from a failure', async () => {
  const { request, calls } = screen();
  request.ask('errors');
  await calls()[0]!.fail({ code: 'cancelled', message: 'stopped' });
  expect(request).toMatchObject({ failure: null, mistake: null, busy: false });
  request.ask('(');
  await calls()[1]!.fail({ code: 'queryInvalid', message: 'open' });
  expect([request.failure, request.mistake?.message]).toEqual([null, 'open']);
  expect(request.error?.message).toBe('open');
});

it('resolves with the answer, and with null if it failed or was overtaken', async () => {
  const { request, calls } = screen();
  const one = request.answer('one');
  const two = request.answer('two');
  await calls()[1]!.answer(found(2));
  expect(await two).toMatchObject({ total: 2 });
  await calls()[0]!.answer(found(1));
  expect(await one).toBeNull();
  // An action is done again, even if it is the same.
  const again = request.answer('two');
  await calls()[2]!.fail({ code: 'internal', message: 'broken' });
  expect(await again).toBeNull();
  expect(request.failure).not.toBeNull();
});

it('takes an answer that came with something else', async () => {
  const { lifetime, request, calls } = screen();
  request.ask('old');
  request.put('given', found(7));
  await calls()[0]!.answer(found(1));
  expect(request).toMatchObject({ value: { total: 7 }, isStale: false, busy: false });
  request.ask('given');
  expect(calls()).toHaveLength(1);
  lifetime.grow();
  expect(calls()[1]!.args.view.query).toBe('given');
});

it('ends with its lifetime', () => {
  const { lifetime, request, calls } = screen();
  request.ask('errors');
  lifetime.end();
  expect(calls()[0]!.options.signal!.aborted).toBe(true);
  request.ask('late');
  request.retry();
  lifetime.grow();
  expect(calls()).toHaveLength(1);
});

it('is asked again when a person comes back to the page, if other pages change it too', async () => {
  vi.stubGlobal('window', new EventTarget());
  const { lifetime, request, calls } = screen({ ignoresGrowth: true, isShared: true });
  const comeBack = () => window.dispatchEvent(new Event('focus'));
  comeBack();
  expect(calls()).toHaveLength(0);
  request.ask('formats');
  comeBack();
  expect(calls()).toHaveLength(1);
  await calls()[0]!.answer(found(1));
  comeBack();
  expect(request.value).toEqual(found(1));
  await calls()[1]!.answer(found(2));
  expect(request.value).toEqual(found(2));
  lifetime.end();
  comeBack();
  expect(calls()).toHaveLength(2);
  vi.unstubAllGlobals();
});
