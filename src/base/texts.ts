import { formatBytes, formatCount, formatSeconds, formatShare } from './format';
import { charts } from './texts/charts';
import { commands } from './texts/commands';
import { explore } from './texts/explore';
import { importing } from './texts/importing';
import { fields } from './texts/fields';
import { inspect } from './texts/inspect';
import { listing } from './texts/listing';
import { notes } from './texts/notes';

const plural = new Intl.PluralRules('en');

function word(count: number, one: string, many: string): string {
  return plural.select(count) === 'one' ? one : many;
}

function counted(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${word(count, one, many)}`;
}

/** Every text of the screen, in one place, so that its voice is one and a second language is possible. */
export const texts = {
  charts,
  fields,
  inspect,
  listing,
  commands,
  explore,
  importing,
  notes,

  app: {
    name: 'Timberline',
    promise:
      'See when it happened, what happened and how often. Your logs never leave this machine.',
    working: {
      starting: 'Starting…',
      creating: 'Making a case…',
      opening: 'Opening the case…',
    },
    handover: (done: number, total: number) =>
      `Handing file ${formatCount(done + 1)} of ${formatCount(total)} to the engine…`,
  },

  counts: {
    events: (count: number) => counted(count, 'event', 'events'),
    eventWord: (count: number) => word(count, 'event', 'events'),
    sources: (count: number) => counted(count, 'source', 'sources'),
    problems: (count: number) => counted(count, 'problem', 'problems'),
    unparsed: (count: number) => `${formatCount(count)} not parsed`,
  },

  welcome: {
    drop: 'Drop log files or folders anywhere in this window',
    dropNote: 'Access logs, JSON lines, syslog, or any text with times in it.',
    openFiles: 'Open files…',
    openFolder: 'Open folder…',
    sample: 'Load the sample case',
    sampleNote: 'New here? A small web shop’s bad afternoon, ready to explore.',
    recent: 'Recent cases',
    noRecent: 'Cases you make appear here.',
    casesFolder: 'Cases are kept in',
  },

  bar: {
    allCases: 'All cases',
    addFiles: 'Add files…',
    query: 'Filter',
    queryHint: 'Filter events: words, "a phrase", *part*, field:"value"',
    clearQuery: 'Clear the filter',
    fix: (replacement: string, written: string) => {
      if (replacement === '') return `Remove ${written}`;
      return written.trim() === '' ? `Write ${replacement}` : `Write ${replacement} for ${written}`;
    },
    theme: { system: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' },
    keyboard: 'Keyboard shortcuts',
  },

  range: {
    all: 'All time',
    edit: 'Change the time range',
    clear: 'Show all time',
    apply: 'Apply',
  },

  timeline: {
    name: 'Events over time',
    summary: (total: string, range: string, bucket: string) =>
      `${total} between ${range}, counted per ${bucket}.`,
    help: 'Arrow keys move, Shift with arrow keys selects, Enter zooms in, Backspace goes back, plus and minus zoom.',
    perBucket: (bucket: string) => `per ${bucket}`,
    back: 'Back',
    backHint: 'Back to the range before (Backspace)',
    partial: (share: number) => `${formatShare(share)} looked at`,
    noTime: 'These events carry no time',
    noTimeNote: 'They are listed below in the order of their sources.',
    someUntimed: (count: number) => `${formatCount(count)} without a time`,
    nothing: 'No event matches here',
    empty: 'No events yet',
    waiting: 'Events appear here as they are read',
  },

  levels: {
    none: 'No level',
    trace: 'Trace',
    debug: 'Debug',
    info: 'Info',
    notice: 'Notice',
    warn: 'Warning',
    error: 'Error',
    fatal: 'Fatal',
  },

  events: {
    name: 'Events',
    time: 'Time (UTC)',
    level: 'Level',
    source: 'Source',
    text: 'Event',
    oldestFirst: 'Oldest first',
    newestFirst: 'Newest first',
    orderHint: 'Change the order',
    noTime: 'no time',
    loading: 'Loading',
    nothing: 'No event matches',
    nothingFilter: (query: string) => `Nothing in this case matches ${query}`,
    nothingFilterRange: (query: string) => `Nothing in this time range matches ${query}`,
    nothingRange: 'The time range leaves out every event that would match.',
    emptyCase: 'This case has no events yet',
    emptyCaseNote: 'Drop files on the window, or add them with the button above.',
    reading: 'Reading…',
    readingNote: 'Events appear here as they are read.',
    clearFilter: 'Clear the filter',
    clearRange: 'Show all time',
    retry: 'Try again',
  },

  ahead: {
    inFiles: (lines: number, partial: boolean) =>
      `${counted(lines, 'line', 'lines')} in the files${partial ? ' so far' : ''}`,
    hint: 'Lines that match in the files themselves, which are still being read',
    nothing: 'Nothing matches so far',
    note: 'What matches appears here as it is read.',
    none: 'No line of the files matches either.',
    match: (lines: number, partial: boolean) =>
      `${counted(lines, 'line matches', 'lines match')}${partial ? ' so far' : ''}`,
    matchNote: 'The files are still being read. As they are, these lines become events here:',
    others: (files: number) => `${counted(files, 'file', 'files')} can only be searched once read.`,
  },

  tabs: {
    name: 'Ways to look at it',
    events: 'Events',
    charts: 'Charts',
    patterns: 'Patterns',
  },

  patterns: {
    name: 'Patterns of messages',
    looking: 'Looking for patterns…',
    sum: (patterns: number, events: number) =>
      `${counted(patterns, 'pattern', 'patterns')} in ${counted(events, 'event', 'events')}`,
    without: (events: number) => `${counted(events, 'event has', 'events have')} no message`,
    more: (count: number) => `and ${counted(count, 'rarer pattern', 'rarer patterns')}`,
    granularity: 'How much is taken together',
    cuts: { shape: 'Finest', template: 'Fine', group: 'Coarse', family: 'Coarsest' },
    cutHints: {
      shape: 'Messages that differ in numbers and ids alone',
      template: 'Messages that one line of a program writes',
      group: 'Messages that are alike',
      family: 'Messages that begin alike',
    },
    only: 'Only events of this pattern',
    exclude: 'Without events of this pattern',
    unfold: 'What stands in its variable parts',
    contrast: 'Against the rest of the time',
    contrasts: {
      all: 'All',
      new: 'New here',
      gone: 'Gone here',
      more: 'More often',
      fewer: 'Less often',
    },
    noContrast: 'No pattern differs so in this time range',
    isNew: 'new here',
    isGone: 'not here',
    counting: 'Counting what stands in the variable parts…',
    constant: 'Nothing varies in these messages.',
    distinct: (count: number, more: boolean) =>
      `${more ? 'more than ' : ''}${counted(count, 'value', 'values')}`,
    between: (least: number, most: number) => `${formatCount(least)} to ${formatCount(most)}`,
  },

  detail: {
    name: 'Event',
    everything: 'Everything about the event',
    close: 'Close (Esc)',
    raw: 'Text',
    fields: 'Fields',
    origin: 'Where it comes from',
    copy: (name: string) => `Copy ${name}`,
    copied: 'Copied',
    only: (name: string, value: string) => `Only events with ${name} ${value}`,
    without: (name: string, value: string) => `Without events with ${name} ${value}`,
    noFields: 'No fields were recognised in this event.',
    cut: (bytes: number) => `Shown up to a limit; the event has ${formatBytes(bytes)}.`,
    source: 'Source',
    path: 'Read from',
    format: 'Format',
    line: 'Line',
    offset: 'Byte offset',
    length: 'Length',
    hash: 'SHA-256',
    hashUnknown: 'known when the source is complete',
  },

  imports: {
    name: 'Import',
    files: 'Files of the import',
    reading: (done: number, total: number) =>
      `Reading ${formatCount(done)} of ${counted(total, 'file', 'files')}`,
    indexing: 'All events are here; building the search index',
    waiting: 'Waiting for the import before it',
    starting: 'Looking at the files…',
    stopping: 'Stopping; what was read is kept…',
    done: (events: number, files: number) =>
      `Imported ${counted(events, 'event', 'events')} from ${counted(files, 'file', 'files')}`,
    known: (files: number) => `${formatCount(files)} already here`,
    cancelled: (events: number) => `Stopped; ${counted(events, 'event', 'events')} kept`,
    failed: 'The import failed; what was read before is kept',
    timeLeft: (seconds: number) => `${formatSeconds(seconds)} left`,
    cancel: 'Cancel',
    show: 'Show the files',
    hide: 'Hide the files',
    toggle: 'Show or hide the files of the import',
    dismiss: 'Dismiss',
    more: (count: number) => `and ${counted(count, 'more file', 'more files')}`,
    states: {
      waiting: 'waiting',
      reading: 'reading',
      done: 'done',
      warned: 'done, with a note',
      failed: 'could not be read completely',
      skipped: 'not read',
    },
  },

  status: {
    name: 'Status',
    of: (matching: string, all: string) => `${matching} of ${all}`,
    ofSoFar: (matching: string, all: string) => `${matching} of ${all} read so far`,
    former: (counts: string) => `${counts}, by the filter before`,
    took: (time: string) => `answered in ${time}`,
    readOnly: 'Read-only',
    incomplete: (count: number) => `${counted(count, 'source is', 'sources are')} not complete`,
  },

  /** What happened, plainly, by the engine's code. The engine adds to which file, and what to do. */
  failures: {
    notFound: 'It is not there',
    notReadable: 'It may not be read',
    empty: 'The file is empty',
    binary: 'The file is not text',
    noLogs: 'No logs were found',
    corrupt: 'The packed data is damaged',
    limit: 'A limit was reached',
    diskFull: 'The disk is full',
    readOnly: 'The case can only be read',
    caseLocked: 'Another window is writing this case',
    caseDamaged: 'The case is damaged',
    caseTooNew: 'The case was made by a newer Timberline',
    changed: 'The file changed while it was read',
    queryInvalid: 'The filter has a mistake',
    cancelled: 'Stopped',
    badRequest: 'The engine did not understand the request',
    internal: 'Something went wrong in the engine',
    unreachable: 'The engine does not answer',
  },
  unreachableHint: 'Is Timberline still running? Open the address that it printed when it started.',
  dismiss: 'Dismiss',
  close: 'Close',
} as const;
