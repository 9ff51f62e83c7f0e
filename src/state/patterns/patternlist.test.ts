import { expect, it } from 'vitest';

import type { Nanos, Pattern } from '../../ipc/generated';
import { foundPatterns, sortedPatterns, type PatternSort } from './patternlist';

function listed(
  text: string,
  count: number,
  times: [string, string] | null,
  source = 'app.log',
  name: string | null = null,
) {
  const [first, last] = (times ?? [null, null]) as (Nanos | null)[];
  return { pattern: { text, count, first, last } as Pattern, name, source };
}

const all = [
  listed('GET <*> took <duration>', 90, ['20', '900']),
  listed('Connection from <ip> refused', 40, ['10', '30'], 'syslog'),
  listed('no time at all', 20, null, 'notes.txt'),
  listed('connection closed', 2, ['1000000000000000000', '1000000000000000001']),
];
const texts = (found: readonly { pattern: Pattern }[]) => found.map(({ pattern }) => pattern.text);

it('finds patterns by words of their text and their source, in any order and case', () => {
  expect(texts(foundPatterns(all, ' '))).toEqual(texts(all));
  expect(texts(foundPatterns(all, 'REFUSED connection'))).toEqual(['Connection from <ip> refused']);
  expect(texts(foundPatterns(all, 'connection syslog'))).toEqual(['Connection from <ip> refused']);
  expect(foundPatterns(all, 'connection notes')).toEqual([]);
});

it.each([
  ['usual', [90, 40, 20, 2]],
  ['fewest', [2, 20, 40, 90]],
  ['first', [40, 90, 2, 20]],
  ['last', [2, 90, 40, 20]],
  ['text', [40, 90, 2, 20]],
] satisfies [PatternSort, number[]][])(
  'sorts patterns by %s, those without a time last',
  (sort, counts) => {
    expect(sortedPatterns(all, sort).map(({ pattern }) => pattern.count)).toEqual(counts);
  },
);

it('finds and sorts patterns by their names too', () => {
  const named = [...all, listed('yet another', 1, null, 'app.log', 'Closing time')];
  expect(texts(foundPatterns(named, 'closing another'))).toEqual(['yet another']);
  expect(texts(sortedPatterns(named, 'text')).slice(0, 2)).toEqual([
    'yet another',
    'Connection from <ip> refused',
  ]);
});
