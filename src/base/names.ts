/**
 * The shortest unique suffix of each path, cut at a folder. A path that occurs twice keeps all of
 * its folders.
 */
export function tellingEnds(paths: readonly string[]): ReadonlyMap<string, string> {
  const seen = new Map<string, number>();
  for (const end of paths.flatMap(endsOf)) seen.set(end, (seen.get(end) ?? 0) + 1);
  return new Map(
    paths.map((path) => [path, endsOf(path).find((end) => seen.get(end) === 1) ?? path]),
  );
}

/** `c`, `b/c`, `a/b/c` of `a/b/c`. */
function endsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, at) => parts.slice(parts.length - 1 - at).join('/'));
}
