/** The score of a letter that follows the previous match, and of one that begins a word. */
const FOLLOWS = 3;
const BEGINS = 2;

/**
 * Scores how well a name matches the typed letters, which must occur in their order; consecutive
 * letters and beginnings of words score more. Null without a match.
 */
export function fitness(name: string, written: string): number | null {
  const text = [...name.toLowerCase()];
  const wanted = [...written.toLowerCase()].filter((letter) => letter.trim() !== '');
  // The best score so far, for the last letter at each position of the name.
  let best: readonly number[] = [];
  wanted.forEach((letter, index) => {
    const before = best;
    best = text.map((each, at) => {
      if (each !== letter) return -Infinity;
      const own = begins(text, at) ? BEGINS : 0;
      if (index === 0) return own;
      const scattered = before
        .slice(0, at)
        .reduce((most, score) => Math.max(most, score), -Infinity);
      return Math.max(scattered + own, (before[at - 1] ?? -Infinity) + FOLLOWS);
    });
  });
  const score = wanted.length === 0 ? 0 : Math.max(...best);
  // With equal scores the shorter name wins.
  return score === -Infinity ? null : score - text.length / 1000;
}

function begins(text: readonly string[], at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!);
}

/** The matching items, the best first; without typed text, the latest choices first. */
export function ranked<T extends { readonly id: string; readonly name: string }>(
  all: readonly T[],
  written: string,
  recent: readonly string[],
): T[] {
  const age = ({ id }: T) => (recent.includes(id) ? recent.indexOf(id) : recent.length);
  return all
    .map((each) => ({ each, score: fitness(each.name, written) }))
    .filter(({ score }) => score !== null)
    .sort((a, b) => (written.trim() === '' ? 0 : b.score! - a.score!) || age(a.each) - age(b.each))
    .map(({ each }) => each);
}
