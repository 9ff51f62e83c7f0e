/** The colours of charts and timeline, read from the tokens. */
import { LEVELS, type LevelName } from '../../base/levels';
import type { SeriesColour } from '../../state/charts/chartdata';

export const SERIES_TOKENS = 30;
export const HEAT_TOKENS = 5;

export interface Palette {
  readonly series: readonly string[];
  readonly levels: Readonly<Record<LevelName, string>>;
  readonly other: string;
  readonly missing: string;
  readonly heat: readonly string[];
  readonly ground: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly text: string;
  readonly strong: string;
  readonly accent: string;
  /** The colour of markers that people set. */
  readonly marker: string;
  readonly fontFamily: string;
  /** The size of labels; follows the text size that a person has set. */
  readonly fontSize: string;
}

/** Reads colours through an element, because a canvas does not resolve CSS variables. */
export function readPalette(probe: HTMLElement): Palette {
  const read = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const numbered = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => read(`--${name}-${at}`));
  probe.style.fontSize = 'var(--size-small)';
  const { fontSize, fontFamily } = getComputedStyle(probe);
  const levels = Object.fromEntries(LEVELS.map((level) => [level, read(`--level-${level}`)]));
  return {
    series: numbered('series', SERIES_TOKENS),
    levels: levels as Record<LevelName, string>,
    other: read('--series-other'),
    missing: read('--series-missing'),
    heat: numbered('heat', HEAT_TOKENS),
    ground: read('--surface'),
    line: read('--line'),
    lineStrong: read('--line-strong'),
    text: read('--text-faint'),
    strong: read('--text'),
    accent: read('--accent'),
    marker: read('--caution'),
    fontFamily,
    fontSize,
  };
}

export function colourIn(palette: Palette, colour: SeriesColour): string {
  if (typeof colour === 'number') return palette.series[colour % palette.series.length]!;
  if (colour === 'other') return palette.other;
  return colour === 'missing' ? palette.missing : palette.levels[colour];
}

/** The CSS value of a colour, for elements. */
export function tokenOf(colour: SeriesColour): string {
  if (typeof colour === 'number') return `var(--series-${colour % SERIES_TOKENS})`;
  const isLevel = colour !== 'other' && colour !== 'missing';
  return isLevel ? `var(--level-${colour})` : `var(--series-${colour})`;
}

/** `count` shades interpolated between the heat colours, from few events to many. */
export function heatShades(palette: Palette, count: number): string[] {
  const stops = palette.heat.map(channels);
  return Array.from({ length: count }, (_, at) => {
    const place = (at / Math.max(1, count - 1)) * (stops.length - 1);
    const from = Math.min(Math.floor(place), stops.length - 2);
    const share = place - from;
    const mixed = [0, 1, 2].map((channel) => {
      const [low, high] = [stops[from]?.[channel] ?? 0, stops[from + 1]?.[channel] ?? 0];
      return Math.round(low + (high - low) * share);
    });
    return `rgb(${mixed.join(', ')})`;
  });
}

function channels(colour: string): number[] {
  return (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
}

export const labelFont = ({ fontSize, fontFamily }: Palette) => `${fontSize} ${fontFamily}`;
