/** The address of the page and the browser's history of it, as far as the part after `#` is concerned. */
export interface AddressPlace {
  /** The part after `#`, without it. */
  readonly hash: string;
  /** What was stored with the current entry. */
  readonly state: unknown;
  /** How many entries the browser keeps for this tab. */
  readonly length: number;
  push(state: unknown, hash: string): void;
  replace(state: unknown, hash: string): void;
  go(steps: number): void;
  /** The whole address with this part. */
  link(hash: string): string;
  reload(): void;
  /** Calls back when another entry is shown. Returns what ends it. */
  onMove(moved: () => void): () => void;
}

const withHash = (hash: string) =>
  `${location.pathname}${location.search}${hash === '' ? '' : `#${hash}`}`;

export const pageAddress: AddressPlace = {
  get hash() {
    return location.hash.slice(1);
  },
  get state() {
    return history.state as unknown;
  },
  get length() {
    return history.length;
  },
  push: (state, hash) => history.pushState(state, '', withHash(hash)),
  replace: (state, hash) => history.replaceState(state, '', withHash(hash)),
  link: (hash) => `${location.origin}${withHash(hash)}`,
  go: (steps) => history.go(steps),
  reload: () => location.reload(),
  onMove: (moved) => {
    window.addEventListener('popstate', moved);
    return () => window.removeEventListener('popstate', moved);
  },
};
