import { beforeEach, expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Facet, KnownField } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { ViewHistory } from '../view/history.svelte';
import { Charts } from './charts.svelte';

let client: FakeClient;
let charts: Charts;

beforeEach(() => {
  client = new FakeClient();
  charts = new Charts(new Lifetime(), client, '/c', new ViewHistory());
  charts.watch();
});

const known = (name: string, ecs: string | null = null): KnownField => ({
  name,
  kinds: ['int'],
  ecs,
  present: null,
});

const facet = (field: string, distinct: number): Facet => ({
  field,
  kinds: ['int'],
  present: 1,
  distinct,
  top: [],
  numbers: null,
  sparkline: [],
});

/** Answers requests about fields, with as many values as their names have letters. */
async function tell(): Promise<string[]> {
  const asked = client.callsTo('facets').at(-1)!;
  const { fields } = asked.args;
  const facets = fields.map((name) => facet(name, name.length));
  await asked.answer({
    revision: 1,
    total: 1,
    edges: [],
    fields: facets,
    fraction: 1,
    elapsedMs: 1,
  });
  return fields;
}

it('lists the fields before it has examined them', async () => {
  await client
    .callsTo('fields')[0]!
    .answer({ revision: 1, fields: [known('status'), known('took')], service: null });
  expect(charts.fields.map(({ field }) => field)).toEqual(['status', 'took']);
  expect(charts.info('status')?.distinct).toBeNull();
  expect(await tell()).toEqual(['status', 'took']);
  expect(charts.info('status')?.distinct).toBe(6);
});

it('examines those of thousands of fields that are known or common, and those that are charted', async () => {
  const many = Array.from({ length: 3000 }, (_, at) => known(`odd${at}`));
  const fields = [...many, known('status', 'http.response.status_code')];
  await client.callsTo('fields')[0]!.answer({ revision: 1, fields, service: null });
  expect(charts.fields).toHaveLength(3001);
  const examined = await tell();
  expect(examined).toHaveLength(64);
  expect(examined.slice(0, 2)).toEqual(['status', 'odd0']);

  charts.examine(['odd700', null, 'nowhere']);
  expect(await tell()).toEqual(['odd700']);
  expect(charts.info('odd7')?.distinct).toBe(4);
  charts.examine(['odd7', 'status']);
  expect(client.callsTo('facets')).toHaveLength(2);
});
