import { counted, formatCount } from '../format';

/** The texts of the seismograph: message patterns over time. */
export const seismograph = {
  name: 'Message patterns over time',
  views: { name: 'View of the patterns', list: 'List', seismograph: 'Seismograph' },
  viewHints: {
    list: 'Patterns as a list, the most frequent first',
    seismograph: 'Patterns over time, each compared with what is normal for it',
  },
  fit: 'Fit rows',
  fitHint: 'Shrink the rows until all are visible',
  sum: (rows: number, patterns: number) =>
    rows < patterns
      ? `${formatCount(rows)} of ${counted(patterns, 'pattern')}`
      : counted(patterns, 'pattern'),
  changes: {
    starts: (count: number) => counted(count, 'starts', 'start'),
    stops: (count: number) => counted(count, 'stops', 'stop'),
    beats: (count: number) => counted(count, 'repeats', 'repeat'),
  },
  legend: {
    usual: 'as usual',
    more: 'more',
    less: 'less',
    hint: 'Each row is compared with itself: its median per bin, and the usual deviation from it.',
  },
  flags: {
    starts: 'starts',
    stops: 'stops',
    every: (period: string) => `every ${period}`,
  },
  startsAt: (time: string) => `Starts at ${time}`,
  stopsAt: (time: string) => `Stops at ${time}`,
  repeats: (period: string) => `Repeats every ${period}`,
  cell: (events: number, median: string, spread: string) =>
    `${counted(events, 'event')}; usually ${median} ± ${spread}`,
  pin: 'Pin as a lane of the timeline (p)',
  unpin: 'Remove the lane from the timeline (p)',
  lanes: {
    matching: 'Matching events',
    unpin: (count: number) => `Unpin ${counted(count, 'pattern')}`,
    unpinHint: 'Remove the lanes of patterns from the timeline',
  },
  help: 'Arrow keys move from cell to cell, Shift with arrows selects a time, Enter filters to the cell or zooms to the selection, p pins the row as a lane of the timeline.',
  summary: (sum: string, changes: string, range: string, bin: string) =>
    `${sum}${changes === '' ? '' : `, ${changes}`}. ${range}, ${bin} per column.`,
  export: 'Export image',
} as const;
