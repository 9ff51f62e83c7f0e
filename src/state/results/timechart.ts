/** The `timechart` stage of a query, by which its table is a chart. */

export interface TimechartStage {
  /** The field whose values are columns; null without one. */
  readonly split: string | null;
  /** The calculation as it is written, such as `count` or `p95(duration_ms)`. */
  readonly measure: string;
  /** Whether its values add up, so that they can be stacked. */
  readonly isSum: boolean;
}

const SUMS = /^(?:count|count_if|countif|c|sum|rate)\b/i;

/** Null if the rows of the result are not those of a `timechart`. */
export function timechartOf(stages: readonly string[]): TimechartStage | null {
  const at = stages.findLastIndex((stage) => /^timechart\b/i.test(stage));
  // Stages that only choose, order or name rows leave it one.
  const keeps = /^(?:where|search|sort|order|limit|head|take|tail|fillnull|filldown|eval)\b/i;
  if (at < 0 || !stages.slice(at + 1).every((stage) => keeps.test(stage))) return null;
  const options = /(?:^|\s)(?:span|limit)\s*=\s*\S+/gi;
  const text = stages[at]!.replace(/^timechart\b/i, '')
    .replace(options, ' ')
    .trim();
  const by = /(?:^|\s)by\s+(`[^`]+`|[^\s,]+)\s*$/i.exec(text);
  const measure = (by === null ? text : text.slice(0, by.index)).trim();
  return {
    split: by === null ? null : by[1]!.replace(/^`|`$/g, ''),
    measure: measure === '' ? 'count' : measure,
    isSum: measure === '' || measure.split(/,(?![^(]*\))/).every((one) => SUMS.test(one.trim())),
  };
}

/** The stages of a text such as `| stats count | sort -count`: cut at each pipe that is not quoted. */
export function stagesIn(text: string): string[] {
  const quoted = /"(?:\\.|[^"\\])*"|`[^`]*`|\/(?:\\.|[^/\\|])+\/|\|/g;
  const cuts = [...text.matchAll(quoted)].filter(([found]) => found === '|');
  return cuts.map(({ index }, at) => text.slice(index + 1, cuts[at + 1]?.index).trim());
}
