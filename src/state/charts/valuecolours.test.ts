import { expect, it } from 'vitest';

import { ValueColours } from './valuecolours';

it('gives a value the same colour whatever is seen with it', () => {
  const colours = new ValueColours();
  const before = ['200', '404', '500'].map((value) => colours.of('status', value));
  expect(new Set(before).size).toBe(3);
  // Zoomed in, other values are frequent, in another order.
  for (const value of ['301', '500', '304']) colours.of('status', value);
  expect(['200', '404', '500'].map((value) => colours.of('status', value))).toEqual(before);
});

it('depends on the text of the value, not on its rank', () => {
  const [one, other] = [new ValueColours(), new ValueColours()];
  other.of('host', 'zulu');
  const alone = one.of('service', 'checkout');
  expect(other.of('service', 'checkout')).toBe(alone);
});

it('gives ten values ten colours, and then uses each again', () => {
  const colours = new ValueColours();
  const first = Array.from({ length: 10 }, (_, at) => colours.of('path', `/p${at}`));
  expect(new Set(first).size).toBe(10);
  const second = Array.from({ length: 10 }, (_, at) => colours.of('path', `/q${at}`));
  expect(new Set(second).size).toBe(10);
});

it('gives levels the colours of levels', () => {
  const colours = new ValueColours();
  expect(colours.of('level', 'error')).toBe('error');
  expect(colours.of('service', 'error')).not.toBe('error');
});
