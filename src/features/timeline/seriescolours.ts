import { LEVELS, type LevelName } from '../../base/levels';
import { texts } from '../../base/texts';
import type { SeriesColour } from '../../state/charts/chartdata';
import type { LaneSeries } from '../../state/timeline/lanes';

/** The name of a series in the legend and the tooltip. */
export function seriesName({ label, colour }: LaneSeries): string {
  if (colour === 'missing') return texts.explore.timeline.missing;
  if (colour === 'other') return texts.explore.timeline.rest;
  const level = levelOf(colour);
  return level === null ? (label ?? '') : texts.levels[level];
}

export function levelOf(colour: SeriesColour): LevelName | null {
  return LEVELS.find((level) => level === colour) ?? null;
}
