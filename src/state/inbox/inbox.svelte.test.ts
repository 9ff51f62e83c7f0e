import { expect, it, vi } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { InboxAlert, InboxGroup, InboxPage } from '../../ipc/generated';
import { FakeClient, settled } from '../fakeclient';
import type { UndoableChange } from '../view/history.svelte';
import { Inbox } from './inbox.svelte';
import { sizeOf } from './inboxview';

const alert = (key: string, events = 3) =>
  ({ key, status: 'new', alert: { title: key, events } }) as InboxAlert;

function page(keys: readonly string[], part: Partial<InboxPage> = {}): InboxPage {
  return {
    total: keys.length,
    matching: keys.length,
    digest: keys.join(' '),
    linesTotal: keys.length,
    first: 0,
    lines: keys.map((key) => ({ alert: alert(key), group: null })),
    statuses: { new: keys.length, acknowledged: 0, muted: 0, closed: 0 },
    severities: [],
    selected: null,
    ...part,
  };
}

function opened() {
  const client = new FakeClient();
  const deeds: UndoableChange[] = [];
  const inbox = new Inbox(
    new Lifetime(),
    client,
    '/c',
    () => null,
    (deed) => deeds.push(deed),
  );
  const answer = (reply: InboxPage) => client.callsTo('alerts').at(-1)!.answer(reply);
  return { client, deeds, inbox, answer };
}

it('asks only while it is shown, and for the part that is on the screen', async () => {
  const { client, inbox, answer } = opened();
  inbox.change({ text: 'x' });
  expect(client.callsTo('alerts')).toHaveLength(0);
  const end = inbox.watch();
  await answer(page(['a', 'b'], { linesTotal: 100_000 }));
  expect(client.callsTo('alerts')[0]!.args).toMatchObject({ first: 0, filter: { text: 'x' } });
  inbox.see(0, 30);
  expect(client.callsTo('alerts')).toHaveLength(1);
  inbox.see(50_000, 50_030);
  expect(client.callsTo('alerts')[1]!.args).toMatchObject({ first: 49_800, count: 400 });
  end();
  inbox.refresh();
  expect(client.callsTo('alerts')).toHaveLength(2);
});

it('decides about the selected alert, and undo and redo name the same decision', async () => {
  const { client, deeds, inbox, answer } = opened();
  inbox.watch();
  await answer(page(['a', 'b']));
  inbox.move(1);
  expect(inbox.selected).toBe('a');
  const done = inbox.decide('close', { reason: 'expected', text: 'as planned' });
  const [call] = client.callsTo('triage');
  expect(call!.args).toMatchObject({
    alerts: { keys: [{ key: 'a', events: 3 }] },
    verb: 'close',
    reason: 'expected',
    text: 'as planned',
    until: null,
  });
  await call!.answer({ alerts: 1 });
  expect(await done).toBe(true);
  deeds[0]!.undo();
  await settled();
  await client.callsTo('undoTriage')[0]!.answer({});
  expect(client.callsTo('undoTriage')[0]!.args).toEqual({
    case: '/c',
    id: call!.args.id,
    undone: true,
  });
  deeds[0]!.redo();
  await settled();
  expect(client.callsTo('undoTriage')[1]!.args).toMatchObject({ id: call!.args.id, undone: false });
});

it('keeps the selection and says why a decision was not written', async () => {
  const { client, deeds, inbox, answer } = opened();
  inbox.watch();
  await answer(page(['a', 'b', 'c']));
  inbox.select(0);
  inbox.extend(1);
  expect(inbox.pickedCount).toBe(2);
  const done = inbox.decide('acknowledge');
  await client.callsTo('triage')[0]!.fail({ code: 'diskFull', message: 'The disk is full.' });
  expect(await done).toBe(false);
  expect(inbox.failure?.code).toBe('diskFull');
  expect([inbox.pickedCount, deeds.length]).toEqual([2, 0]);
});

it('decides about the events that were seen, not those that came while a person wrote', async () => {
  const { client, inbox, answer } = opened();
  inbox.watch();
  await answer(page(['a', 'b']));
  inbox.select(0);
  const choice = inbox.choice!;
  const grown = [{ alert: alert('a', 700), group: null }];
  await answer(page(['a'], { lines: grown, selected: alert('a', 700) }));
  void inbox.decide('close', {}, choice);
  expect(client.callsTo('triage')[0]!.args.alerts).toEqual({ keys: [{ key: 'a', events: 3 }] });
  expect(inbox.choice).toEqual({ keys: [{ key: 'a', events: 700 }] });
});

it('shows an alert again when its mute is over', async () => {
  vi.useFakeTimers();
  const { client, inbox } = opened();
  inbox.refresh();
  const counts = { new: 0, acknowledged: 0, muted: 1, closed: 0 };
  const wakes = `${Date.now() + 60_000}000000` as never;
  void client.callsTo('alertFlags')[0]!.answer({ counts, flags: [], wakes });
  await vi.advanceTimersByTimeAsync(59_000);
  expect(client.callsTo('alertFlags')).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(client.callsTo('alertFlags')).toHaveLength(2);
  vi.useRealTimers();
});

it('picks all that match, and forgets the picked ones with another filter', async () => {
  const { client, inbox, answer } = opened();
  inbox.watch();
  await answer(page(['a'], { matching: 90_000, total: 100_000 }));
  inbox.pickAll();
  expect(inbox.pickedCount).toBe(90_000);
  void inbox.decide('mute', { untilMs: 5 });
  expect(client.callsTo('triage')[0]!.args).toMatchObject({
    alerts: { matching: { filter: inbox.filter, expected: 90_000, digest: 'a' } },
    until: '5000000',
  });
  inbox.change({ severities: ['high'] });
  expect(inbox.pickedCount).toBe(0);
});

it('decides about the alerts that are shown while another filter is not answered yet', async () => {
  const { inbox, answer } = opened();
  inbox.groupBy('detector');
  inbox.watch();
  const group = { key: 'busy', alerts: 2, digest: 'g', from: null, to: null } as InboxGroup;
  await answer(page(['a', 'b']));
  const before = inbox.filter;
  inbox.change({ text: 'other' });
  inbox.groupBy('entity');
  inbox.pickAll();
  const shown = { filter: before, expected: 2, digest: 'a b' };
  expect(inbox.choice).toEqual({ matching: shown });
  expect(inbox.choiceOfGroup(group)).toEqual({
    matching: { filter: { ...before, detector: 'busy' }, expected: 2, digest: 'g' },
  });
  await answer(page(['c']));
  expect(inbox.choice).toEqual({
    matching: { filter: inbox.filter, expected: 1, digest: 'c' },
  });
});

it('asks again with the new number if alerts came while a person decided', async () => {
  const { client, inbox, answer } = opened();
  inbox.watch();
  await answer(page(['a', 'b']));
  inbox.pickAll();
  const choice = inbox.choice!;
  expect(sizeOf(choice)).toBe(2);
  const done = inbox.decide('close', {}, choice);
  await client.callsTo('triage')[0]!.fail({ code: 'badRequest', message: '3 alerts match now.' });
  expect(await done).toBe(false);
  await answer(page(['a', 'b', 'c']));
  await settled();
  expect([inbox.failure?.code, inbox.pickedCount]).toEqual(['badRequest', 3]);
  const again = inbox.recounted(choice);
  expect(client.callsTo('alerts').at(-1)!.args).toMatchObject({ filter: inbox.filter, count: 0 });
  await answer(page([], { matching: 3, digest: 'now' }));
  expect(await again).toEqual({
    matching: { filter: inbox.filter, expected: 3, digest: 'now' },
  });
  // The heading of a group shows how many alerts it has.
  inbox.groupBy('detector');
  await answer(page([]));
  const group = { key: 'busy', alerts: 7, digest: 'g', from: null, to: null } as InboxGroup;
  const ofGroup = inbox.choiceOfGroup(group)!;
  expect(sizeOf(ofGroup)).toBe(7);
  expect(ofGroup).toMatchObject({ matching: { filter: { detector: 'busy' }, digest: 'g' } });
});

it('keeps the selection on its alert, and goes to the next one if it was decided here', async () => {
  const { inbox, client, answer } = opened();
  inbox.watch();
  await answer(page(['a', 'b', 'c']));
  inbox.select(1);
  inbox.refresh();
  await answer(page(['new', 'a', 'b', 'c']));
  await settled();
  expect([inbox.at, inbox.selected]).toEqual([2, 'b']);
  const closed = inbox.decide('close');
  await client.callsTo('triage')[0]!.answer({ alerts: 1 });
  await closed;
  await answer(page(['new', 'a', 'c']));
  await settled();
  expect([inbox.at, inbox.selected]).toEqual([2, 'c']);
  // Another window closed it.
  inbox.refresh();
  await answer(page(['new', 'a']));
  await settled();
  expect([inbox.at, inbox.selected]).toEqual([-1, 'c']);
});

it('keeps the details of an alert that moved and has another key', async () => {
  const { inbox, answer } = opened();
  inbox.watch();
  await answer(page(['a', 'b']));
  inbox.select(1);
  inbox.refresh();
  await answer(page(['moved', 'a'], { selected: alert('moved') }));
  await settled();
  expect([inbox.selected, inbox.at, inbox.detail?.key]).toEqual(['moved', 0, 'moved']);
});

it('decides about no alert where a heading is selected, nor about a group that no filter names', async () => {
  const { inbox, answer } = opened();
  inbox.watch();
  await answer(page(['a']));
  inbox.select(0);
  inbox.groupBy('time');
  const group = { key: '', alerts: 3, from: null, to: null } as InboxGroup;
  await answer(page([], { linesTotal: 1, lines: [{ alert: null, group }] }));
  inbox.select(0);
  expect([inbox.choice, inbox.choiceOfGroup(group)]).toEqual([null, null]);
});
