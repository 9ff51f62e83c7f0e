import { expect, it } from 'vitest';

import { resolveSpec, type FieldInfo } from './autochart';
import { keptSpec, PLAIN, specOf, type ChartSpec } from './chartspec';

const field = (name: string, kinds: FieldInfo['kinds'], distinct: number | null): FieldInfo => ({
  field: name,
  kinds,
  distinct,
  present: null,
});

it('stores only what differs from a plain chart, and reads it back', () => {
  const spec: ChartSpec = {
    ...PLAIN,
    kind: 'lines',
    measure: 'p95',
    field: 'duration_ms',
    split: 'service',
    shift: { from: '1772542803000000000' },
    hidden: ['=cart'],
    gaps: 'zero',
  };
  expect(specOf(JSON.parse(JSON.stringify(keptSpec(spec))))).toEqual(spec);
  expect(keptSpec(PLAIN)).toEqual({});
  expect(specOf(keptSpec(PLAIN))).toEqual(PLAIN);
});

it('reads the shift of a chart that was stored under its older name', () => {
  expect(specOf({ compare: 'previous' })).toEqual({ ...PLAIN, shift: 'previous' });
});

it('reads what it understands of a modified chart', () => {
  for (const broken of [
    null,
    3,
    'x',
    [],
    { kind: 'pie', gaps: 'wide', top: -1, shift: { from: 'now' }, hidden: 'a' },
  ]) {
    expect(specOf(broken)).toEqual(PLAIN);
  }
  expect(specOf({ field: 'a', hidden: ['b', 3], top: 1e9 })).toMatchObject({
    field: 'a',
    hidden: ['b'],
    top: 100,
  });
});

it.each([
  [field('duration_ms', ['float'], 900), 'heatmap', 'percentiles', 'logarithmic'],
  [field('bytes', ['int'], 5_000), 'histogram', 'count', 'linear'],
  [field('status', ['int'], 12), 'top', 'count', 'linear'],
  [field('id', ['int'], null), 'histogram', 'count', 'linear'],
  [field('path', ['text'], 400), 'top', 'count', 'linear'],
] as const)('chooses what suits a field: %o as %s', (info, kind, measure, scale) => {
  const shown = resolveSpec(specOf({ field: info.field }), { ...info, kinds: [...info.kinds] });
  expect(shown).toMatchObject({ kind, measure, scale });
});

it('counts events if no field is chosen, whatever was measured before', () => {
  expect(resolveSpec(PLAIN, undefined)).toMatchObject({ kind: 'bars', measure: 'count' });
  expect(resolveSpec(specOf({ measure: 'p95' }), undefined)).toMatchObject({ measure: 'count' });
  expect(resolveSpec(specOf({ measure: 'rate' }), undefined)).toMatchObject({ unit: 'perSecond' });
});

it('draws one line per value if a number is split', () => {
  const info = field('duration_ms', ['float'], 900);
  const spec = specOf({ field: 'duration_ms', split: 'service' });
  expect(resolveSpec(spec, info)).toMatchObject({ kind: 'lines', measure: 'p95', unit: 'ms' });
  const all = { ...spec, measure: 'percentiles' } as const;
  expect(resolveSpec(all, info)).toMatchObject({ measure: 'percentiles' });
  // A bar has one length.
  expect(resolveSpec({ ...all, kind: 'top' }, info)).toMatchObject({ measure: 'p95' });
});
