/** The texts of the Alerts tab. */
import { counted, formatCount } from '../format';

const statuses = { new: 'New', acknowledged: 'Acknowledged', muted: 'Muted', closed: 'Closed' };

const reasons = {
  resolved: 'Resolved',
  falsePositive: 'False positive',
  expected: 'Expected',
  duplicate: 'Duplicate',
};

export const inbox = {
  tab: 'Alerts',
  tabCount: 'new',
  list: 'Alerts',
  loading: 'Loading…',
  running: 'Running detectors…',
  statuses,
  reasons,
  reason: (name: string) => name.toLowerCase(),
  status: 'State',
  severity: 'Severity',
  origin: 'Found by',
  origins: { detector: 'Detector', sigma: 'Sigma rule', live: 'Live' },
  search: 'Search alerts and comments',
  group: 'Group by',
  groupings: { none: 'None', detector: 'Detector', entity: 'Entity', time: 'Time' },
  exporting: 'Export',
  formats: { csv: 'CSV', ndjson: 'NDJSON', sarif: 'SARIF' },
  fileName: (name: string, format: string) =>
    `${name} alerts.${format === 'sarif' ? 'sarif.json' : format}`,
  onlyDetector: (title: string) => `Detector: ${title}`,
  onlyEntity: (entity: string) => `Entity: ${entity === '' ? 'none' : entity}`,
  showAgain: (what: string) => `Remove the filter “${what}”`,
  count: (matching: number, total: number) =>
    matching === total
      ? counted(total, 'alert')
      : `${formatCount(matching)} of ${counted(total, 'alert')}`,

  none: 'No alerts.',
  noneNote: 'Detectors have run and found nothing, or have not run yet.',
  openDetectors: 'Go to Detectors',
  noMatch: 'No alert matches this filter.',
  noMatchNote: (closed: number) =>
    closed === 0
      ? ''
      : `${counted(closed, 'alert')} of this case ${closed === 1 ? 'is' : 'are'} muted or closed.`,
  showAll: 'Show all alerts',

  columns: {
    severity: 'Severity',
    status: 'State',
    title: 'Alert',
    entity: 'Entity',
    time: 'Start',
    events: 'Events',
  },
  sortHint: (column: string) => `Sort by ${column.toLowerCase()}`,
  noEntity: 'No entity',
  noTime: 'No time',
  firing: 'firing',
  sinceClosed: (events: number) =>
    events === 0
      ? 'went on since it was closed'
      : `${counted(events, 'event')} since it was closed`,
  wentOn: 'went on',
  pick: (title: string) => `Select ${title}`,
  groupLine: (alerts: number, fresh: number) =>
    fresh === 0
      ? counted(alerts, 'alert')
      : `${counted(alerts, 'alert')}, ${formatCount(fresh)} new`,
  groupActions: 'Actions of this group',

  picked: (count: number) => `${formatCount(count)} selected`,
  pickAll: (count: number) => `Select all ${formatCount(count)}`,
  unpick: 'Clear the selection',

  acknowledge: 'Acknowledge',
  close: 'Close…',
  reopen: 'Reopen',
  comment: 'Comment…',
  mutedFor: { hour: 'Mute for an hour', day: 'Mute for a day', week: 'Mute for a week' },
  unmute: 'Unmute',
  actions: 'More actions',
  cancel: 'Cancel',

  prompts: {
    close: (count: number) => `Close ${counted(count, 'alert')}`,
    comment: (count: number) => `Comment on ${counted(count, 'alert')}`,
    reason: 'Reason',
    text: 'Comment',
    closeNow: 'Close',
    commentNow: 'Save',
  },

  detail: 'Alert',
  closeDetail: 'Close the details',
  facts: {
    detector: 'Detector',
    start: 'Start',
    end: 'End',
    peak: 'Peak',
    events: 'Events',
    value: 'Value',
    expected: 'Expected',
    level: 'Level',
    crossed: 'Crossed',
    origin: 'Found by',
  },
  gone: {
    detector: 'Its detector is not in this case any more. What was known of the alert is kept.',
    alert: 'Its detector does not find it any more: the level or the events have changed.',
  },
  closedAs: (reason: string) => `Closed as ${reason.toLowerCase()}`,
  mutedUntil: (when: string) => `Muted until ${when}`,
  history: 'History',
  noHistory: 'Nobody has decided anything yet.',
  did: {
    acknowledge: 'Acknowledged',
    close: 'Closed',
    reopen: 'Reopened',
    mute: 'Muted',
    unmute: 'Unmuted',
    comment: 'Comment',
  },
  didClose: (reason: string) => `Closed as ${reason.toLowerCase()}`,
  didMute: (when: string) => `Muted until ${when}`,

  measure: 'Measure around it',
  measureLabel: 'What its detector measures around the alert, with the level. The alert is shaded.',
  around: 'Events around it',
  aroundLabel: (bars: number, most: number) =>
    `Events that its query matches in ${formatCount(bars)} bars, at most ${formatCount(most)} in one. The alert is shaded.`,
  measured: 'Events of this alert',
  firstEvents: (shown: number, all: number) =>
    `The first ${formatCount(shown)} of ${formatCount(all)}`,
  noEvents: 'It has no events of its own.',
  showEvents: 'Show events',
  wider:
    'No query selects exactly the events of this alert. The events that are listed and compared here are more than it has.',
  allSources: '±5 min in all sources',
  differs: 'What differs here',
  others: 'Other alerts of this entity',
  openDetector: 'Open detector',
  cite: 'Add to notebook',
};
