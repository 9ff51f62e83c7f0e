/** The texts of the results of Sigma rules. */
import { counted, formatCount } from '../format';
import { often } from './detectors';

const sights = { fired: 'fired', seen: 'could be seen', blind: 'cannot be seen in this case' };

export const sigma = {
  sum: (rules: number, fired: number, quiet: number, blind: number, unreadable: number) =>
    `${counted(rules, 'rule')}: ${formatCount(fired)} fired, ${formatCount(quiet)} quiet, ${formatCount(blind)} cannot match in this case, ${formatCount(unreadable)} could not be read or run`,
  none: 'No rule fired.',
  noneOfTechnique: (technique: string) => `No rule about ${technique} fired.`,
  results: 'Rules that fired',
  sort: 'Sort by',
  sorts: { severity: 'Severity', events: 'Most events' },
  ofTechnique: (technique: string) => `Only rules about ${technique}`,
  allTechniques: 'Show all rules',

  alerts: (count: number) => counted(count, 'alert'),
  noise: (events: number, perDay: number | null, spanSeconds: number) =>
    perDay === null
      ? counted(events, 'event')
      : `${counted(events, 'event')}, ${often(perDay, spanSeconds)}`,
  noiseHint: 'Events of this rule over the time of the case',

  author: 'Author',
  status: 'Status',
  changed: 'Changed',
  logSource: 'Log source',
  references: 'References',
  falsePositives: 'False positives',
  attack: 'ATT&CK',
  tags: 'Other tags',
  file: 'File',
  text: 'Text of the rule',

  table: 'Alerts by host, user and process',
  tableOfGroups: 'Alerts by group',
  columns: {
    host: 'Host',
    user: 'User',
    process: 'Process',
    events: 'Events',
    first: 'First',
    last: 'Last',
    actions: 'Actions',
  },
  unknown: '–',
  matches: 'Matches',
  matchesHint: 'Show what matched in each event',
  show: 'Show events',
  showHint: 'Show the events of this alert in the list',
  showWider: 'Show these and other events',
  widerHint:
    'No query selects exactly the events of this alert. The list will show more events than it has; Matches shows only its own.',
  others: (events: number, uncounted: number) =>
    `${counted(events, 'further event')} of other hosts, users and processes, which are too many to list.` +
    (uncounted === 0
      ? ''
      : ` ${formatCount(uncounted)} of these events were not counted by host, user and process: some may belong to the alerts above.`),
  loading: 'Reading the events…',
  listedAlerts: (shown: number, all: number) =>
    `The ${formatCount(shown)} alerts with the most events of ${formatCount(all)} are listed.`,
  firstAlerts: (shown: number, all: number) =>
    `The first ${formatCount(shown)} of ${formatCount(all)} alerts are listed.`,
  event: (source: string, line: number) => `${source}, line ${formatCount(line)}`,
  openEvent: 'Open event',
  more: (shown: number, all: number) =>
    `${formatCount(shown)} of ${formatCount(all)} matches. Show more`,
  firstHits: (shown: number, all: number) =>
    `The first ${formatCount(shown)} of ${formatCount(all)} matches. Show events lists the events of all.`,
  wholeText: 'text',
  absent: 'The rule matched because fields are absent.',

  exclude: 'Exclude',
  excludeHint: (field: string) =>
    `Leave events with this value of ${field} out of this rule, as a Sigma filter of the case`,
  excludeEntity: (role: string, value: string) => `Exclude ${role} ${value}`,
  roles: { host: 'host', user: 'user', process: 'process' },
  filters: (count: number) => counted(count, 'filter'),
  filtersTitle: 'Values left out of rules',
  filter: (field: string, value: string) => `${field} = ${value}`,
  filterOf: (title: string) => `left out of ${title}`,
  include: 'Remove',
  includeHint: 'Count these events again',
  copyFilter: 'Copy as Sigma',
  copied: 'Copied',

  matrix: 'ATT&CK coverage',
  matrixHint:
    'Techniques that the rules and correlations are about: fired, could be seen, or cannot be seen in this case',
  matrixSource: 'Log source',
  allSources: 'All log sources',
  sourceSight: (name: string, seen: number, all: number) =>
    `${name} (${formatCount(seen)} of ${formatCount(all)} seen)`,
  cell: (rules: number, seeing: number, fired: number, sight: keyof typeof sights) =>
    `${sights[sight]}: ${counted(rules, 'rule')}, ${formatCount(seeing)} could match, ${formatCount(fired)} fired`,
  column: (fired: number, seen: number, all: number) =>
    `${formatCount(fired)} fired, ${formatCount(seen)} of ${formatCount(all)} seen`,
  noTechnique: 'No technique named',
  noTags: 'No rule names a tactic or a technique of ATT&CK.',

  blind: {
    fields: (rules: number) =>
      `Cannot match: the case does not have the fields (${counted(rules, 'rule')})`,
    source: (rules: number) =>
      `Cannot match: the case has no events of the log source (${counted(rules, 'rule')})`,
    someFields: (rules: number) =>
      `Can match only in part: some fields are not in the case (${counted(rules, 'rule')})`,
  },
  blindRow: (rules: number, titles: readonly string[]) =>
    `${counted(rules, 'rule')}: ${titles.join(', ')}${rules > titles.length ? ', …' : ''}`,
  problems: (count: number) => `Could not be read or run (${formatCount(count)})`,
  moreProblems: (shown: number, all: number) =>
    `The first ${formatCount(shown)} of ${formatCount(all)} are listed.`,
  moreRows: (count: number) => `Show ${formatCount(count)} more`,
};
