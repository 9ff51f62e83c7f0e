// @vitest-environment jsdom
import { expect, it } from 'vitest';

import { textRange } from './textplace';

it('a part of a text is found across marks and other elements', () => {
  const element = document.createElement('div');
  element.innerHTML = 'GET <mark>/a</mark>b <span><b>200</b> ok</span>';
  const part = (from: number, to: number) => textRange(element, from, to).toString();
  expect([part(4, 7), part(8, 11), part(0, 3), part(10, 14)]).toEqual([
    '/ab',
    '200',
    'GET',
    '0 ok',
  ]);
  expect(part(0, 14)).toBe('GET /ab 200 ok');
});
