/** The data of the journeys: a small mixed folder, and a million lines of one log. */
import { mixedFolder, services, slower, traceId } from './mixed';
import { millionLines } from './logs';

export interface Material {
  /** The opened paths. */
  path: string;
  events: number;
  /** A file whose hash the exported notes contain. */
  evidence: string;
  refused: string | null;
  /** The brushed range, in shares of the timeline, and the expected number of events. */
  spike: { from: number; to: number; least: number; most: number };
  /** The index of the followed error in the range. */
  error: number;
  /** The followed value, and the files that contain it. */
  follow: { field: string; value: string | null; sources: string[] };
  /** The minimum number of files around the error. */
  neighbours: number;
  measure: Measure;
}

export interface Measure {
  field: string;
  split: string;
  /** Some of the values of the split. */
  values: string[];
  /** The change of each median from the previous period, if known. */
  change: string | null;
  /** Rows of `stats` by the split: value, count, and further known values. */
  rows: string[];
}

export function mixed(): Material {
  const { folder, events, evidence, refused, traced } = mixedFolder();
  const rows = Object.entries(services).map(([service, usual]) =>
    [service, 120, usual, usual * slower].join('\t'),
  );
  return {
    path: folder,
    events,
    evidence,
    refused,
    // The first five bad minutes are just past the middle of two hours.
    spike: { from: 0.52, to: 0.62, least: 150, most: 400 },
    // The web server logs it first, the shop in the next second.
    error: 2,
    follow: { field: 'trace_id', value: traceId, sources: traced },
    neighbours: 4,
    measure: {
      field: 'duration_ms',
      split: 'service',
      values: Object.keys(services),
      change: `+${(slower - 1) * 100} %`,
      rows,
    },
  };
}

export function million(): Material {
  const path = millionLines();
  const events = 1_000_000;
  return {
    path,
    events,
    evidence: path,
    refused: null,
    spike: { from: 0.4, to: 0.6, least: events / 10, most: events / 2 },
    error: 1,
    follow: { field: 'client_ip', value: null, sources: ['access-1000000.log'] },
    neighbours: 1,
    measure: { field: 'bytes', split: 'method', values: ['GET'], change: null, rows: [] },
  };
}
