/** What of the screen survives a restart, for each case: its view, and what was being written. */
export interface CaseStorage {
  read(name: string): string | null;
  write(name: string, text: string): void;
}

/** Kept by the window, under the case's folder. */
export function storageFor(casePath: string): CaseStorage {
  const key = (name: string) => `timberline ${name} ${casePath}`;
  return {
    read: (name) => attempt(() => localStorage.getItem(key(name))),
    write: (name, text) => void attempt(() => localStorage.setItem(key(name), text)),
  };
}

/** A browser may have no room left or keep nothing at all; the screen works without. */
function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}

/** Keeps nothing. */
export const noStorage: CaseStorage = { read: () => null, write: () => {} };
