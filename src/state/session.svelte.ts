import { engineError, type Client, type EngineError } from '../ipc/client';
import type { CaseSummary, Hello } from '../ipc/generated';
import { ImportJob, Imports } from './importing.svelte';
import { OpenCase } from './opencase.svelte';
import { rememberCase, rememberedCase } from './remembered';

/** What the window is busy with before there is anything to look at. */
export type Doing = 'starting' | 'creating' | 'opening' | null;

/** A whole window: the host, the case it shows, what it imports, what went wrong. */
export class Session {
  hello = $state.raw<Hello | null>(null);
  opened = $state.raw<OpenCase | null>(null);
  doing = $state<Doing>('starting');
  /** Files a browser is handing to the engine. */
  handover = $state.raw<{ done: number; total: number } | null>(null);
  /** Something is being dragged over the window. */
  dragging = $state(false);
  problems = $state.raw<readonly EngineError[]>([]);
  readonly imports = new Imports();

  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  get host(): Client['kind'] {
    return this.#client.kind;
  }

  async start(): Promise<void> {
    await this.#attempt('starting', async () => {
      const hello = await this.#client.call('hello', {});
      this.hello = hello;
      const remembered = rememberedCase(hello);
      if (remembered !== null) await this.#open(remembered);
      else if (hello.paths.length > 0) await this.#importIntoNew(hello.paths);
      else if (hello.case !== null) await this.#open(hello.case);
    });
  }

  openCase(path: string): Promise<void> {
    return this.#attempt('opening', () => this.#open(path));
  }

  loadSample(): Promise<void> {
    return this.#attempt('creating', async () => {
      const { paths } = await this.#client.call('sample', {});
      await this.#importIntoNew(paths);
    });
  }

  /** Asks for files and imports them: into the case that is open, else into a new one. */
  async choose(kind: 'files' | 'folder'): Promise<void> {
    try {
      const paths = await this.#client.choose(kind, this.#handedOver);
      this.handover = null;
      await this.import(paths);
    } catch (cause) {
      this.handover = null;
      this.report(engineError(cause));
    }
  }

  /** Hands over a file that was made here; tells what it is called, or null if it was not wanted. */
  save(name: string, content: Blob): Promise<string | null> {
    return this.#client.save(name, content);
  }

  async import(paths: string[]): Promise<void> {
    if (paths.length === 0) return;
    const opened = this.opened;
    const [only, ...more] = paths;
    // A case is a folder too; dropping one means opening it, not reading its files as logs.
    if (only?.endsWith('.case') && more.length === 0) await this.openCase(only);
    else if (opened === null) await this.#attempt('creating', () => this.#importIntoNew(paths));
    else this.#importInto(opened, paths);
  }

  listenForDrops(): () => void {
    return this.#client.onDrop({
      enter: () => (this.dragging = true),
      leave: () => (this.dragging = false),
      handover: this.#handedOver,
      drop: (paths) => {
        this.handover = null;
        void this.import(paths);
      },
      failed: (error) => {
        this.handover = null;
        this.report(error);
      },
    });
  }

  /** Back to the list of cases. An import goes on. */
  async leave(): Promise<void> {
    this.opened?.dispose();
    this.opened = null;
    rememberCase(this.hello, null);
    await this.#attempt('starting', async () => {
      this.hello = await this.#client.call('hello', {});
    });
  }

  report(error: EngineError): void {
    this.problems = [...this.problems, error];
  }

  dismiss(error: EngineError): void {
    this.problems = this.problems.filter((problem) => problem !== error);
  }

  readonly #handedOver = (done: number, total: number) => {
    this.handover = done < total ? { done, total } : null;
  };

  async #attempt(doing: Doing, action: () => Promise<void>): Promise<void> {
    this.doing = doing;
    try {
      await action();
    } catch (cause) {
      this.report(engineError(cause));
    } finally {
      this.doing = null;
    }
  }

  async #open(path: string): Promise<void> {
    this.#show(await this.#client.call('openCase', { path }));
  }

  async #importIntoNew(paths: string[]): Promise<void> {
    const summary = await this.#client.call('createCase', { paths });
    this.#importInto(this.#show(summary), paths);
  }

  #importInto(target: OpenCase, paths: string[]): void {
    const path = target.summary.path;
    // The case may have been left and opened again meanwhile, so it is looked up for each report.
    const current = () => (this.opened?.summary.path === path ? this.opened : null);
    this.imports.add(
      new ImportJob(this.#client, path, paths, {
        published: (progress) => current()?.published(progress),
        finished: (report) => current()?.finished(report),
      }),
    );
  }

  #show(summary: CaseSummary): OpenCase {
    this.opened?.dispose();
    const opened = new OpenCase(this.#client, summary);
    this.opened = opened;
    rememberCase(this.hello, summary.path);
    return opened;
  }
}
