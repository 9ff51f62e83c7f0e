import { expect, it } from 'vitest';

const [tokens] = Object.values(
  import.meta.glob<string>('../../base/tokens.css', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
) as [string];

/** The colour of a token in light and in dark. */
function colours(name: string): string[] {
  const found = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(tokens);
  return found!.slice(1);
}

function luminance(colour: string): number {
  const channels = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = channels.map((value) =>
    value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

it('shows the cells of few events on their ground, and each next shade with more contrast', () => {
  for (const [mode, least] of [1.25, 1.6].entries()) {
    const shades = [0, 1, 2, 3, 4].map((at) => colours(`heat-${at}`)[mode]!);
    const ground = colours('surface')[mode]!;
    const all = shades.map((shade) => contrast(shade, ground));
    expect(all[0]).toBeGreaterThan(least);
    for (const [at, each] of all.slice(1).entries()) expect(each / all[at]!).toBeGreaterThan(1.25);
  }
});
