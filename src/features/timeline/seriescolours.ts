/** How a series of the timeline is called and coloured where it is no canvas. */
import type { LevelName } from '../../base/levels';
import { texts } from '../../base/texts';
import type { Series, Tone } from '../../state/timeline/lanes';
import { SERIES_TOKENS } from './paint';

export function toneStyle(tone: Tone): string {
  if (typeof tone === 'string') return `var(--series-${tone})`;
  return 'level' in tone
    ? `var(--level-${tone.level})`
    : `var(--series-${tone.place % SERIES_TOKENS})`;
}

export function nameOf({ label, tone }: Series): string {
  if (tone === 'missing') return texts.explore.timeline.missing;
  if (tone === 'other') return texts.explore.timeline.rest;
  return 'level' in tone ? texts.levels[tone.level] : (label ?? '');
}

export function levelOf(tone: Tone): LevelName | null {
  return typeof tone === 'object' && 'level' in tone ? tone.level : null;
}
