/** The texts of the Detectors tab. */
import { counted, formatCount, formatShare } from '../format';
import { numberFormat } from '../locale';

const tenth = numberFormat({ maximumFractionDigits: 1 });
const whole = numberFormat({ maximumFractionDigits: 0 });
const short = numberFormat({ maximumSignificantDigits: 2 });

const DAY_S = 86_400;

/** `3.1 h`: one number with its unit, at least so many of it. */
function duration(seconds: number, least = 2): string {
  const units: [number, string][] = [
    [DAY_S, 'd'],
    [3_600, 'h'],
    [60, 'min'],
  ];
  const [size, unit] = units.find(([size]) => seconds >= least * size) ?? [1, 's'];
  return `${tenth.format(seconds / size)} ${unit}`;
}

/** `3.1 per day`, `once in 16 years`; of less than a day there is no rate. */
export function often(perDay: number | null, spanSeconds: number): string {
  if (perDay === null || spanSeconds < DAY_S) return `in ${duration(spanSeconds, 1)} of data`;
  if (perDay >= 10) return `${whole.format(perDay)} per day`;
  if (perDay >= 1) return `${tenth.format(perDay)} per day`;
  const days = 1 / perDay;
  const units: [number, string][] = [
    [365.25, 'year'],
    [365.25 / 12, 'month'],
  ];
  const [size, unit] = units.find(([size]) => days >= 2 * size) ?? [1, 'day'];
  return `once in ${short.format(days / size)} ${unit}s`;
}

/** What an anomaly is judged by. */
interface Basis {
  baseline: 'week' | 'day' | 'window';
  samples: number;
  history: 'little' | 'enough';
}

const severities = {
  informational: 'Informational',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  critical: 'Critical',
};

const baselines = {
  week: (count: number) => `${counted(count, 'value')} of the same time of the week`,
  day: (count: number) => `${counted(count, 'value')} of the same time of the day`,
  window: (count: number) => `the ${counted(count, 'value')} before it`,
};

const levels = {
  above: 'Fires above',
  below: 'Fires below',
  deviations: 'Deviations from expected',
  longer: 'Silent longer than (s)',
  times: 'Times the usual pause',
};

export const detectors = {
  tab: 'Detectors',
  severities,
  list: 'Detectors',
  own: 'In this case',
  starter: 'Built in',
  none: 'This case has no detectors of its own yet.',
  add: 'New detector',
  addHint: 'Create a detector from the current query',
  fromRange: 'Detector',
  fromRangeHint: 'Create a detector from the current query that fires in this range',
  fromChart: 'Detector',
  fromChartHint: 'Create a detector from what this chart measures',
  fromCard: (title: string) => `Create a detector from what ${title} measures`,
  command: 'Create a detector from the current query',
  loading: 'Loading detectors…',
  running: (done: number, total: number) =>
    `Running over the history: ${formatCount(done)} of ${formatCount(total)}`,
  stop: 'Stop',
  run: 'Run again',
  stale: 'The case has grown since the last run.',
  fired: (count: number) => (count === 0 ? '–' : formatCount(count)),
  unsureMark: '?',
  firedHint: (count: number, judged: string) => `Fired ${counted(count, 'time')}: ${judged}`,
  quiet: (judged: string) => `Quiet: ${judged}`,
  cannotSay: (missing: string) => `Cannot say: ${missing}`,
  notApplicable: 'n/a',
  notApplicableHint: 'Not applicable: the case has none of the fields that it needs.',
  mute: (title: string) => `Mute ${title}`,
  unmute: (title: string) => `Unmute ${title}`,
  mutedHint: 'Muted: its alerts are not on the timeline.',
  wrong: 'Detectors of this case that cannot be read:',
  choose: 'Select a detector to test it on the history of this case.',
  chooseNote: 'Drag its level: alerts appear and disappear at once.',
  testing: 'Calculating the measure for all time…',

  stopped: 'Stopped before the measure was calculated.',

  sentence: (alerts: number, seconds: number, perDay: number | null, spanSeconds: number) =>
    `Would have fired ${counted(alerts, 'time')}, ${duration(seconds)} in total, ${often(perDay, spanSeconds)}`,
  todo: (hint: string) => `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`,
  invalid: 'This definition is not valid. The result is from the last valid one.',
  basis: ({ baseline, samples, history }: Basis) =>
    `Each value is compared with ${baselines[baseline](samples)}: ${history} history.`,
  littleHistory: 'little history',
  level: levels,
  truth: 'Compare alerts with',
  noTruth: 'none',
  truthHint: 'Times and events that people marked as bad',
  markers: 'marked times',
  noTruths: 'Tag ranges or events to see precision and recall.',
  precision: (share: number | null, right: number, alerts: number) =>
    `Precision: ${share === null ? '' : `${formatShare(share)} of the time, `}${formatCount(right)} of ${counted(alerts, 'alert')}`,
  precisionHint:
    'Share of the alerted time that is marked, and the alerts that meet something marked.',
  recall: (share: number | null, found: number, incidents: number) =>
    `Recall: ${share === null ? '' : `${formatShare(share)} of the time, `}${formatCount(found)} of ${counted(incidents, 'incident')}`,
  recallHint:
    'Share of the marked time in which it fired, and the incidents in which it fired. Marks that overlap are one incident.',
  delay: (median: number, worst: number) =>
    `Delay: ${duration(median)} (median), ${duration(worst)} (worst)`,
  delayHint: 'From the start of an incident until its first alert is raised.',
  noIncidents: 'Nothing is marked in the time of this case.',
  group: 'Group',
  allGroups: 'all',
  noGroup: '(no value)',
  moreGroups: (shown: number, all: number) =>
    `${formatCount(shown)} of ${formatCount(all)} groups are drawn; all are counted.`,
  plot: 'Measure over all time',
  plotHelp:
    'Drag up or down to move the level; the slider below does the same by keyboard. The list of alerts says what fired.',
  noMeasure: 'This condition measures nothing over time; its alerts are shaded.',
  save: 'Save',
  saveCopy: 'Save in this case',
  saved: 'saved',
  unsaved: 'not saved',
  ofProgram: 'built in',
  remove: 'Remove',
  revert: 'Revert',
  discard: 'Discard',
  conflict:
    'Somebody else changed this detector in the meantime. Save again to replace their text, or revert to see it.',
  editor: 'Definition',
  editorLabel: 'Definition of the detector in TOML',
  lineProblem: (line: number, message: string, hint: string | null) =>
    `Line ${formatCount(line)}: ${message}.${hint === null ? '' : ` ${hint}.`}`,

  live: {
    title: 'Live alerts',
    notices: 'New alerts',
    states: { firing: 'firing', gone: 'fired', over: 'resolved', none: 'withdrawn' },
    called: (severity: string, group: string, others: number) =>
      `${severity}${group === '' ? '' : ` · ${group}`}${others === 0 ? '' : ` · and ${counted(others, 'other alert')}`}`,
    also: 'Also evaluated live',
    alsoHint: 'While live sources run, these raise alerts like the detectors of the case',
    starter: 'Built-in detectors',
    rules: 'Evaluate live',
    rulesHint: 'Evaluate these rules on what live sources receive',
    forget: (name: string) => `Stop evaluating ${name} live`,
  },

  alerts: 'Alerts',
  noAlerts: 'No alerts at this level.',
  more: (shown: number, all: number) =>
    `The first ${formatCount(shown)} of ${formatCount(all)} alerts are listed.`,
  drawMore: 'Show more',
  columns: {
    start: 'Start',
    end: 'End',
    peak: 'Peak',
    crossed: 'Crossed',
    value: 'Value',
    expected: 'Expected',
    level: 'Level',
    events: 'Events',
    group: 'Group',
  },
  show: 'Show events',
  showHint: 'Show the events of this alert in the list',
  cite: 'Add to notebook',
  actions: 'Actions of this alert',
  flags: (count: number) => counted(count, 'alert'),
  flagsHelp: 'Arrow keys go to the next alert, Enter opens it.',
  flag: (severity: string, title: string, value: string, when: string) =>
    `${severity}: ${title}${value} at ${when}`,

  rules: 'Sigma rules',
  chooseFolder: 'Run a folder of rules…',
  rulesHint: 'Sigma rules (*.yml) and files of detectors (*.toml)',
  rulesRunning: 'Running the rules…',
};
