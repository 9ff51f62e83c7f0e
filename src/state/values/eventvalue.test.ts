import { expect, it } from 'vitest';

import type { EventDetail } from '../../ipc/generated';
import { valueAt, wordAt } from './eventvalue';

const word = (marked: string) => {
  const at = marked.indexOf('|');
  return wordAt(marked.replace('|', ''), at)?.value ?? null;
};

it.each([
  ['status=5|02 took', '502'],
  ['{"status":5|00,"x":1}', '500'],
  ['"GET /shop/it|em1 HTTP/1.1"', '/shop/item1'],
  ['at 10:05|:33 failed', '10:05:33'],
  ['connection refus|ed.', 'refused'],
  ['user=bob‹U+202E›x|y', 'xy'],
  ['one⏎tw|o', 'two'],
  ['a | - b', null],
  ['|', null],
])('the word at the mark in %s is %s', (marked, expected) => expect(word(marked)).toBe(expected));

function event(...pieces: [text: string, field: string | null][]): EventDetail {
  const fields = pieces
    .filter(([, field]) => field !== null)
    .map(([value, name]) => ({ name: name!, value, ecs: null, kind: 'text' }));
  return { fields, pieces: pieces.map(([text, field]) => ({ text, field })) } as EventDetail;
}

const access = event(
  ['10.0.0.1', 'client'],
  [' "', null],
  ['GET', 'method'],
  [' ', null],
  ['/a b', 'path'],
  ['" ', null],
  ['200', 'status'],
  [' ', null],
  ['200', 'bytes'],
);
const text = '10.0.0.1 "GET /a b" 200 200';

it('a value of a field is known by its place, also where another field has the same', () => {
  expect(valueAt(text, text.length - 1, access)).toMatchObject({ field: 'bytes', value: '200' });
  expect(valueAt(text, text.length - 5, access)).toMatchObject({ field: 'status', value: '200' });
  expect(valueAt(text, text.indexOf('b"'), access)).toMatchObject({ field: 'path', value: '/a b' });
});

it('a text in another order is searched for the field that is named before the word', () => {
  const shown = 'gave up  {"took":5,"status":"500","code":500,"user":"ann"}';
  const json = event(['5', 'took'], ['500', 'status'], ['500', 'http.code'], ['ann', 'user']);
  const of = (part: string, after = 0) => valueAt(shown, shown.indexOf(part) + after, json);
  expect(of('500,')).toMatchObject({ field: 'http.code', value: '500' });
  expect(of('500"')).toMatchObject({ field: 'status', value: '500' });
  expect(of('ann')).toMatchObject({ field: 'user', value: 'ann' });
  expect(of('gave')).toMatchObject({ field: null, value: 'gave' });
});

it('a message is taken word by word, and without the event every text is', () => {
  const message = event(['gave up', 'message']);
  expect(valueAt('gave up', 1, message)).toMatchObject({ field: null, value: 'gave' });
  expect(valueAt('gave up', 6, null)).toMatchObject({ field: null, value: 'up' });
});
