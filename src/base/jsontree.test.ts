import { expect, it } from 'vitest';

import { jsonLeaves, jsonTree, TooDeep, type JsonNode } from './jsontree';

const leaves = (node: JsonNode): string[] =>
  node.children.length === 0
    ? [`${node.path}=${node.kind}:${node.text}`]
    : node.children.flatMap(leaves);

it('keeps every value as it is written', () => {
  const text = '{"id":12345678901234567890,"a":{"b c":[1.50,"x\\n\\u00e9"],"b c":null},"e":{}}';
  expect(leaves(jsonTree(text)!)).toEqual([
    'id=number:12345678901234567890',
    'a.b c=number:1.50',
    'a.b c=string:x\né',
    'a.b c=word:null',
    'e=object:',
  ]);
});

it.each([
  '',
  'plain',
  '12',
  '"text"',
  '{"a":1',
  '{"a":1} tail',
  '{a:1}',
  '[1,]',
  '{"a" 1}',
  '{"a":"\\',
  '{"a":tru}',
])('rejects %j, which is no JSON', (text) => expect(jsonTree(text)).toBeNull());

it('parses the beginning of a truncated text', () => {
  const read = (text: string) => jsonLeaves(text, true)?.map(({ path, text }) => `${path}=${text}`);
  expect(read('{"a":1,"b":{"c":"x","d":"y')).toEqual(['a=1', 'b.c=x']);
  expect(jsonLeaves('{"a":1', false)).toBeNull();
  expect(jsonLeaves('['.repeat(100_000), false)).toBeNull();
});

it('accepts what logs write although JSON does not allow it', () => {
  expect(jsonTree('{"a":"tab\there"}')?.children[0]?.text).toBe('tab\there');
});

it('stops at endless nesting and accepts a text of a megabyte', () => {
  expect(() => jsonTree('['.repeat(100_000))).toThrow(TooDeep);
  const long = 'x'.repeat(1 << 20);
  expect(jsonTree(`{"a":"${long}"}`)?.children[0]?.text.length).toBe(1 << 20);
});
