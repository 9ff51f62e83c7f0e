/** The message for a chart without anything to draw; null if there is something. */
import { texts } from '../../base/texts';
import type { ChartData } from '../../state/charts/chartdata';
import type { ChartSpec } from '../../state/charts/chartspec';

export interface EmptyMessage {
  readonly text: string;
  readonly note: string;
}

export function emptyMessage(data: ChartData, spec: ChartSpec): EmptyMessage | null {
  const { total, untimed, fraction } = data.meta;
  // Missing data can still arrive.
  if (fraction < 1) return null;
  if (total === 0) return { text: texts.charts.nothing, note: texts.charts.nothingNote };
  const overTime = data.shape === 'time' || data.shape === 'heat';
  if (overTime && untimed === total)
    return { text: texts.charts.noTime, note: texts.charts.noTimeNote };
  if (data.shape === 'terms') {
    const note = texts.charts.noNumbersNote;
    return data.rows.some(({ filter }) => filter !== null)
      ? null
      : { text: texts.charts.noValues(data.field), note };
  }
  if (!hasFigures(data)) {
    const text = texts.charts.noNumbers(spec.field ?? '');
    return { text, note: texts.charts.noNumbersNote };
  }
  return null;
}

function hasFigures(data: ChartData): boolean {
  switch (data.shape) {
    case 'time':
      return data.series.some(({ values }) => values.some((value) => value !== null));
    case 'heat':
      return data.counts.some((count) => count > 0);
    case 'bins':
      return data.bins.length > 1;
    default:
      return true;
  }
}
