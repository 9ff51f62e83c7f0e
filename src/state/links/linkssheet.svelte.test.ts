import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import type { Clock, Links } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import type { Work } from '../importing/imports.svelte';
import type { OpenCase } from '../workbench/opencase.svelte';
import { LinksSheet } from './linkssheet.svelte';

const clock = (differs: boolean, jump: object | null = null) =>
  ({ sources: [0, 1], differs, setNs: '-90000000000', estimate: { jump } }) as unknown as Clock;

function shown(readOnly: string | null = null) {
  const client = new FakeClient();
  const work: Work[] = [];
  const sources = [
    { id: 0, name: 'web.log' },
    { id: 1, name: 'worker.log', set: 'worker.log*' },
    { id: 2, name: 'worker.log.1', set: 'worker.log*' },
  ];
  const opened = { summary: { path: '/c', readOnly, sources } } as unknown as OpenCase;
  const sheet = new LinksSheet(new Lifetime(), client, opened, (done) => work.push(done));
  return { sheet, work, call: client.callsTo('links')[0]! };
}

it('looks through the case, says how far it is, and stops when it is closed', async () => {
  const { sheet, call } = shown();
  expect([call.args, sheet.busy]).toEqual([{ path: '/c' }, true]);
  call.options.progress!({ fraction: 0.4 });
  expect(sheet.fraction).toBe(0.4);
  const found: Links = { links: [], ids: [], clocks: [], sampled: 1 };
  await call.answer(found);
  expect([sheet.value, sheet.busy]).toEqual([found, false]);

  const other = shown();
  other.sheet.dispose();
  expect(other.call.options.signal!.aborted).toBe(true);
});

it('corrects the clock of all files of a rotated set, and of nothing that one offset cannot', () => {
  const { sheet, work } = shown();
  const wrong = clock(true);
  expect([wrong, clock(false), clock(true, {})].map((each) => sheet.canCorrect(each))).toEqual([
    true,
    false,
    false,
  ]);
  sheet.correct(wrong);
  expect(work).toEqual([{ kind: 'adjust', sources: [1, 2], clockOffset: '-90000000000' }]);
  expect([sheet.nameOf(1), sheet.corrected]).toEqual(['worker.log*', [wrong]]);
  expect(shown('read-only').sheet.canCorrect(wrong)).toBe(false);
});
