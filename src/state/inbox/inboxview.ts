/** Which alerts of the inbox are shown and picked: plain data, without the screen. */
import type {
  AlertChoice,
  AlertFilter,
  AlertKey,
  AlertOrigin,
  AlertsRequest,
  InboxAlert,
  InboxLine,
  InboxPage,
  SeenAlert,
  Severity,
  TriageStatus,
} from '../../ipc/generated';

export const STATUSES: readonly TriageStatus[] = ['new', 'acknowledged', 'muted', 'closed'];
export const ORIGINS: readonly AlertOrigin[] = ['detector', 'sigma', 'live'];

/** The alerts that need a person: none that are closed or muted. */
export const OPEN: AlertFilter = {
  text: '',
  statuses: ['new', 'acknowledged'],
  severities: [],
  origins: [],
  detector: null,
  entity: null,
  from: null,
  to: null,
};

/** Adds or removes a value. A list of all values is the empty one, which asks for all. */
export function toggled<T extends TriageStatus | Severity | AlertOrigin>(
  list: readonly T[],
  value: T,
  all: readonly T[],
): T[] {
  const shown = list.length === 0 ? all : list;
  const next = all.filter((each) => (each === value) !== shown.includes(each));
  // Without any, nothing would be left to see.
  return next.length === all.length || next.length === 0 ? [] : next;
}

/** Picked alerts: some of them with the events that they had, or all that match the filter. */
export interface Picked {
  readonly keys: ReadonlyMap<AlertKey, SeenAlert>;
  readonly all: boolean;
}

export const NONE: Picked = { keys: new Map(), all: false };

export function isPicked({ keys, all }: Picked, key: AlertKey): boolean {
  return all || keys.has(key);
}

export function pickToggled({ keys }: Picked, picked: readonly SeenAlert[]): Picked {
  const isOn = picked.every(({ key }) => keys.has(key));
  const next = new Map(keys);
  for (const seen of picked) {
    if (isOn) next.delete(seen.key);
    else next.set(seen.key, seen);
  }
  return { keys: next, all: false };
}

/** A page of the list, and its question. */
export interface ShownPage extends InboxPage {
  readonly asked: AlertsRequest;
}

/** All alerts that match on a page that a person sees. */
export const allOf = ({ matching, digest, asked }: ShownPage): AlertChoice => ({
  matching: { filter: asked.filter, expected: matching, digest },
});

/** The alerts that a decision is about: those that are picked, else the selected one. */
export function choiceOf(
  picked: Picked,
  selected: SeenAlert | null,
  page: ShownPage | null,
): AlertChoice | null {
  if (picked.all) return page === null ? null : allOf(page);
  if (picked.keys.size > 0) return { keys: [...picked.keys.values()] };
  return selected === null ? null : { keys: [selected] };
}

/** An alert as it is shown. */
export const seenAlert = ({ key, alert }: InboxAlert): SeenAlert => ({ key, events: alert.events });

/** One alert. */
export const onlyAlert = (shown: InboxAlert): AlertChoice => ({ keys: [seenAlert(shown)] });

/** How many alerts a person has chosen. */
export const sizeOf = (choice: AlertChoice): number =>
  'keys' in choice ? choice.keys.length : choice.matching.expected;

/** The filter of the alerts of a group. */
export function filterOfGroup(
  filter: AlertFilter,
  grouping: 'detector' | 'entity' | 'time',
  { key, from, to }: { key: string; from: AlertFilter['from']; to: AlertFilter['to'] },
): AlertFilter {
  if (grouping === 'time') return { ...filter, from, to };
  return grouping === 'detector' ? { ...filter, detector: key } : { ...filter, entity: key };
}

/** Where a key moves in the lines, headings of groups included. */
export function moved(at: number, step: number, lines: number): number {
  if (lines === 0) return -1;
  if (at < 0) return step < 0 ? lines - 1 : 0;
  return Math.min(Math.max(at + step, 0), lines - 1);
}

/** The alerts of lines, without headings. */
export function alertsOf(lines: readonly (InboxLine | undefined)[]): SeenAlert[] {
  return lines.flatMap((line) => (line?.alert ? [seenAlert(line.alert)] : []));
}
