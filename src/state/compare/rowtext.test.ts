import { expect, it } from 'vitest';

import type { Difference, Nanos, Scalar } from '../../ipc/generated';
import {
  amountText,
  scoreFacts,
  sentence,
  sideBars,
  sinceText,
  subjectParts,
  subjectText,
} from './rowtext';

const scalar = (number: number): Scalar => ({ kind: 'int', text: String(number), number });
const value = (field: string, text: string) => ({
  kind: 'value' as const,
  field,
  value: { kind: 'text' as const, text, number: null },
});
const row = (part: Partial<Difference>): Difference => ({
  subject: value('status', '500'),
  change: 'more',
  counts: [10, 200],
  shares: [0.01, 0.2],
  atLeast: 11.37,
  g2: 204.2,
  pValue: 1e-40,
  score: 25.04,
  moved: null,
  stop: null,
  beat: null,
  clock: null,
  since: null,
  filter: 'status=500',
  sideFilters: null,
  also: [],
  ...part,
});
const inWords = (part: Partial<Difference>) => sentence(row(part), () => '14:32:01');

it('says in one sentence how a row differs', () => {
  expect(inWords({})).toBe(
    'At least 11 times as frequent in B: 20% of its events, 1% of those of A.',
  );
  expect(inWords({ change: 'fewer', shares: [0.2, 0.01] })).toContain('as frequent in A: 20%');
  expect(inWords({ change: 'new', counts: [0, 3], shares: [0, 0.0002] })).toBe(
    'Only in B: 3, 0.02% of its events.',
  );
  expect(inWords({ change: 'gone', counts: [3, 0], shares: [0.5, 0] })).toContain(
    'Only in A: 3, 50%',
  );
  const stop = { last: '5' as Nanos, expected: 61.7, atLeast: 4 };
  expect(inWords({ change: 'stopped', stop })).toBe(
    'The last one in B is at 14:32:01; about 62 more were expected.',
  );
  const percentiles = [
    [scalar(120), scalar(145)],
    [scalar(900), scalar(2100)],
    [null, null],
  ] satisfies NonNullable<Difference['moved']>['percentiles'];
  const subject = { kind: 'number' as const, field: 'took_ms', group: null };
  const moved = { distance: 0.4321, threshold: 150, percentiles, curve: [] };
  expect(inWords({ change: 'moved', subject, moved })).toBe(
    'p50 120 ms in A, 145 ms in B; p95 900 ms in A, 2.1 s in B.',
  );
  expect(scoreFacts(row({ change: 'moved', moved })).map(({ id, value }) => [id, value])).toEqual([
    ['score', '25'],
    ['distance', '0.432'],
    ['g2', '204'],
    ['p', '1.0e-40'],
  ]);
});

it('says in few words how a row differs', () => {
  expect(amountText(row({}))).toBe('11× more');
  expect(amountText(row({ change: 'fewer', atLeast: 23 }))).toBe('23× rarer');
  expect(amountText(row({ change: 'gone' }))).toBe('not here');
  const subject = { kind: 'number' as const, field: 'took_ms', group: null };
  const percentiles = [
    [scalar(27), scalar(5000)],
    [null, null],
    [null, null],
  ] satisfies NonNullable<Difference['moved']>['percentiles'];
  const moved = { distance: 0.4321, threshold: 150, percentiles, curve: [] };
  expect(amountText(row({ change: 'moved', subject, moved }))).toBe('changed: 27 ms → 5 s');
});

it('says how a rhythm changed, and since when a row differs', () => {
  const every = (periodNs: string) => ({ periodNs: periodNs as Nanos, share: 0.968 });
  const beat = (a: string | null, b: string | null) => ({
    beats: [a === null ? null : every(a), b === null ? null : every(b)] satisfies [
      unknown,
      unknown,
    ],
    atLeast: 9,
  });
  const [half, whole] = ['29971234567', '60000000000'];
  expect(inWords({ change: 'period', beat: beat(whole, half) })).toBe(
    'It repeats every 30 s (97% of the time) in B, every 1 min (97% of the time) in A.',
  );
  expect(inWords({ change: 'repeats', beat: beat(null, half) })).toMatch(
    /^In B it repeats every 30/,
  );
  expect(inWords({ change: 'irregular', beat: beat(half, null) })).toMatch(/^In A it repeats/);
  const ids = scoreFacts(row({ change: 'period', beat: beat(whole, half) })).map(({ id }) => id);
  expect(ids).toEqual(['score', 'g2', 'p']);

  const since = { at: '5' as Nanos, side: 1 };
  expect(sinceText(row({ since }), () => '14:32')).toBe('In B since about 14:32.');
  expect(sinceText(row({}), () => '14:32')).toBe('');
});

const clock = (moved: string): Difference['clock'] => ({
  later: [
    { offsetNs: '5100000' as Nanos, ids: 300 },
    { offsetNs: '-725000000' as Nanos, ids: 280 },
  ],
  movedNs: moved as Nanos,
  marginNs: '12000000' as Nanos,
  setNs: '730100000' as Nanos,
  examples: [],
});

it('says how a clock differs, and what corrects it', () => {
  expect(inWords({ change: 'earlier', clock: clock('-730100000') })).toBe(
    'Its clock is 730 ms (± 12 ms) earlier in B than in A. A clock offset of 730 ms corrects B.',
  );
  expect(inWords({ change: 'later', clock: clock('1500000000') })).toContain(
    '1 s 500 ms (± 12 ms) later',
  );
  expect(sideBars(row({ clock: clock('-730100000') })).map(({ text }) => text)).toEqual([
    '5 ms',
    '−725 ms',
  ]);
  const ids = scoreFacts(row({ clock: clock('1') })).map(({ id }) => id);
  expect(ids).toEqual(['score', 'g2', 'p']);
});

it('names what a row is about', () => {
  const [one, other] = [value('status', '500'), value('region', 'eu\n1')];
  expect(subjectText({ kind: 'pair', one, other })).toBe('status=500 and region=eu⏎1');
  expect(subjectText({ kind: 'number', field: 'took', group: one })).toBe('took where status=500');
  expect(subjectText({ kind: 'clock', source: 'b.log', against: 'a.log' })).toBe(
    'Clock of b.log against a.log',
  );
});

it('draws the larger share over the whole width, and numbers by their p50', () => {
  expect(sideBars(row({ shares: [0.05, 0.2] }))).toEqual([
    { text: '5%', width: 0.25 },
    { text: '20%', width: 1 },
  ]);
  expect(sideBars(row({ shares: [0, 0] })).map(({ width }) => width)).toEqual([0, 0]);
  const subject = { kind: 'number' as const, field: 'took_ms', group: null };
  const percentiles = (half: Scalar | null) => ({
    distance: 0.5,
    threshold: 50,
    curve: [],
    percentiles: [
      [scalar(20), half],
      [null, null],
      [null, null],
    ] as never,
  });
  expect(sideBars(row({ subject, moved: percentiles(scalar(80)) }))).toEqual([
    { text: '20 ms', width: 0.25 },
    { text: '80 ms', width: 1 },
  ]);
  expect(sideBars(row({ subject, moved: percentiles(null) }))[1].text).toBe('20%');
});

it('names each value of a subject, so that each has its menu', () => {
  const one = value('status', '500');
  const other = value('note', 'a\n<b>');
  const seen = { field: 'note', value: 'a\n<b>' };
  expect(subjectParts({ kind: 'pair', one, other })).toEqual([
    { text: 'status=500', seen: { field: 'status', value: '500' } },
    { text: ' and ', seen: null },
    { text: 'note=a⏎<b>', seen },
  ]);
  expect(subjectParts({ kind: 'number', field: 'took', group: one })).toMatchObject([
    { text: 'took where ', seen: null },
    { seen: { field: 'status' } },
  ]);
  const clock = subjectParts({ kind: 'clock', source: 'b.log', against: 'a.log' });
  expect(clock.flatMap((part) => part.seen?.value ?? [])).toEqual(['b.log', 'a.log']);
  expect(subjectParts({ kind: 'pattern', id: 's', text: 'took <num>' })).toEqual([
    { text: 'took <num>', seen: null },
  ]);
});
