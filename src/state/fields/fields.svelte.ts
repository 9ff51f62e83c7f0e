import { Coalesced } from '../../base/coalesce';
import type { Lifetime } from '../../base/lifetime';
import type { Client, EngineError } from '../../ipc/client';
import type { Facet, Facets, FieldList, KnownField, QueryClause, View } from '../../ipc/generated';
import { Request } from '../request.svelte';
import { byCoverage } from './coverage';
import { NO_CHOICE, valueField } from './valueclause';
import { TOP as TOP_VALUES, ValueList } from './valuelist.svelte';

/** Values of a pinned field that is not opened: two such fields leave room for the others. */
const PINNED_VALUES = 5;
/** Values come in lists of their own; a cluster leaves out more than them if none is wanted. */
const TOP = 1;
const SPARK_BUCKETS = 48;
/**
 * While a case grows, field facts are refreshed at this interval: they cost the import more than
 * counts do.
 */
const REFRESH_MS = 2_000;

/** Facts that are missing, for a state of the view. */
interface AskedFacets {
  readonly view: View;
  readonly fields: readonly string[];
  readonly key: string;
}

/** The facts of a field in a view. */
export interface FieldFacts {
  readonly facet: Facet;
  /** Matching events. */
  readonly total: number;
  /** The request that this answers. */
  readonly key: string;
}

/**
 * The fields of a case and their values in the current view. Only visible fields are requested, all
 * missing ones at once; known facts are shown while the others are counted.
 */
export class Fields {
  /** The files of the case: the values of `source`. */
  readonly files: ValueList;

  #opened = $state<string | null>(null);
  #pinned = $state.raw<readonly string[]>([]);
  /** The values of fields that are or were listed. */
  readonly #lists = new Map<string, ValueList>();
  #facts = $state.raw<ReadonlyMap<string, FieldFacts>>(new Map());
  #key = $state('');
  readonly #casePath: string;
  readonly #valuesClient: Client;
  readonly #facets: Request<AskedFacets, Facets>;
  readonly #listing: Request<string, FieldList>;
  readonly #refresh: Coalesced;
  #view: View | null = null;
  #clauses: readonly QueryClause[] = [];
  readonly #lifetime: Lifetime;
  #inSight: readonly string[] = [];
  #shown = false;

  constructor(
    lifetime: Lifetime,
    client: Client,
    casePath: string,
    /** The client for lists of values; of a cluster, one that does not hear what its charts say. */
    valuesClient = client,
  ) {
    this.#lifetime = lifetime;
    this.#valuesClient = valuesClient;
    this.files = new ValueList(lifetime, valuesClient);
    this.#facets = new Request(
      lifetime,
      async ({ view, fields, key }, { signal }) => {
        const learn = (facets: Facets) => !signal.aborted && this.#learn(key, facets);
        const request = { view, fields: [...fields], top: TOP, buckets: SPARK_BUCKETS };
        const found = await client.call('facets', request, { signal, progress: learn });
        learn(found);
        return found;
      },
      // Which facts are missing is decided again when the case has grown.
      { ignoresGrowth: true },
    );
    this.#listing = new Request(
      lifetime,
      (path, { signal }) => client.call('fields', { path }, { signal }),
      { everyMs: REFRESH_MS },
    );
    this.files.shown = false;
    this.#refresh = new Coalesced(lifetime, () => this.#renew(), REFRESH_MS);
    this.#casePath = casePath;
    lifetime.onGrowth(() => {
      if (this.#shown) this.#refresh.request();
    });
  }

  /** Null until the list has been requested. */
  get known(): readonly KnownField[] | null {
    return this.#listing.value?.fields ?? null;
  }

  /** The field that names the service of an event, if the case has one. */
  get service(): string | null {
    return this.#listing.value?.service ?? null;
  }

  get busy(): boolean {
    return this.#facets.busy;
  }

  get failure(): EngineError | null {
    return this.#facets.failure ?? this.#listing.failure;
  }

  /** All fields, those that most events of the case have first. */
  readonly inOrder = $derived(byCoverage(this.known ?? []));

  /** The facts of a field; those of an earlier request while this one is running. */
  facts(field: string): FieldFacts | undefined {
    return this.#facts.get(field);
  }

  isFresh(facts: FieldFacts): boolean {
    return facts.key === this.#key;
  }

  /** Whether none of the matching events has a field; null if that is unknown for the current request. */
  isAbsent(field: string): boolean | null {
    const facts = this.#facts.get(field);
    if (facts === undefined || !this.isFresh(facts) || facts.facet.distinct === null) return null;
    // Without matches, nothing is known of any field.
    return facts.total > 0 && facts.facet.present === 0;
  }

  /** Whether the list is on the screen. */
  set shown(shown: boolean) {
    this.#shown = shown;
    if (shown) {
      this.#renew();
      this.#showValues();
    } else this.#facets.stop();
    for (const list of this.#allLists) list.shown = shown;
  }

  /** The field whose facts are shown, with its values. */
  get opened(): string | null {
    return this.#opened;
  }

  set opened(name: string | null) {
    const former = this.#opened;
    if (name !== null) this.#listValues(name, TOP_VALUES);
    this.#opened = name;
    if (former !== null && !this.isListed(former)) this.#lists.get(former)?.open(null);
  }

  /** The fields whose most frequent values are always listed. */
  set pinned(names: readonly string[]) {
    const former = this.#pinned;
    for (const name of names) this.#listValues(name, PINNED_VALUES);
    this.#pinned = names;
    for (const name of former) if (!this.isListed(name)) this.#lists.get(name)?.open(null);
  }

  isPinned(name: string): boolean {
    return this.#pinned.includes(name);
  }

  /** Whether the values of a field are listed. */
  isListed(name: string): boolean {
    return this.#opened === name || this.isPinned(name);
  }

  /** Whether a field keeps its place where no event has it: a person reads it, or filters by it. */
  isHeld(name: string): boolean {
    if (this.#opened === name) return true;
    const { included, excluded } = this.#lists.get(name)?.choice ?? NO_CHOICE;
    return this.isPinned(name) && included.size + excluded.size > 0;
  }

  /** The values of a listed field. */
  valuesOf(name: string): ValueList {
    const list = this.#lists.get(name);
    if (list === undefined) throw new Error('the field is not listed');
    return list;
  }

  /** The view, and the clauses of its query. */
  show(view: View, clauses: readonly QueryClause[]): void {
    this.#view = view;
    this.#clauses = clauses;
    this.#showValues();
    this.#key = JSON.stringify([view, this.#lifetime.epoch]);
    this.#forgive();
    this.#load();
  }

  /** Sets the visible fields. */
  see(fields: readonly string[]): void {
    this.#inSight = fields;
    this.#load();
  }

  retry(): void {
    this.#forgive();
    this.#renew();
  }

  /** Requests the list of fields, for whoever offers them while the panel is hidden. */
  list(): void {
    this.#listing.ask(this.#casePath, 'follow');
  }

  /** A failed request may be asked again. */
  #forgive(): void {
    for (const request of [this.#facets, this.#listing]) {
      if (request.failure === null) continue;
      request.stop();
      request.failure = null;
    }
  }

  #renew(): void {
    if (!this.#shown) return;
    this.list();
    if (this.#view !== null) this.#key = JSON.stringify([this.#view, this.#lifetime.epoch]);
    this.#load('follow');
  }

  #showValues(): void {
    if (!this.#shown || this.#view === null) return;
    for (const list of this.#allLists) list.show(this.#view, this.#clauses);
  }

  get #allLists(): readonly ValueList[] {
    return [this.files, ...this.#lists.values()];
  }

  #listValues(name: string, size: number): void {
    const field = this.known?.find((each) => each.name === name);
    const known = this.#lists.get(name);
    const list = known ?? new ValueList(this.#lifetime, this.#valuesClient);
    if (known === undefined) {
      this.#lists.set(name, list);
      list.shown = this.#shown;
    }
    list.open(field === undefined ? null : valueField(field), size);
    if (this.#shown && this.#view !== null) list.show(this.#view, this.#clauses);
  }

  #load(how: 'replace' | 'follow' = 'replace'): void {
    const view = this.#view;
    // After a failure only a person's retry sends a request.
    if (!this.#shown || view === null || this.failure !== null) return;
    const key = this.#key;
    const fields = this.#inSight.filter((field) => this.#facts.get(field)?.key !== key);
    if (fields.length === 0) return;
    this.#facets.ask({ view, fields, key }, how);
  }

  #learn(key: string, { fields, total }: Facets): void {
    const facts = new Map(this.#facts);
    for (const facet of fields) facts.set(facet.field, { facet, total, key });
    this.#facts = facts;
  }
}
