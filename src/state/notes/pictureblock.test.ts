import { expect, it } from 'vitest';

import { parseTime } from '../../base/time';
import { pictureBlock } from './pictureblock';

it('draws the view in a cell of its own', () => {
  const range = { from: parseTime('2026-03-01T14:00')!, to: parseTime('2026-03-01T15:00')! };
  const map = { kind: 'map' as const, id: 'trace id', by: 'service' };
  expect(pictureBlock(map, 'Who follows "whom"', 'level=error', range)).toBe(
    '```map id="trace id" by=service from=2026-03-01T14:00:00Z to=2026-03-01T15:00:00Z title="Who follows whom"\nlevel=error\n```\n',
  );
  expect(pictureBlock({ kind: 'seismograph', rows: 30 }, 'Seismograph', '', null)).toBe(
    '```seismograph rows=30 title=Seismograph\n\n```\n',
  );
});
