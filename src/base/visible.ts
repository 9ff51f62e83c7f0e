/**
 * Makes log text safe to display: control and invisible characters are shown as visible symbols.
 * Nothing is dropped, so two different lines never look the same.
 */

/* eslint-disable no-control-regex -- finding control characters is what this file is for */

// C0 and DEL; C1; characters that reorder or hide text (bidi, zero width, separators, BOM).
const ANY = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
/** Runs of invisible characters, including the symbol for bytes that are no text. */
export const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]+/g;
const ALL_BUT_LAYOUT =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function sign(character: string): string {
  const code = character.charCodeAt(0);
  // The Unicode block of control pictures has the order of the control characters.
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
}

/** For one line: line ends and tabs become symbols too. */
export function visibleLine(text: string): string {
  return text.replace(ANY, (character) =>
    character === '\n' ? '⏎' : character === '\t' ? '⇥' : sign(character),
  );
}

/** For a text of several lines that shows its line ends. */
export function visibleLines(text: string): string {
  return visibleLine(text).replaceAll('⏎', '⏎\n');
}

/**
 * For a block that keeps its line ends and tabs. CR before LF is part of the line end and stays
 * invisible.
 */
export function visibleBlock(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(ALL_BUT_LAYOUT, sign);
}
