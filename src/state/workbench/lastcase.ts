import type { Hello } from '../../ipc/generated';

const KEY = 'timberline-open-case';

/**
 * The case that a page showed, so that a reload shows it again.
 *
 * Without this a reload would import the files of the command line once more. The stored case is
 * only used with the same command line.
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
