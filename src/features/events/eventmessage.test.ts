import { expect, it } from 'vitest';

import { messageOf } from './eventmessage';

const lead = (text: string, known: string | null = null, cut = false) =>
  messageOf({ text, cut, level: 'info' }, known);

it('puts the message first, and leaves out fields with a column of their own', () => {
  const text =
    '{"ts":"2026-03-01T00:00:00Z","level":"info","id":12345678901234567890,"msg":"up","http":{"path":"/a b","status":200}}';
  expect(lead(text)).toEqual({
    message: 'up',
    rest: 'id=12345678901234567890 http.path="/a b" http.status=200',
  });
});

it.each(['@level', '@timestamp', 'event_time', 'eventTime'])('leaves out %s', (name) =>
  expect(lead(`{"${name}":"info","msg":"up"}`)).toEqual({ message: 'up', rest: '' }),
);

it('takes the message from the engine, also if the text is cut before it', () => {
  expect(lead('{"body":"up","n":1}', 'up')).toEqual({ message: 'up', rest: 'n=1' });
  const cut = lead('{"n":1,"pod":{"name":"sho', 'up', true);
  expect(cut).toEqual({ message: 'up', rest: 'n=1' });
});

it.each(['plain text', '{"n":1}', '{"msg":""}', '{"msg":{"n":1}}', '{"msg":"up"', '{'.repeat(999)])(
  'leaves %j as written',
  (text) => expect(lead(text)).toBeNull(),
);

it.each([
  [
    '2026-03-03T13:00:14.145000+00:00 db-1 dhclient[5535]: DHCPACK of 10.0.0.12 from 10.0.0.1',
    'DHCPACK of 10.0.0.12 from 10.0.0.1',
    'db-1 dhclient[5535]',
  ],
  ['<34>1 2026-03-01T14:05:00Z host app 77 ID7 - disk full', 'disk full', 'host app 77 ID7'],
  [
    'Mar  1 14:05:00 web-2 sshd[9]: Failed password for x',
    'Failed password for x',
    'web-2 sshd[9]',
  ],
  ['1998.293.17:56:04.1 [W] seed: late packet', 'late packet', '[W] seed'],
  ['[2026-03-01 14:05:00,123] {pool-1} INFO  (main): started', 'started', '{pool-1} (main)'],
  [
    '[Sun Dec 04 04:47:44 2005] [error] mod_jk child in error state',
    'mod_jk child in error state',
    '',
  ],
  ['2026-03-01 14:05:00 INFO one', 'one', ''],
  ['03/Mar/2026:14:05:00 +0000 proxy: refused', 'refused', 'proxy'],
  ['01-Mar-2026 14:05:00.123 queries: info: client @0x7f query', 'client @0x7f query', 'queries'],
  ['time="2026-03-01T14:05:00Z" level=warning msg="no route" host=a n=3', 'no route', 'host=a n=3'],
  ['1772373900.123 worker-3 | done in 12 ms', 'done in 12 ms', 'worker-3'],
])('shows the message of %j first, without what has a column', (text, message, rest) => {
  expect(lead(text, message)).toEqual({ message, rest });
});

it('keeps the lines below the message below it', () => {
  expect(lead('14:05:00.1 I [net] up by 3\n\tat a.B.c(B.java:3)\r\n\tat d\n', 'up')).toEqual({
    message: 'up\n\tat a.B.c(B.java:3)\n\tat d',
    rest: 'I [net] by 3',
  });
});

it('shows a message of several lines whole, also if the row is cut within it', () => {
  const long = `Checkout failed for order 1000 and for 1001\n${'\tat a.B.c(B.java:3)\n'.repeat(90)}Caused by: d.E`;
  for (const before of ['', '2026-03-01 14:05:00 '])
    expect(lead(`${before}${long}`.slice(0, 200), long, true)).toEqual({ message: long, rest: '' });
  // Between the beginning and the cause, the engine leaves out more or fewer lines.
  const [shorter, longer] = [3, 4].map(
    (frames) => `${long.split('\n').slice(0, frames).join('\n')}\n…\nCaused by: d.E`,
  );
  expect(lead(`2026-03-01 14:05:00 ${shorter}`, longer, true)?.message).toBe(longer);
});

it('shows a line without a message, or with nothing else, as written', () => {
  expect(lead('192.0.2.4 - - "GET / HTTP/1.1 200 12')).toBeNull();
  expect(lead('all of it', 'all of it')).toBeNull();
  expect(lead('2026-03-01 14:05:00 escaped \\"quote', 'escaped "quote')).toBeNull();
});

it.each([
  [
    '192.0.2.4 - - [03/Mar/2026:14:05:00 +0000] "GET /a?b=1 HTTP/1.1" 304 12 "-" "curl/8.5"',
    'GET /a?b=1 304',
    '192.0.2.4 12 "-" "curl/8.5"',
  ],
  ['50.16.19.13 [03.03.26 14:05:00] "GET / HTTP/2" 200', 'GET / 200', '50.16.19.13'],
  ['shop 192.0.2.4 "POST /cart" 200', 'POST /cart 200', 'shop 192.0.2.4'],
])('shows the request and the status of %j first', (text, message, rest) => {
  expect(lead(text)).toEqual({ message, rest });
});

it('shows the beginning of a message that is cut in the row', () => {
  const long = 'a message that is much longer than what a row of the list carries of it';
  const text = `Mar  1 14:05:00 web-2 app: ${long.slice(0, 50)}`;
  expect(lead(text, long, true)).toEqual({ message: long.slice(0, 50), rest: '' });
});

it('keeps a word that only looks like a level if the event has none', () => {
  const event = { text: 'host ERROR: x happened', cut: false, level: 'none' } as const;
  expect(messageOf(event, 'x happened')).toEqual({ message: 'x happened', rest: 'host ERROR' });
});
