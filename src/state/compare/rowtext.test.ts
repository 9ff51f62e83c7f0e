import { expect, it } from 'vitest';

import type { Difference, Nanos, Scalar, Subject } from '../../ipc/generated';
import {
  alsoText,
  amountText,
  atLeast,
  fieldText,
  otherText,
  scoreFacts,
  sentence,
  shareText,
  sideBars,
  sinceText,
  subjectParts,
  subjectText,
  volumeText,
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
  const moved = { distance: 0.4321, threshold: 150, percentiles, curve: [], mix: null };
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
  expect(amountText(row({}))).toBe('≥ 11× more');
  expect(amountText(row({ change: 'fewer', atLeast: 23 }))).toBe('≥ 23× rarer');
  expect(amountText(row({ change: 'gone' }))).toBe('not here');
  const subject = { kind: 'number' as const, field: 'took_ms', group: null };
  const percentiles = [
    [scalar(27), scalar(5000)],
    [null, null],
    [null, null],
  ] satisfies NonNullable<Difference['moved']>['percentiles'];
  const moved = { distance: 0.4321, threshold: 150, percentiles, curve: [], mix: null };
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
  const shown = (id: string) => `Job ${id}`;
  const pattern: Subject = { kind: 'pattern', id: 't1', text: 'job <num>' };
  expect(subjectText(pattern)).toBe('job <num>');
  expect(subjectText({ kind: 'pair', one: pattern, other }, shown)).toMatch(/^Job t1 and /);
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
    mix: null,
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

it('never rounds a lower bound up', () => {
  const texts = [1.2, 1.29, 6.25, 9.99, 11.97, 119, 1_290].map((ratio) =>
    atLeast({ atLeast: ratio }),
  );
  expect(texts).toEqual(['1.2', '1.2', '6.2', '9.9', '11', '110', '1,200']);
});

it('says whether two differences are the same events, share events, or only times', () => {
  const also = (part: Partial<Difference['also'][number]>) =>
    alsoText(
      {
        subject: value('level', 'error'),
        change: 'more',
        counts: [10, 200],
        both: [10, 200],
        relation: { kind: 'same' },
        ...part,
      },
      row({}),
      [1_000, 1_000],
    );
  expect(also({})).toBe('The same events');
  expect(also({ both: [9, 200] })).toBe('Nearly the same events');
  expect(also({ both: [0, 120], relation: { kind: 'together' } })).toBe(
    'Occurs with it in 120 of 200 events of B',
  );
  expect(also({ counts: [400, 20], both: [300, 9], relation: { kind: 'together' } })).toContain(
    '300 of 400 events of A',
  );
  expect(also({ both: [0, 0], relation: { kind: 'time', side: 1, bins: 12, shared: 11 } })).toBe(
    'At the same time in 11 of 12 time bins of B, in no event together',
  );
});

it('says how many events each side has over time', () => {
  const volume = (perSecond: [number, number], change: 'more' | 'fewer' | null) =>
    volumeText({ events: [1, 1], spansS: [1, 1], perSecond, change, atLeast: 8, pValue: 0 });
  expect(volume([2, 0.2], 'fewer')).toEqual({
    short: '90% fewer events over time in B',
    sentence: '2 a second in A, 0.2 in B.',
  });
  expect(volume([0.01, 0.03], 'more').sentence).toBe('0.6 a minute in A, 1.8 in B.');
  expect(volume([1, 1.01], null).short).toContain('No clear difference');
});

it('calls a field unchanged only with a bound', () => {
  const took = {
    field: 'took_ms',
    within: 0.0371,
    value: null,
    p50: [20, 20.1] as [number, number],
  };
  expect(fieldText(took, true)).toBe('p50 within ±3.8%');
  expect(fieldText({ ...took, within: null, p50: [21.5, 141] }, false)).toBe(
    'p50 21.5 ms in A, 141 ms in B',
  );
  const level: [Scalar, [number, number]] = [scalar(1), [0.18, 0.37]];
  const field = { field: 'level', within: 0.012, value: level, p50: null };
  expect(fieldText(field, true)).toBe('each share within ±1.2 points');
  expect(fieldText({ ...field, within: 0.4 }, false)).toBe('1 18% in A, 37% in B');
});

it('claims nothing of a change below the line but its figures', () => {
  expect(otherText(row({ atLeast: 0.9 }), () => '')).toBe(
    '1% of the events of A, 20% of those of B.',
  );
  expect(otherText(row({ change: 'new', counts: [0, 3] }), () => '')).toContain('Only in B: 3');
  const percentiles = [
    [scalar(21.5), scalar(141)],
    [scalar(140), scalar(142)],
    [null, null],
  ] satisfies NonNullable<Difference['moved']>['percentiles'];
  const mix = { field: 'service', within: 0.03 };
  const moved = { distance: 0.6, threshold: 90, percentiles, curve: [], mix };
  const subject = { kind: 'number' as const, field: 'took_ms', group: null };
  expect(otherText(row({ change: 'moved', subject, moved }), () => '')).toBe(
    'p50 21.5 ms in A, 141 ms in B; p95 140 ms in A, 142 ms in B. Mostly because the values of service have other shares: with the same value, the mean distance is 0.03 instead of 0.6.',
  );
});

it('shows what is left of a share without the rows', () => {
  const share = { subject: value('level', 'info'), change: 'fewer' as const, without: [] };
  const counts = { counts: [900, 600], left: [900, 598], leftEvents: [1_000, 660] } as const;
  expect(shareText({ ...share, ...counts, shares: [0.9, 0.6] } as never)).toBe(
    '90% of A, 60% of B; without the rows 90% of A, 90.6% of B',
  );
});
