import { counted, formatBytes, formatCount, formatSeconds, formatShare } from '../format';
import { dateFormat } from '../locale';

const pastedAt = dateFormat({
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

/** The texts of imports: before, during and after. */
export const importing = {
  blockedWindow: 'The browser blocked the new window; nothing was imported.',
  blockedWindowHint: 'Allow pop-ups for this page, or drop the files on another target.',

  drop: {
    new: 'New case',
    newNote: 'Import now',
    addTo: (name: string) => `Add to “${name}”`,
    addToNote: 'Import now',
    newWindow: 'New window',
    newWindowNote: 'Import into a new case',
    look: 'Preview',
    lookNote: 'Check how each file will be read, then import',
  },

  sheet: {
    name: 'Import preview',
    intoNew: 'into a new case',
    into: (name: string) => `into “${name}”`,
    files: 'Files',
    looking: 'Checking the files…',
    start: 'Import',
    cancel: 'Cancel',
    scope: 'Settings apply',
    all: 'to all files',
    thisFile: 'to this file',
    estimate: (bytes: number, seconds: number, disk: number) =>
      `${formatBytes(bytes)} to read · about ${formatSeconds(seconds)} · about ${formatBytes(disk)} on disk`,
    free: (free: number, reserve: number) =>
      free > reserve
        ? `${formatBytes(free)} free; ${formatBytes(reserve)} of it are kept free for other programs`
        : `${formatBytes(free)} free, less than the ${formatBytes(reserve)} kept free for other programs`,
    noRoom: 'Not enough free disk space beyond what is kept free for other programs.',
    beyondReserve: 'Use the space kept free for other programs',
    again: 'Import files again that are already in the case',
    profile: 'Store',
    profileNames: {
      full: 'fields and text index',
      bloom: 'fields and token filters',
      fields: 'fields',
      raw: 'times and text only',
    },
    profileCost: (name: string, seconds: number, disk: number) =>
      `${name}: ${formatSeconds(seconds)}, ${formatBytes(disk)}`,
    profiles: {
      full: 'Fastest search. Uses the most disk space.',
      bloom:
        'Text search skips blocks that cannot match. Uses slightly more disk space than fields.',
      fields: 'Text search reads the original text. Uses less disk space.',
      raw: 'Queries on fields parse the original text again. Uses the least disk space.',
    },
    nothing: 'None of these files can be read.',
    noneChosen: 'No file is selected.',
    include: (name: string) => `Import ${name}`,
    checkAll: 'All files',
    chosen: (count: number, of: number) => `${formatCount(count)} of ${counted(of, 'file')}`,
    mistyped: 'Fix the highlighted fields first.',
    refused: (name: string, why: string) => `${name}: ${why}`,
    known: 'already imported',
    grown: 'has grown',
    set: (name: string) => `part of ${name}`,
    more: (count: number) => `and ${counted(count, 'more file')}`,
  },

  unread: {
    name: 'Files that are not read to the end',
    files: (count: number, named: string, more: number) => {
      const all = more > 0 ? `${named} and ${formatCount(more)} more` : named;
      return `${counted(count, 'file is', 'files are')} not read to the end: ${all}.`;
    },
    gone: 'They are no longer where they were. Import them again from where they are now.',
    continue: 'Continue',
    leaveOut: 'Leave out',
    leaveOutHint: 'Stop asking. The events that are read stay in the case.',
  },

  sources: {
    name: 'Sources',
    show: 'Show how the files were read',
    open: 'Sources…',
    none: 'This case has no sources yet.',
    apply: 'Re-import',
    applyTo: (count: number) => `Re-import ${counted(count, 'file')}`,
    choose: (name: string) => `Apply to ${name}`,
    forMany: (count: number) => `What you choose is for ${counted(count, 'file')}.`,
    zones: (zones: string) => `Their time zones: ${zones}.`,
    asEach: 'as before',
    applyNote: 'Uses the bytes stored in the case; the original file is not needed.',
    applied: 'Re-importing. The current events stay until it is complete.',
    done: 'Re-imported.',
    shift: (offset: string) => `clock ${offset}`,
    readOnly: 'This case is read-only at the moment.',
    incomplete: 'not complete',
    close: 'Close',
    path: 'Path',
    hash: 'SHA-256',
    showSource: 'How it was read',
    links: 'Links between sources…',
  },

  facts: {
    format: 'Format',
    text: 'Encoding',
    zone: 'Time zone',
    offset: 'Clock offset',
    offsetNote: 'added to every time as written',
    removeOffset: 'Remove',
    shifted: (offset: string) =>
      `Clock offset of this source: ${offset}, added to the time as written`,
    range: 'Time range',
    noTimes: 'no times',
    events: 'Events',
    ofSample: (bytes: string) => `in the first ${bytes}`,
    unparsed: (count: number) => `${formatCount(count)} not parsed`,
    matches: (share: number) => `${formatShare(share)} of the first lines`,
    others: 'Other formats',
    take: (name: string) => `Read as ${name}`,
    timeField: 'Time field',
    noTimeField: 'none',
    takeTime: (name: string) => `Read the times from ${name}`,
    timeFound: (share: number, example: string) =>
      `${formatShare(share)} of the first events, such as ${example}`,
    layouts: 'Layouts',
    times: 'Times',
    notUnderstood: 'Not parsed',
    line: (line: number) => `line ${formatCount(line)}`,
    preview: 'First events',
    fields: 'Fields',
    noFields: 'These events have no fields.',
    unknownTime: 'no time',
    compression: (kind: string) =>
      kind === 'sparse' ? 'read without its holes' : `compressed with ${kind}`,
  },

  choice: {
    format: 'Format',
    asDetected: (found: string) => (found === '' ? 'Auto' : `Auto (${found})`),
    asBefore: (found: string) => `Unchanged (${found})`,
    forAll: (what: string) => `Same as for all files (${what})`,
    encoding: 'Encoding',
    zone: 'Time zone if missing',
    zoneHint: 'Europe/Berlin',
    year: 'Year of the first event',
    yearHint: 'if missing',
    offset: 'Clock offset',
    offsetHint: '1h30m, -250ms',
    offsetWrong: 'Use numbers with units: 1h30m, -250ms.',
    yearWrong: 'Use a year with four digits.',
    builtIn: 'Built-in formats',
    saved: 'Custom formats',
    own: 'New custom format…',
    edit: 'Edit this format…',
    reset: 'Reset',
  },

  editor: {
    name: 'Custom format',
    definition: 'Definition',
    sample: 'Sample lines',
    result: 'Result',
    help: 'One pattern is enough: grok, regex with (?<names>), or dissect. See docs/custom-formats.md. You can also paste an lnav format (JSON) or a Logstash pattern file.',
    matched: (matched: number, all: number) =>
      `${formatCount(matched)} of ${counted(all, 'event matches', 'events match')}`,
    unmatched: 'Not matched',
    faults: 'Errors',
    save: 'Save and use',
    replace: 'Replace',
    cancel: 'Cancel',
    noSample: 'Paste sample lines to test the pattern.',
    trying: 'Testing…',
  },

  paste: {
    name: 'Import pasted text into this case',
    defaultName: (now: Date) => `Pasted ${pastedAt.format(now)}`,
    size: (lines: number, bytes: number) => `${counted(lines, 'line')}, ${formatBytes(bytes)}`,
    called: 'Name',
    start: 'Import',
    newCase: 'This case is read-only at the moment, so a new case is created.',
  },

  progress: {
    rate: (bytesPerSecond: number) => `${formatBytes(bytesPerSecond)}/s`,
    left: (seconds: number) => `${formatSeconds(seconds)} left`,
    outcomes: { new: '', known: 'already imported', grown: 'has grown', reread: 're-imported' },
    allKnown: 'Nothing new: all files are already in the case',
    callMe: 'Notify me when done',
  },

  ended: {
    name: 'Timberline',
    done: (events: number, problems: number) =>
      problems === 0
        ? `${counted(events, 'event')} imported`
        : `${counted(events, 'event')} imported, ${counted(problems, 'problem')}`,
    failed: 'The import failed; events imported before the failure are kept',
    rereadFailed: 'The re-import failed; the events stay as they were',
  },

  title: {
    reading: (share: string) => `${share} read`,
    indexing: 'indexing',
    problem: '!',
  },

  welcome: {
    lookFirst: 'Preview import…',
    pasteNote: (key: string) => `Or paste log lines with ${key}.`,
    opened: (when: string) => `opened ${when}`,
    showAll: (count: number) => `Show all ${formatCount(count)} cases`,
    changed: (when: string) => `changed ${when}`,
    gone: 'Not found',
    readOnly: 'read-only',
    look: 'Find it',
    looking: 'Searching…',
    foundAt: 'Found:',
    open: 'Open',
    notFound:
      'The case was not found near its old place. If you know where it is, drop its folder here.',
    forget: (name: string) => `Remove “${name}” from this list`,
    forgetNote: 'Remove from this list; the case itself is not deleted',
    noTimes: 'no times',
  },
} as const;
