/** Colours of values: each value of a field has one, in every chart and in the timeline of a case. */
import { LEVELS } from '../../base/levels';
import type { SeriesColour } from './chartdata';

/** How many colours there are. */
const COLOURS = 10;

/**
 * A value's colour depends on its text. Two values of a field that would have the same one differ
 * as long as there are colours left, and keep theirs: neither zooming nor a comparison, which both
 * change which values are frequent, changes a colour.
 */
export class ValueColours {
  readonly #fields = new Map<string, Map<string, number>>();

  of(field: string, value: string): SeriesColour {
    if (field === 'level') {
      const level = LEVELS.find((name) => name === value);
      if (level !== undefined) return level;
    }
    const known = this.#known(field);
    const own = known.get(value);
    if (own !== undefined) return own;
    const colour = rarest([...known.values()], hash(value) % COLOURS);
    known.set(value, colour);
    return colour;
  }

  #known(field: string): Map<string, number> {
    let known = this.#fields.get(field);
    if (known === undefined) this.#fields.set(field, (known = new Map<string, number>()));
    return known;
  }
}

/** The colour that the fewest values have, the wanted one first. */
function rarest(used: readonly number[], wanted: number): number {
  const counts = new Array<number>(COLOURS).fill(0);
  for (const colour of used) counts[colour]! += 1;
  const least = Math.min(...counts);
  for (let step = 0; step < COLOURS; step += 1) {
    const colour = (wanted + step) % COLOURS;
    if (counts[colour] === least) return colour;
  }
  return wanted;
}

/** FNV-1a over the characters. */
function hash(text: string): number {
  let found = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    found = Math.imul(found ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return found;
}
