/** The position of numbers on an axis, and which of them get a label. */
import type { ValueScaleName } from '../../state/charts/chartspec';
import type { Unit } from '../../state/charts/units';

export interface ValueScale {
  /** Pixels from the low end of the axis. */
  toPx(value: number): number;
  readonly ticks: readonly number[];
}

/** Steps of durations beyond a minute, in nanoseconds: round in minutes and hours, not in decimals. */
const LONG_STEPS_NS = [1, 2, 5, 10, 15, 30]
  .map((minutes) => minutes * 60e9)
  .concat([1, 2, 3, 6, 12].map((hours) => hours * 3_600e9))
  .concat([1, 2, 7, 14, 30, 60, 90, 180, 365].map((days) => days * 86_400e9));

const NS_OF: Partial<Record<Unit, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 60e9 };

/** A round step, so that at most this many of them fit into a span. */
export function niceStep(span: number, most: number, unit: Unit): number {
  const rough = span / Math.max(1, most);
  const nanoseconds = NS_OF[unit];
  if (nanoseconds !== undefined && rough * nanoseconds > 30e9) {
    const long = LONG_STEPS_NS.find((step) => step >= rough * nanoseconds);
    if (long !== undefined) return long / nanoseconds;
  }
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999_999) ?? 10;
  return nice * power;
}

/** Round values between two limits, both included. */
export function linearTicks(least: number, most: number, count: number, unit: Unit): number[] {
  if (!(most > least)) return [least];
  const step = niceStep(most - least, count, unit);
  const first = Math.ceil(least / step - 1e-9);
  const last = Math.floor(most / step + 1e-9);
  // Multiplying keeps 0.3 from becoming 0.30000000000000004.
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) =>
    round((first + at) * step),
  );
}

function round(value: number): number {
  return Number(value.toPrecision(12));
}

/** Powers of ten, with 2 and 5 in between if there is room. */
export function logTicks(least: number, most: number, count: number): number[] {
  if (!(least > 0) || !(most >= least)) return [];
  const [low, high] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  const powers = Array.from({ length: high - low + 1 }, (_, at) => low + at);
  const inside = (value: number) => value >= least * 0.999_999 && value <= most * 1.000_001;
  for (const factors of [[1, 2, 5], [1, 3], [1]]) {
    const ticks = powers.flatMap((power) => factors.map((factor) => round(factor * 10 ** power)));
    const shown = ticks.filter(inside);
    if (shown.length <= count) return shown;
  }
  const every = Math.ceil(powers.length / Math.max(1, count));
  return powers
    .filter((_, at) => at % every === 0)
    .map((power) => 10 ** power)
    .filter(inside);
}

/** Over more powers of ten than this, the ticks in between would merge. */
const MOST_POWERS = 16;

/** One to nine times each power of ten, as on logarithmic paper. */
function logSteps(least: number, most: number): number[] {
  const [low, high] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  if (high - low > MOST_POWERS) return [];
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  return Array.from({ length: high - low + 1 }, (_, at) => low + at)
    .flatMap((power) => digits.map((digit) => round(digit * 10 ** power)))
    .filter((step) => step >= least && step <= most);
}

/** A value axis that begins at zero, or below if values are negative. */
export function valueScale(
  values: Iterable<number>,
  name: ValueScaleName,
  lengthPx: number,
  unit: Unit,
  wholeNumbers: boolean,
): ValueScale {
  let [least, most, positive] = [0, 0, Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
    if (value > 0) positive = Math.min(positive, value);
  }
  const count = Math.max(2, Math.floor(lengthPx / 44));
  if (name === 'logarithmic' && positive < Infinity) {
    return logScale(positive, most, lengthPx, count);
  }
  if (most === least) most = least + 1;
  let step = niceStep(most - least, count, unit);
  if (wholeNumbers) step = Math.max(1, step);
  const low = Math.floor(least / step + 1e-9) * step;
  const high = Math.ceil(most / step - 1e-9) * step;
  const steps = Math.round((high - low) / step);
  return {
    toPx: (value) => ((value - low) / (high - low)) * lengthPx,
    ticks: Array.from({ length: steps + 1 }, (_, at) => round(low + at * step)),
  };
}

function logScale(least: number, most: number, lengthPx: number, count: number): ValueScale {
  // A little below the smallest value, so that it still has a height, and above the largest, so that
  // its line is not cut off.
  const low = Math.log10(least) - 0.1;
  const high = Math.max(Math.log10(most) + 0.05, low + 0.5);
  return {
    toPx: (value) =>
      value <= 0 ? 0 : Math.max(0, ((Math.log10(value) - low) / (high - low)) * lengthPx),
    ticks: logTicks(10 ** low, 10 ** high, count),
  };
}

/** A bin axis: each bin is as wide as its numbers span on the scale. */
export interface BinScale extends ValueScale {
  /** Where each bin begins, and where the last one ends. */
  readonly edgesPx: readonly number[];
  /** Ticks between the labels that show the logarithmic scale; none on a linear one. */
  readonly steps: readonly number[];
}

export function binScale(
  edges: readonly number[],
  name: ValueScaleName,
  lengthPx: number,
  unit: Unit,
  count: number,
): BinScale {
  const [least, most] = [edges[0] ?? 0, edges.at(-1) ?? 1];
  const positive = edges.find((edge) => edge > 0);
  if (name === 'linear' || positive === undefined) {
    const toPx = (value: number) => within01((value - least) / (most - least || 1)) * lengthPx;
    const ticks = linearTicks(least, most, count, unit);
    return { toPx, ticks, edgesPx: edges.map(toPx), steps: [] };
  }
  // Zero does not exist on a logarithmic scale; its bin comes first.
  const beforePx = least > 0 ? 0 : lengthPx / (edges.length - 1);
  const toPx = (value: number) => {
    if (value <= 0) return 0;
    const share = Math.log(value / positive) / (Math.log(most / positive) || 1);
    return beforePx + within01(share) * (lengthPx - beforePx);
  };
  const ticks = [...(least <= 0 ? [least] : []), ...logTicks(positive, most, count)];
  return { toPx, ticks, edgesPx: edges.map(toPx), steps: logSteps(positive, most) };
}

function within01(share: number): number {
  return Math.min(Math.max(share, 0), 1);
}

/** A compact axis of event counts: a few labels, and each count above zero has a height on either scale. */
export function countScale(
  tallest: number,
  name: ValueScaleName,
  lengthPx: number,
  ticks: readonly number[],
): ValueScale {
  const most = Math.max(1, ticks.at(-1) ?? tallest);
  return {
    toPx: (count) => {
      if (count <= 0) return 0;
      const share = name === 'logarithmic' ? Math.log1p(count) / Math.log1p(most) : count / most;
      return share * lengthPx;
    },
    ticks,
  };
}

/** Powers of ten from 1 to the first that is at least `tallest`, thinned to a few of them. */
export function powerTicks(tallest: number): number[] {
  const powers = [1];
  while (powers.at(-1)! < tallest) powers.push(powers.at(-1)! * 10);
  const step = Math.ceil(powers.length / 4);
  return [0, ...powers.filter((_, at) => (powers.length - 1 - at) % step === 0)];
}

/** Round counts from 0 to the first that is at least `tallest`, with at most `most` steps. */
export function countTicks(tallest: number, most: number): number[] {
  if (tallest <= 0) return [0];
  // Counts are whole: half an event gets no line.
  const step = Math.max(1, niceStep(tallest, most, 'plain'));
  const steps = Math.ceil(tallest / step);
  return Array.from({ length: steps + 1 }, (_, at) => Math.round(at * step));
}
