import { beforeEach, expect, it, vi } from 'vitest';

import { Commands, type Command } from './commands.svelte';
import type { Pressed } from '../../base/keys';

const NONE = { writing: false, onControl: false };

function press(key: string, more: Partial<Pressed> & { altGraph?: boolean } = {}): Pressed {
  const { altGraph = false, ...rest } = more;
  return {
    key,
    code: '',
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    getModifierState: () => altGraph,
    ...rest,
  };
}

const run = vi.fn();
const command = (keys: string[], more: Partial<Command> = {}): Command => ({
  id: keys.join(),
  name: keys.join(),
  group: 'anywhere',
  keys,
  run: () => run(keys.join()),
  ...more,
});

let commands: Commands;
beforeEach(() => {
  run.mockClear();
  commands = new Commands();
});

it('runs the newest of two commands with the same key, and the older again when that is removed', () => {
  commands.register([command(['j'])]);
  const end = commands.register([command(['j', 'J'])]);
  expect(commands.obey(press('j'), NONE)).toBe(true);
  end();
  commands.obey(press('j'), NONE);
  expect(run.mock.calls).toEqual([['j,J'], ['j']]);
  expect(commands.obey(press('J', { shiftKey: true }), NONE)).toBe(false);
});

it('leaves keys to text fields and controls that use them', () => {
  commands.register([command(['j'], { unfocused: true }), command(['Enter']), command(['/'])]);
  commands.register([command(['Ctrl+K'], { whileWriting: true })]);
  const onControl = { writing: false, onControl: true };
  expect(commands.obey(press('j'), onControl)).toBe(false);
  expect(commands.obey(press('Enter'), onControl)).toBe(false);
  expect(commands.obey(press('/'), onControl)).toBe(true);
  expect(commands.obey(press('/'), { writing: true, onControl: false })).toBe(false);
  expect(commands.obey(press('k', { ctrlKey: true }), { writing: true, onControl: true })).toBe(
    true,
  );
});

it('offers and runs only commands that are possible now', () => {
  let possible = false;
  commands.register([
    command(['u'], { can: () => possible }),
    command(['x'], { can: () => false }),
  ]);
  expect(commands.offered).toEqual([]);
  expect(commands.obey(press('u'), NONE)).toBe(false);
  expect(commands.obey(press('x'), NONE)).toBe(false);
  possible = true;
  expect(commands.offered.map(({ id }) => id)).toEqual(['u']);
  commands.choose(commands.offered[0]!);
  expect(commands.recent).toEqual(['u']);
});
