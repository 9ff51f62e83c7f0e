import { expect, it } from 'vitest';

import type {
  Estimate,
  Nanos,
  PreviewFile,
  Profile,
  ProfileCost,
  WireError,
} from '../../ipc/generated';
import { Lifetime } from '../../base/lifetime';
import { FakeClient, settled } from '../fakeclient';
import { ImportSheet, worth } from './importsheet.svelte';
import { revision } from './sourcessheet.svelte';

const file = (path: string, part: Partial<PreviewFile> = {}): PreviewFile =>
  ({
    path,
    name: path,
    format: 'logfmt',
    events: 100,
    unparsed: 0,
    rows: [],
    error: null,
    outcome: 'new',
    account: {
      score: 1,
      reason: '',
      alternatives: [],
      unparsed: [],
      layouts: [],
      timeFields: [],
      times: [],
    },
    ...part,
  }) as unknown as PreviewFile;

const cost = (profile: Profile, fits: boolean) =>
  ({ profile, seconds: 1, bytesOnDisk: 1, fits }) as ProfileCost;
const estimate = (fits: boolean) =>
  ({ bytesIn: 1, profiles: [cost('raw', true), cost('full', fits)] }) as Estimate;
const unreadable: WireError = { code: 'binary', message: 'm', hint: null, path: '/b', span: null };

function sheet(client: FakeClient) {
  return new ImportSheet(new Lifetime(), client, '/a.case', ['/x'], null);
}

it('selects a doubtful file first, and requests again only for choices', async () => {
  const client = new FakeClient();
  const one = sheet(client);
  const files = [file('/fine'), file('/odd', { unparsed: 60 }), file('/b', { error: unreadable })];
  expect(client.callsTo('preview')[0]!.args.withoutEstimate).toBe(false);
  await client.callsTo('preview')[0]!.answer({ files, estimate: estimate(true) });
  expect(one.selected).toBe('/odd');
  one.choose('/odd', { format: 'text', zone: '' });
  const asked = client.callsTo('preview')[1]!;
  // The estimate is made once.
  expect(asked.args.withoutEstimate).toBe(true);
  expect(asked.args.choices?.files).toEqual([{ path: '/odd', reading: { format: 'text' } }]);
  await asked.answer({ files, estimate: estimate(false) });
  expect(one.cost?.fits).toBe(true);
  one.choose('/odd', {});
  expect(one.choices.files).toEqual([]);
});

it('applies choices for all files unless a file has its own', () => {
  const one = sheet(new FakeClient());
  one.chooseForAll({ zone: 'Europe/Berlin', encoding: 'utf-8' });
  one.choose('/a', { zone: 'UTC' });
  expect(one.choices.reading).toEqual({ zone: 'Europe/Berlin', encoding: 'utf-8' });
  expect(one.choices.files).toEqual([{ path: '/a', reading: { zone: 'UTC', encoding: 'utf-8' } }]);
});

it('starts at once, but not without enough space or anything to read', async () => {
  const client = new FakeClient();
  const one = sheet(client);
  expect(one.obstacle).toBeNull();
  await client.callsTo('preview')[0]!.answer({ files: [file('/a')], estimate: estimate(false) });
  expect(one.obstacle).toContain('Not enough free disk space');
  // A profile that needs less space may fit.
  one.profile = 'raw';
  expect(one.obstacle).toBeNull();
  one.profile = 'full';
  expect(one.obstacle).toContain('Not enough free disk space');
  one.beyondReserve = true;
  expect(one.obstacle).toBeNull();
  expect(one.choices.beyondReserve).toBe(true);
  const other = sheet(client);
  const nothing = { files: [file('/b', { error: unreadable })], estimate: estimate(true) };
  await client.callsTo('preview')[1]!.answer(nothing);
  expect(other.obstacle).toContain('None');
});

it('keeps the preview if a choice is rejected, and says why', async () => {
  const client = new FakeClient();
  const one = sheet(client);
  await client.callsTo('preview')[0]!.answer({ files: [file('/a')], estimate: estimate(true) });
  one.choose('/a', { zone: 'Mars' });
  await client.callsTo('preview')[1]!.fail(unreadable);
  await settled();
  expect(one.failure).not.toBeNull();
  expect(one.files).toHaveLength(1);
  expect(one.obstacle).toBe('m');
  // The preview without the choice is known.
  one.choose('/a', {});
  expect([one.obstacle, one.isStale]).toEqual([null, false]);
  expect(client.callsTo('preview')).toHaveLength(2);
});

it('does not start with a choice that was not previewed yet', async () => {
  const client = new FakeClient();
  const one = sheet(client);
  await client.callsTo('preview')[0]!.answer({ files: [file('/a')], estimate: estimate(true) });
  let starts = 0;
  const start = () => one.start(() => (starts += 1));
  one.choose('/a', { zone: 'Mars' });
  start();
  await client.callsTo('preview')[1]!.fail(unreadable);
  one.choose('/a', { zone: 'UTC' });
  expect(starts).toBe(0);
  start();
  await client.callsTo('preview')[2]!.answer({ files: [file('/a')], estimate: estimate(true) });
  expect(starts).toBe(1);
  one.mistyped = true;
  start();
  expect(starts).toBe(1);
});

it('distinguishes a doubtful detection from a good one', () => {
  expect(worth(file('/a'))).toBe('fine');
  expect(worth(file('/a', { unparsed: 30 }))).toBe('doubtful');
  expect(worth(file('/a', { unparsed: 3 }))).toBe('fine');
  const guess = {
    score: 0.4,
    reason: '',
    alternatives: [],
    unparsed: [],
    layouts: [],
    timeFields: [],
    times: [],
  };
  expect(worth(file('/a', { account: guess }))).toBe('doubtful');
  expect(worth(file('/a', { error: unreadable }))).toBe('failed');
});

it('re-imports a stored source only for what cannot be adjusted', () => {
  const hour = '3600000000000' as Nanos;
  expect(revision([3], {})).toBeNull();
  expect(revision([3], { zone: 'UTC', clockOffset: hour })).toEqual({
    kind: 'adjust',
    sources: [3],
    zone: 'UTC',
    clockOffset: hour,
  });
  expect(revision([3], { format: 'text', zone: 'UTC' })).toEqual({
    kind: 'reread',
    sources: [3],
    reading: { format: 'text', zone: 'UTC' },
  });
  expect(revision([3], { timeField: 'order.placed' })).toEqual({
    kind: 'reread',
    sources: [3],
    reading: { timeField: 'order.placed' },
  });
});

it('previews again with another time field', () => {
  const client = new FakeClient();
  sheet(client).choose('/a', { timeField: 'order.placed' });
  expect(client.callsTo('preview')[1]!.args.choices?.files).toEqual([
    { path: '/a', reading: { timeField: 'order.placed' } },
  ]);
});

it('leaves out unchecked files, measures the rest, and needs one', async () => {
  const client = new FakeClient();
  const one = sheet(client);
  const files = [file('/a'), file('/b')];
  await client.callsTo('preview')[0]!.answer({ files, estimate: estimate(true) });
  one.check(['/b'], false);
  const asked = client.callsTo('preview')[1]!;
  expect([asked.args.withoutEstimate, asked.args.choices?.leftOut]).toEqual([false, ['/b']]);
  await asked.answer({ files, estimate: estimate(true) });
  expect(one.obstacle).toBeNull();
  one.check(['/a'], false);
  expect(one.obstacle).toBe('No file is selected.');
  one.check(['/a', '/b'], true);
  expect([one.choices.leftOut, one.obstacle]).toEqual([[], null]);
});
