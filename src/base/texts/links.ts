import { counted } from '../format';

/** Fields of different sources that hold the same values, and clocks. */
export const links = {
  name: 'Links between sources',
  reading: 'Searching all events…',
  same: 'The same under other names',
  noLinks: 'No fields under different names hold the same values.',
  is: 'is the same as',
  after: (word: string) => (word === '' ? 'text' : `text after “${word}”`),
  sources: (name: string, more: number) => (more > 0 ? `${name} and ${more} more` : name),
  shared: (count: number, share: string) =>
    `${counted(count, 'value')} in both, ${share} of the field with fewer values:`,
  transactions: 'Group by id',
  transactionsHint: (query: string) => `Run ${query}`,
  linked: {
    find: 'Find other names',
    findHint: 'Search all events for fields of other formats that hold the same values',
    finding: (share: string) => `Searching all events… ${share}`,
    none: 'No other names found.',
    names: (names: string) => `The same under other names: ${names}`,
    filter: (count: number) => `Show ${counted(count, 'event')} by all names`,
  },
  clocks: 'Clocks',
  noClocks: 'No two sources have enough values in common to compare their clocks.',
  agree: (one: string, other: string) => `The clocks of ${other} and ${one} agree`,
  ahead: (one: string, other: string, span: string) =>
    `The clock of ${one} is ${span} ahead of that of ${other}`,
  jump: (other: string, one: string, at: string, needs: { before: string; after: string }) =>
    `The clock of ${other} or ${one} was set near ${at}: ${other} needs an offset of ${needs.before} before, ${needs.after} after`,
  interval: (ends: readonly string[], pairs: number) =>
    `${ends.join(' to ')}, from ${counted(pairs, 'pair')}`,
  drift: (ppm: number) =>
    `; it ${ppm > 0 ? 'gains' : 'loses'} ${Math.abs(ppm * 0.0864).toFixed(2)} s a day`,
  correct: (name: string, offset: string) => `Set the clock offset of ${name} to ${offset}`,
  corrected: 'The times are being recalculated.',
  note: 'Nothing changes unless you choose it. Clock offsets can be removed in Sources.',
  sampled: (share: string) =>
    `There are too many values to compare all: ${share} of them were compared.`,
};
