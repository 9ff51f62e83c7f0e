import { pageAddress, type AddressPlace } from '../../base/addressplace';
import { Lifetime } from '../../base/lifetime';
import { onReturn } from '../../base/onreturn';
import { texts } from '../../base/texts';
import { engineError, EngineError, type Client, type WindowPoint } from '../../ipc/client';
import type { CaseSummary, Formats, Hello, SavedFormat } from '../../ipc/generated';
import { FormatEditor } from '../importing/formateditor.svelte';
import { dropZones, targetAt, type DropTarget } from '../importing/droptargets';
import { ImportJob, Imports, problemsOf, type Work } from '../importing/imports.svelte';
import { ImportSheet } from '../importing/importsheet.svelte';
import { Cases } from './cases.svelte';
import { Confirmations } from './confirmations.svelte';
import { OpenCase } from './opencase.svelte';
import { rememberCase, rememberedCase } from './lastcase';
import { Remotes } from '../remotes/remotes.svelte';
import { pathWith } from '../remotes/together';
import { LinksSheet } from '../links/linkssheet.svelte';
import type { NewLive } from '../live/live.svelte';
import { SourcesSheet } from '../importing/sourcessheet.svelte';
import { caseNameOf, type Address, type AddressProblem } from '../view/address';
import { ViewAddress } from '../view/viewaddress';
import { START, type ViewState } from '../view/viewstate';

/** What the window is busy with before there is anything to show. */
export type Doing = 'starting' | 'creating' | 'opening' | null;

/** A sheet over the window: an import's preview, the sources, what they have in common, a new live source, the remotes, a push to one, or pasted text. */
export type Sheet =
  | { kind: 'import'; sheet: ImportSheet }
  | { kind: 'sources'; sheet: SourcesSheet }
  | { kind: 'links'; sheet: LinksSheet }
  | { kind: 'live' }
  | { kind: 'remotes' }
  | { kind: 'push' }
  | { kind: 'paste'; text: string };

/** A whole window: the host, its case, its imports, its problems. */
export class Session {
  hello = $state.raw<Hello | null>(null);
  opened = $state.raw<OpenCase | null>(null);
  doing = $state<Doing>('starting');
  /** Files that a browser is sending to the engine. */
  handover = $state.raw<{ done: number; total: number } | null>(null);
  /** The target under a drag over the window. */
  dragging = $state<DropTarget | null>(null);
  problems = $state.raw<readonly EngineError[]>([]);
  sheet = $state.raw<Sheet | null>(null);
  readonly imports = new Imports((job) => this.#ended(job));
  readonly cases: Cases;
  readonly remotes: Remotes;
  readonly #lifetime = new Lifetime();
  readonly confirmations = new Confirmations(this.#lifetime);

  readonly #client: Client;
  /** Null in the window, which shows no address. */
  readonly #address: ViewAddress | null;
  /** The cases that were open here. */
  readonly #opened = new Set<string>();
  /** Passes dropped files to the window that was opened for them. */
  #newWindow: ((paths: string[]) => void) | null = null;
  #landedOn: DropTarget = 'new';

  constructor(
    client: Client,
    place: AddressPlace | null = client.kind === 'browser' ? pageAddress : null,
  ) {
    this.#client = client;
    const user = {
      open: (address: Address) => this.#goTo(address),
      report: (problem: AddressProblem) => this.#reportAddress(problem),
    };
    this.#address = place === null ? null : new ViewAddress(place, user);
    this.remotes = new Remotes(this.#lifetime, client);
    // Another page may have made, renamed or deleted a case.
    onReturn(this.#lifetime, () => {
      if (this.opened === null && this.doing === null && this.hello !== null)
        void this.#greet().catch(() => {});
    });
    this.cases = new Cases(client, {
      renamed: (summary) => void this.#renamed(summary),
      copied: () => this.#greet(),
      deleting: (path) => (this.opened?.summary.path === path ? this.leave() : Promise.resolve()),
      deleted: () => this.#greet(),
      failed: (error) => this.report(error),
    });
  }

  get host(): Client['kind'] {
    return this.#client.kind;
  }

  async start(): Promise<void> {
    await this.#attempt('starting', async () => {
      const given = await this.#client.openedFor();
      const hello = await this.#client.call('hello', {});
      this.hello = hello;
      const remembered = rememberedCase(hello);
      const asked = this.#asked();
      const before = asked.path ?? remembered;
      if (given !== null && given.length > 0) await this.#take(given);
      else if (before !== null) await this.#open(before, asked.view);
      // The command line's files and case belong to the first window.
      else if (given !== null) return;
      else if (hello.paths.length > 0) await this.#importIntoNew(hello.paths);
      else if (hello.case !== null) await this.#open(hello.case, asked.view);
    });
  }

  openCase(path: string, view: ViewState | null = null): Promise<void> {
    return this.#attempt('opening', () => this.#open(path, view));
  }

  /** A link to the view that is shown; null in the window, and for a view that is too long for one. */
  get link(): string | null {
    return this.#address?.link ?? null;
  }

  /** The case and the view that the page was opened for. What of them cannot be shown is reported. */
  #asked(): { path: string | null; view: ViewState | null } {
    const { caseName = null, view = null, problem = null } = this.#address?.read() ?? {};
    const path = this.#known(caseName);
    if (caseName === null || path !== null) {
      if (problem !== null) this.#reportAddress(problem);
      return { path, view };
    }
    this.#reportAddress({ kind: 'otherCase', about: caseName });
    return { path, view: START };
  }

  /** Opens the case of an address. False if it is not known here. */
  #goTo({ caseName, view, problem }: Address): boolean {
    const path = this.#known(caseName);
    if (path === null) return false;
    if (problem !== null) this.#reportAddress(problem);
    void this.openCase(path, view);
    return true;
  }

  /** The path of a case of this name, among those that were open here and those of the list. */
  #known(name: string | null): string | null {
    if (name === null || this.hello === null) return null;
    const { case: own, recent } = this.hello;
    const here = [rememberedCase(this.hello), ...this.#opened, own];
    const paths = [...here, ...recent.map(({ path }) => path)];
    return paths.find((path) => path !== null && caseNameOf(path) === name) ?? null;
  }

  #reportAddress({ kind, about }: AddressProblem): void {
    const said = texts.explore.address[kind](about);
    this.report(new EngineError({ code: 'badRequest', path: null, span: null, ...said }));
  }

  loadSample(): Promise<void> {
    return this.#attempt('creating', async () => {
      const { paths } = await this.#client.call('sample', {});
      await this.#importIntoNew(paths);
    });
  }

  /** Asks for files and imports them: into the open case, otherwise into a new one; or previews them. */
  async choose(kind: 'files' | 'folder', target?: DropTarget): Promise<void> {
    try {
      const paths = await this.#client.choose(kind, this.#handedOver);
      this.handover = null;
      await this.import(paths, target);
    } catch (cause) {
      this.handover = null;
      this.report(engineError(cause));
    }
  }

  /** Saves a file that was made here; returns its name, or null if the person cancelled. */
  save(name: string, content: Blob): Promise<string | null> {
    return this.#client.save(name, content);
  }

  async import(paths: string[], target: DropTarget = this.#usual()): Promise<void> {
    if (paths.length === 0) return;
    const [only, ...more] = paths;
    // A case is a folder too; dropping one opens it instead of importing its files.
    if (only?.endsWith('.case') && more.length === 0 && target !== 'newWindow') {
      await this.openCase(only);
    } else if (target === 'look') this.look(paths);
    else if (target === 'here' && this.opened !== null) {
      this.#work(this.opened, { kind: 'import', paths });
    } else if (target === 'newWindow') await this.#openWindow(paths);
    else await this.#attempt('creating', () => this.#importIntoNew(paths));
  }

  /** Shows the import preview. */
  look(paths: string[]): void {
    const opened = this.opened?.summary.readOnly === null ? this.opened : null;
    const casePath = opened?.summary.path ?? this.hello?.casesFolder ?? '';
    const sheet = new ImportSheet(
      new Lifetime(),
      this.#client,
      casePath,
      paths,
      opened?.summary.name ?? null,
    );
    this.#put({ kind: 'import', sheet });
  }

  /** Starts the import of a preview. */
  async begin(sheet: ImportSheet): Promise<void> {
    const { paths, choices, profile } = sheet;
    this.closeSheet();
    const target = sheet.caseName === null ? null : this.opened;
    if (target !== null) this.#work(target, { kind: 'import', paths: [...paths], choices });
    else {
      const work: Work = { kind: 'import', paths: [...paths], choices, profile };
      await this.#attempt('creating', () => this.#importIntoNew([...paths], work));
    }
  }

  /** Continues the imports that were stopped or cut off. */
  continueImports(): void {
    const { opened } = this;
    for (const { request } of opened?.unread.take() ?? []) {
      if (opened !== null) this.#work(opened, { kind: 'import', ...request });
    }
  }

  /** Shows how the sources of the case were read; several can be checked, for choices that are for all of them. */
  showSources(path?: string, checked: readonly number[] = []): void {
    if (this.opened === null) return;
    const { opened } = this;
    const sheet = new SourcesSheet(opened.child(), this.#client, opened, (work, finished) =>
      this.#work(opened, work, finished),
    );
    this.#put({ kind: 'sources', sheet });
    const { sources } = this.opened.summary;
    const wanted = checked[0] ?? sources.find((source) => source.path === path)?.id;
    if (checked.length > 1) sheet.check(checked, true);
    else if (wanted !== undefined) sheet.select(wanted);
    sheet.settle();
  }

  /** Shows which fields of the sources hold the same values, and whether their clocks agree. */
  showLinks(): void {
    if (this.opened === null) return;
    const sheet = new LinksSheet(this.opened.child(), this.#client, this.opened, (work) => {
      if (this.opened !== null) this.#work(this.opened, work);
    });
    this.#put({ kind: 'links', sheet });
  }

  /** Opens the editor for a new or a saved format, with sample lines. */
  editFormat(sample: string, saved: SavedFormat | null): FormatEditor {
    return new FormatEditor(new Lifetime(), this.#client, sample, saved);
  }

  closeSheet(): void {
    if (this.sheet !== null && 'sheet' in this.sheet) this.sheet.sheet.dispose();
    this.sheet = null;
  }

  /** What lines can be read as; null where that cannot be known. */
  formats(): Promise<Formats | null> {
    return this.#client.call('formats', {}).catch(() => null);
  }

  /** Shows the clusters that may be connected to. */
  showRemotes(): void {
    this.#put({ kind: 'remotes' });
  }

  /** Shows what of the open case is or would be sent to a cluster. */
  showPush(): void {
    this.#put({ kind: 'push' });
  }

  /** Shows the open case with a cluster too, or no longer with it. The query and the range stay. */
  async showWith(name: string, isShown: boolean): Promise<void> {
    const { opened } = this;
    if (opened === null || opened.summary.remote !== undefined) return;
    const view = opened.explorer.history.current;
    this.closeSheet();
    await this.openCase(pathWith(opened.summary.path, name, isShown));
    this.opened?.explorer.history.change({ query: view.query, range: view.range });
  }

  /** Asks what to receive from. */
  addLive(): void {
    this.#put({ kind: 'live' });
  }

  /** Paths on the machine of the engine; a browser sends copies, which do not grow. */
  choosePaths(kind: 'files' | 'folder'): Promise<string[]> {
    return this.#client.choose(kind);
  }

  /** Receives into the open case, otherwise into a new one. Throws why it cannot be received. */
  async receive(added: NewLive): Promise<void> {
    if (this.opened !== null && this.opened.summary.readOnly === null) {
      await this.opened.live.add(added);
      this.closeSheet();
      return;
    }
    const { source } = added;
    const name = source.kind === 'follow' ? source.paths[0]! : 'live';
    const { path } = await this.#client.call('createCase', { paths: [name] });
    try {
      await this.#client.call('addLive', { case: path, ...added });
    } catch (cause) {
      // Nobody needs a case that nothing is received into.
      await this.#client.call('deleteCase', { path }).catch(() => {});
      throw cause;
    }
    await this.#open(path);
  }

  /** Text from the clipboard: an open case asks first, because the text stays there. */
  async paste(text: string): Promise<void> {
    if (text.trim() === '') return;
    if (this.opened !== null) this.#put({ kind: 'paste', text });
    else await this.readPasted(text, texts.importing.paste.defaultName(new Date()));
  }

  async readPasted(text: string, name: string): Promise<void> {
    this.closeSheet();
    const work: Work = { kind: 'paste', name, text };
    if (this.opened !== null && this.opened.summary.readOnly === null) {
      this.#work(this.opened, work);
      return;
    }
    await this.#attempt('creating', async () => {
      const summary = await this.#client.call('createCase', { paths: [name] });
      this.#work(this.#show(summary), work);
    });
  }

  listenForDrops(): () => void {
    return this.#client.onDrop({
      enter: () => (this.dragging ??= this.#usual()),
      over: (place) => (this.dragging = this.#targetAt(place)),
      leave: () => (this.dragging = null),
      landed: (place) => {
        this.#landedOn = this.#targetAt(place);
        this.#newWindow = this.#landedOn === 'newWindow' ? this.#client.openWindow() : null;
      },
      handover: this.#handedOver,
      drop: (paths) => {
        this.handover = null;
        void this.import(paths, this.#landedOn);
      },
      failed: (error) => {
        this.handover = null;
        this.#newWindow?.([]);
        this.#newWindow = null;
        this.report(error);
      },
    });
  }

  /** Returns to the list of cases. A running import continues; live sources end. */
  async leave(): Promise<void> {
    this.closeSheet();
    const received = this.#close();
    rememberCase(this.hello, null);
    this.#address?.leave();
    await this.#attempt('starting', async () => {
      await received;
      await this.#greet();
    });
  }

  /** Closes the case. Resolves when everything that it has received is in it. */
  #close(): Promise<void> {
    const received = this.opened?.live.stop() ?? Promise.resolve();
    if (this.opened?.isRemote === true) {
      // What the cluster keeps for the list is given back; it would give it up by itself after a while.
      const { path } = this.opened.summary;
      void this.#client.call('stopLive', { path }).catch(() => {});
    }
    this.opened?.dispose();
    this.opened = null;
    return received;
  }

  /** The case has another name; everything about it that is shown stays. */
  async #renamed(summary: CaseSummary): Promise<void> {
    if (this.opened?.summary.path === summary.path) this.opened.renew(summary);
    await this.#attempt(null, () => this.#greet());
  }

  /** Removes a case from the list; the case itself stays. */
  async forget(path: string): Promise<void> {
    await this.#attempt(null, async () => {
      await this.#client.call('forgetCase', { path });
      await this.#greet();
    });
  }

  /** Possible new paths of a case that was moved; empty if none was found. */
  async find(path: string): Promise<readonly string[]> {
    try {
      return (await this.#client.call('findCase', { path })).paths;
    } catch (cause) {
      this.report(engineError(cause));
      return [];
    }
  }

  /** Opens a moved case at its new path, and forgets the old one. */
  reopen(gone: string, path: string): Promise<void> {
    return this.#attempt('opening', async () => {
      const summary = await this.#client.call('openCase', { path });
      // The list is requested after the old path was removed from it.
      await this.#client.call('forgetCase', { path: gone }).catch(() => {});
      this.#show(summary);
    });
  }

  report(error: EngineError): void {
    this.problems = [...this.problems, error];
  }

  dismiss(error: EngineError): void {
    this.problems = this.problems.filter((problem) => problem !== error);
  }

  /** Updates the window's task bar entry. */
  showProgress(share: number | null): void {
    this.#client.showProgress(share);
  }

  readonly #handedOver = (done: number, total: number) => {
    this.handover = done < total ? { done, total } : null;
  };

  #usual(): DropTarget {
    return this.opened !== null && this.opened.summary.readOnly === null ? 'here' : 'new';
  }

  #targetAt({ x, y }: WindowPoint): DropTarget {
    const zones = dropZones(this.opened !== null, (this.opened?.summary.readOnly ?? null) !== null);
    return targetAt(zones, x / window.innerWidth, y / window.innerHeight);
  }

  #put(sheet: Sheet): void {
    this.closeSheet();
    this.sheet = sheet;
  }

  async #openWindow(paths: string[]): Promise<void> {
    const give = this.#newWindow ?? this.#client.openWindow();
    this.#newWindow = null;
    if (give !== null) give(paths);
    else {
      const blocked = { code: 'badRequest', path: null, span: null } as const;
      const { blockedWindow, blockedWindowHint } = texts.importing;
      this.report(new EngineError({ ...blocked, message: blockedWindow, hint: blockedWindowHint }));
    }
  }

  async #take(paths: string[]): Promise<void> {
    const [only, ...more] = paths;
    if (only?.endsWith('.case') && more.length === 0) await this.#open(only);
    else await this.#importIntoNew(paths);
  }

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

  async #greet(): Promise<void> {
    this.hello = await this.#client.call('hello', {});
  }

  async #open(path: string, view: ViewState | null = null): Promise<void> {
    this.#show(await this.#client.call('openCase', { path }), view);
  }

  async #importIntoNew(paths: string[], work: Work = { kind: 'import', paths }): Promise<void> {
    const summary = await this.#client.call('createCase', { paths });
    this.#work(this.#show(summary), work);
  }

  #work(target: OpenCase, work: Work, finished: () => void = () => {}): ImportJob {
    const path = target.summary.path;
    // The case can be closed and opened again meanwhile, so it is looked up for each report.
    const current = () => (this.opened?.summary.path === path ? this.opened : null);
    const job = new ImportJob(this.#client, path, work, {
      published: (progress) => current()?.published(progress),
      finished: ({ case: summary }) => {
        current()?.renew(summary);
        finished();
      },
    });
    this.imports.add(job);
    return job;
  }

  #ended(job: ImportJob): void {
    if (this.imports.jobs.some((other) => other.active)) return;
    const problems = problemsOf(job).length;
    const { name, done, failed, rereadFailed } = texts.importing.ended;
    const { reread } = job;
    const succeeded =
      reread === null ? done(job.report?.events ?? 0, problems) : texts.imports.rereadDone(reread);
    const text = job.state === 'failed' ? (reread === null ? failed : rereadFailed) : succeeded;
    this.#client.callBack(name, text);
  }

  #show(summary: CaseSummary, view: ViewState | null = null): OpenCase {
    this.closeSheet();
    // The same case is opened again where a window follows what another one did.
    if (this.opened?.summary.path === summary.path) this.opened.dispose();
    else void this.#close();
    const opened = new OpenCase(
      this.#client,
      summary,
      {
        importing: () => {
          if (!this.imports.isBusy(summary.path)) this.#work(opened, { kind: 'attend' });
        },
        failed: (error) => this.report(error),
      },
      view,
      this.confirmations,
    );
    this.opened = opened;
    this.#opened.add(summary.path);
    this.#address?.show(caseNameOf(summary.path), opened.explorer.history);
    rememberCase(this.hello, summary.path);
    return opened;
  }
}
