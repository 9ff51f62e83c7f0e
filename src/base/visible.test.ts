import { expect, it } from 'vitest';

import { visibleBlock, visibleLine, visibleLines } from './visible';

it.each([
  ['plain ünïcode 漢字 🌲', 'plain ünïcode 漢字 🌲'],
  ['\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
  ['a\u0000b\tc\nd', 'a␀b⇥c⏎d'],
  ['user\u202egnp.exe', 'user‹U+202E›gnp.exe'],
  ['zero\u200bwidth\u007f\u009b', 'zero‹U+200B›width␡‹U+009B›'],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
])('shows %j harmlessly', (text, expected) => expect(visibleLine(text)).toBe(expected));

it('breaks lines at line ends, and shows the line ends', () => {
  expect(visibleLines('a\n\tb\r\n')).toBe('a⏎\n⇥b␍⏎\n');
});

it('keeps the layout of a block and nothing else', () => {
  expect(visibleBlock('a\r\n\tb\rc\u0007')).toBe('a\n\tb␍c␇');
});
