import { expect, it } from 'vitest';

import { jsonMessageOf } from './jsonmessage';

const lead = (text: string, known: string | null = null, cut = false) =>
  jsonMessageOf({ text, cut }, known);

it('puts the message first, and leaves out fields with a column of their own', () => {
  const text =
    '{"ts":"2026-03-01T00:00:00Z","level":"info","id":12345678901234567890,"msg":"up","http":{"path":"/a b","status":200}}';
  expect(lead(text)).toEqual({
    message: 'up',
    rest: 'id=12345678901234567890 http.path="/a b" http.status=200',
  });
});

it('takes the message from the engine, also if the text is cut before it', () => {
  expect(lead('{"body":"up","n":1}', 'up')).toEqual({ message: 'up', rest: 'n=1' });
  const cut = lead('{"n":1,"pod":{"name":"sho', 'up', true);
  expect(cut).toEqual({ message: 'up', rest: 'n=1' });
});

it.each(['plain text', '{"n":1}', '{"msg":""}', '{"msg":{"n":1}}', '{"msg":"up"', '{'.repeat(999)])(
  'leaves %j as written',
  (text) => expect(lead(text)).toBeNull(),
);
