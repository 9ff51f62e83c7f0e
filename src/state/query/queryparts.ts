import { cutAtBytes } from '../../base/span';
import { EngineError } from '../../ipc/client';
import type { QueryCheck, QueryClause } from '../../ipc/generated';

/** A query in parts, as the engine parses it. */
export interface QueryParts {
  readonly query: string;
  /** The part before the first pipe. */
  readonly filter: string;
  /** The clauses that must all match; empty if the filter has an error. */
  readonly clauses: readonly QueryClause[];
  /** The stages, without their pipes. */
  readonly stages: readonly string[];
  /** Whether it is SQL, which counts as one stage over all events. */
  readonly isSql: boolean;
  /** The first error. */
  readonly mistake: EngineError | null;
}

export const NO_PARTS: QueryParts = {
  query: '',
  filter: '',
  clauses: [],
  stages: [],
  isSql: false,
  mistake: null,
};

export function partsOf(query: string, check: QueryCheck): QueryParts {
  const wrong = check.diagnostics.find(({ isError }) => isError);
  return {
    query,
    filter: check.filter,
    clauses: check.clauses,
    stages: check.stages.map(({ start, end }) => cutAtBytes(query, [start, end]).inside),
    isSql: check.isSql,
    mistake:
      wrong === undefined
        ? null
        : new EngineError({
            code: 'queryInvalid',
            message: wrong.message,
            hint: wrong.hint,
            path: null,
            span: [wrong.start, wrong.end],
          }),
  };
}
