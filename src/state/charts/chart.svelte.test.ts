import { beforeEach, expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { asTime } from '../../base/time';
import type { Aggregate, AggregateRequest } from '../../ipc/generated';
import { FakeClient, type PendingCall } from '../fakeclient';
import { resolveSpec } from './autochart';
import type { TimeData } from './chartdata';
import { Chart, type ChartQuestion } from './chart.svelte';
import { specOf, type ChartSpec } from './chartspec';
import { titleOf } from './charttitle';

const MINUTE = 60_000_000_000n;
let client: FakeClient;
let lifetime: Lifetime;
let chart: Chart;

beforeEach(() => {
  client = new FakeClient();
  lifetime = new Lifetime();
  chart = new Chart(lifetime, client);
});

function question(spec: Partial<ChartSpec>, more: Partial<ChartQuestion> = {}): ChartQuestion {
  return {
    view: { case: '/c', query: 'a', from: null, to: null },
    spec: specOf(spec),
    info: undefined,
    domain: { from: asTime(0n), to: asTime(3n * MINUTE) },
    buckets: 10,
    zone: null,
    ...more,
  };
}

/** An answer over time whose counts increase from `first`, with a measure of ten times as much. */
function answer(request: AggregateRequest, first: number, fraction = 1): Aggregate {
  const axes = request.by.map((by): Aggregate['axes'][number] => {
    if (by.kind === 'time') return { kind: 'time', edges: edges() };
    if (by.kind === 'bins')
      return { kind: 'bins', field: by.field, edges: [1, 2, 5], missing: 0, mistyped: 0 };
    const values = ['x', 'y'].map((text) => ({ kind: 'text' as const, text, number: null }));
    return { kind: 'terms', field: by.field, values, distinct: 5 };
  });
  const places = axes.map((axis) =>
    axis.kind === 'terms' ? axis.values.length + 2 : axis.edges.length - 1,
  );
  const cells = places.reduce((product, count) => product * count, 1);
  const counts = Array.from({ length: cells }, (_, at) => first + at);
  const named = request.measures.flatMap((measure) =>
    measure.kind === 'percentiles'
      ? measure.at.map((at) => `p${at}(${measure.field})`)
      : [measure.kind],
  );
  const values = counts.map((count) => count * 10);
  return {
    revision: 1,
    axes,
    counts,
    measured:
      fraction < 1
        ? []
        : named.map((name) => ({ name, values, texts: null, missing: 0, mistyped: 0 })),
    total: 100,
    untimed: 0,
    fraction,
    elapsedMs: 1,
  };
}

const edges = () => [0n, 1n, 2n, 3n].map((minute) => (minute * MINUTE).toString()) as never[];

const asked = () => client.callsTo('aggregate');

async function answerAll(calls: readonly PendingCall<'aggregate'>[], first = 1): Promise<void> {
  for (const call of calls) await call.answer(answer(call.args, first));
}

it('shows partial counts, and never less than it has', async () => {
  chart.ask(question({}));
  const [main, whole] = asked();
  main!.options.progress?.(answer(main!.args, 1, 0.5));
  expect(chart.value).toMatchObject({ shape: 'time', meta: { fraction: 0.5 } });
  main!.options.progress?.(answer(main!.args, 1, 0.2));
  expect(chart.value?.meta.fraction).toBe(0.5);
  await answerAll([main!, whole!]);
  expect(chart.value).toMatchObject({
    meta: { fraction: 1 },
    series: [{ values: [1, 2, 3], whole: 1 }],
  });
  expect(chart.busy).toBe(false);
});

it('aborts a replaced request, and keeps the last answer until the next', async () => {
  chart.ask(question({}));
  await answerAll(asked());
  const shown = chart.value;
  chart.ask(question({ field: 'duration_ms' }));
  const replaced = asked().slice(2);
  chart.ask(question({ field: 'path', kind: 'top' }));
  expect(replaced.every((call) => call.options.signal?.aborted)).toBe(true);
  expect(chart.value).toBe(shown);
  await answerAll(replaced);
  expect(chart.value).toBe(shown);
});

it('requests nothing when the legend hides a series', async () => {
  chart.ask(question({ split: 'service' }));
  await answerAll(asked());
  const before = asked().length;
  chart.ask(question({ split: 'service', hidden: ['=x'] }));
  expect(asked().length).toBe(before);
});

it('draws each value of a split as a line of its own', async () => {
  chart.ask(question({ split: 'service' }));
  await answerAll(asked());
  expect(chart.value).toMatchObject({
    series: [
      { id: '=x', values: [1, 5, 9], filter: { field: 'service', value: 'x' } },
      { id: '=y', values: [2, 6, 10] },
      { id: 'other', values: [3, 7, 11], filter: null },
      { id: 'missing', values: [4, 8, 12] },
    ],
  });
});

it('draws p50, p95 and p99 of each value of a split, in the colour of the value', async () => {
  const info = { field: 'took', kinds: ['float' as const], distinct: null, present: null };
  const spec = { field: 'took', split: 'service', measure: 'percentiles' } as const;
  chart.ask(question({ ...spec, kind: 'lines' }, { info }));
  expect(asked()[0]!.args.measures).toEqual([
    { kind: 'percentiles', field: 'took', at: [50, 95, 99] },
  ]);
  await answerAll(asked());
  const { series } = chart.value as TimeData;
  const filter = { field: 'service', value: 'x' };
  expect(series.slice(0, 4)).toMatchObject([
    { id: '=x p50', name: 'x p50', dash: 0, values: [10, 50, 90], whole: 10, filter },
    { id: '=x p95', name: 'x p95', dash: 1, filter },
    { id: '=x p99', name: 'x p99', dash: 2, filter },
    { id: '=y p50', name: 'y p50', dash: 0, values: [20, 60, 100], whole: 20 },
  ]);
  expect(new Set(series.slice(0, 3).map(({ colour }) => colour)).size).toBe(1);
  expect(new Set(series.map(({ id }) => id)).size).toBe(series.length);
});

it('requests nothing when gaps are drawn in another way', async () => {
  chart.ask(question({ field: 'took', measure: 'p95' }));
  await answerAll(asked());
  const before = asked().length;
  chart.ask(question({ field: 'took', measure: 'p95', gaps: 'zero' }));
  expect(asked().length).toBe(before);
});

it('shifts to the previous period with the same buckets', async () => {
  const view = {
    case: '/c',
    query: '',
    from: (3n * MINUTE).toString(),
    to: (6n * MINUTE).toString(),
  };
  const domain = { from: asTime(3n * MINUTE), to: asTime(6n * MINUTE) };
  chart.ask(question({ shift: 'previous' }, { view: view as never, domain }));
  await answerAll(asked(), 4);
  const before = asked().slice(2);
  expect(before.map(({ args }) => [args.view.from, args.view.to])).toEqual([
    ['0', (3n * MINUTE).toString()],
    ['0', (3n * MINUTE).toString()],
  ]);
  expect(before[0]!.args.by[0]).toMatchObject({
    interval: { kind: 'fixed', ns: MINUTE.toString() },
  });
  await answerAll(before, 2);
  expect(chart.value).toMatchObject({
    before: { edges: [3n, 4n, 5n, 6n].map((minute) => minute * MINUTE), shift: 3n * MINUTE },
    series: [{ whole: 4, before: { values: [2, 3, 4], whole: 2 } }],
  });
});

it('still shows the current period if the other one fails', async () => {
  chart.ask(question({ shift: 'day' }));
  await answerAll(asked());
  for (const call of asked().slice(2)) await call.fail({ code: 'internal', message: 'broken' });
  expect(chart.failure).toBeNull();
  expect(chart.value).toMatchObject({ shape: 'time', before: null, series: [{ before: null }] });
  expect(chart.value?.meta.notes.join()).toContain('could not be read');
});

it('draws percentiles over a heatmap, and shows the heatmap without them too', async () => {
  chart.ask(question({ field: 'duration_ms', kind: 'heatmap' }));
  const [main, ...lines] = asked();
  main!.options.progress?.(answer(main!.args, 1, 0.4));
  expect(chart.value).toMatchObject({ shape: 'heat', bins: [1, 2, 5], lines: [] });
  await answerAll([...lines, main!]);
  expect(chart.value).toMatchObject({
    lines: [{ id: 'p50' }, { id: 'p95', values: [10, 20, 30], whole: 10 }, { id: 'p99' }],
  });
});

it('finds the largest values of a measure among more than it lists', async () => {
  const info = { field: 'duration_ms', kinds: ['float' as const], distinct: null, present: null };
  chart.ask(
    question(
      { field: 'duration_ms', split: 'path', kind: 'top', measure: 'p95', top: 1 },
      { info },
    ),
  );
  expect(asked()[0]!.args.by[0]).toMatchObject({ field: 'path', top: 1_000 });
  await answerAll(asked());
  expect(chart.value).toMatchObject({ shape: 'terms', rows: [{ name: 'y', value: 20 }] });
});

it('reports a failure and keeps the last good answer', async () => {
  chart.ask(question({}));
  await answerAll(asked());
  const shown = chart.value;
  chart.ask(question({ measure: 'rate' }));
  await asked()[2]!.fail({ code: 'internal', message: 'broken' });
  await asked()[3]!.fail({ code: 'internal', message: 'broken' });
  expect(chart.failure?.code).toBe('internal');
  expect(chart.value).toBe(shown);
  chart.retry();
  await answerAll(asked().slice(4));
  expect(chart.failure).toBeNull();
});

it('follows a growing case without aborting the running request', async () => {
  chart.ask(question({}));
  const first = asked().slice();
  lifetime.grow();
  expect(first.every((call) => call.options.signal?.aborted)).toBe(false);
  await answerAll(first);
  expect(asked().length).toBe(4);
});

it('is not split if it is a heatmap of all events', async () => {
  chart.ask(question({ kind: 'heatmap', field: 'took', split: 'service', measure: 'p50' }));
  expect(client.callsTo('aggregate')[0]!.args.by.map(({ kind }) => kind)).toEqual(['time', 'bins']);
  expect(
    titleOf(resolveSpec(specOf({ kind: 'heatmap', field: 'took', split: 'service' }), undefined)),
  ).not.toContain('service');
});
