// @vitest-environment jsdom
import { beforeEach, expect, it } from 'vitest';

import type { DropHandlers } from '../../ipc/client';
import type { CaseSummary, Contract, Hello } from '../../ipc/generated';
import { FakeClient, settled } from '../fakeclient';
import { Session } from './session.svelte';

/** A host that accepts drops and may have been opened by another window. */
class Host extends FakeClient {
  handlers: DropHandlers | null = null;
  given: string[] | null = null;
  recent: string[] = [];

  override onDrop(handlers?: DropHandlers): () => void {
    this.handlers = handlers ?? null;
    return () => {};
  }

  override openedFor(): Promise<string[] | null> {
    return Promise.resolve(this.given);
  }

  async answerAll(): Promise<void> {
    const answers: Partial<{ [K in keyof Contract]: Contract[K]['reply'] }> = {
      hello: {
        paths: ['/named.log'],
        recent: this.recent.map((path) => ({ path })),
        case: null,
        casesFolder: '/c',
      } as never as Hello,
      createCase: summary(),
      openCase: summary(),
    };
    const answered = new Set<unknown>();
    for (let round = 0; round < 6; round += 1) {
      await settled();
      for (const call of this.calls) {
        const answer = answers[call.name];
        if (answer !== undefined && !answered.has(call)) {
          answered.add(call);
          await call.answer(answer);
        }
      }
    }
  }
}

const summary = (): CaseSummary => ({
  path: '/c/a.case',
  name: 'a',
  events: 0,
  sources: [],
  first: null,
  last: null,
  revision: 1,
  readOnly: null,
  profile: 'full',
  segmentsReady: 0,
  segments: 0,
  bytesOnDisk: 0,
  missing: [],
});

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  history.replaceState(null, '', '/');
});

async function drop(host: Host, x: number, y: number, paths: string[]): Promise<void> {
  const place = { x: x * window.innerWidth, y: y * window.innerHeight };
  host.handlers!.enter();
  host.handlers!.over(place);
  host.handlers!.landed(place);
  host.handlers!.leave();
  host.handlers!.drop(paths);
  await host.answerAll();
}

async function opened(): Promise<{ host: Host; session: Session }> {
  const host = new Host();
  const session = new Session(host);
  session.listenForDrops();
  void session.openCase('/c/a.case');
  await host.answerAll();
  return { host, session };
}

it('a drop in the middle is added to the case and starts at once', async () => {
  const { host, session } = await opened();
  await drop(host, 0.5, 0.4, ['/x.log']);
  expect(host.callsTo('import')[0]!.args).toEqual({ case: '/c/a.case', paths: ['/x.log'] });
  expect(host.callsTo('createCase')).toHaveLength(0);
  expect(session.sheet).toBeNull();
});

it('a drop on the right opens another window', async () => {
  const { host } = await opened();
  await drop(host, 0.95, 0.4, ['/x.log', '/y.log']);
  expect(host.newWindows).toEqual([['/x.log', '/y.log']]);
  expect(host.callsTo('import')).toHaveLength(0);
});

it('a drop on the left makes a new case', async () => {
  const { host } = await opened();
  await drop(host, 0.05, 0.4, ['/x.log']);
  expect(host.callsTo('createCase')[0]!.args).toEqual({ paths: ['/x.log'] });
});

it('a drop at the bottom is previewed, and imported as chosen', async () => {
  const { host, session } = await opened();
  await drop(host, 0.5, 0.95, ['/x.log']);
  expect(host.callsTo('import')).toHaveLength(0);
  if (session.sheet?.kind !== 'import') throw new Error('there is no sheet');
  session.sheet.sheet.choose('/x.log', { zone: 'UTC' });
  void session.begin(session.sheet.sheet);
  expect(session.sheet).toBeNull();
  const { choices } = host.callsTo('import')[0]!.args;
  expect(choices?.files).toEqual([{ path: '/x.log', reading: { zone: 'UTC' } }]);
});

it('asks before pasted text goes into a case, because it stays there', async () => {
  const { host, session } = await opened();
  await session.paste('  \n');
  expect(session.sheet).toBeNull();
  await session.paste('one line\n');
  expect(host.callsTo('paste')).toHaveLength(0);
  expect(session.sheet).toEqual({ kind: 'paste', text: 'one line\n' });
  void session.readPasted('one line\n', 'mine');
  expect(host.callsTo('paste')[0]!.args).toMatchObject({ name: 'mine', text: 'one line\n' });
});

it('imports the paths from another window, and not those of the command line', async () => {
  const host = new Host();
  host.given = ['/given.log'];
  void new Session(host).start();
  await host.answerAll();
  expect(host.callsTo('createCase').map(({ args }) => args)).toEqual([{ paths: ['/given.log'] }]);
  const idle = new Host();
  idle.given = [];
  sessionStorage.clear();
  void new Session(idle).start();
  await idle.answerAll();
  expect(idle.callsTo('createCase')).toHaveLength(0);
});

it('continues what an import has left unread, with the choices of that import', async () => {
  const host = new Host();
  const session = new Session(host);
  await Promise.all([session.openCase('/c/a.case'), host.answerAll()]);
  const request = { case: '/c/a.case', paths: ['/big.log'], choices: { again: true } as never };
  const gone = { case: '/c/a.case', paths: ['/gone.log'] };
  session.opened!.unread.look();
  await host
    .callsTo('unread')
    .at(-1)!
    .answer({
      imports: [
        { request, files: ['/big.log'], isThere: true },
        { request: gone, files: ['/gone.log'], isThere: false },
      ],
    });
  expect(session.opened!.unread.files).toEqual(['/big.log', '/gone.log']);
  session.continueImports();
  expect(host.callsTo('import').map(({ args }) => args)).toEqual([request]);
  expect(session.opened!.unread.files).toEqual([]);
  session.opened!.dispose();
});

/** A page that is opened with an address. */
async function started(hash: string): Promise<{ host: Host; session: Session }> {
  history.replaceState(null, '', `/#${hash}`);
  const host = new Host();
  host.recent = ['/other/b.case', '/c/a.case'];
  const session = new Session(host);
  void session.start();
  await host.answerAll();
  return { host, session };
}

it('a link opens its case and view, and a reload shows them again', async () => {
  const { host, session } = await started(
    'case=a.case&timberline-view=1&query=linked&tab=patterns',
  );
  expect(host.callsTo('openCase').map(({ args }) => args)).toEqual([{ path: '/c/a.case' }]);
  expect(host.callsTo('createCase')).toHaveLength(0);
  const view = session.opened!.explorer.history;
  expect(view.current).toMatchObject({ query: 'linked', tab: 'patterns' });
  expect(session.link).toContain('/#case=a.case&timberline-view=1&query=linked');
  view.change({ query: 'later' });
  const again = await started(location.hash.slice(1));
  expect(again.session.opened?.explorer.query).toBe('later');
  expect([session.problems, again.session.problems]).toEqual([[], []]);
});

it('an address without a view shows the case as it was left', async () => {
  const before = await started('case=a.case&timberline-view=1');
  before.session.opened!.explorer.history.change({ query: 'left' });
  const { session } = await started('case=a.case');
  expect(session.opened?.explorer.query).toBe('left');
});

it.each([
  ['case=gone.case&timberline-view=1&query=a', '“gone.case”'],
  ['case=a.case&timberline-view=9&query=a', 'newer version'],
  ['case=a.case&timberline-view=&query=a', 'damaged'],
  ['nonsense', 'damaged'],
])('the address %s gives a message and the plain view', async (hash, message) => {
  const { session } = await started(hash);
  expect(session.problems.map((problem) => problem.message).join()).toContain(message);
  expect(session.opened?.explorer.history.text).toBe('timberline-view=1');
});

it('lists the cases again when a person comes back from another page that changed them', async () => {
  const host = new Host();
  host.given = [];
  const session = new Session(host, null);
  const asked = () => host.callsTo('hello');
  session.doing = null;
  session.hello = { recent: [] } as unknown as Hello;
  window.dispatchEvent(new Event('focus'));
  expect(asked()).toHaveLength(1);
  await asked()[0]!.answer({ recent: [{ path: '/new' }] } as unknown as Hello);
  expect(session.hello.recent).toMatchObject([{ path: '/new' }]);
});
