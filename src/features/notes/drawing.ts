/** What a chart on a page draws, out of what the engine answered. */
import type { Table, Timeline } from '../../ipc/generated';

export interface Series {
  readonly name: string;
  /** What of the tokens' colours it has. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

export interface Drawing {
  /** Whether places are nanoseconds as decimal strings, in order. */
  readonly byTime: boolean;
  readonly places: readonly string[];
  readonly series: readonly Series[];
  /** Whether the series stand on each other. */
  readonly stacked: boolean;
}

/** More lines are not told apart, nor more names read. */
export const MOST_SERIES = 8;
export const MOST_NAMES = 30;

const COLOURS = ['info', 'warn', 'notice', 'error', 'fatal', 'debug', 'none', 'trace'] as const;

const colour = (at: number) => `--level-${COLOURS[at % COLOURS.length]}`;

export function drawingOfTimeline({ start, bucketNs, series }: Timeline): Drawing {
  const buckets = Math.max(0, ...series.map(({ counts }) => counts.length));
  const [first, width] = [BigInt(start), BigInt(bucketNs)];
  return {
    byTime: true,
    places: Array.from({ length: buckets }, (_, at) => String(first + BigInt(at) * width)),
    series: series.map(({ level, counts }) => ({
      name: level,
      colour: `--level-${level}`,
      values: counts,
    })),
    stacked: true,
  };
}

/**
 * Times to the right where there are any, else the first column; each column of numbers upward. A
 * column of words beside one of times tells series apart. Null where there is nothing to draw.
 */
export function drawingOf({ columns, rows }: Table): Drawing | null {
  const time = columns.findIndex(({ kind }) => kind === 'time');
  const numbers = columns.flatMap(({ kind }, at) => (kind === 'int' || kind === 'float' ? at : []));
  const words = columns.findIndex(({ kind }) => kind === 'text' || kind === 'level');
  const place = time >= 0 ? time : words >= 0 ? words : (numbers[0] ?? -1);
  const values = numbers.filter((at) => at !== place);
  if (place < 0 || values.length === 0 || rows.length === 0) return null;
  if (time >= 0 && words >= 0) return apart(rows, time, words, values[0]!);
  const known = rows.filter((row) => row[place] !== null);
  const ordered = time >= 0 ? known.toSorted((a, b) => order(a[time], b[time])) : known;
  const drawn = time >= 0 ? ordered : ordered.slice(0, MOST_NAMES);
  return {
    byTime: time >= 0,
    places: drawn.map((row) => String(row[place])),
    series: values.slice(0, MOST_SERIES).map((at, index) => ({
      name: columns[at]!.name,
      colour: colour(index),
      values: drawn.map((row) => number(row[at])),
    })),
    stacked: false,
  };
}

function apart(rows: Table['rows'], time: number, split: number, value: number): Drawing {
  const timed = rows.filter((row) => row[time] !== null);
  const places = [...new Set(timed.map((row) => String(row[time])))].sort(order);
  const index = new Map(places.map((place, at) => [place, at]));
  const series = new Map<string, (number | null)[]>();
  for (const row of timed) {
    const name = String(row[split] ?? '');
    let values = series.get(name);
    if (values === undefined) {
      if (series.size >= MOST_SERIES) continue;
      values = places.map(() => null);
      series.set(name, values);
    }
    values[index.get(String(row[time]))!] = number(row[value]);
  }
  const drawn = [...series].map(([name, values], at) => ({ name, colour: colour(at), values }));
  return { byTime: true, places, series: drawn, stacked: false };
}

const number = (value: unknown) => (typeof value === 'number' ? value : null);

function order(a: unknown, b: unknown): number {
  const [left, right] = [BigInt(String(a)), BigInt(String(b))];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The greatest height of what is drawn, at least a little. */
export function greatest({ places, series, stacked }: Drawing): number {
  const heights = places.map((_, at) => {
    const here = series.map(({ values }) => Math.max(0, values[at] ?? 0));
    return stacked ? here.reduce((sum, value) => sum + value, 0) : Math.max(0, ...here);
  });
  return heights.reduce((most, height) => Math.max(most, height), 0) || 1;
}
