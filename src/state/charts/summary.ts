/** A chart in one or two sentences, for screen readers. */
import { texts } from '../../base/texts';
import type { Clock } from '../../base/zone';
import type { ChartData, Series, TimeData } from './chartdata';
import { formatValue, type Unit } from './units';

export function summaryOf(data: ChartData, clock: Clock): string {
  switch (data.shape) {
    case 'time': {
      const span = texts.charts.summary.time(data.series.length, clock.range(data.domain));
      return [span, highest(data, clock), ...wholes(data.series, data.unit)].join(' ');
    }
    case 'heat': {
      const [least, most] = [data.bins[0] ?? 0, data.bins.at(-1) ?? 0];
      const ends = [formatValue(least, data.unit), formatValue(most, data.unit)] as const;
      const span = texts.charts.summary.heat(data.field, ...ends);
      return [span, ...wholes(data.lines, data.unit)].join(' ');
    }
    case 'bins': {
      const [least, most] = [data.bins[0] ?? 0, data.bins.at(-1) ?? 0];
      const ends = [formatValue(least, data.unit), formatValue(most, data.unit)] as const;
      const marks = data.marks.map(({ name, value }) =>
        texts.charts.summary.whole(name, formatValue(value, data.unit)),
      );
      return [texts.charts.summary.heat(data.field, ...ends), ...marks].join(' ');
    }
    case 'terms': {
      const first = data.rows[0];
      if (first === undefined) return '';
      const value = first.value === null ? '–' : formatValue(first.value, data.unit);
      return texts.charts.summary.terms(first.name, value);
    }
    case 'rows':
      return texts.charts.results.rows(data.numbers.rows.length);
  }
}

/** Nobody would listen to more than a few. */
const SPOKEN = 4;

function wholes(series: readonly Series[], unit: Unit): string[] {
  return series.slice(0, SPOKEN).flatMap(({ name, whole }) => {
    return whole === null ? [] : [texts.charts.summary.whole(name, formatValue(whole, unit))];
  });
}

function highest({ series, edges, unit }: TimeData, clock: Clock): string {
  let best: { name: string; value: number; at: number } | null = null;
  for (const { name, values } of series) {
    values.forEach((value, at) => {
      if (value !== null && value > (best?.value ?? -Infinity)) best = { name, value, at };
    });
  }
  const found = best as { name: string; value: number; at: number } | null;
  if (found === null) return '';
  const when = clock.short(edges[found.at]!);
  return texts.charts.summary.highest(found.name, formatValue(found.value, unit), when);
}
