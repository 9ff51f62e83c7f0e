import { formatBytes, formatCount, formatSeconds, formatShare } from '../format';
import { dateFormat } from '../locale';

const counted = (count: number, one: string, many: string) =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

const pastedAt = dateFormat({
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

/** What reading files says: before, meanwhile, and of what was read. */
export const importing = {
  blockedWindow: 'The browser did not let a second window open; nothing was imported.',
  blockedWindowHint: 'Allow windows of this page, or drop the files on another part.',

  drop: {
    new: 'New case',
    newNote: 'Start at once',
    here: (name: string) => `Add to “${name}”`,
    hereNote: 'Start at once',
    beside: 'Beside this case',
    besideNote: 'New case in a new window',
    look: 'Look first',
    lookNote: 'See how each file will be read, then start',
  },

  sheet: {
    name: 'How these files will be read',
    intoNew: 'into a new case',
    into: (name: string) => `into “${name}”`,
    files: 'Files',
    looking: 'Looking at the files…',
    start: 'Start the import',
    cancel: 'Cancel',
    scope: 'Choices are',
    all: 'for all files',
    thisFile: 'for this file',
    estimate: (bytes: number, seconds: number, disk: number) =>
      `${formatBytes(bytes)} to read · about ${formatSeconds(seconds)} · about ${formatBytes(disk)} on disk`,
    free: (free: number, reserve: number) =>
      free > reserve
        ? `${formatBytes(free)} free, of which ${formatBytes(reserve)} stay in reserve`
        : `${formatBytes(free)} free, less than the reserve of ${formatBytes(reserve)}`,
    noRoom: 'It does not fit above the reserve that is kept free.',
    beyondReserve: 'Use the reserve too',
    again: 'Read again what is here already',
    profile: 'Keep',
    profileNames: {
      full: 'fields and text index',
      bloom: 'fields and token filters',
      fields: 'fields',
      raw: 'times and text only',
    },
    profileCost: (name: string, seconds: number, disk: number) =>
      `${name}: ${formatSeconds(seconds)}, ${formatBytes(disk)}`,
    profiles: {
      full: 'Every search is answered at once. Takes the most room.',
      bloom: 'Searches pass over blocks that cannot match. Takes a little more than fields.',
      fields: 'Searches for text read the text. Takes less room.',
      raw: 'Questions about fields read the text again. Takes the least room.',
    },
    nothing: 'None of these files can be read.',
    mistyped: 'Something above is not written as it has to be.',
    refused: (name: string, why: string) => `${name}: ${why}`,
    known: 'already here',
    grown: 'has grown',
    set: (name: string) => `part of ${name}`,
    more: (count: number) => `and ${counted(count, 'more file', 'more files')}`,
  },

  sources: {
    name: 'Sources',
    show: 'How the files were read',
    open: 'Sources…',
    none: 'This case has no sources yet.',
    apply: 'Read it so',
    applyNote: 'From the bytes stored in the case; the original is not needed.',
    applied: 'It is being read; the events stay as they are until all of it is there.',
    readOnly: 'This case can only be read now.',
    incomplete: 'not complete',
    close: 'Close',
    path: 'Read from',
    hash: 'SHA-256',
    showSource: 'How it was read',
  },

  facts: {
    format: 'Format',
    why: 'Why',
    share: 'Match',
    text: 'Text',
    zone: 'Zone',
    range: 'Time range',
    noTimes: 'no times',
    events: 'Events',
    ofSample: (bytes: string) => `in the first ${bytes}`,
    unparsed: (count: number) => `${formatCount(count)} not understood`,
    matches: (share: number) => `${formatShare(share)} of the first lines`,
    others: 'Or read as',
    take: (name: string) => `Read it as ${name}`,
    times: 'About its times',
    notUnderstood: 'Not understood',
    line: (line: number) => `line ${formatCount(line)}`,
    preview: 'First events',
    fields: 'Fields',
    noFields: 'No fields were found in these events.',
    unknownTime: 'no time',
    compression: (kind: string) => `packed as ${kind}`,
  },

  choice: {
    format: 'Format',
    asDetected: (found: string) => (found === '' ? 'As detected' : `As detected (${found})`),
    asBefore: (found: string) => `As it is (${found})`,
    forAll: (what: string) => `As for all (${what})`,
    encoding: 'Encoding',
    zone: 'Zone of times without one',
    zoneHint: 'Europe/Berlin, UTC, +02:00',
    year: 'Year of the first time',
    yearHint: 'where missing',
    offset: 'Clock was off by',
    offsetHint: '1h30m, -250ms',
    offsetWrong: 'Write numbers with units: 1h30m, -250ms.',
    yearWrong: 'Write a year of four digits.',
    builtIn: 'Built in',
    saved: 'Your own',
    own: 'Describe your own format…',
    edit: 'Edit this format…',
    reset: 'Forget these choices',
  },

  editor: {
    name: 'A format of your own',
    definition: 'Definition',
    sample: 'Lines to try it on',
    result: 'What it makes of them',
    help: 'One pattern is enough: grok, regex with (?<names>), or dissect. See docs/custom-formats.md. A format of lnav (JSON) or a Logstash pattern file can be pasted as it is.',
    matched: (matched: number, all: number) =>
      `${formatCount(matched)} of ${counted(all, 'event matches', 'events match')}`,
    unmatched: 'Not matched',
    all: 'All',
    faults: 'To be put right',
    save: 'Save and use',
    saveOnly: 'Save',
    replace: 'Replace it',
    cancel: 'Cancel',
    saved: (name: string) => `Saved as ${name}`,
    noSample: 'Paste some lines to see what the pattern makes of them.',
    trying: 'Trying…',
  },

  paste: {
    name: 'Read the pasted text into this case',
    defaultName: (now: Date) => `Pasted ${pastedAt.format(now)}`,
    size: (lines: number, bytes: number) =>
      `${counted(lines, 'line', 'lines')}, ${formatBytes(bytes)}`,
    called: 'Called',
    start: 'Read it',
    newCase: 'The case can only be read now, so a new one is made.',
  },

  progress: {
    rate: (bytesPerSecond: number) => `${formatBytes(bytesPerSecond)}/s`,
    left: (seconds: number) => `${formatSeconds(seconds)} left`,
    outcomes: { new: '', known: 'already here', grown: 'has grown', anew: 'read anew' },
    allKnown: 'Nothing new; all of it is here already',
    callMe: 'Tell me when it is done',
    called: 'You will be told when it is done',
  },

  ended: {
    name: 'Timberline',
    done: (events: number, problems: number) =>
      problems === 0
        ? `${counted(events, 'event', 'events')} imported`
        : `${counted(events, 'event', 'events')} imported, ${counted(problems, 'problem', 'problems')}`,
    failed: 'The import failed; what was read before is kept',
  },

  title: {
    reading: (share: string) => `${share} read`,
    indexing: 'indexing',
    problem: '!',
  },

  welcome: {
    lookFirst: 'Look first…',
    pasteNote: 'Or paste lines with Ctrl+V.',
    opened: (when: string) => `opened ${when}`,
    changed: (when: string) => `changed ${when}`,
    gone: 'It is not there any more',
    readOnly: 'read-only',
    look: 'Look for it',
    looking: 'Looking…',
    foundAt: 'Found:',
    open: 'Open',
    notFound: 'It was not found near where it was. If you know where it is, drop its folder here.',
    forget: (name: string) => `Take “${name}” off this list`,
    forgetNote: 'Take it off this list; the case stays as it is',
    noTimes: 'no times',
  },
} as const;
