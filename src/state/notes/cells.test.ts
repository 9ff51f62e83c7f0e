import { expect, it } from 'vitest';

import type { NotebookCell, QueryCheck } from '../../ipc/generated';
import { FakeClient, settled } from '../fakeclient';
import { CHARTED_ROWS } from '../results/results.svelte';
import { Cells } from './cells';

const cell = (part: Partial<NotebookCell>): NotebookCell => ({
  kind: 'query',
  title: null,
  query: '*',
  from: null,
  to: null,
  zone: null,
  rows: 20,
  map: null,
  events: [],
  problem: null,
  ...part,
});

async function asked(part: Partial<NotebookCell>, check: Partial<QueryCheck>) {
  const client = new FakeClient();
  void new Cells(client, 'a.case').answer(cell(part), 'UTC', new AbortController().signal);
  const none = { diagnostics: [], words: [], printed: null, filter: '', clauses: [] };
  await client.callsTo('check')[0]!.answer({ ...none, stages: [], isSql: false, ...check });
  await settled();
  return client.calls.at(-1)!;
}

it('runs a cell that is SQL as SQL, not as a filter', async () => {
  const query = 'SELECT count(*) FROM events';
  const call = await asked({ query }, { isSql: true });
  expect([call.name, call.args]).toMatchObject(['run', { view: { query }, count: 20 }]);
});

it('draws all rows of a chart, whatever rows= says', async () => {
  const stages = [{ start: 2, end: 20 }];
  const part = { query: '* | timechart count()', rows: 20 };
  expect((await asked({ ...part, kind: 'chart' }, { stages })).args).toMatchObject({
    count: CHARTED_ROWS,
  });
  expect((await asked(part, { stages })).args).toMatchObject({ count: 20 });
});
