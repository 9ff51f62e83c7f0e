/** What survives a restart of the screen, for each case: its view and drafts. */
export interface CaseStorage {
  read(name: string): string | null;
  write(name: string, text: string): void;
}

/** Stored by the browser or window, under the case's path. */
export function storageFor(casePath: string): CaseStorage {
  const key = (name: string) => `timberline ${name} ${casePath}`;
  return {
    read: (name) => attempt(() => localStorage.getItem(key(name))),
    write: (name, text) => void attempt(() => localStorage.setItem(key(name), text)),
  };
}

/** Storage can be full or disabled; the screen works without it. */
function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}

/** Stores nothing. */
export const noStorage: CaseStorage = { read: () => null, write: () => {} };
