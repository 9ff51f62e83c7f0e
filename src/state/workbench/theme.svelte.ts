const STORAGE_KEY = 'timberline-theme';
export const THEME_CHOICES = ['system', 'light', 'dark'] as const;

export type ThemeChoice = (typeof THEME_CHOICES)[number];

/** Light or dark: the system's setting, unless a person chose one. */
export class Theme {
  choice = $state<ThemeChoice>('system');
  /** Increases when colours may have changed; canvases redraw then. */
  version = $state(0);

  constructor() {
    const stored = localStorage.getItem(STORAGE_KEY);
    this.#apply(THEME_CHOICES.find((choice) => choice === stored) ?? 'system');
  }

  /** Follows the system's changes. Returns what ends that. */
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
    const at = THEME_CHOICES.indexOf(this.choice);
    this.choose(THEME_CHOICES[(at + 1) % THEME_CHOICES.length] ?? 'system');
  }

  choose(choice: ThemeChoice): void {
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
