import { counted, formatBytes, formatCount, formatShare } from '../format';

/** The texts of what concerns a whole case: its files, its first look, comparisons, and the reference. */
export const workbench = {
  exports: {
    name: 'Export',
    hint: 'Export the matching events to a file',
    formats: {
      csv: 'CSV',
      ndjson: 'NDJSON',
      parquet: 'Parquet',
      raw: 'Original text',
    },
    commands: {
      csv: 'Export the matching events as CSV',
      ndjson: 'Export the matching events as NDJSON',
      parquet: 'Export the matching events as Parquet',
      raw: 'Export the matching events as original text',
    },
    running: (share: number) => `Exporting ${formatShare(share)}`,
    done: (rows: number, name: string) => `Exported ${counted(rows, 'event')} to ${name}`,
    cancel: 'Cancel the export',
    ending: { csv: 'csv', ndjson: 'ndjson', parquet: 'parquet', raw: 'log' },
  },

  reference: {
    name: 'Language reference',
    open: 'Language reference',
    search: 'Search the reference',
    topics: 'Parts of the language',
    all: 'All',
    also: (aliases: readonly string[]) => `also ${aliases.join(', ')}`,
    use: (example: string) => `Insert into the query bar: ${example}`,
    none: (search: string) => `Nothing in the reference matches ${search}`,
    looking: 'Loading…',
    count: (count: number) => counted(count, 'entry', 'entries'),
  },

  connect: {
    name: 'Connect',
    hint: 'Connect: live sources, clusters and configurations',
    configs: 'Copy command for configurations',
    configsCommand: 'Configurations: copy the command that learns them from this case',
    plan: 'Copy command for import plan',
    planCommand: 'Import plan: copy the command that shows it',
    copied: (command: string) => `Copied ${command}`,
  },

  cases: {
    menu: (name: string) => `Actions for ${name}`,
    rename: 'Rename…',
    duplicate: 'Duplicate',
    delete: 'Delete…',
    close: 'Close case',
    forget: 'Remove from this list',
    renameHeading: 'Rename the case',
    nameLabel: 'Name',
    save: 'Rename',
    cancel: 'Cancel',
    gone: {
      message: 'This case is no longer there. The screen shows what was read before.',
      hint: 'Another page or program deleted or moved it.',
    },
    copyOf: (name: string) => `${name} copy`,
    copying: (share: number) => `Duplicating ${formatShare(share)}`,
    deleteHeading: (name: string) => `Delete “${name}”?`,
    deleteNote: (events: number, bytes: number, path: string) =>
      `${counted(events, 'event')} with all notes, ${formatBytes(bytes)} on disk, are deleted from ${path}. The original log files stay where they are. This cannot be undone.`,
    deleteIt: 'Delete',
    commands: {
      rename: 'Rename this case',
      duplicate: 'Duplicate this case',
      delete: 'Delete this case',
      close: 'Close this case',
    },
    size: (bytes: number) => `${formatBytes(bytes)} on disk`,
    unreadable: 'None of the files could be read, so this case is empty.',
    deleteEmpty: 'Delete the empty case',
  },

  firstLook: {
    name: 'First look',
    noTimes: 'no times',
    all: 'Show all events',
    range: 'Zoom to the events',
    spike: (time: string) => `spike at ${time}`,
    spikeHint: 'Zoom in on the spike',
    errors: (count: number) => counted(count, 'error'),
    errorsHint: 'Show the errors of the spike',
    events: (count: number) => counted(count, 'event'),
    eventsHint: 'Show the events of the spike',
    patterns: (count: number) => counted(count, 'pattern new', 'patterns new'),
    patternsHint: 'Show the patterns that occur in the spike and not before it',
    dismiss: 'Hide',
  },

  difference: {
    name: 'What differs here',
    hint: 'The largest differences between this time range and the rest of the time',
    looking: 'Comparing…',
    nothing: 'No share is clearly different from the rest of the time',
    noneHere: 'No matching events in this range',
    noneElsewhere: 'All matching events are in this range',
    failed: 'This range could not be compared with the rest of the time',
    times: (ratio: string) => `≥ ${ratio}× more`,
    rarer: (ratio: string) => `≥ ${ratio}× rarer`,
    changes: {
      new: 'only here',
      gone: 'not here',
      stopped: 'stopped',
      repeats: 'repeats here',
      irregular: 'no longer regular',
      period: 'other period',
      moved: 'changed',
      later: 'clock later',
      earlier: 'clock earlier',
    },
    changed: (from: string, to: string) => `changed: ${from} → ${to}`,
    share: (here: string, others: string) => `${here} of the events here, ${others} of the others`,
    also: (how: string, subject: string) => `${how}: ${subject}`,
    moved: ({ half, most }: { half: readonly string[]; most: readonly string[] }) =>
      `p50 ${half[1]} here, ${half[0]} elsewhere; p95 ${most[1]} here, ${most[0]} elsewhere`,
    more: (count: number) => (count === 0 ? 'Compare' : `${formatCount(count)} more…`),
    moreHint:
      'Compare this range with the rest of the time, with all differences and their evidence',
    words: {
      button: 'Distinguishing words',
      name: 'Words that are frequent here and rare in the rest of the time',
      hint: 'Words that distinguish this range, with their counts here and in the rest of the time',
      none: 'No word is clearly more frequent here than in the rest of the time.',
      here: 'here',
      others: 'elsewhere',
      include: (word: string, here: string, others: string) =>
        `${here} of the events here, ${others} of the others. Include ${word} in the query`,
    },
    dismiss: 'Hide',
    command: 'Show what differs in the time range',
    commandOff: 'Hide what differs in the time range',
  },

  baseline: {
    name: 'Compared with',
    choices: {
      rest: 'the rest of the time',
      before: 'the same length before',
      day: 'a day earlier',
      week: 'a week earlier',
      chosen: 'a chosen range',
    },
    take: 'Use this range as baseline',
    takeHint: 'Later time ranges are compared with the one that is shown now',
  },

  untimed: {
    chip: (count: number) => `${formatCount(count)} without a time`,
    hint: 'They are at the end of the list. Click to show only these.',
  },

  timeline: {
    collapse: 'Show the timeline as a thin strip',
    expand: 'Show the whole timeline',
  },

  fieldMenu: {
    search: 'Search fields',
    none: (search: string) => `No field matches ${search}`,
  },
} as const;
