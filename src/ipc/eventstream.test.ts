import { expect, it } from 'vitest';

import { EventStreamParser, type StreamEvent } from './eventstream';

const stream =
  ': keep alive\n\nevent: progress\ndata: {"text":"größe 🌲"}\n\n' +
  'event: progress\r\ndata:{"a":\r\ndata: 1}\r\n\r\nevent: reply\ndata: {}\n\n';

const expected: StreamEvent[] = [
  { event: 'progress', data: '{"text":"größe 🌲"}' },
  { event: 'progress', data: '{"a":\n1}' },
  { event: 'reply', data: '{}' },
];

it('returns the same events for every chunk size', () => {
  const bytes = new TextEncoder().encode(stream);
  for (let size = 1; size <= bytes.length; size += 1) {
    const parser = new EventStreamParser();
    const events: StreamEvent[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      events.push(...parser.push(bytes.subarray(at, at + size)));
    }
    expect(events).toEqual(expected);
  }
});

it('returns no event that has not ended', () => {
  const parser = new EventStreamParser();
  expect(parser.push(new TextEncoder().encode('event: reply\ndata: {}\n'))).toEqual([]);
});
