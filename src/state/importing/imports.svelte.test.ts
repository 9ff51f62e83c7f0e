import { expect, it, vi } from 'vitest';

import type { FileProgress, ImportProgress, ImportReport, WireError } from '../../ipc/generated';
import { FakeClient, settled } from '../fakeclient';
import { ImportJob, Imports, problemsOf, type Work } from './imports.svelte';

const problem = (code: WireError['code'], path: string): WireError => ({
  code,
  path,
  message: 'm',
  hint: null,
  span: null,
});

const file = (index: number, note: WireError | null = null) =>
  ({ index, path: `/${index}`, state: 'done', note }) as FileProgress;

const progress = (changed: FileProgress[]) => ({ revision: 1, changed }) as ImportProgress;

const report = (part: Partial<ImportReport> = {}) =>
  ({ events: 1, cancelled: false, problems: [], ...part }) as ImportReport;

function job(client: FakeClient, listener = { published: vi.fn(), finished: vi.fn() }) {
  return new ImportJob(client, '/a.case', { kind: 'import', paths: ['/x'] }, listener);
}

const jobOf = (client: FakeClient, path: string) =>
  new ImportJob(
    client,
    path,
    { kind: 'import', paths: ['/x'] },
    {
      published: vi.fn(),
      finished: vi.fn(),
    },
  );

it('imports into one case after the other, whatever the previous one ends with', async () => {
  const client = new FakeClient();
  const imports = new Imports();
  const [first, second] = [jobOf(client, '/a.case'), jobOf(client, '/b.case')];
  imports.add(first);
  imports.add(second);
  expect(client.callsTo('import')).toHaveLength(1);
  expect(second.state).toBe('waiting');
  await client.callsTo('import')[0]!.fail(problem('diskFull', '/x'));
  expect(first.state).toBe('failed');
  expect(imports.running).toBe(second);
  await client.callsTo('import')[1]!.answer(report());
  expect(second.state).toBe('done');
});

it('hands work on the same case to the engine at once, so that a reload does not lose it', async () => {
  const client = new FakeClient();
  const imports = new Imports();
  const first = job(client);
  const reread = { kind: 'reread', sources: [0], reading: {} } as unknown as Work;
  const second = new ImportJob(client, '/a.case', reread, {
    published: vi.fn(),
    finished: vi.fn(),
  });
  imports.add(first);
  imports.add(second);
  expect(client.callsTo('reread')).toHaveLength(1);
  expect([imports.running, second.isQueued]).toEqual([first, true]);
  await client.callsTo('import')[0]!.answer(report());
  expect(imports.running).toBe(second);
  client.callsTo('reread')[0]!.options.progress?.(progress([file(0)]));
  expect(second.isQueued).toBe(false);
});

it('merges reports that contain only changed files', async () => {
  const client = new FakeClient();
  const one = job(client);
  void one.run();
  const { options, answer } = client.callsTo('import')[0]!;
  options.progress?.(progress([file(0), file(2)]));
  options.progress?.(progress([file(2, problem('binary', '/2')), file(1)]));
  expect(one.files.map(({ index }) => index)).toEqual([0, 1, 2]);
  await answer(report({ problems: [problem('binary', '/2'), problem('notFound', '/3')] }));
  expect(problemsOf(one).map(({ code }) => code)).toEqual(['binary', 'notFound']);
});

it('waits for the report of a stopped import', async () => {
  const client = new FakeClient();
  const listener = { published: vi.fn(), finished: vi.fn() };
  const one = job(client, listener);
  void one.run();
  one.cancel();
  expect(client.callsTo('import')[0]!.options.signal?.aborted).toBe(true);
  expect(one.stopping).toBe(true);
  expect(one.active).toBe(true);
  await client.callsTo('import')[0]!.answer(report({ cancelled: true, events: 7 }));
  expect(one.state).toBe('cancelled');
  expect(listener.finished).toHaveBeenCalledWith(expect.objectContaining({ events: 7 }));
});

it('does not start an import that was stopped while it waited', async () => {
  const client = new FakeClient();
  const imports = new Imports();
  const [first, second] = [jobOf(client, '/a.case'), jobOf(client, '/b.case')];
  imports.add(first);
  imports.add(second);
  second.cancel();
  await client.callsTo('import')[0]!.answer(report());
  await settled();
  expect(client.callsTo('import')).toHaveLength(1);
  imports.dismissFinished();
  expect(imports.jobs).toHaveLength(0);
});

it('attends an import until it ends, and forgets one that had ended before', async () => {
  const client = new FakeClient();
  const listener = { published: vi.fn(), finished: vi.fn() };
  const attended = () => new ImportJob(client, '/a.case', { kind: 'attend' }, listener);
  const imports = new Imports();
  const first = attended();
  imports.add(first);
  expect(imports.isBusy('/a.case')).toBe(true);
  expect(imports.isBusy('/b.case')).toBe(false);
  const call = client.callsTo('attend')[0]!;
  expect(call.args).toEqual({ path: '/a.case' });
  call.options.progress?.(progress([file(0)]));
  expect(first.files).toHaveLength(1);
  await call.answer(report());
  expect([first.state, listener.finished.mock.calls.length]).toEqual(['done', 1]);
  imports.add(attended());
  await client.callsTo('attend')[1]!.answer(null);
  expect(imports.jobs).toEqual([first]);
  expect(listener.finished).toHaveBeenCalledTimes(1);
});
