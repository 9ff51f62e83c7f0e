/** The line of a level over a measure: where it lies, and which level a place on the plot means. */
import { asTime, nanosFromTime, timeFromNanos } from '../../base/time';
import type {
  Alert,
  DetectorEntry,
  DetectorLevel,
  LevelKind,
  MeasurePoints,
  Nanos,
} from '../../ipc/generated';
import { unitOf, type Unit } from '../charts/units';

/** Conditions whose value is compared with a level that a person chose, not with an expected value. */
const LEVELLED = new Set(['threshold', 'absence', 'sequence']);

export const hasLevel = (condition: string | null) => condition !== null && LEVELLED.has(condition);

/** The unit of the values of a detector. */
export function measureUnit(
  detector: Pick<DetectorEntry, 'condition' | 'measure'> | null | undefined,
): Unit {
  if (detector?.condition === 'absence' || detector?.condition === 'sequence') return 's';
  const measured = /^(?:p\d+|avg|min|max|sum|median)\(`?([^`)]+)`?\)/.exec(detector?.measure ?? '');
  return measured === null ? 'plain' : unitOf(measured[1]!);
}

/** When a silence became too long. */
export function crossedAt({ start, expected }: Pick<Alert, 'start' | 'expected'>): Nanos | null {
  if (start === null || expected === null) return null;
  return nanosFromTime(asTime(timeFromNanos(start) + BigInt(Math.round(expected * 1e9))));
}

/** Levels that are a distance from what is expected, which differs from slot to slot. */
export function isRelative(kind: LevelKind): boolean {
  return kind === 'deviations' || kind === 'times';
}

/** The least level that a detector takes. */
export function leastLevel(kind: LevelKind): number {
  if (kind === 'deviations') return 1;
  if (kind === 'times') return 1.1;
  return kind === 'longer' ? 0.001 : -Infinity;
}

/** The limits in one slot. */
export function limitsAt(
  { expected, deviation }: Pick<MeasurePoints, 'expected' | 'deviation'>,
  { kind, value, up, down }: DetectorLevel,
  slot: number,
): { readonly upper: number | null; readonly lower: number | null } {
  if (!isRelative(kind))
    return kind === 'below' ? { upper: null, lower: value } : { upper: value, lower: null };
  const [middle, unit] = [expected[slot] ?? null, deviation[slot] ?? null];
  if (middle === null || unit === null) return { upper: null, lower: null };
  return {
    upper: up ? middle + value * unit : null,
    lower: down ? middle - value * unit : null,
  };
}

/** The level whose line goes through a value in a slot; null where nothing is expected. */
export function levelAt(
  { expected, deviation }: Pick<MeasurePoints, 'expected' | 'deviation'>,
  { kind }: Pick<DetectorLevel, 'kind'>,
  slot: number,
  value: number,
): number | null {
  if (!isRelative(kind)) return Math.max(value, leastLevel(kind));
  const [middle, unit] = [expected[slot] ?? null, deviation[slot] ?? null];
  if (middle === null || unit === null || unit <= 0) return null;
  return Math.max(Math.abs(value - middle) / unit, leastLevel(kind));
}

/** Whether a level lies between whole numbers: it is one then, because a count above 6.09 is above 6. */
export function isWhole(kind: LevelKind, measure: string | null): boolean {
  const counts = /^(?:count|c|count_distinct|dc)(?:\(.*\))?$/;
  return (kind === 'above' || kind === 'below') && counts.test(measure ?? '');
}

/** Three digits, or a whole number: a level that a person could have written. */
export function roundLevel(value: number, whole = false): number {
  if (!Number.isFinite(value)) return value;
  const rounded = Number(value.toPrecision(3));
  return whole ? Math.round(rounded) : rounded;
}

/** The ends of the slider, and its step. A level beyond the values can still be chosen. */
export function sliderRange(
  groups: readonly MeasurePoints[],
  { kind, value }: Pick<DetectorLevel, 'kind' | 'value'>,
  whole = false,
): { readonly min: number; readonly max: number; readonly step: number } {
  let [min, max] = [Math.min(0, value), Math.max(value, 1e-6)];
  for (const points of groups) {
    for (let slot = 0; slot < points.high.length; slot += 1) {
      for (const one of [points.low[slot], points.high[slot]]) {
        if (one === null || one === undefined) continue;
        const level = levelAt(points, { kind }, slot, one);
        if (level !== null && Number.isFinite(level))
          [min, max] = [Math.min(min, level), Math.max(max, level)];
      }
    }
  }
  const least = leastLevel(kind);
  if (least > -Infinity) min = least;
  // A distance from an almost constant measure can be thousands of deviations.
  if (kind === 'deviations') max = Math.min(max, Math.max(50, value));
  const rough = ((max - min) * 1.05) / 400;
  const fine = rough > 0 ? 10 ** Math.floor(Math.log10(rough)) : 1;
  const step = whole ? Math.max(1, fine) : fine;
  return { min: Math.floor(min / step) * step, max: Math.ceil((max * 1.05) / step) * step, step };
}
