/** The offered time ranges. What is typed is parsed by the engine. */
import { DAY, HOUR, MINUTE, SECOND } from '../../base/time';
import { isZone, localZone } from '../../base/zone';

export interface QuickRange {
  /** In the syntax of the query language; `now` is the end of the data. */
  readonly written: string;
  readonly length: bigint;
}

const QUICK: readonly QuickRange[] = [
  { written: 'now-30s', length: 30n * SECOND },
  { written: 'now-5m', length: 5n * MINUTE },
  { written: 'now-15m', length: 15n * MINUTE },
  { written: 'now-1h', length: HOUR },
  { written: 'now-6h', length: 6n * HOUR },
  { written: 'now-24h', length: DAY },
  { written: 'now-7d', length: 7n * DAY },
  { written: 'now-30d', length: 30n * DAY },
  { written: 'today', length: DAY },
  { written: 'yesterday', length: 2n * DAY },
  { written: 'now/w', length: 7n * DAY },
  { written: 'now-1w/w', length: 14n * DAY },
];

/** Ranges that are shorter than the data; longer ones would show all of it. */
export function quickRanges(span: bigint): QuickRange[] {
  return QUICK.filter(({ length }) => length < span);
}

/** A relative time moves along with the data; a date does not. */
export function isRelative(written: string): boolean {
  return /now|today|yesterday|tomorrow|ago$|^(?:the )?(?:last|past|previous) |^[-+]|^\d+ ?[a-z]+$|^p[t\d][^/]*$/i.test(
    written.trim(),
  );
}

/** The zones offered first: those of the machine and of the sources, as the engine reports them. */
export function offeredZones(sources: readonly (string | undefined)[]): string[] {
  const named = sources.map((zone) => /^[\w+\-/:]+/.exec(zone ?? '')?.[0] ?? '');
  const found = [localZone(), ...named].filter(
    (zone) => zone !== '' && zone !== 'UTC' && isZone(zone),
  );
  return ['UTC', ...new Set(found)];
}

/** All zones that the system knows; empty if it does not list them. */
export function allZones(): string[] {
  return typeof Intl.supportedValuesOf === 'function' ? Intl.supportedValuesOf('timeZone') : [];
}
