import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Facets, View } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { Fields } from './fields.svelte';

const view: View = { case: '/a.case', query: 'status=502', from: null, to: null };
const clauses = [{ text: 'status=502', isNegated: false }];

it('lists the values of the opened field, and requests nothing while it is hidden', async () => {
  const client = new FakeClient();
  const fields = new Fields(new Lifetime(), client, '/a.case');
  fields.show(view, clauses);
  fields.list();
  const known = { name: 'status', kinds: ['int' as const], ecs: null, present: 9 };
  await client.callsTo('fields')[0]!.answer({ revision: 1, fields: [known] } as never);
  fields.opened = 'status';
  expect([client.callsTo('aggregate'), client.callsTo('facets')]).toEqual([[], []]);
  fields.shown = true;
  fields.see(['status']);
  expect(client.callsTo('aggregate')[0]!.args.view.query).toBe('');
  expect(client.callsTo('facets')[0]!.args).toMatchObject({ view, fields: ['status'] });
  await client.callsTo('facets')[0]!.answer({ fields: [], total: 0 } as unknown as Facets);
  fields.opened = null;
  fields.show({ ...view, query: 'x' }, [{ text: 'x', isNegated: false }]);
  expect(client.callsTo('aggregate')).toHaveLength(1);
});

it('lists the values of pinned fields at once, each with its own clauses left out', async () => {
  const client = new FakeClient();
  const fields = new Fields(new Lifetime(), client, '/a.case');
  fields.list();
  const known = ['status', 'level'].map((name) => ({ name, kinds: [], ecs: null, present: 9 }));
  await client.callsTo('fields')[0]!.answer({ revision: 1, fields: known } as never);
  fields.shown = true;
  fields.pinned = ['status', 'level'];
  fields.show(view, clauses);
  const asked = () => client.callsTo('aggregate').map(({ args }) => [args.view.query, args.by]);
  const by = (field: string, top: number) => [{ kind: 'terms', field, top, order: 'most' }];
  expect(asked()).toEqual([
    ['', by('status', 5)],
    ['status=502', by('level', 5)],
  ]);
  // The opened one lists more, and stays listed when it is closed.
  fields.opened = 'status';
  expect(asked().at(-1)).toEqual(['', by('status', 10)]);
  fields.opened = null;
  expect([fields.isListed('status'), fields.isListed('other')]).toEqual([true, false]);
  // One that is filtered by keeps its place.
  expect([fields.isHeld('status'), fields.isHeld('level')]).toEqual([true, false]);
  fields.pinned = ['level'];
  expect(fields.isListed('status')).toBe(false);
  fields.show({ ...view, query: '' }, []);
  expect(asked().filter(([, terms]) => JSON.stringify(terms).includes('status'))).toHaveLength(2);
});
