import { formatCount, formatShare } from '../format';

const counted = (count: number, one: string, many: string) =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** The texts of the service map: who follows whom. */
export const servicemap = {
  tab: 'Map',
  name: 'Service map',
  picture: 'Services and steps as an image',
  hint: 'Events with the same id are sorted by time; each change of the service is a step. Choose the field with the id and the field with the service.',
  id: 'ID field',
  node: 'Service field',
  choose: 'Choose a field',
  linked: 'Include other names',
  linkedHint: 'Also find the id under the names it has in the fields and messages of other formats',
  title: (id: string, node: string) => `Steps of ${id} between ${node}`,
  sum: (ids: number, steps: number) =>
    `${counted(ids, 'id', 'ids')}, ${counted(steps, 'step', 'steps')}`,
  without: (count: number) => `${counted(count, 'event', 'events')} without id, time or service`,
  sampled: (share: number) => `${formatShare(share)} of the ids`,
  readFrom: (names: string) => `Ids are read from ${names}`,
  others: 'other services',
  start: 'Which service follows which?',
  nothing: 'No id has events of two services in this view.',
  finding: 'Grouping events by id…',
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
