/** A chart that is a table from the start: values by time, or by the values of a field. */
import { texts } from '../../base/texts';
import type { Measure } from '../../ipc/generated';
import { measures, termCellsOf, timeBy, timesOf, answerMeta, type ChartLoad } from './chartrequest';
import { isNumeric, type FieldInfo } from './autochart';
import type { NumbersCell, NumbersColumn, RowsData } from './chartdata';
import { unitOf } from './units';

const TERMS = 500;

/** The measures of a number, in this order. */
const STATISTICS = ['min', 'avg', 'p50', 'p95', 'p99', 'max', 'sum'] as const;

export async function loadTable(asking: ChartLoad, info: FieldInfo | undefined): Promise<RowsData> {
  const { chart } = asking;
  const number = chart.field !== null && isNumeric(info) ? chart.field : null;
  const terms = chart.split ?? (number === null ? chart.field : null);
  const asked: Measure[] =
    number === null ? [] : [...measures('avg', number), ...measures('percentiles', number)];
  const by =
    terms === null
      ? timeBy(asking)
      : ({ kind: 'terms', field: terms, top: TERMS, order: 'most' } as const);
  const answer = await asking.ask([by], asked);
  const axis = answer.axes[0];
  const cells = axis?.kind === 'terms' ? termCellsOf(axis) : null;
  const names: readonly NumbersCell[] =
    cells?.map(({ name }) => name) ?? timesOf(answer).slice(0, -1);
  const columns: NumbersColumn[] = [
    terms === null ? { name: texts.charts.time, unit: 'time' } : { name: terms, unit: 'text' },
    { name: texts.charts.measures.count, unit: 'plain' },
    { name: texts.charts.share, unit: 'share' },
  ];
  const figures = STATISTICS.flatMap((name) => {
    const found = answer.measured.find((measured) => measured.name.startsWith(`${name}(`));
    return found === undefined ? [] : [found];
  });
  const unit = number === null ? 'plain' : unitOf(number);
  columns.push(...figures.map(({ name }) => ({ name, unit })));
  const listed = names.map((_, at) => at).filter((at) => terms === null || answer.counts[at]);
  const rows = listed.map((at): NumbersCell[] => {
    const count = answer.counts[at] ?? 0;
    const share = answer.total === 0 ? 0 : count / answer.total;
    return [names[at] ?? null, count, share, ...figures.map(({ values }) => values[at] ?? null)];
  });
  const values = cells === null ? [] : listed.map((at) => cells[at]!.filter);
  return { shape: 'rows', meta: answerMeta(answer), numbers: { columns, rows, values } };
}
