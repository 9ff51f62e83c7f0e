import { expect, it } from 'vitest';

import type { Suggestion } from '../../ipc/generated';
import { FakeClient } from '../fakeclient';
import { Language } from './language';

const offer = (kind: Suggestion['kind'], insert: string, count: number | null): Suggestion => ({
  kind,
  label: insert.trim(),
  insert,
  detail: kind,
  count,
});

it('completion offers each thing once, at its place in the text', async () => {
  const client = new FakeClient();
  const { signal } = new AbortController();
  const found = new Language(client, '/c').complete('ä err', 5, signal);
  const suggestions = [
    offer('value', 'error', null),
    offer('word', 'error', 7),
    offer('field', 'error:', null),
    offer('keyword', 'error ', null),
  ];
  await client.callsTo('complete')[0]!.answer({ start: 3, end: 6, suggestions });
  expect(await found).toEqual({
    start: 2,
    end: 5,
    suggestions: [{ ...suggestions[0]!, count: 7 }, suggestions[2]],
  });
});
