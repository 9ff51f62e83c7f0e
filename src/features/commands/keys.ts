/**
 * Keys as printed: `Ctrl+Shift+Z`, `Alt+1`, `G`, `?`. Ctrl means the Command key too. Shift is only
 * named with keys that type nothing, because `G` already implies it.
 */
export interface Pressed {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  getModifierState(name: string): boolean;
}

export function chordOf(event: Pressed): string {
  // If a character needs AltGr, systems report Ctrl and Alt as well.
  const typed = event.getModifierState('AltGraph');
  const ctrl = !typed && (event.ctrlKey || event.metaKey);
  const alt = !typed && event.altKey;
  const digit = /^Digit(\d)$/.exec(event.code)?.[1];
  // With Alt some keyboards type symbols with the digit row.
  const plain = alt && digit !== undefined ? digit : event.key;
  const isCharacter = [...plain].length === 1;
  const key = plain === ' ' ? 'Space' : ctrl || alt ? plain.toUpperCase() : plain;
  const named = isCharacter ? key : plain;
  const shift = event.shiftKey && (!isCharacter || ((ctrl || alt) && /\p{L}/u.test(plain)));
  return [ctrl && 'Ctrl', alt && 'Alt', shift && 'Shift', named].filter(Boolean).join('+');
}

/** Keys that a focused button, tab or list uses itself. */
const OF_CONTROLS = new Set([
  'Enter',
  'Space',
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
  'Home',
  'End',
  'PageUp',
  'PageDown',
  'Backspace',
  'Delete',
]);

export function belongsToControls(chord: string): boolean {
  return OF_CONTROLS.has(chord);
}

const SHOWN: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
  Escape: 'Esc',
};

/** The keys of a shortcut as they are printed on a keyboard. */
export function keycaps(chord: string, isMac: boolean): string[] {
  return chord.split(/\+(?!$)/).map((key) => (key === 'Ctrl' && isMac ? '⌘' : (SHOWN[key] ?? key)));
}
