import { formatCount, formatShare } from '../format';

const counted = (count: number, one: string, many: string) =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** The texts of the service map: who follows whom. */
export const servicemap = {
  tab: 'Map',
  name: 'Service map',
  hint: 'Events with the same id are put in order; where the service changes, that is a step. Choose the field of the id and the field that names the service.',
  id: 'ID field',
  node: 'Service field',
  choose: 'Choose a field',
  linked: 'Other names too',
  linkedHint:
    'Read the id under the names that it has in other formats, in their fields and messages',
  title: (id: string, node: string) => `Steps of ${id} between ${node}`,
  sum: (ids: number, steps: number) =>
    `${counted(ids, 'id', 'ids')}, ${counted(steps, 'step', 'steps')}`,
  without: (count: number) => `${counted(count, 'event', 'events')} without id, time or service`,
  sampled: (share: number) => `${formatShare(share)} of the ids`,
  readFrom: (names: string) => `Ids are read from ${names}`,
  others: 'other services',
  start: 'Who follows whom?',
  nothing: 'No id has events of two services in this view.',
  finding: 'Putting events together…',
  columns: {
    step: 'Step',
    count: 'Count',
    rate: 'Per minute',
    median: 'p50',
    high: 'p95',
    errors: 'Errors',
  },
  step: (from: string, to: string) => `${from} → ${to}`,
  events: (count: number, errors: string) =>
    `${counted(count, 'event', 'events')}, ${errors} errors`,
  showNode: (name: string) => `Show the events of ${name}`,
  showEdge: (from: string, to: string) => `Show the events of ${from} and ${to}`,
} as const;
