import type { Hello } from '../../ipc/generated';

const KEY = 'timberline-open-case';

/**
 * Which case a page showed, so that reloading it shows the case again.
 *
 * Without this a reload would import the files of the command line once more. What is remembered
 * only counts for the same command line: another one is a new wish.
 */
export function rememberCase(hello: Hello | null, path: string | null): void {
  if (hello === null || path === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify([wish(hello), path]));
}

export function rememberedCase(hello: Hello): string | null {
  const stored = sessionStorage.getItem(KEY);
  if (stored === null) return null;
  const [wished, path] = JSON.parse(stored) as [string, string];
  return wished === wish(hello) ? path : null;
}

function wish(hello: Hello): string {
  return JSON.stringify([hello.paths, hello.case]);
}
