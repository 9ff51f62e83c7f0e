import { counted, formatCount, formatShare } from '../format';

/** The texts of the field list. */
export const fields = {
  name: 'Fields',
  show: 'Show the fields (b)',
  hide: 'Hide the fields (b)',
  search: 'Search fields',
  kinds: { text: 'Text', int: 'Integer', float: 'Number', bool: 'Boolean' },
  letters: { text: 'T', int: '#', float: '#', bool: '?' },
  mixed: 'Values of several types',
  kindNames: { all: 'All', text: 'Text', number: 'Number', bool: 'Boolean' },
  kindFilter: 'Field type',
  none: 'No matching fields.',
  noFields: 'These logs have no fields. Each event still has a time, level, source and text.',
  looking: 'Loading fields…',
  share: (share: number) => `in ${formatShare(share)} of events`,
  absent: 'Not in these events',
  noEvents: 'No matching event has this field.',
  distinct: (count: number) => counted(count, 'value'),
  tooMany: 'Too many distinct values to count',
  figures: { least: 'min', average: 'mean', greatest: 'max' },
  percentile: (percent: number) => `p${percent}`,
  numbersOf: (count: number) => `${formatCount(count)} not numeric`,
  spark: 'Events over time',
  addColumn: 'Add as column',
  removeColumn: 'Remove column',
  chart: 'Show as chart',
  exists: 'Only events with this field',
  resize: 'Resize the field list',
  include: (name: string, value: string) => `Include ${name} ${value}`,
  exclude: (name: string, value: string) => `Exclude ${name} ${value}`,
  only: 'Only',
  onlyThis: (name: string, value: string) => `Only ${name} ${value}`,
  empty: 'empty',
  valuesOf: (name: string) => `Values of ${name}`,
  searchValues: 'Search all values',
  noValue: 'No value contains this text.',
  more: (count: number, of: number) =>
    count === of
      ? `Show ${formatCount(count)} more`
      : `Show ${formatCount(count)} more of ${formatCount(of)}`,
  restIsFound: (count: number) => `${counted(count, 'more value')}: search for them`,
} as const;
