import { expect, it } from 'vitest';

import { PLAIN } from '../charts/chartspec';
import { draftDetector, freeName, measureOf, quotedText } from './detectordraft';

const HOUR = 3_600_000_000_000n;

it('makes a detector of a query', () => {
  const { name, text } = draftDetector({
    query: 'status:500 path:"/a\\b"',
    chart: null,
    span: HOUR,
    taken: ['status-500-path-a-b'],
  });
  expect(name).toBe('status-500-path-a-b-2');
  expect(text).toContain('query = "status:500 path:\\"/a\\\\b\\""');
  expect(text).toContain('threshold = { measure = "count", above = 0, every = "1m" }');
  expect(text).not.toContain('by =');
});

it('measures what a chart draws, by its split', () => {
  const chart = { ...PLAIN, measure: 'p95', field: 'duration_ms', split: 'host' } as const;
  const { text } = draftDetector({ query: '', chart, span: 800n * HOUR, taken: [] });
  expect(text).toContain('measure = "p95(duration_ms)"');
  expect(text).toContain('title = "High p95(duration_ms) by host"');
  expect(text).toContain('by = ["host"]');
  expect(text).toContain('every = "1h"');
  expect(text).not.toContain('query =');
  expect(measureOf({ ...chart, field: 'odd name', measure: 'distinct' })).toBe(
    'count_distinct(`odd name`)',
  );
  expect(measureOf({ ...chart, measure: 'rate' })).toBe('count');
  expect(measureOf({ ...chart, measure: 'avg', field: null })).toBe('count');
});

it('writes texts as TOML reads them', () => {
  expect(quotedText('a "b"\n\u007f')).toBe('"a \\"b\\"\\n\\u007f"');
});

it('finds a name that is free', () => {
  expect(freeName('***', [])).toBe('detector');
  expect(freeName('***', ['detector', 'detector-2'])).toBe('detector-3');
});
