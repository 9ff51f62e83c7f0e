import { expect, it } from 'vitest';

import { Lifetime } from '../../base/lifetime';
import { EngineError } from '../../ipc/client';
import type { View } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { Landmarks, MARKS } from './landmarks.svelte';

const asked = (query: string) => ({
  view: { case: '/a.case', query, from: null, to: null } satisfies View,
  order: 'oldestFirst' as const,
});
const strip = (errors: number) => ({ revision: 1, total: 9, counts: [[errors], [0], [0]] });
const error = (code: 'queryInvalid' | 'internal') =>
  new EngineError({ code, message: 'failed', hint: null, path: null, span: null });

function shown(isRemote = false) {
  const client = new FakeClient();
  const landmarks = new Landmarks(new Lifetime(), client, isRemote);
  landmarks.fit(10);
  landmarks.show(asked('a'));
  const strips = () => client.callsTo('strip');
  return { client, landmarks, strips, marks: () => strips().at(-1)!.args.marks };
}

it('keeps the marks of the last valid query while another is invalid, and follows the next', async () => {
  const { landmarks, strips } = shown();
  await strips()[0]!.answer(strip(3));
  landmarks.show(asked('b'));
  await strips()[1]!.fail(error('queryInvalid'));
  expect(landmarks.problem).toBeNull();
  expect(landmarks.value?.counts[0]).toEqual([3]);
  landmarks.show(asked('a'));
  expect(landmarks.isStale).toBe(false);
  landmarks.show(asked('c'));
  await strips()[2]!.answer(strip(4));
  expect(landmarks.value?.counts[0]).toEqual([4]);
});

it('recovers from a failure with the next answer, also where no marks are drawn', async () => {
  const { landmarks, strips } = shown();
  await strips()[0]!.fail(error('internal'));
  expect(landmarks.problem?.code).toBe('internal');
  landmarks.show(asked('b'));
  await strips()[1]!.answer(strip(1));
  expect(landmarks.problem).toBeNull();

  const remote = shown(true);
  remote.landmarks.seek('error', false, 0, () => {});
  await remote.client.callsTo('seek')[0]!.fail(error('internal'));
  expect(remote.landmarks.problem?.code).toBe('internal');
  remote.landmarks.seek('error', false, 0, () => {});
  await remote.client.callsTo('seek')[1]!.answer({ row: 7 });
  expect(remote.landmarks.problem).toBeNull();
});

it('says nothing of a search that another one has overtaken', async () => {
  const { client, landmarks } = shown();
  const found: (number | null)[] = [];
  landmarks.seek('error', false, 0, (row) => found.push(row));
  landmarks.seek('warning', false, 0, (row) => found.push(row));
  await client.callsTo('seek')[0]!.answer({ row: null });
  await client.callsTo('seek')[1]!.answer({ row: null });
  expect(found).toEqual([null]);
});

it('a highlight that failed with an invalid view is marked again in the next one', async () => {
  const { landmarks, strips, marks } = shown();
  await strips()[0]!.answer(strip(3));
  landmarks.lookFor('timeout');
  expect(marks()).toEqual([MARKS.error, MARKS.warning, 'timeout']);
  await strips()[1]!.fail(error('queryInvalid'));
  expect(landmarks.findError).not.toBeNull();
  // The marks of errors do not wait for it; they are known.
  expect(landmarks).toMatchObject({ value: strip(3), isStale: false, busy: false });

  landmarks.show(asked('b'));
  expect(marks()).toEqual([MARKS.error, MARKS.warning, 'timeout']);
  await strips()[2]!.fail(error('queryInvalid'));
  expect(marks()).toEqual([MARKS.error, MARKS.warning]);
  await strips()[3]!.answer(strip(4));
  expect(landmarks.findError).not.toBeNull();

  landmarks.show(asked('c'));
  expect(marks()).toEqual([MARKS.error, MARKS.warning, 'timeout']);
  await strips()[4]!.answer(strip(5));
  expect(landmarks.findError).toBeNull();
  expect(landmarks.value?.counts[0]).toEqual([5]);
});
