import { cutAtBytes } from '../../base/span';
import { EngineError } from '../../ipc/client';
import type { QueryCheck, QueryClause } from '../../ipc/generated';

/** A query by its parts, as the engine reads it. */
export interface QueryParts {
  readonly query: string;
  /** What stands before the first pipe. */
  readonly filter: string;
  /** What of the filter must hold at once; empty where it has a mistake. */
  readonly clauses: readonly QueryClause[];
  /** The stages, without their pipes. */
  readonly stages: readonly string[];
  /** Whether it is SQL, which is one stage of all events. */
  readonly isSql: boolean;
  /** What is wrong with the stages; of the filter its answer tells. */
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
  const isPiped = check.stages.length > 0;
  return {
    query,
    filter: check.filter,
    clauses: check.clauses,
    stages: check.stages.map(({ start, end }) => cutAtBytes(query, [start, end]).inside),
    isSql: check.isSql,
    mistake:
      wrong === undefined || !isPiped
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
