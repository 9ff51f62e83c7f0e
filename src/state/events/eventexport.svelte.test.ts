import { expect, it, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { FakeClient, settled } from '../fakeclient';
import { EventExport } from './eventexport.svelte';

const view = { case: '/c', query: 'level:error', from: null, to: null };

function made() {
  const client = new FakeClient();
  const [written, failed] = [vi.fn(), vi.fn()];
  const lifetime = new Lifetime();
  const exporting = new EventExport(lifetime, client, { written, failed });
  return { client, written, failed, lifetime, exporting };
}

it('writes the matching events in the chosen format and reports progress', async () => {
  const { client, exporting, written, failed } = made();
  const done = exporting.start(view, 'UTC', 'raw', 'shop.log');
  await settled();
  const [call] = client.callsTo('export');
  expect(call!.args).toEqual({ view, zone: 'UTC', format: 'raw', path: '/saved/shop.log' });
  call!.options.progress!({ path: '/saved/shop.log', rows: 40, fraction: 0.4 });
  expect(exporting.share).toBe(0.4);
  await call!.answer({ path: '/saved/shop.log', rows: 100, fraction: 1 });
  await done;
  expect(written).toHaveBeenCalledWith(100, 'shop.log');
  expect(exporting.share).toBeNull();
  expect(failed).not.toHaveBeenCalled();
});

it('writes the documents of an index in the same way', async () => {
  const { client, exporting, written } = made();
  const done = exporting.startBulk(view, 'shop', true, 'shop.bulk.ndjson');
  await settled();
  const [call] = client.callsTo('writeBulk');
  const path = '/saved/shop.bulk.ndjson';
  expect(call!.args).toEqual({ view, index: 'shop', withOriginal: true, path });
  await call!.answer({ path, rows: 7, fraction: 1 });
  await done;
  expect(written).toHaveBeenCalledWith(7, 'shop.bulk.ndjson');
});

it('cancels without a complaint, and complains about everything else', async () => {
  const { client, exporting, written, failed } = made();
  const first = exporting.start(view, null, 'csv', 'a.csv');
  await settled();
  exporting.cancel();
  const [call] = client.callsTo('export');
  expect(call!.options.signal!.aborted).toBe(true);
  await call!.fail({ code: 'cancelled', message: 'Cancelled.' });
  await first;
  expect(exporting.share).toBeNull();
  expect(written).not.toHaveBeenCalled();
  expect(failed).not.toHaveBeenCalled();
  const second = exporting.start(view, null, 'csv', 'a.csv');
  await settled();
  await client.callsTo('export')[1]!.fail({ code: 'diskFull', message: 'The disk is full.' });
  await second;
  expect(failed.mock.calls[0]![0].code).toBe('diskFull');
});

it('ends with the case', async () => {
  const { client, exporting, lifetime } = made();
  void exporting.start(view, null, 'parquet', 'a.parquet');
  await settled();
  lifetime.end();
  expect(client.callsTo('export')[0]!.options.signal!.aborted).toBe(true);
});
