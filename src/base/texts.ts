import { counted, formatBytes, formatCount, formatSeconds, formatShare, plural } from './format';
import { charts } from './texts/charts';
import { commands } from './texts/commands';
import { compare } from './texts/compare';
import { detectorForm } from './texts/detectorform';
import { detectors } from './texts/detectors';
import { explore } from './texts/explore';
import { importing } from './texts/importing';
import { fields } from './texts/fields';
import { inbox } from './texts/inbox';
import { inspect } from './texts/inspect';
import { links } from './texts/links';
import { listing } from './texts/listing';
import { live } from './texts/live';
import { notes } from './texts/notes';
import { push } from './texts/push';
import { remotes } from './texts/remotes';
import { seismograph } from './texts/seismograph';
import { servicemap } from './texts/servicemap';
import { sigma } from './texts/sigma';
import { values } from './texts/values';
import { workbench } from './texts/workbench';

/** Every text of the screen, in one place, for a consistent voice and for translation. */
export const texts = {
  charts,
  detectorForm,
  detectors,
  fields,
  inbox,
  inspect,
  links,
  listing,
  live,
  commands,
  compare,
  explore,
  importing,
  notes,
  push,
  remotes,
  seismograph,
  servicemap,
  sigma,
  values,
  workbench,

  app: {
    name: 'Timberline',
    promise: 'See what happened, when, and how often. Your logs never leave this machine.',
    working: {
      starting: 'Starting…',
      creating: 'Creating a case…',
      opening: 'Opening the case…',
    },
    handover: (done: number, total: number) =>
      `Sending file ${formatCount(done + 1)} of ${formatCount(total)} to the engine…`,
  },

  counts: {
    events: (count: number) => counted(count, 'event'),
    eventWord: (count: number) => plural(count, 'event'),
    sources: (count: number) => counted(count, 'source'),
    problems: (count: number) => counted(count, 'problem'),
    unparsed: (count: number) => `${formatCount(count)} not parsed`,
  },

  welcome: {
    drop: 'Drop log files or folders anywhere in this window',
    dropNote: 'Access logs, JSON lines, syslog, or any text with timestamps.',
    openFiles: 'Open files…',
    openFolder: 'Open folder…',
    sample: 'Load the sample case',
    sampleNote: 'New here? A small web shop’s bad afternoon, ready to explore.',
    recent: 'Recent cases',
    noRecent: 'Cases you create appear here.',
    casesFolder: 'Cases are stored in',
  },

  bar: {
    allCases: 'All cases',
    addFiles: 'Add files…',
    query: 'Filter',
    queryHint: 'Filter events: words, "a phrase", *part*, field:"value"',
    clearQuery: 'Clear the filter',
    showing: 'Showing results of the previous query:',
    revert: 'Revert query',
    sql: 'SQL',
    sqlHint:
      'This is read as SQL, because it begins with SELECT or WITH. Tables: events, templates, notes, sources.',
    fix: (replacement: string, written: string) => {
      if (replacement === '') return `Remove ${written}`;
      return written.trim() === ''
        ? `Insert ${replacement}`
        : `Replace ${written} with ${replacement}`;
    },
    theme: { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' },
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
    help: 'Arrow keys move, Shift with arrow keys selects, Enter zooms in, Backspace zooms out, plus and minus zoom.',
    binWidth: (bucket: string) => `per ${bucket}: width of a bar, here and in charts`,
    automaticWidth: 'Automatic',
    perBucket: (bucket: string) => `per ${bucket}`,
    back: 'Zoom out',
    backHint: 'Zoom out to the previous range (Backspace)',
    partial: (share: number) => `${formatShare(share)} searched`,
    noTime: 'These events have no time',
    noTimeNote: 'They are listed below, sorted by source.',
    someUntimed: (count: number) => `${formatCount(count)} without a time`,
    nothing: 'No matching events',
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
    noTime: 'no time',
    loading: 'Loading',
    nothing: 'No matching events',
    nothingFilter: (query: string) => `No event in this case matches ${query}`,
    nothingFilterRange: (query: string) => `No event in this time range matches ${query}`,
    nothingRange: 'All matching events are outside the time range.',
    emptyCase: 'This case has no events yet',
    emptyCaseNote: 'Drop files on the window, or use Add files above.',
    reading: 'Reading…',
    readingNote: 'Events appear here as they are read.',
    clearFilter: 'Clear the filter',
    clearRange: 'Show all time',
    retry: 'Try again',
  },

  ahead: {
    inFiles: (lines: number, partial: boolean) =>
      `${counted(lines, 'line')} in the files${partial ? ' so far' : ''}`,
    hint: 'Matching lines in files that are still being read',
    nothing: 'No matches so far',
    note: 'Matches appear here as the files are read.',
    none: 'No line in the files matches either.',
    match: (lines: number, partial: boolean) =>
      `${counted(lines, 'line matches', 'lines match')}${partial ? ' so far' : ''}`,
    matchNote: 'The files are still being read. These lines will become events:',
    others: (files: number) => `${counted(files, 'file')} can be searched only after import.`,
  },

  tabs: {
    name: 'Views',
    events: 'Events',
    charts: 'Charts',
    patterns: 'Patterns',
  },

  patterns: {
    name: 'Message patterns',
    looking: 'Finding patterns…',
    sum: (patterns: number, events: number) =>
      `${counted(patterns, 'pattern')} in ${counted(events, 'event')}`,
    without: (events: number) => `${counted(events, 'event has', 'events have')} no message`,
    more: (count: number) => `and ${counted(count, 'rarer pattern')}`,
    found: (count: number) => `${formatCount(count)} found`,
    showMore: (count: number) => `Show ${formatCount(count)} more`,
    search: 'Search patterns',
    noneFound: 'No pattern has these words',
    sort: 'Sort by',
    sorts: {
      usual: 'Most frequent',
      fewest: 'Least frequent',
      first: 'First seen',
      last: 'Last seen',
      text: 'Text',
    },
    greatest: 'Greatest difference',
    source: (name: string) => `Its first event is in ${name}`,
    granularity: 'Granularity',
    cuts: { shape: 'Finest', template: 'Fine', group: 'Coarse', family: 'Coarsest' },
    cutHints: {
      shape: 'Messages that differ only in numbers and ids',
      template: 'Messages written by the same line of a program',
      group: 'Similar messages',
      family: 'Messages with the same beginning',
    },
    only: 'Include this pattern',
    exclude: 'Exclude this pattern',
    unfold: 'Variable values and examples',
    rename: 'Name this pattern (n)',
    nameOf: (text: string) => `Name of the pattern ${text}`,
    hide: 'Hide this pattern (h)',
    unhide: 'Show this pattern in the list again (h)',
    hidden: (count: number) => `${formatCount(count)} hidden`,
    hiddenHint: 'Patterns that are left out of this list. Their events are still found.',
    usesOf: (name: string) => `Show ${name}`,
    uses: { percentiles: 'Percentiles over time', top: 'Top values', field: 'Field' },
    useHints: {
      percentiles: (name: string) => `Chart p50, p95 and p99 of ${name} over time`,
      top: (name: string) => `Count the most frequent values of ${name}`,
      field: (name: string) => `Show the events with a column ${name}`,
    },
    contrast: 'Compared with the rest of the time',
    contrasts: {
      all: 'All',
      new: 'New in this range',
      gone: 'Missing in this range',
      more: 'More frequent',
      fewer: 'Less frequent',
    },
    noContrast: 'No pattern in this time range differs in this way',
    isNew: 'new',
    isGone: 'missing',
    counting: 'Counting variable values…',
    constant: 'These messages have no variable part.',
    examples: 'Examples',
    showExample: 'Show in the list of events',
    distinct: (count: number, more: boolean) =>
      `${more ? 'more than ' : ''}${counted(count, 'value')}`,
    between: (least: number, most: number) => `${formatCount(least)} to ${formatCount(most)}`,
  },

  detail: {
    name: 'Event',
    close: 'Close',
    raw: 'Text',
    fields: 'Fields',
    origin: 'Origin',
    copy: (name: string) => `Copy ${name}`,
    copied: (name: string) => `Copied ${name}`,
    noFields: 'This event has no fields.',
    cut: (bytes: number) => `Truncated; the whole event has ${formatBytes(bytes)}.`,
    source: 'Source',
    path: 'Path',
    format: 'Format',
    line: 'Line',
    offset: 'Byte offset',
    length: 'Length',
    hash: 'SHA-256',
    hashUnknown: 'available when the source is complete',
  },

  imports: {
    name: 'Import',
    files: 'Imported files',
    reading: (done: number, total: number) =>
      `Reading ${formatCount(done)} of ${counted(total, 'file')}`,
    indexing: 'All events are imported; building the search index',
    waiting: 'Waiting for the previous import',
    starting: 'Checking the files…',
    stopping: 'Stopping; events that were imported are kept…',
    done: (events: number, files: number) =>
      `Imported ${counted(events, 'event')} from ${counted(files, 'file')}`,
    known: (files: number) => `${formatCount(files)} already imported`,
    rereading: (sources: number) => `Re-importing ${counted(sources, 'source')}`,
    rereadDone: (sources: number) => `Re-imported ${counted(sources, 'source')}`,
    rereadStopped: 'Stopped; the events stay as they were',
    rereadFailed: (reason: string) => `${reason} The events stay as they were.`,
    cancelled: (events: number) => `Stopped; ${counted(events, 'event')} kept`,
    failed: (reason: string, kept: number) =>
      kept === 0 ? reason : `${reason} Events imported before the failure are kept.`,
    timeLeft: (seconds: number) => `${formatSeconds(seconds)} left`,
    cancel: 'Cancel',
    show: 'Show the files',
    hide: 'Hide the files',
    dismiss: 'Dismiss',
    more: (count: number) => `and ${counted(count, 'more file')}`,
    states: {
      waiting: 'waiting',
      reading: 'reading',
      done: 'done',
      warned: 'done, with a warning',
      failed: 'not read completely',
      skipped: 'not read',
    },
  },

  status: {
    name: 'Status',
    share: (matching: string, all: string) => `${matching} of ${all}`,
    shareSoFar: (matching: string, all: string) => `${matching} of ${all} read so far`,
    former: (counts: string) => `${counts} · Showing results of the previous query`,
    took: (time: string) => `answered in ${time}`,
    readOnly: 'Read-only',
    incomplete: (count: number) => `${counted(count, 'source is', 'sources are')} not complete`,
  },

  /** What happened, by the engine's error code. The engine adds the file and what to do. */
  failures: {
    notFound: 'Not found',
    notReadable: 'It cannot be read or reached',
    notAllowed: 'This case is not trusted',
    empty: 'The file is empty',
    binary: 'The file is not text',
    noLogs: 'No logs were found',
    corrupt: 'The compressed data is damaged',
    limit: 'A limit was reached',
    diskFull: 'The disk is full',
    readOnly: 'The case is read-only',
    caseLocked: 'Another window is writing to this case',
    caseDamaged: 'The case is damaged',
    caseTooNew: 'The case was made by a newer Timberline',
    changed: 'The file changed while it was read',
    queryInvalid: 'The query has an error',
    notAvailable: 'Not available for a cluster',
    cancelled: 'Cancelled',
    badRequest: 'The engine did not understand the request',
    internal: 'Something went wrong in the engine',
    unreachable: 'The engine does not respond',
  },
  lost: {
    name: 'The connection to Timberline was lost',
    note: 'The program that reads the case has stopped or was closed. Everything imported and written so far is stored in the case. Start Timberline again and reconnect; if it was started with another address, open the one it prints.',
    reconnect: 'Reconnect',
    trying: 'Connecting…',
  },
  unreachableHint: 'Is Timberline still running? Open the address it printed at start.',
  trust: {
    button: 'Trust this case',
    allows:
      'Once you trust it, its queries, notebook, live sources and rules may read the files of this machine that they name.',
  },
  dismiss: 'Dismiss',
  close: 'Close',
} as const;
