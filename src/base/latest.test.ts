import { describe, expect, it } from 'vitest';

import { Latest } from './latest';
import { Lifetime } from './lifetime';

/** A task that ends when the test decides. */
function controlled(key: string, log: string[]) {
  let resolve!: (value: string) => void;
  let reject!: (error: unknown) => void;
  const answer = new Promise<string>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  let signal: AbortSignal | undefined;
  return {
    resolve,
    reject,
    started: () => signal !== undefined,
    stopped: () => signal?.aborted ?? false,
    task: {
      key,
      load: (given: AbortSignal) => {
        signal = given;
        return answer;
      },
      done: (value: string) => void log.push(value),
      failed: (error: unknown) => void log.push(`failed ${String(error)}`),
    },
  };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('replace', () => {
  it('never delivers an overtaken answer, whichever arrives first', async () => {
    const log: string[] = [];
    const latest = new Latest<string>(new Lifetime());
    const [old, young] = [controlled('a', log), controlled('b', log)];
    latest.replace(old.task);
    latest.replace(young.task);
    expect(old.stopped()).toBe(true);
    young.resolve('young');
    await settled();
    old.resolve('old');
    await settled();
    expect(log).toEqual(['young']);
    expect(latest.busy).toBe(false);
  });

  it('ignores an overtaken failure', async () => {
    const log: string[] = [];
    const latest = new Latest<string>(new Lifetime());
    const [old, young] = [controlled('a', log), controlled('b', log)];
    latest.replace(old.task);
    latest.replace(young.task);
    old.reject('too late');
    young.resolve('young');
    await settled();
    expect(log).toEqual(['young']);
  });

  it('does not run the same task twice at once', async () => {
    const log: string[] = [];
    const latest = new Latest<string>(new Lifetime());
    const [first, second] = [controlled('same', log), controlled('same', log)];
    latest.replace(first.task);
    latest.replace(second.task);
    expect(second.started()).toBe(false);
    first.resolve('first');
    await settled();
    expect(log).toEqual(['first']);
  });
});

describe('follow', () => {
  it('lets the running task finish, then runs only the newest waiting one', async () => {
    const log: string[] = [];
    const latest = new Latest<string>(new Lifetime());
    const [one, two, three] = ['1', '2', '3'].map((key) => controlled(key, log));
    latest.follow(one!.task);
    latest.follow(two!.task);
    latest.follow(three!.task);
    expect(one!.stopped()).toBe(false);
    one!.resolve('one');
    await settled();
    expect(two!.started()).toBe(false);
    three!.resolve('three');
    await settled();
    expect(log).toEqual(['one', 'three']);
  });

  it('continues after a failure', async () => {
    const log: string[] = [];
    const latest = new Latest<string>(new Lifetime());
    const [one, two] = [controlled('1', log), controlled('2', log)];
    latest.follow(one.task);
    latest.follow(two.task);
    one.reject('broken');
    await settled();
    two.resolve('two');
    await settled();
    expect(log).toEqual(['failed broken', 'two']);
  });

  it('is dropped when a person requests something else', async () => {
    const log: string[] = [];
    const latest = new Latest<string>(new Lifetime());
    const [one, waiting, other] = [
      controlled('1', log),
      controlled('2', log),
      controlled('3', log),
    ];
    latest.follow(one.task);
    latest.follow(waiting.task);
    latest.replace(other.task);
    other.resolve('other');
    await settled();
    expect(waiting.started()).toBe(false);
    expect(log).toEqual(['other']);
  });
});

it('reports busy from the first task to the last answer without a gap', async () => {
  const states: boolean[] = [];
  const log: string[] = [];
  const latest = new Latest<string>(new Lifetime(), (busy) => states.push(busy));
  const [one, two] = [controlled('1', log), controlled('2', log)];
  latest.follow(one.task);
  latest.follow(two.task);
  one.resolve('one');
  await settled();
  two.resolve('two');
  await settled();
  expect(states).toEqual([true, true, false]);
});

it('delivers nothing after stop', async () => {
  const log: string[] = [];
  const latest = new Latest<string>(new Lifetime());
  const one = controlled('1', log);
  latest.replace(one.task);
  latest.stop();
  one.resolve('one');
  await settled();
  expect(log).toEqual([]);
  expect(one.stopped()).toBe(true);
});
