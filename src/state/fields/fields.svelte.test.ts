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
