// @vitest-environment jsdom
import { expect, test } from 'vitest';

import { buttonGrid } from './buttongrid';

function grid(...rows: string[][]): { place: HTMLElement; press: (key: string) => string } {
  const place = document.createElement('div');
  place.innerHTML = rows.map((row) => `<p>${buttons(row)}</p>`).join('');
  document.body.replaceChildren(place);
  buttonGrid('p')(place);
  const press = (key: string): string => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true });
    document.activeElement!.dispatchEvent(event);
    return document.activeElement!.id;
  };
  return { place, press };
}

function buttons(ids: string[]): string {
  return ids.map((id) => `<button id="${id}"></button>`).join('');
}

function stops(place: HTMLElement): string[] {
  return [...place.querySelectorAll('button')].flatMap(({ id, tabIndex }) =>
    tabIndex === 0 ? [id] : [],
  );
}

test('arrow keys move between buttons, and Tab returns to the last one', () => {
  const { place, press } = grid(['a1', 'a2', 'a3'], [], ['b1'], ['c1', 'c2']);
  expect(stops(place)).toEqual(['a1']);
  document.getElementById('a1')!.focus();
  expect(['ArrowLeft', 'ArrowUp', 'ArrowRight'].map(press)).toEqual(['a1', 'a1', 'a2']);
  expect(['ArrowRight', 'ArrowRight', 'ArrowDown'].map(press)).toEqual(['a3', 'a3', 'b1']);
  expect(['ArrowDown', 'ArrowRight', 'ArrowDown', 'Tab'].map(press)).toEqual([
    'c1',
    'c2',
    'c2',
    'c2',
  ]);
  expect(stops(place)).toEqual(['c2']);
});

test('values take part, and a key without a further row is left to the browser', () => {
  const place = document.createElement('div');
  place.innerHTML = '<p><i id="v1" data-seen></i></p><p><i id="v2" data-seen></i></p>';
  document.body.replaceChildren(place);
  buttonGrid('p')(place);
  document.getElementById('v1')!.focus();
  const press = () => {
    const event = new KeyboardEvent('keydown', {
      key: 'ArrowDown',
      bubbles: true,
      cancelable: true,
    });
    document.activeElement!.dispatchEvent(event);
    return [document.activeElement!.id, event.defaultPrevented];
  };
  expect([press(), press()]).toEqual([
    ['v2', true],
    ['v2', false],
  ]);
});

test('there is a tab stop again after buttons were added and removed', async () => {
  const { place } = grid(['a1'], ['b1']);
  place.innerHTML = `<p>${buttons(['d1', 'd2'])}</p>`;
  await Promise.resolve();
  expect(stops(place)).toEqual(['d1']);
});
