import { counted, formatBytes, formatCount, formatSeconds } from '../format';

function lengthOf(hours: number): string {
  const [count, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour'];
  return counted(count, unit);
}

/** The texts of live sources: the sheet that adds one, their panel, and the Live switch. */
export const live = {
  add: 'Add live source…',
  command: 'Add a live source',
  kinds: {
    follow: 'Files that grow',
    syslog: 'Syslog',
    http: 'HTTP',
    journal: 'Journal of this machine',
  },
  notes: {
    follow:
      'Tails files by name, also when they are rotated. Folders and patterns include new files.',
    syslog: 'RFC 3164 and 5424, from programs on this machine.',
    http: 'Bulk requests as for Elasticsearch, and OTLP logs, from programs on this machine.',
    journal: 'Reads journalctl, and resumes where it stopped.',
  },

  sheet: {
    name: 'Add live source',
    note: (name: string | null) => (name === null ? 'in a new case' : `in ${name}`),
    readOnly: 'Another process is writing to the open case, so a new case is created.',
    kind: 'Receive from',
    paths: 'Files, folders and patterns, one per line',
    pathsExample: '/var/log/app/*.log',
    chooseFiles: 'Choose files…',
    chooseFolder: 'Choose folder…',
    missing: 'Enter at least one file, folder or pattern.',
    relative: (path: string) => `Enter the full path of ${path}, starting with /.`,
    transport: 'Transport',
    transports: { udp: 'UDP', tcp: 'TCP', unix: 'Unix socket' },
    socket: 'Path of the socket',
    socketExample: '/run/app/log',
    missingSocket: 'Enter the path of the socket, such as /run/app/log.',
    unixNote: 'The socket exists while this source runs.',
    udpNote: 'Messages sent while this source is paused are lost.',
    tcpNote: 'Senders with a queue wait while this source is paused.',
    port: 'Port on 127.0.0.1',
    badPort: 'A port is a number from 1 to 65535.',
    lowPort: 'Ports below 1024 need special rights on most systems.',
    format: 'Format',
    learned: 'Learn from the first lines',
    zone: 'Time zone if missing',
    zoneExample: 'UTC',
    parts: 'By sender or program',
    partsNote:
      'For a program, only the text after the syslog header is read. If a message matches both, the program’s format is used.',
    partOf: 'Sender or program',
    partsOf: { sender: 'Sender', tag: 'Program (tag)' },
    partName: { sender: 'Address or network', tag: 'Tag' },
    partExample: { sender: '10.0.0.7', tag: 'nginx' },
    addPart: 'Add a sender or program',
    removePart: (name: string) => (name === '' ? 'Remove this row' : `Remove ${name}`),
    settings: 'For all live sources of the case',
    refresh: 'Visible after',
    refreshAfter: (ms: number) => (ms < 1_000 ? `${ms} ms` : formatSeconds(ms / 1_000)),
    keepTime: 'Keep events for',
    keepTimes: (hours: number | null) => (hours === null ? 'No limit' : lengthOf(hours)),
    compress: 'Compress harder after',
    compressAfter: (hours: number | null) => (hours === null ? 'Never' : lengthOf(hours)),
    keepSize: 'Keep at most',
    keepSizes: (bytes: number | null) => (bytes === null ? 'No limit' : formatBytes(bytes)),
    keepNote: 'Events beyond these limits are deleted permanently, the oldest first.',
    send: 'How to send logs here',
    copy: (client: string) => `the lines for ${client}`,
    local:
      'Only this machine can connect. To receive from other machines, use timberline listen with --allow-remote.',
    start: 'Start receiving',
    starting: 'Starting…',
    cancel: 'Cancel',
  },

  panel: {
    name: 'Live sources',
    show: 'Show live sources',
    hide: 'Hide live sources',
    running: (running: number, all: number) =>
      running === all
        ? `${formatCount(all)} running`
        : `${formatCount(running)} of ${formatCount(all)} running`,
    elsewhere: (process: number) => `received by process ${process}, read-only here`,
    rate: (perSecond: number) => `${formatCount(perSecond)} events/s`,
    rateHint: 'Accepted events a second, over the last minute',
    accepted: (count: number) => `${formatCount(count)} accepted`,
    none: 'nothing received yet',
    ago: (length: string) => `last event ${length} ago`,
    quiet: (length: string) => `quiet for ${length}`,
    lag: (length: string) => `${length} late`,
    old: (day: string) => `newest event is from ${day}`,
    lagHint: 'How much later than its own time the newest event arrived',
    lags: (p50: string, p99: string) => `visible p50 ${p50}, p99 ${p99} after their times`,
    lagsHint: 'How long after their own times the events could be seen, since it runs',
    rejected: (count: number, reason: string) => `${formatCount(count)} rejected: ${reason}`,
    duplicates: (count: number) => counted(count, 'duplicate'),
    states: {
      running: 'Running',
      paused: 'Paused',
      offered: 'Not running',
      failed: 'Failed',
    },
    pause: (name: string) => `Pause ${name}`,
    resume: (name: string) => `Resume ${name}`,
    remove: (name: string) => `Remove ${name}; its events stay`,
    offered: (count: number) =>
      `This case received from ${counted(count, 'live source')} when it was last open.`,
    startOffered: 'Start again',
    waiting: 'waiting for another change to the case; what is received meanwhile is kept',
    backlog: (bytes: string) => `${bytes} received, not visible yet`,
    counters: 'Receiver statistics',
    queue: (bytes: string, peak: string) => `Queue ${bytes}, peak ${peak}`,
    queueHint: 'Received data that is not yet written to disk and acknowledged',
    stalls: (count: number) => counted(count, 'stall'),
    stallsHint: 'How often a sender waited because the queue was full',
    sync: (p50: string, p99: string) => `Sync p50 ${p50}, p99 ${p99}`,
    syncHint: (count: number) =>
      `How long the disk took to write: ${formatCount(count)} times so far`,
    visible: (p50: string, p99: string) => `Visible after p50 ${p50}, p99 ${p99}`,
    visibleHint: 'Time from receiving an event until it is visible',
    oldest: (time: string) => `Oldest waits ${time}`,
    oldestHint: 'How long the oldest received event that is not visible yet has waited',
    stage: (name: string, batches: number, time: string) =>
      `${name.slice(0, 1).toUpperCase()}${name.slice(1)} ${formatCount(batches)} in ${time}`,
    stageHint: 'Batches of the stage and the time they took, since it receives',
    trouble:
      'What is received cannot be shown as events at the moment. It is kept, and tried again.',
  },

  mode: {
    name: 'Live',
    on: 'Show new events as they arrive',
    off: 'Keep the shown time',
    length: 'Shown time range',
    lengths: {
      '1m': 'Last minute',
      '5m': 'Last 5 minutes',
      '15m': 'Last 15 minutes',
      '1h': 'Last hour',
      all: 'All time',
    },
    commandOn: (length: string) => `Live: ${length}`,
    commandOff: 'Live: off',
    more: (count: number) => counted(count, 'new event'),
    stopped: 'Stopped. Back to the newest events',
  },

  receiving: 'being received',
} as const;
