import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Entities, FiredRule, Note, RuleHitList, RuleRuns } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { Markers } from '../notes/markers.svelte';
import { Notes } from '../notes/notes.svelte';
import { Detectors } from './detectors.svelte';
import { FILTER } from './rulereading.svelte';

const host = (value: string): Entities => ({
  host: { field: 'host', value },
  user: null,
  process: null,
});
const rule = (name: string, hosts: string[]) =>
  ({
    kind: 'rule',
    name,
    title: `Rule ${name}`,
    file: `/rules/${name}.yml`,
    severity: 'high',
    listed: hosts.map((value, at) => ({
      detector: name,
      severity: 'high',
      start: String(at * 10),
      end: String(at * 10),
      group: [['host', value]],
    })),
    entities: hosts.map(host),
    alerts: hosts.length,
    noise: [{ start: '0', events: 1 }],
  }) as unknown as FiredRule;
const runs = (...fired: FiredRule[]) => ({ bin: '10', fired }) as unknown as RuleRuns;
const list = (matches: number) =>
  ({ matches, hits: [], most: 200, texts: [{ file: 'a.yml', text: 'title: x' }] }) as RuleHitList;

async function opened() {
  const client = new FakeClient();
  const lifetime = new Lifetime();
  const notes = new Notes(lifetime, client, '/c', new Markers(), {
    changed: () => detectors.notesChanged(),
  });
  const detectors: Detectors = new Detectors(lifetime, client, '/c', notes);
  void notes.look();
  await client.callsTo('notes')[0]!.answer({
    mark: 'm',
    whole: true,
    notes: [],
    removed: [],
    readOnly: null,
    keptAside: [],
  });
  detectors.runRules(['/rules']);
  await client.callsTo('runRules')[0]!.answer(runs(rule('a', ['WS1', 'WS2']), rule('b', ['WS1'])));
  return { client, detectors, reading: detectors.reading };
}

it('shows the matches of the first alert of a rule, and of others on request', async () => {
  const { client, detectors, reading } = await opened();
  const [a, b] = detectors.rules!.fired;
  reading.toggle(a!);
  expect(reading.isShown(a!, 0)).toBe(true);
  expect(reading.hits).toBeNull();
  await client.callsTo('ruleHits')[0]!.answer(list(3));
  expect(reading.hits?.matches).toBe(3);
  reading.more();
  expect(client.callsTo('ruleHits')[1]!.args).toMatchObject({
    paths: ['/rules'],
    rule: 'a',
    skip: 0,
    take: 60,
  });
  // What is known stays while more is read.
  expect(reading.hits?.matches).toBe(3);
  reading.toggleHits(a!, 1);
  expect(reading.hits).toBeNull();
  reading.toggle(b!);
  expect([reading.rule, reading.isShown(a!, 1)]).toEqual(['b', false]);
  reading.toggle(b!);
  expect([reading.rule, reading.hits]).toEqual([null, null]);
});

it('shows the matches of an alert of a correlation by its times and its group', async () => {
  const { client, detectors, reading } = await opened();
  const many = { ...rule('many', ['WS1', 'WS2']), kind: 'correlation', entities: [] } as FiredRule;
  detectors.runRules(['/rules']);
  await client.callsTo('runRules')[1]!.answer(runs(many));
  reading.toggle(many);
  expect(client.callsTo('ruleHits')[0]!.args).toMatchObject({
    entities: null,
    interval: { start: '0', end: '0', keys: ['WS1'] },
  });
  reading.toggleHits(many, 1);
  expect([reading.isShown(many, 0), reading.isShown(many, 1)]).toEqual([false, true]);
  // A detector in the folder has alerts and no matches.
  const own = { ...rule('own', ['WS1']), kind: 'detector', entities: [], file: '' } as FiredRule;
  reading.toggle(own);
  expect([reading.rule, reading.isShown(own, 0)]).toEqual(['own', false]);
  expect(client.callsTo('ruleHits')).toHaveLength(2);
});

it('opens the rule of an alert', async () => {
  const { detectors, reading } = await opened();
  reading.technique = 'T1059';
  detectors.selectNamed('b');
  expect([reading.rule, reading.technique]).toEqual(['b', null]);
});

it('keeps an excluded value as a Sigma filter of the case, and runs the rules with it', async () => {
  const { client, detectors, reading } = await opened();
  const [a] = detectors.rules!.fired;
  reading.toggle(a!);
  await client.callsTo('ruleHits')[0]!.answer(list(3));
  const done = reading.exclude(a!, { field: 'host', value: 'WS1' });
  const [call] = client.callsTo('excludeValue');
  expect(call!.args).toEqual({
    case: '/c',
    paths: ['/rules'],
    rule: 'a',
    field: 'host',
    value: 'WS1',
  });
  await call!.answer({ text: 'filter: x' });
  const [change] = client.callsTo('changeNotes');
  const [draft] = change!.args.put!;
  expect(draft).toMatchObject({
    kind: FILTER,
    text: 'filter: x',
    data: { rule: 'a', value: 'WS1' },
  });
  const note = { ...draft, revision: 2, event: null, from: null, to: null } as Note;
  await change!.answer({ made: { mark: 'n', notes: [note], removed: [] }, conflicts: [] });
  expect(await done).toBe(true);
  expect(reading.filters).toMatchObject([{ title: 'Rule a', field: 'host', value: 'WS1' }]);
  expect(client.callsTo('runRules')).toHaveLength(2);
  // The alert is gone, and its matches with it; the rule stays open.
  await client.callsTo('runRules')[1]!.answer(runs(rule('a', ['WS2'])));
  expect([reading.rule, reading.hits]).toEqual(['a', null]);
});

it('says why a value cannot be excluded', async () => {
  const { client, detectors, reading } = await opened();
  const done = reading.exclude(detectors.rules!.fired[0]!, { field: 'a|b', value: 'x' });
  await client
    .callsTo('excludeValue')[0]!
    .fail({ code: 'badRequest', message: 'No.', hint: null } as never);
  expect(await done).toBe(false);
  expect(detectors.failure?.message).toBe('No.');
  detectors.retry();
  expect(detectors.failure).toBeNull();
});
