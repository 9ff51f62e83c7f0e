import { Coalesced } from '../../base/coalesce';
import { fileName } from '../../base/format';
import { Lifetime } from '../../base/lifetime';
import { tellingEnds } from '../../base/names';
import { texts } from '../../base/texts';
import { Timer } from '../../base/timer';
import type { Clock } from '../../base/zone';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type {
  CasePulse,
  CaseSummary,
  EventId,
  ImportProgress,
  Nanos,
  Row,
} from '../../ipc/generated';
import { Surroundings } from '../followups/surroundings.svelte';
import { Boards } from '../boards/boards.svelte';
import { Cells } from '../notes/cells';
import { Charts } from '../charts/charts.svelte';
import { Comparing } from '../compare/comparing.svelte';
import { Confirmations } from './confirmations.svelte';
import { Cursor } from './cursor.svelte';
import { Difference } from '../timeline/difference.svelte';
import { EventDays } from '../timeline/eventdays.svelte';
import { FirstLook } from '../timeline/firstlook.svelte';
import { Detectors } from '../detectors/detectors.svelte';
import { LiveAlerts } from '../detectors/livealerts.svelte';
import { AlertContext } from '../inbox/alertcontext.svelte';
import { Inbox } from '../inbox/inbox.svelte';
import { Detail } from '../detail/detail.svelte';
import { Explorer } from '../view/explorer.svelte';
import type { UndoableChange } from '../view/history.svelte';
import type { ViewState } from '../view/viewstate';
import { storageFor } from './casestorage';
import { Fields } from '../fields/fields.svelte';
import { LanguageReference } from '../reference/languagereference.svelte';
import { EventExport } from '../events/eventexport.svelte';
import { FitRange } from '../timeline/fitrange.svelte';
import { Landmarks } from '../events/landmarks.svelte';
import { Language } from '../query/language';
import { FileScan } from '../events/filescan.svelte';
import { Live } from '../live/live.svelte';
import { LiveMode } from '../live/livemode.svelte';
import { Markers } from '../notes/markers.svelte';
import { DisplaySettings } from './displaysettings.svelte';
import { Notebook } from '../notes/notebook.svelte';
import { NotedEvents } from '../notes/notedevents.svelte';
import { Notes } from '../notes/notes.svelte';
import { eventKey } from '../notes/notetarget';
import { EventSelection } from '../events/selection.svelte';
import { Explaining } from '../query/explaining.svelte';
import { SavedQueries } from '../query/savedqueries.svelte';
import { UnknownWords } from '../query/unknownwords.svelte';
import { asksForNotes, quoted } from '../query/querytext';
import { PatternNames } from '../patterns/patternnames.svelte';
import { Seismograph } from '../patterns/seismograph.svelte';
import { ServiceMaps } from '../servicemap/servicemap.svelte';
import { Results } from '../results/results.svelte';
import { Push } from '../remotes/push.svelte';
import { RemoteAnswers } from '../remotes/remoteanswers.svelte';
import { placesOf } from '../remotes/together';
import { Request } from '../request.svelte';
import { Rows } from '../events/rows.svelte';
import { SplitTimeline } from '../timeline/splittimeline.svelte';
import { Templates } from '../patterns/templates.svelte';
import type { TimelineData } from '../timeline/timelinedata';
import { EventValues } from '../values/eventvalues';
import { ValueTrail } from '../followups/valuetrail.svelte';
import { EmptyResult } from '../events/emptyresult.svelte';
import { Unread } from '../importing/unread.svelte';

/** New data is shown at most this often; more would slow down the import. */
const REFRESH_MS = 250;

/** How many events of the same time are searched for one of them. */
const SAME_TIME_ROWS = 1_000;

/** How often a page looks whether somebody else has changed the case. */
const FOLLOW_MS = 1_000;
/** A look that takes long, as with many thousands of sources, is repeated more rarely. */
const FOLLOW_SHARE = 10;

/** Notified about what does not belong to one part of a case. */
export interface CaseListener {
  /** An import is under way, begun by this page or by another. */
  importing(): void;
  failed(error: EngineError): void;
}

/** An open case: its summary, the current requests, and their answers. */
export class OpenCase {
  /** Changes when a person trusts the case: what was refused is requested again. */
  trusts = $state(0);
  readonly fileNames = $derived(this.summary.sources.map(({ name }) => name));
  /** The distinct part of each source's name, for narrow places. */
  readonly shortNames = $derived(tellingEnds(this.fileNames));
  readonly explorer: Explorer;
  readonly fit: FitRange;
  readonly rows: Rows;
  readonly detail: Detail;
  readonly eventValues: EventValues;
  readonly language: Language;
  readonly templates: Templates;
  readonly patternNames: PatternNames;
  readonly seismograph: Seismograph;
  readonly serviceMap: ServiceMaps;
  readonly fields: Fields;
  readonly landmarks: Landmarks;
  readonly selection: EventSelection;
  readonly display = new DisplaySettings();
  readonly queries: SavedQueries;
  readonly explaining: Explaining;
  readonly split: SplitTimeline;
  readonly emptyResult: EmptyResult;
  readonly unknownWords: UnknownWords;
  readonly fileScan: FileScan;
  readonly charts: Charts;
  readonly boards: Boards;
  readonly results: Results;
  readonly cursor = new Cursor();
  readonly markers = new Markers();
  readonly notes: Notes;
  readonly notebook: Notebook;
  readonly notedEvents: NotedEvents;
  readonly cells: Cells;
  readonly reference: LanguageReference;
  readonly exporting: EventExport;
  readonly unread: Unread;
  readonly push: Push;
  readonly eventDays: EventDays;
  readonly firstLook: FirstLook;
  readonly difference: Difference;
  readonly comparing: Comparing;
  readonly detectors: Detectors;
  readonly inbox: Inbox;
  readonly live: Live;
  readonly liveAlerts: LiveAlerts;
  readonly liveMode: LiveMode;
  /** What clusters say of their answers; null for a case that is shown without one. */
  readonly remote: RemoteAnswers | null;

  /** All parts register here what they have under way. */
  readonly #lifetime = new Lifetime();
  /** What was done and needs no more attention. */
  readonly confirmations: Confirmations;
  readonly #client: Client;
  readonly #summary: Request<string, CaseSummary>;
  readonly #refresh: Coalesced;
  #revision: number;
  readonly #following: Timer;
  readonly #listener: CaseListener;
  #isImporting = true;
  /** Whether the case was deleted or moved, by another page or program. */
  #isGone = false;

  constructor(
    client: Client,
    summary: CaseSummary,
    listener: CaseListener = { importing: () => {}, failed: () => {} },
    /** The view that a link asks for; null for the one that was shown last. */
    linked: ViewState | null = null,
    confirmations = new Confirmations(new Lifetime()),
  ) {
    this.confirmations = confirmations;
    this.#listener = listener;
    const reportFailure = (error: EngineError) => listener.failed(error);
    const lifetime = this.#lifetime;
    this.#following = new Timer(lifetime);
    const isOfCluster = summary.remote !== undefined || placesOf(summary.path) !== null;
    this.remote = isOfCluster ? new RemoteAnswers() : null;
    const unheard = client;
    client = this.remote?.listening(client) ?? client;
    this.#client = client;
    // The pulse asks again, once a second at most.
    this.#summary = new Request(lifetime, (path) => client.call('openCase', { path }), {
      ignoresGrowth: true,
    });
    this.#summary.put(summary.path, summary);
    this.#revision = summary.revision;
    this.rows = new Rows(lifetime, client, {
      replaced: () => {
        this.detail.listReplaced();
        this.selection.clear();
        if (!this.liveMode.isFollowing) void this.#keepInView();
      },
      came: () => this.detail.rowsCame(),
    });
    this.detail = new Detail(lifetime, client, summary.path, this.rows);
    this.eventValues = new EventValues(client, summary.path, () => this.isRemote);
    this.language = new Language(client, summary.path);
    this.templates = new Templates(lifetime, client);
    this.seismograph = new Seismograph(lifetime, client);
    this.serviceMap = new ServiceMaps(lifetime, client);
    this.fields = new Fields(lifetime, client, summary.path, unheard);
    this.landmarks = new Landmarks(lifetime, client, this.isRemote);
    this.selection = new EventSelection(lifetime, client, summary.path, this.rows);
    this.emptyResult = new EmptyResult(lifetime, client);
    this.unknownWords = new UnknownWords(lifetime, client, summary.path);
    this.fileScan = new FileScan(lifetime, client);
    const storage = storageFor(summary.path);
    this.notes = new Notes(lifetime, client, summary.path, this.markers, {
      did: (deed) => this.explorer.history.did(deed),
      changed: () => this.#notesChanged(),
    });
    this.patternNames = new PatternNames(this.notes);
    this.queries = new SavedQueries(storage, this.notes);
    this.explaining = new Explaining(lifetime, client);
    this.explorer = new Explorer(
      lifetime,
      client,
      summary.path,
      (what) => this.#viewChanged(what),
      storage,
      (query) => this.queries.asked(query),
      () => ({ charts: this.charts.withoutBoard }),
      linked,
    );
    this.fit = new FitRange(lifetime, client, this.explorer, () => this.summary);
    this.results = new Results(lifetime, client);
    this.boards = new Boards(client, this.notes);
    this.charts = new Charts(lifetime, client, summary.path, this.explorer.history);
    const { shown } = this.patternNames;
    this.split = new SplitTimeline(lifetime, client, texts.remotes.together.own, shown);
    this.notebook = new Notebook(lifetime, this.notes, storage, () =>
      this.confirmations.say(texts.notes.added, {
        name: texts.notes.showAdded,
        run: () => this.explorer.history.change({ tab: 'notes' }),
      }),
    );
    this.notedEvents = new NotedEvents(lifetime, client, summary.path);
    this.cells = new Cells(client, summary.path);
    this.reference = new LanguageReference(lifetime, client);
    this.exporting = new EventExport(lifetime, client, {
      written: (rows, name) =>
        this.confirmations.say(texts.workbench.exports.done(rows, fileName(name))),
      failed: reportFailure,
    });
    this.unread = new Unread(lifetime, client, summary.path, reportFailure);
    this.push = new Push(lifetime, client);
    this.eventDays = new EventDays(lifetime, client, summary.path);
    this.firstLook = new FirstLook(lifetime, client, storage);
    const comparedIn = () => ({ casePath: summary.path, zone: this.clock.zoneAsked });
    this.difference = new Difference(lifetime, client, comparedIn);
    this.comparing = new Comparing(lifetime, client, comparedIn, this.explorer.history);
    const did = (change: UndoableChange) => this.explorer.history.did(change);
    const found = () => this.inbox.changed();
    this.inbox = new Inbox(lifetime, client, summary.path, () => this.clock.zoneAsked, did);
    this.detectors = new Detectors(lifetime, client, summary.path, this.notes, did, found);
    this.liveAlerts = new LiveAlerts(lifetime, client, summary.path, found);
    this.live = new Live(lifetime, client, summary.path, {
      published: (revision) => {
        this.published({ revision });
        if (this.live.isReceiving) this.liveAlerts.look();
      },
      began: () => {
        this.liveMode.restore();
      },
      failed: reportFailure,
    });
    this.liveMode = new LiveMode(lifetime, client, this.explorer, this.rows, storage, () =>
      this.#refresh.request(),
    );
    this.#refresh = new Coalesced(lifetime, () => lifetime.grow(), REFRESH_MS);
    this.#viewChanged('all');
    this.#follow(0);
    this.live.look();
    if (this.mayGrow) this.liveMode.restore();
    this.notes.start();
    if (!this.isRemote) this.inbox.changed();
  }

  /** Formats and parses times in the zone of the view. */
  get clock(): Clock {
    return this.explorer.clock;
  }

  /** Shows an event that can be anywhere in the case, and scrolls to it if possible. */
  async reveal(id: EventId, time: Nanos | null): Promise<void> {
    const { history } = this.explorer;
    history.change({ tab: 'events' });
    this.detail.showEvent(id);
    if (time === null) return;
    let index = await this.#placeOf(id, time);
    if (index === null && this.explorer.isFiltered) {
      history.change({ query: '', range: null });
      index = await this.#placeOf(id, time);
    }
    if (index !== null) this.detail.reveal(index);
  }

  /** The row of an event; null if it is not in the view, or the list is not in time order. */
  async #placeOf(id: EventId, time: Nanos): Promise<number | null> {
    const { view, order, listing } = this.explorer;
    if (listing.sort !== null) return null;
    try {
      const asked = { view, order };
      const { row } = await this.#client.call('locate', { ...asked, time });
      const request = { ...asked, first: row, count: SAME_TIME_ROWS };
      const { rows } = await this.#client.call('page', request);
      const at = rows.findIndex((one) => eventKey(one.id) === eventKey(id));
      return at < 0 ? null : row + at;
    } catch {
      // The event itself is shown anyway.
      return null;
    }
  }

  /** Scrolls another list to the open event, if it is in it. */
  async #keepInView(): Promise<void> {
    const { sought } = this.detail;
    const { view, order, listing } = this.explorer;
    if (sought === null || listing.sort !== null) return;
    const list = this.rows.generation;
    try {
      const place = { time: sought.time ?? ('0' as Nanos), event: sought.id };
      const asked = { view, order };
      const { row } = await this.#client.call('locate', { ...asked, ...place });
      const { rows } = await this.#client.call('page', { ...asked, first: row, count: 1 });
      const isThere = rows.some(({ id }) => eventKey(id) === eventKey(sought.id));
      if (isThere && list === this.rows.generation) this.detail.reveal(row);
    } catch {
      // The event stays open, wherever it is in the list.
    }
  }

  /** Whether it is a cluster, or shown with one, which answers a part of the questions and is never written. */
  get isRemote(): boolean {
    return this.remote !== null;
  }

  /** Lets its queries, notebook, live sources and rules read files of this machine. */
  async trust(): Promise<void> {
    await this.#client.call('trustCase', { path: this.summary.path });
    if (this.#lifetime.isOver) return;
    this.trusts += 1;
    this.#refresh.request();
  }

  /** Progress of an import or of live sources; a new revision means that there is more to show. */
  published({ revision }: Pick<ImportProgress, 'revision'>): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    if (!this.liveMode.holds()) this.#refresh.request();
  }

  /** Whether new events may come at any time: from live sources, or from another process. */
  get mayGrow(): boolean {
    const { readOnly, sources } = this.summary;
    return this.live.isReceiving || (readOnly !== null && sources.some(({ live }) => live));
  }

  #notesChanged(): void {
    this.detectors.notesChanged();
    this.inbox.changed();
    if (asksForNotes(this.explorer.query)) this.#refresh.request();
  }

  /** The summary of the case, as of the last time it was read. */
  get summary(): CaseSummary {
    return this.#summary.value!;
  }

  /** Takes the present summary of the case from the reply of a call that changed it. */
  renew(summary: CaseSummary): void {
    this.#summary.put(summary.path, summary);
    this.published(summary);
  }

  /** A lifetime within that of the case, for parts that follow its growth. */
  child(): Lifetime {
    return this.#lifetime.child();
  }

  /** The events around an event. */
  surroundings(id: EventId): Surroundings {
    return new Surroundings(this.child(), this.#client, this.summary.path, id);
  }

  /** The events of an alert and those around it. */
  alertContext(): AlertContext {
    return new AlertContext(this.child(), this.#client, () => ({
      casePath: this.summary.path,
      zone: this.clock.zoneAsked,
    }));
  }

  /** The occurrences of a value. */
  trail(value: string): ValueTrail {
    return new ValueTrail(this.child(), this.#client, this.summary.path, value);
  }

  /** The clock offset of each source that has one, in nanoseconds. */
  readonly clockOffsets: ReadonlyMap<number, bigint> = $derived(
    new Map(
      this.summary.sources
        .map(({ id, chosen }): [number, bigint] => [id, BigInt(chosen.clockOffset ?? 0)])
        .filter(([, offset]) => offset !== 0n),
    ),
  );

  /** The timeline that is drawn, from which all event counts come, so that they agree. */
  get counted(): TimelineData | null {
    return this.split.lanes?.data ?? this.explorer.timeline;
  }

  /** Goes to an event in the list, also if the filter excludes it. */
  showInList(row: Row): void {
    this.explorer.history.change({ tab: 'events', sort: null });
    this.detail.showEvent(row.id);
    this.landmarks.locateEvent(row.time, row.id, (at) => this.detail.reveal(at));
  }

  /** Lists the events that have a value anywhere. */
  onlyWith(value: string): void {
    this.explorer.history.change({ tab: 'events' });
    this.explorer.addFilter(quoted(value));
  }

  dispose(): void {
    this.#lifetime.end();
  }

  #viewChanged(what: 'all' | 'list'): void {
    this.liveMode.viewChanged();
    if (!this.explorer.isReady) return;
    const { view, order, listing } = this.explorer;
    this.rows.show(view, listing);
    this.landmarks.show(listing.sort === null ? { view, order } : null);
    if (what === 'list') return;
    this.templates.show(view);
    this.seismograph.show(view, this.explorer.range);
    this.serviceMap.show(view);
    this.fields.show(view, this.explorer.parts.clauses);
  }

  /** Follows what other pages and other processes do to the case. */
  #follow(delayMs: number): void {
    // A cluster is asked again when a person wants it.
    if (!this.isRemote) this.#following.start(() => void this.#look(), delayMs);
  }

  async #look(): Promise<void> {
    const began = performance.now();
    const { path } = this.summary;
    // If the case cannot be opened at the moment, what is shown stays, and the next attempt may succeed.
    const pulse = await this.#client.call('pulse', { path }).catch((cause: unknown) => {
      const error = engineError(cause);
      const isGone = error.code === 'notFound';
      if (isGone && !this.#isGone)
        this.#listener.failed({ ...error, ...texts.workbench.cases.gone });
      this.#isGone ||= isGone;
      return null;
    });
    if (pulse !== null) this.#isGone = false;
    if (pulse !== null && !this.#lifetime.isOver) await this.#heard(pulse);
    this.#follow(Math.max(FOLLOW_MS, (performance.now() - began) * FOLLOW_SHARE));
  }

  async #heard({ revision, readOnly, isImporting }: CasePulse): Promise<void> {
    const { summary } = this;
    if (revision !== summary.revision || readOnly !== (summary.readOnly !== null)) {
      const now = await this.#summary.answer(summary.path);
      if (this.#lifetime.isOver) return;
      if (now !== null) this.published(now);
    }
    if (isImporting) this.#listener.importing();
    else if (this.#isImporting) this.unread.look();
    this.#isImporting = isImporting;
  }
}
