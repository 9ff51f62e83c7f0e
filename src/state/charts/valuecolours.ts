/** Colours of values: a value has the same hue in every chart, in the timeline, and at any time. */
import { LEVELS } from '../../base/levels';
import type { SeriesColour } from './chartdata';

/** How many hues there are, and how many shades of each: `--series-0` to `-9` are hues, and then follow their shades. */
const HUES = 10;
const SHADES = 3;

/**
 * The colours of values that are shown together. The hue depends on the text of a value alone, so neither zooming nor
 * a comparison nor another order changes it. Values with the same hue have different shades, by the order of their texts.
 */
export function coloursOf(field: string, values: readonly string[]): SeriesColour[] {
  const sharing = new Map<number, string[]>();
  for (const value of new Set(values)) {
    const hue = hash(value) % HUES;
    sharing.set(hue, [...(sharing.get(hue) ?? []), value]);
  }
  for (const texts of sharing.values()) texts.sort();
  return values.map((value) => {
    const level = field === 'level' ? LEVELS.find((name) => name === value) : undefined;
    const hue = hash(value) % HUES;
    return level ?? hue + HUES * (sharing.get(hue)!.indexOf(value) % SHADES);
  });
}

/** FNV-1a over the characters, with its bits mixed: the lowest alone are much the same for similar texts. */
function hash(text: string): number {
  let found = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    found = Math.imul(found ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  found = Math.imul(found ^ (found >>> 16), 0x45d9f3b) >>> 0;
  return (found ^ (found >>> 16)) >>> 0;
}
