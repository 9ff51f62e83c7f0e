import { expect, it } from 'vitest';

import { Report } from './rusttests.mjs';

const event = (event, name, more = {}) => JSON.stringify({ type: 'test', event, name, ...more });

function reported(lines, code, signal = null) {
  const program = new Report('engine unit');
  const said = [];
  const say = (line) => said.push(line);
  for (const line of lines) program.line(line, say);
  program.end(code, signal, say);
  return { program, said };
}

it('counts a skipped test as skipped, with its reason, and not as passed', () => {
  const { program, said } = reported(
    [
      event('started', 'store::opens'),
      'skipped store::opens: the program zstd is not installed',
      event('ok', 'store::opens', { exec_time: 0.5 }),
      event('started', 'store::closes'),
      event('ok', 'store::closes', { exec_time: 3 }),
      event('ignored', 'store::draws'),
    ],
    0,
  );
  expect(program.passed).toBe(1);
  expect(program.skipped).toEqual([
    { name: 'store::opens', reason: 'the program zstd is not installed' },
  ]);
  expect(program.times).toEqual([
    { name: 'engine unit store::opens', seconds: 0.5 },
    { name: 'engine unit store::closes', seconds: 3 },
  ]);
  expect(program.failures).toEqual([]);
  expect(said).toHaveLength(1);
});

it('names a failing test with the reason, and keeps the ends of a megabyte', () => {
  const stdout = `thread 'finds' panicked at src/a.rs:1:2:\n1 is not 2\n${'x'.repeat(1 << 20)}`;
  const { program, said } = reported(
    [event('started', 'finds'), event('failed', 'finds', { exec_time: 1, stdout })],
    101,
  );
  expect(program.failures).toEqual([{ name: 'engine unit finds', reason: '1 is not 2' }]);
  expect(said.join('').length).toBeLessThan(100_000);
});

it('names what ran when a program was killed, also if it had been slow', () => {
  const { program } = reported(
    [event('started', 'waits'), event('timeout', 'waits'), event('started', 'sleeps')],
    null,
    'SIGKILL',
  );
  const reason = 'was ended by SIGKILL while waits, sleeps ran';
  expect(program.failures).toEqual([{ name: 'engine unit', reason }]);
});

it('says when a program that was stopped did not end', () => {
  const program = new Report('all');
  program.hangs = true;
  program.line(event('started', 'waits'), () => {});
  program.end(null, 'SIGKILL', () => {});
  expect(program.failures).toEqual([{ name: 'all', reason: 'did not end while waits ran' }]);
});
