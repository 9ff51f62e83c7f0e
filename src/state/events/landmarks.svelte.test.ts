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
  const landmarks = new Landmarks(new Lifetime(), client, () => null, isRemote);
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
  expect(landmarks.failure).toBeNull();
  expect(landmarks.strip?.counts[0]).toEqual([3]);
  landmarks.show(asked('a'));
  await strips()[2]!.answer(strip(4));
  expect(landmarks.strip?.counts[0]).toEqual([4]);
});

it('recovers from a failure with the next answer, also where no marks are drawn', async () => {
  const { landmarks, strips } = shown();
  await strips()[0]!.fail(error('internal'));
  expect(landmarks.failure?.code).toBe('internal');
  landmarks.show(asked('b'));
  await strips()[1]!.answer(strip(1));
  expect(landmarks.failure).toBeNull();

  const remote = shown(true);
  remote.landmarks.seek('error', false, 0, () => {});
  await remote.client.callsTo('seek')[0]!.fail(error('internal'));
  expect(remote.landmarks.failure?.code).toBe('internal');
  remote.landmarks.seek('error', false, 0, () => {});
  await remote.client.callsTo('seek')[1]!.answer({ row: 7 });
  expect(remote.landmarks.failure).toBeNull();
});

it('a highlight that failed with an invalid view is marked again in the next one', async () => {
  const { landmarks, strips, marks } = shown();
  await strips()[0]!.answer(strip(3));
  landmarks.lookFor('timeout');
  expect(marks()).toEqual([MARKS.error, MARKS.warning, 'timeout']);
  await strips()[1]!.fail(error('queryInvalid'));
  expect(landmarks.findError).not.toBeNull();
  // The marks of errors do not wait for it.
  expect(marks()).toEqual([MARKS.error, MARKS.warning]);
  await strips()[2]!.answer(strip(3));
  expect(landmarks.findError).not.toBeNull();

  landmarks.show(asked('b'));
  expect(marks()).toEqual([MARKS.error, MARKS.warning, 'timeout']);
  await strips()[3]!.answer(strip(5));
  expect(landmarks.findError).toBeNull();
  expect(landmarks.strip?.counts[0]).toEqual([5]);
});
