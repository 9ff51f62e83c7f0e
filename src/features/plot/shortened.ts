/** Texts of a drawing that have less room than they need. */
import { visibleLine } from '../../base/visible';
import type { Pen } from './pen';

/** No drawing has room for more letters, and measuring them takes long. */
const MOST_LETTERS = 1_000;

/** The longest version of a text that fits, with an ellipsis in its middle. */
export function shortenedTo(pen: Pen, text: string, mostPx: number): string {
  const cut = text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
  const shown = visibleLine(cut);
  if (pen.textWidth(shown) <= mostPx) return shown;
  const letters = Array.from(shown);
  const shortened = (count: number) => {
    const [start, end] = [Math.ceil(count / 2), letters.length - Math.floor(count / 2)];
    return `${letters.slice(0, start).join('')}…${letters.slice(end).join('')}`;
  };
  let [fits, tooMany] = [0, letters.length];
  while (tooMany - fits > 1) {
    const half = Math.floor((fits + tooMany) / 2);
    if (pen.textWidth(shortened(half)) <= mostPx) fits = half;
    else tooMany = half;
  }
  return shortened(fits);
}
