/** The automatic choices of a chart: what suits the field. */
import type { Facet } from '../../ipc/generated';
import {
  TERMS_LISTED,
  type ChartKind,
  type ChartSpec,
  type GapName,
  type MeasureName,
  type ValueScaleName,
} from './chartspec';
import { isDuration, unitOf, type Unit } from './units';

export type FieldInfo = Pick<Facet, 'field' | 'kinds' | 'distinct'> & {
  /** Events that have it, if known. */
  readonly present: number | null;
};

/** A spec without open choices. */
export interface ResolvedSpec extends ChartSpec {
  readonly kind: ChartKind;
  readonly measure: MeasureName;
  readonly scale: ValueScaleName;
  readonly gaps: GapName;
  readonly unit: Unit;
}

/** Numbers with so few values are names: states, ports, exit codes. */
const FEW_VALUES = 24;

export function isNumeric(info: Pick<FieldInfo, 'kinds'> | undefined): boolean {
  return info?.kinds.some((kind) => kind === 'int' || kind === 'float') ?? false;
}

export function resolveSpec(spec: ChartSpec, info: FieldInfo | undefined): ResolvedSpec {
  const kind = spec.kind ?? kindFor(spec, info);
  const measure = suited(spec.measure ?? measureFor(spec, kind, info), spec, kind);
  const top = kind === 'top' && spec.split === null ? Math.max(spec.top, TERMS_LISTED) : spec.top;
  return {
    ...spec,
    kind,
    measure,
    // A heatmap shows all events together, so it cannot be split.
    split: kind === 'heatmap' ? null : spec.split,
    top,
    scale: spec.scale ?? scaleFor(spec, kind),
    // A line over a heatmap shows a trend; the cells show where there is nothing.
    gaps: spec.gaps ?? (kind === 'heatmap' ? 'joined' : 'open'),
    unit: unitFor(measure, spec.field),
  };
}

function kindFor({ field, measure, split }: ChartSpec, info: FieldInfo | undefined): ChartKind {
  if (field === null) return 'bars';
  if (measure === 'sum') return 'bars';
  if (measure !== null && measure !== 'count' && measure !== 'rate') return 'lines';
  if (!isNumeric(info)) return info === undefined && isDuration(field) ? 'heatmap' : 'top';
  if (isDuration(field)) return split === null ? 'heatmap' : 'lines';
  if (info?.distinct !== null && info!.distinct <= FEW_VALUES) return 'top';
  return 'histogram';
}

function measureFor(
  { field, split }: ChartSpec,
  kind: ChartKind,
  info: FieldInfo | undefined,
): MeasureName {
  if (kind === 'heatmap') return 'percentiles';
  if (kind !== 'lines' || field === null) return 'count';
  if (!isNumeric(info)) return 'count';
  // Three lines for each of many values are too many, unless they are asked for.
  return split === null ? 'percentiles' : 'p95';
}

/** Without a field only events can be counted; with a split there is one line per value. */
function suited(measure: MeasureName, { field, split }: ChartSpec, kind: ChartKind): MeasureName {
  if (kind === 'heatmap') return 'percentiles';
  if (kind === 'histogram' || kind === 'table') return 'count';
  if (field === null && measure !== 'rate') return 'count';
  return measure === 'percentiles' && split !== null && kind === 'top' ? 'p95' : measure;
}

function scaleFor({ field }: ChartSpec, kind: ChartKind): ValueScaleName {
  // Durations spread over powers of ten.
  const spread = kind === 'heatmap' || kind === 'histogram';
  return spread && field !== null && isDuration(field) ? 'logarithmic' : 'linear';
}

function unitFor(measure: MeasureName, field: string | null): Unit {
  if (measure === 'rate') return 'perSecond';
  if (measure === 'count' || measure === 'distinct' || field === null) return 'plain';
  return unitOf(field);
}
