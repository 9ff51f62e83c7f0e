const STORAGE_KEY = 'timberline-theme';
const CHOICES = ['system', 'light', 'dark'] as const;

export type ThemeChoice = (typeof CHOICES)[number];

/** Light or dark: what the system says, unless a person says otherwise. */
export class Theme {
  choice = $state<ThemeChoice>('system');
  /** Grows when colours may have changed; a canvas has to be drawn again then. */
  version = $state(0);

  constructor() {
    const stored = localStorage.getItem(STORAGE_KEY);
    this.#apply(CHOICES.find((choice) => choice === stored) ?? 'system');
  }

  /** Follows the system's own changes. Returns what ends that. */
  follow(): () => void {
    const queries = [
      '(prefers-color-scheme: dark)',
      '(prefers-contrast: more)',
      '(forced-colors: active)',
    ].map((query) => window.matchMedia(query));
    const changed = () => void (this.version += 1);
    for (const query of queries) query.addEventListener('change', changed);
    return () => {
      for (const query of queries) query.removeEventListener('change', changed);
    };
  }

  next(): void {
    const at = CHOICES.indexOf(this.choice);
    const choice = CHOICES[(at + 1) % CHOICES.length] ?? 'system';
    localStorage.setItem(STORAGE_KEY, choice);
    this.#apply(choice);
  }

  #apply(choice: ThemeChoice): void {
    this.choice = choice;
    if (choice === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    this.version += 1;
  }
}
