// Every text is shown somewhere. What is shown is found by reading the paths that the sources follow from
// `texts`: `texts.bar.query`, or `words.query` after `const words = texts.bar`.
import { expect, it } from 'vitest';

import { texts } from './texts';

/** The paths of all texts in an object, such as `bar.query`. */
function textPaths(part: object, path = ''): string[] {
  return Object.entries(part).flatMap(([key, value]: [string, unknown]) => {
    const own = path === '' ? key : `${path}.${key}`;
    return typeof value === 'object' && value !== null ? textPaths(value, own) : [own];
  });
}

const joined = (...keys: string[]) => keys.filter((key) => key !== '').join('.');
const keysOf = (written: string) => joined(...written.split(/[\s?.]+/));

const declaration =
  /(?:const|let)\s+(\w+|\{[^}]*\})\s*=\s*(?:\$derived\()?(\w+)((?:\s*\.\s*\w+)*)\s*\)?;/g;

/** The names that a source has for a part of the texts, with its path, and the source without them. */
function aliases(source: string): { names: [name: string, path: string][]; rest: string } {
  const names: [string, string][] = [['texts', '']];
  const rest = source.replaceAll(
    declaration,
    (whole, name: string, from: string, below: string) => {
      const above = names.find(([known]) => known === from);
      if (above === undefined) return whole;
      const base = joined(above[1], keysOf(below));
      const parts = name.startsWith('{') ? name.slice(1, -1).split(',') : null;
      if (parts === null) names.push([name, base]);
      for (const part of parts ?? []) {
        const [key = '', own = key] = part.split(':').map((word) => word.trim());
        if (key !== '') names.push([own, joined(base, key)]);
      }
      return '';
    },
  );
  return { names, rest };
}

/**
 * The paths that a source follows. One that ends at an object uses all texts in it, but a name alone, `=bar.query`,
 * only the text that it is.
 */
function usedPaths(source: string): string[] {
  const { names, rest } = aliases(source);
  return names.flatMap(([name, base]) => {
    const followed = new RegExp(
      String.raw`(?<![\w.$'])${name}((?:\s*\??\.\s*[A-Za-z_]\w*)*)(\s*\??\.?\[)?`,
      'g',
    );
    return [...rest.replaceAll('...', ' ').matchAll(followed)].map(([, below = '', index]) =>
      below === '' && index === undefined ? `=${base}` : joined(base, keysOf(below)),
    );
  });
}

function unused(all: string[], sources: string[]): string[] {
  const used = new Set(sources.flatMap(usedPaths));
  const isUsed = (path: string) => {
    const keys = path.split('.');
    // A method of a text, as in `texts.app.name.length`, is longer than the path of the text.
    return (
      used.has(`=${path}`) ||
      keys.some((_, end) => used.has(keys.slice(0, end + 1).join('.'))) ||
      [...used].some((one) => one.startsWith(`${path}.`))
    );
  };
  return all.filter((path) => !isUsed(path));
}

const sources = import.meta.glob<string>(
  ['../**/*.{ts,svelte}', '!./texts.ts', '!./texts/*', '!**/*.test.ts'],
  {
    query: '?raw',
    import: 'default',
    eager: true,
  },
);

it('shows every text somewhere', () => {
  expect(unused(textPaths(texts), Object.values(sources))).toEqual([]);
});

it('finds texts that nothing shows', () => {
  const all = ['app.name', 'bar.query', 'bar.fix.one', 'bar.fix.two', 'levels.info', 'range.all'];
  expect(unused(all, ['x = texts.app.name'])).toEqual(all.slice(1));
  expect(unused(all, ['const words = texts.bar;\nwords\n  .query; words.fix'])).toEqual([
    'app.name',
    'levels.info',
    'range.all',
  ]);
  expect(unused(all, ['texts.levels[level]', 'texts.app.name.length'])).toEqual([
    'bar.query',
    'bar.fix.one',
    'bar.fix.two',
    'range.all',
  ]);
  expect(unused(all, ['const { fix, query: text } = texts.bar; fix.one; text'])).toEqual([
    'app.name',
    'bar.fix.two',
    'levels.info',
    'range.all',
  ]);
});

it('does not call a refused connection a missing permission', () => {
  expect(texts.failures.notReadable).not.toMatch(/permission/i);
});
