/** A template's text in parts: constant text and variables. */
export interface TemplatePart {
  readonly text: string;
  readonly varies: boolean;
}

export function parts(template: string): TemplatePart[] {
  const found: TemplatePart[] = [];
  let at = 0;
  for (const match of template.matchAll(/<(?:\*|[a-z]+)>/g)) {
    if (match.index > at) found.push({ text: template.slice(at, match.index), varies: false });
    found.push({ text: match[0], varies: true });
    at = match.index + match[0].length;
  }
  if (at < template.length) found.push({ text: template.slice(at), varies: false });
  return found;
}

/** The longest constant text of a template, to look for in events that have no templates; empty if all of it varies. */
export function longestWords(template: string): string {
  const constant = parts(template)
    .filter(({ varies }) => !varies)
    .map(({ text }) => text.trim())
    .filter((text) => /[\p{L}\p{N}]/u.test(text));
  return constant.reduce((one, other) => (other.length > one.length ? other : one), '');
}

/** The bars of a sparkline as an SVG path, as wide as there are counts and one high. */
export function sparkPath(counts: readonly number[]): string {
  const tallest = Math.max(1, ...counts);
  return counts
    .map((count, at) => {
      // A single event among thousands stays visible.
      const height = count === 0 ? 0 : Math.max(0.08, count / tallest);
      return height === 0 ? '' : `M${at} 1v${(-height).toFixed(3)}h.8v${height.toFixed(3)}z`;
    })
    .join('');
}
