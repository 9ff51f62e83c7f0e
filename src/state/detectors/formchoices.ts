/** Values that the form and the definition of a detector complete. */
import type { KnownField } from '../../ipc/generated';
import { isNumber } from '../fields/coverage';
import { measuredName } from './detectordraft';

/** Usual widths of bins and lengths of times. */
export const DURATIONS: readonly string[] = [
  '10s',
  '30s',
  '1m',
  '5m',
  '10m',
  '15m',
  '30m',
  '1h',
  '6h',
  '12h',
  '1d',
  '7d',
];

const OF_NUMBERS = ['p95', 'p99', 'p50', 'avg', 'max', 'min', 'sum'] as const;
/** Fields that are completed, those that most events have. */
const MOST_FIELDS = 40;

/** Aggregates that a detector can measure: a count, then those of numbers and of names. */
export function measureChoices(fields: readonly KnownField[]): readonly string[] {
  const common = fields
    .toSorted((one, other) => (other.present ?? 0) - (one.present ?? 0))
    .slice(0, MOST_FIELDS);
  const numbers = common.filter(isNumber).map(({ name }) => measuredName(name));
  const others = common.filter((field) => !isNumber(field)).map(({ name }) => measuredName(name));
  return [
    'count',
    ...OF_NUMBERS.flatMap((aggregate) => numbers.map((name) => `${aggregate}(${name})`)),
    ...others.map((name) => `count_distinct(${name})`),
  ];
}

/** Lists of names that continue a written one: its last name is replaced. */
export function nameChoices(written: string, fields: readonly KnownField[]): readonly string[] {
  const names = written.split(',').map((name) => name.trim());
  const before = names.slice(0, -1).filter(Boolean);
  return fields
    .map(({ name }) => name)
    .filter((name) => !before.includes(name))
    .map((name) => [...before, name].join(', '));
}
