import { counted, formatCount, plural } from '../format';

const events = (count: number) => counted(count, 'event');

/** The texts of the comparison of two parts of a case. */
export const compare = {
  name: 'Comparison of two parts of the case',
  tab: 'Compare',
  sides: {
    a: { letter: 'A', name: 'Side A: the baseline' },
    b: { letter: 'B', name: 'Side B: what to examine' },
  },
  filter: (letter: string) => `Filter of ${letter}`,
  filterHint: 'All events, or a filter such as source="web.log" level>=error',
  swap: 'Swap A and B',
  count: (count: number) => events(count),
  showSide: (letter: string, count: number) => `Show the ${events(count)} of ${letter} in the list`,
  noFilter: {
    message: 'A side is a filter; stages and SQL are not part of it.',
    hint: 'Remove what follows the first |.',
  },
  time: {
    name: (letter: string) => `Time of ${letter}`,
    all: 'All time',
    allBut: (range: string) => `All but ${range}`,
    written: 'Time range',
    only: 'Only this time',
    but: 'All but this time',
    which: 'Which events',
    selected: 'Selected range',
    apply: 'Apply',
  },
  places: {
    name: (letter: string, place: string) => `Case of ${letter}: ${place}`,
    own: 'This case',
    search: 'Find a case',
    filterHint: (place: string) => `All events of ${place}, or a filter`,
    elsewhere: (place: string) => `These events are in ${place}`,
  },
  take: {
    name: 'Compare: take both sides from the current filter and time range',
    short: 'Compare…',
    against: {
      rest: 'Selected range vs. the rest of the time',
      before: 'Selected range vs. the same length before',
      day: 'Selected range vs. the same time a day earlier',
      week: 'Selected range vs. the same time a week earlier',
      halves: 'Second half of the time vs. the first half',
      others: 'Matching events vs. all others',
    },
    marker: (label: string) => `After “${label}” vs. before it`,
    needsRange: 'select a range on the timeline',
    needsFilter: 'write a filter',
  },
  start: {
    title: 'What is different, and why?',
    selected:
      'Finds patterns, values, pairs of values and numbers that differ between two parts of the case, and ranks them.',
    unselected:
      'Finds patterns, values, pairs of values and numbers that differ between two parts of the case, and ranks them. Select a range on the timeline to compare it with other times.',
    own: 'Define both sides',
  },
  cite: {
    name: 'Add to notebook',
    hint: 'Add this comparison to the open notebook page, where it runs again whenever it is shown',
    elsewhere:
      'Add this comparison to the open page of the notebook as it is now: the notebook does not ask other cases again',
    title: 'Comparison of B with A',
  },
  evidence: {
    at: (time: string) => `As it was answered at ${time}`,
    side: (events: string, place: string, filter: string) => `${events} of ${place}, ${filter}`,
    columns: '| | Change | What | How | A | B | Score | Filter |',
  },
  comparing: (part: string) => `Comparing… ${part}`,
  drafts: 'Rows that another row explains are grouped with it when the comparison is complete.',
  former: 'Showing the previous comparison.',
  cancel: 'Cancel',
  cancelled: 'Cancelled. Showing the rows found so far.',
  again: 'Compare again',
  done: (count: number) =>
    count === 0
      ? 'No clear difference in the shares'
      : `${counted(count, 'difference')}${count === 1 ? '' : ', the largest first'}`,
  unlisted: (count: number) =>
    `${counted(count, 'more difference')} ${plural(count, 'is', 'are')} not listed.`,
  nothing: 'No share of the events differs clearly.',
  nothingNote: 'Rare patterns may still differ. What was compared is listed below.',
  volume: {
    name: 'Volume',
    fewer: (part: string) => `${part} fewer events over time in B`,
    more: (part: string) => `${part} more events over time in B`,
    unclear: 'No clear difference in the number of events over time',
    sentence: (a: string, b: string, unit: string) => `${a} a ${unit} in A, ${b} in B.`,
    units: { second: 'second', minute: 'minute', hour: 'hour', day: 'day' },
  },
  others: {
    name: 'Largest of the other changes',
    hint: 'Chance may explain them, or other shares of the values of a field',
    shares: (a: string, b: string) => `${a} of the events of A, ${b} of those of B.`,
    mix: (field: string, within: string, all: string) =>
      `Mostly because the values of ${field} have other shares: with the same value, the mean distance is ${within} instead of ${all}.`,
  },
  onlyShares: {
    name: 'Only their share differs',
    hint: 'Not clearly different among the events that no row is about',
    without: (a: string, b: string, left: string, leftB: string) =>
      `${a} of A, ${b} of B; without the rows ${left} of A, ${leftB} of B`,
  },
  rows: 'Differences',
  changes: {
    new: 'new',
    gone: 'missing',
    more: 'more',
    fewer: 'fewer',
    stopped: 'stopped',
    repeats: 'repeats',
    irregular: 'irregular',
    period: 'other period',
    moved: 'changed',
    later: 'later',
    earlier: 'earlier',
  },
  kinds: {
    pattern: 'Pattern',
    value: 'Value',
    pair: 'Two values together',
    number: 'Numbers',
    clock: 'Clock',
  },
  sentences: {
    new: (part: string, count: string) => `Only in B: ${count}, ${part} of its events.`,
    gone: (part: string, count: string) => `Only in A: ${count}, ${part} of its events.`,
    more: (times: string, a: string, b: string) =>
      `At least ${times} times as frequent in B: ${b} of its events, ${a} of those of A.`,
    fewer: (times: string, a: string, b: string) =>
      `At least ${times} times as frequent in A: ${a} of its events, ${b} of those of B.`,
    stopped: (time: string, expected: string) =>
      `The last one in B is at ${time}; about ${expected} more were expected.`,
    repeats: (b: string) => `In B it repeats ${b}; in A it is irregular.`,
    irregular: (a: string) => `In A it repeats ${a}; in B it is irregular.`,
    period: (a: string, b: string) => `It repeats ${b} in B, ${a} in A.`,
    moved: (half: readonly [string, string], most: readonly [string, string]) =>
      `p50 ${half[0]} in A, ${half[1]} in B; p95 ${most[0]} in A, ${most[1]} in B.`,
    clock: (moved: string, margin: string, isLater: boolean, set: string) =>
      `Its clock is ${moved} (± ${margin}) ${isLater ? 'later' : 'earlier'} in B than in A. A clock offset of ${set} corrects B.`,
  },
  beat: (period: string, part: string) => `every ${period} (${part} of the time)`,
  since: (letter: string, time: string) => `In ${letter} since about ${time}.`,
  first: {
    begin: (time: string, subject: string) => `The sides begin to differ at ${time}: ${subject}`,
    always: (subject: string) => `Main difference: ${subject}`,
    show: 'Show where the sides begin to differ',
  },
  curve: {
    name: (subject: string) => `Difference of each quantile of ${subject}, B minus A`,
    at: (quantile: string, difference: string, a: string, b: string) =>
      `${quantile} of the numbers are below ${a} in A and ${b} in B: ${difference}`,
    band: (low: string, high: string) => `95% band: ${low} to ${high}`,
    unbounded: 'no bound',
    hint: 'Above 0, the numbers of B are larger. Where the band does not contain 0, they differ by more than chance.',
  },
  none: 'none',
  pair: (one: string, other: string) => `${one} and ${other}`,
  where: (field: string, group: string) => `${field} where ${group}`,
  clock: (source: string, against: string) => `Clock of ${source} against ${against}`,
  times: (times: string) => `× ${times}`,
  also: {
    same: 'The same events',
    nearly: 'Nearly the same events',
    clock: 'The same clock',
    with: (both: number, count: number, letter: string) =>
      `Occurs with it in ${formatCount(both)} of ${events(count)} of ${letter}`,
    time: (shared: number, bins: number, letter: string) =>
      `At the same time in ${formatCount(shared)} of ${counted(bins, 'time bin')} of ${letter}, in no event together`,
  },
  alsoCounts: (a: number, b: number) => `${formatCount(a)} in A, ${formatCount(b)} in B`,
  moreAlso: (count: number) => `${formatCount(count)} more`,
  showEvents: (letter: string, count: number, subject: string) =>
    `Show the ${events(count)} of ${letter} with ${subject}`,
  showIds: (letter: string) => `Show the events of some ids of ${letter} that both sources have`,
  facts: {
    score: {
      name: 'Score',
      hint: 'Rows are sorted by it: how often the rate doubles × how often the number of events doubles',
    },
    atLeast: {
      name: 'At least',
      hint: 'The lower bound of the ratio of the two rates',
    },
    distance: {
      name: 'Distance',
      hint: '0 is the same distribution; 1 means that the numbers do not overlap',
    },
    expected: { name: 'Expected', hint: 'Events that would have followed at the same rate' },
    g2: {
      name: 'G²',
      hint: 'Log-likelihood ratio: how much better two rates explain the counts than one',
    },
    p: {
      name: 'p',
      hint: 'The probability of this difference by chance, times the number of tests',
    },
  },
  words: {
    name: 'Distinguishing words',
    hint: 'Words of the text that distinguish B, and how many events of B and of A have each',
    looking: 'Counting words…',
    none: 'No word is clearly more frequent in B than in A.',
    failed: 'The words could not be counted.',
    inSide: (letter: string) => `in ${letter}`,
    show: (word: string, b: string, a: string) =>
      `${b} of the events of B, ${a} of those of A. Show the events of B with ${word}`,
  },
  unchanged: {
    name: 'What was compared',
    sum: (patterns: number, values: number) =>
      `${counted(patterns, 'pattern')}, ${counted(values, 'value')}`,
    fields: 'Unchanged',
    fieldsHint: 'With 95% confidence, none of them can have changed by more than this',
    unclear: 'No clear difference',
    unclearHint: 'Too few events to say that they did not change',
    p50: (a: string, b: string) => `p50 ${a} in A, ${b} in B`,
    share: (value: string, a: string, b: string) => `${value} ${a} in A, ${b} in B`,
    withinP50: (part: string) => `p50 within ±${part}`,
    withinShare: (points: string) => `each share within ±${points} points`,
    leftOut: 'Not compared',
    reasons: {
      chosenBy: 'the sides are filtered by it',
      manyValues: 'too many different values',
      countsUp: 'its numbers only count up',
      oneSide: 'only one side has numbers in it',
    },
  },
  commands: {
    swap: 'Swap the sides of the comparison',
    against: {
      rest: 'Compare the selected range with the rest of the time',
      before: 'Compare the selected range with the same length before',
      day: 'Compare the selected range with the same time a day earlier',
      week: 'Compare the selected range with the same time a week earlier',
      halves: 'Compare the second half of the time with the first',
      others: 'Compare the matching events with all others',
    },
  },
};
