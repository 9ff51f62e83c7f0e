import { expect, it, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type {
  BackTest as WireBackTest,
  DetectorEntry,
  DetectorList,
  TriedLevel,
} from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { BackTest } from './backtest.svelte';

const TEXT = '[[detector]]\nname = "busy"\nthreshold = { above = 3 }\n';
const list = (name: string | null): DetectorList => ({
  detectors: name === null ? [] : [{ name, text: TEXT } as DetectorEntry],
  problems: name === null ? [{ file: '', line: 3, message: 'wrong', hint: 'write it right' }] : [],
});
const tried = (value: number) =>
  ({
    level: { kind: 'above', value, clear: null, up: true, down: false },
    text: TEXT.replace('3', String(value)),
    tally: { alerts: value },
    spans: [],
    listed: [],
  }) as unknown as TriedLevel;
const answer = (value: number) => ({ groups: [], tried: tried(value) }) as unknown as WireBackTest;

async function opened() {
  const client = new FakeClient();
  const test = new BackTest(new Lifetime(), client, '/c');
  test.open({ id: 'd1', name: 'busy', text: TEXT, isStored: true, suggest: null });
  await client.callsTo('readDetectors')[0]!.answer(list('busy'));
  await client.callsTo('backTest')[0]!.answer(answer(3));
  return { client, test };
}

it('reads the events once, and tries levels on what was read', async () => {
  const { client, test } = await opened();
  expect(test.isChanged).toBe(false);
  test.drag(5);
  expect(test.level?.value).toBe(5);
  // While one level is tried, only the last of the others is remembered.
  test.drag(6);
  test.drag(7);
  await client.callsTo('tryLevel')[0]!.answer(tried(5));
  expect(test.level?.value).toBe(7);
  expect(client.callsTo('tryLevel').map(({ args }) => args.level)).toEqual([5, 7]);
  await client.callsTo('tryLevel')[1]!.answer(tried(7));
  expect(test.dragged).toBeNull();
  expect(test.tried?.tally.alerts).toBe(7);
  expect(test.text).toContain('above = 7');
  expect(test.isChanged).toBe(true);
  expect(client.callsTo('backTest')).toHaveLength(1);
});

it('shows what is wrong with the text, and what it last said', async () => {
  vi.useFakeTimers();
  const client = new FakeClient();
  const test = new BackTest(new Lifetime(), client, '/c');
  test.open({ id: 'd1', name: 'busy', text: TEXT, isStored: true, suggest: null });
  void client.callsTo('readDetectors')[0]!.answer(list('busy'));
  await vi.advanceTimersByTimeAsync(0);
  void client.callsTo('backTest')[0]!.answer(answer(3));
  await vi.advanceTimersByTimeAsync(0);
  test.type('nonsense');
  await vi.advanceTimersByTimeAsync(500);
  void client.callsTo('readDetectors')[1]!.answer(list(null));
  await vi.advanceTimersByTimeAsync(0);
  expect(test.problems).toMatchObject([{ line: 3 }]);
  expect(test.entry?.name).toBe('busy');
  expect(client.callsTo('backTest')).toHaveLength(1);
  vi.useRealTimers();
});

it('keeps the last valid result under a text with a mistake, and tries no level in it', async () => {
  const { client, test } = await opened();
  expect([test.isValid, test.isInvalid]).toEqual([true, false]);
  test.text = 'nonsense';
  expect(test.isValid).toBe(false);
  test.refresh();
  await client.callsTo('readDetectors')[1]!.answer(list(null));
  expect([test.isValid, test.isInvalid]).toEqual([false, true]);
  expect([test.answer === null, test.tried?.level?.value]).toEqual([false, 3]);
  test.drag(9);
  expect(client.callsTo('tryLevel')).toHaveLength(0);
  expect(test.text).toBe('nonsense');
  // A definition that can be read may still be one that cannot run.
  test.text = TEXT.replace('3', '4');
  test.refresh();
  await client.callsTo('readDetectors')[2]!.answer(list('busy'));
  await client.callsTo('backTest')[1]!.fail({ code: 'badRequest', message: 'no such field' });
  expect([test.isValid, test.isInvalid]).toEqual([false, true]);
  test.refresh();
  await client.callsTo('readDetectors')[3]!.answer(list('busy'));
  await client.callsTo('backTest')[2]!.answer(answer(4));
  expect([test.isValid, test.isInvalid]).toEqual([true, false]);
});

it('chooses no level for a person who wrote one meanwhile', async () => {
  const client = new FakeClient();
  const test = new BackTest(new Lifetime(), client, '/c');
  test.open({ id: null, name: 'busy', text: TEXT, isStored: false, suggest: { within: null } });
  test.type(TEXT.replace('3', '8'));
  test.retry();
  await client.callsTo('readDetectors')[1]!.answer(list('busy'));
  expect(client.callsTo('backTest')[0]!.args.suggest).toBe(false);
  test.close();
});

it('takes the suggested level of a new detector', async () => {
  const client = new FakeClient();
  const test = new BackTest(new Lifetime(), client, '/c');
  test.open({ id: null, name: 'busy', text: TEXT, isStored: false, suggest: { within: null } });
  await client.callsTo('readDetectors')[0]!.answer(list('busy'));
  expect(client.callsTo('backTest')[0]!.args).toMatchObject({ suggest: true, within: null });
  await client.callsTo('backTest')[0]!.answer(answer(9));
  expect(test.text).toContain('above = 9');
  expect(test.isChanged).toBe(true);
});

it('names the failure of a test, but not a stop', async () => {
  const { client, test } = await opened();
  test.refresh();
  await client.callsTo('readDetectors')[1]!.answer(list('busy'));
  await client.callsTo('backTest')[1]!.fail({ code: 'cancelled', message: 'stopped' });
  expect(test.failure).toBeNull();
  test.refresh();
  await client.callsTo('readDetectors')[2]!.answer(list('busy'));
  await client.callsTo('backTest')[2]!.fail({ code: 'badRequest', message: 'no such field' });
  expect(test.failure?.message).toBe('no such field');
  expect(test.answer).not.toBeNull();
});

const KEYS = [{ key: 'threshold.above', value: 3, line: 3 }];
const above = (value: number) => [{ key: 'threshold.above', value, renamed: null }];

it('changes keys of the text one after the other, and tests each result', async () => {
  const { client, test } = await opened();
  const calls = () => client.callsTo('changeDetector');
  await calls()[0]!.answer({ text: TEXT, keys: KEYS });
  expect(test.keys).toEqual(KEYS);
  test.change(above(4));
  test.change(above(5));
  await vi.waitFor(() => expect(calls()).toHaveLength(2));
  expect(calls()[1]!.args).toEqual({ text: TEXT, name: 'busy', changes: above(4) });
  const [four, five] = [TEXT.replace('3', '4'), TEXT.replace('3', '5')];
  await calls()[1]!.answer({ text: four, keys: KEYS });
  await vi.waitFor(() => expect(calls()).toHaveLength(3));
  expect(calls()[2]!.args).toMatchObject({ text: four, changes: above(5) });
  await calls()[2]!.answer({ text: five, keys: KEYS });
  expect(test.text).toBe(five);
  expect(client.callsTo('readDetectors').at(-1)!.args.text).toBe(five);
  expect(test.isChanged).toBe(true);
});

it('changes the text as it is when keys were typed meanwhile, and no other detector', async () => {
  const { client, test } = await opened();
  const calls = () => client.callsTo('changeDetector');
  await calls()[0]!.answer({ text: TEXT, keys: KEYS });
  test.change(above(4));
  await vi.waitFor(() => expect(calls()).toHaveLength(2));
  test.type(`# mine\n${TEXT}`);
  await calls()[1]!.answer({ text: TEXT.replace('3', '4'), keys: KEYS });
  await vi.waitFor(() => expect(calls()).toHaveLength(3));
  expect(calls()[2]!.args).toMatchObject({ text: `# mine\n${TEXT}`, changes: above(4) });
  test.change(above(6));
  test.open({ id: 'd2', name: 'other', text: 'x', isStored: true, suggest: null });
  await vi.waitFor(() => expect(calls().at(-1)!.args.text).toBe('x'));
  expect(calls().filter(({ args }) => args.changes.length > 0)).toHaveLength(2);
  expect(test.text).toBe('x');
});
