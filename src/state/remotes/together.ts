/** A case that is shown with clusters is called `with:NAME,NAME:FOLDER` where another has its folder. */
const PREFIX = 'with:';

export interface Places {
  readonly folder: string;
  /** The names of the clusters. */
  readonly remotes: readonly string[];
}

/** Null for a path of a case alone, or of a cluster. */
export function placesOf(path: string): Places | null {
  if (!path.startsWith(PREFIX)) return null;
  const rest = path.slice(PREFIX.length);
  const end = rest.indexOf(':');
  const remotes = rest
    .slice(0, Math.max(0, end))
    .split(',')
    .filter((name) => name !== '');
  return end < 0 || remotes.length === 0 ? null : { folder: rest.slice(end + 1), remotes };
}

/** The path of the same case with a cluster, or without it. */
export function pathWith(path: string, remote: string, isShown: boolean): string {
  const { folder, remotes } = placesOf(path) ?? { folder: path, remotes: [] };
  const others = remotes.filter((name) => name !== remote);
  const all = isShown ? [...others, remote] : others;
  return all.length === 0 ? folder : `${PREFIX}${all.join(',')}:${folder}`;
}
