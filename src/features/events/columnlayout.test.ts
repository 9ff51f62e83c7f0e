import { expect, it } from 'vitest';

import { layoutOf, widthOf } from './columnlayout';

const column = (field: string, widthPx: number | null = null) => ({
  field,
  widthPx,
  pinned: false,
});

/** Of the mono font of rows, and the padding of the cell. */
const [LETTER_PX, PADDING_PX] = [7.3, 24];

it('leaves the text room for thirty characters, however narrow a person made it', () => {
  for (const scale of [1, 1.5]) {
    const leastPx = (30 * LETTER_PX + PADDING_PX) * scale;
    for (const px of [null, 24, 200])
      expect(widthOf(column('raw', px), scale)).toBeGreaterThanOrEqual(leastPx);
  }
  expect(widthOf(column('raw', 900), 1)).toBe(900);
  const fields = Array.from({ length: 9 }, (_, at) => column(`field ${at}`, 300));
  const { template, leastPx } = layoutOf([...fields, column('raw')], 1);
  expect(template).toMatch(/minmax\(2[5-9]\dpx, 1fr\)$/);
  expect(leastPx).toBeGreaterThan(9 * 300 + 250);
});

it('keeps the width that a person gave any other column', () => {
  expect(widthOf(column('status', 24), 1.5)).toBe(24);
});
