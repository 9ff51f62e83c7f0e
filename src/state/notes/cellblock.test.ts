import { expect, it } from 'vitest';

import { parseTime } from '../../base/time';
import { cellBlock } from './cellblock';

const range = { from: parseTime('2026-03-01T14:00')!, to: parseTime('2026-03-01T15:00')! };

it('draws the view in a cell of its own', () => {
  const map = { id: 'trace id', by: 'service', range, title: 'Who follows "whom"' };
  expect(cellBlock('map', 'level=error', map)).toBe(
    '```map id="trace id" by=service from=2026-03-01T14:00:00Z to=2026-03-01T15:00:00Z title="Who follows whom"\nlevel=error\n```\n',
  );
  const seismograph = { rows: 30, range: null, zone: null, title: 'Seismograph' };
  expect(cellBlock('seismograph', '', seismograph)).toBe(
    '```seismograph rows=30 title=Seismograph\n\n```\n',
  );
});

it('keeps the zone in which times of the query were typed', () => {
  expect(cellBlock('query', 'time>=2026-03-01T10:00', { zone: 'America/New_York' })).toBe(
    '```query zone=America/New_York\ntime>=2026-03-01T10:00\n```\n',
  );
});

it('is one cell whatever its title and its text hold', () => {
  const fenced = cellBlock('query', 'SELECT 1\n```\n````', { title: 'a `b`\nc' });
  expect(fenced).toBe('~~~~~query title="a `b` c"\nSELECT 1\n```\n````\n~~~~~\n');
  expect(cellBlock('query', '```')).toBe('````query\n```\n````\n');
});
