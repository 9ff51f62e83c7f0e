import type { Lifetime } from '../../base/lifetime';
import { texts } from '../../base/texts';
import { EngineError, type Client } from '../../ipc/client';
import type { Compared, EventId, Nanos, QueryCheck, RecentCase } from '../../ipc/generated';
import { Request } from '../request.svelte';
import { partsOf } from '../query/queryparts';
import type { ViewHistory } from '../view/history.svelte';
import { ComparedWords } from './comparedwords.svelte';
import {
  ALL,
  both,
  jsonOfSides,
  outside,
  SIDE_NAMES,
  sidesOfJson,
  viewsOfSides,
  type ComparedIn,
  type ComparedSide,
  type ComparedSides,
  type SideName,
} from './sides';

/** Rows that are listed: more than anyone reads. */
const LISTED = 50;

export const TAB = 'compare';

type Mistakes = { readonly [Name in SideName]: EngineError | null };
const NO_MISTAKES: Mistakes = { a: null, b: null };

/** A case or a cluster, by what opens it. */
export interface Place {
  readonly path: string;
  readonly name: string;
}

/** The comparison of two parts of the case, requested only while it is shown. */
export class Comparing extends Request<ComparedSides, Compared> {
  /** What is wrong with the filter of a side. */
  mistakes = $state.raw<Mistakes>(NO_MISTAKES);
  /** Whether a person stopped it before it was complete. */
  isCancelled = $state(false);
  /** Other cases and clusters that a side can be of. */
  places = $state.raw<readonly Place[]>([]);
  /** What is compared, as the view has it. */
  readonly sides = $derived.by(() => sidesOfJson(this.#history.current.comparison));

  /** The words that distinguish the sides. */
  readonly words: ComparedWords;

  readonly #client: Client;
  readonly #place: () => ComparedIn;
  readonly #history: ViewHistory;
  /** The sides of the value, which may be a part of the answer. */
  #answered = '';
  /** The sides that are shown, and those that a person stopped. */
  #shown = '';
  #stopped = '';

  constructor(lifetime: Lifetime, client: Client, place: () => ComparedIn, history: ViewHistory) {
    super(
      lifetime,
      async (sides, { signal, show }) => {
        const { casePath } = place();
        const mistakes = await mistakesIn(sides, (path, query) =>
          client.call('check', { case: path ?? casePath, query, kql: false }, { signal }),
        );
        if (mistakes !== null) throw new WrongFilter(mistakes);
        const progress = (part: Compared) => show(part, part.fraction);
        const request = { ...viewsOfSides(sides, place()), limit: LISTED };
        return client.call('compare', request, { signal, progress });
      },
      { key: (sides) => keyOf(sides, place()) },
    );
    this.#client = client;
    this.words = new ComparedWords(lifetime, client, place);
    this.#place = place;
    this.#history = history;
  }

  /** Whether the answer is of the sides that are shown. */
  isOf(sides: ComparedSides): boolean {
    return this.value !== null && this.#answered === this.#keyOf(sides);
  }

  /** The sides are on the screen; null if none are, or no longer. */
  show(sides: ComparedSides | null): void {
    if (sides !== null) {
      this.#shown = this.#keyOf(sides);
      this.isCancelled &&= this.#shown === this.#stopped;
    }
    if (!this.isCancelled) this.ask(sides);
  }

  /** Compares two sides in the tab. */
  compare(sides: ComparedSides): void {
    this.#history.change({ comparison: jsonOfSides(sides), tab: TAB });
  }

  change(name: SideName, part: Partial<ComparedSide>): void {
    const sides = this.sides ?? { a: ALL, b: ALL };
    this.compare({ ...sides, [name]: { ...sides[name], ...part } });
  }

  swap(): void {
    if (this.sides !== null) this.compare({ a: this.sides.b, b: this.sides.a });
  }

  /** Stops it; what is known until then stays. */
  cancel(): void {
    this.stop();
    this.isCancelled = true;
    this.#stopped = this.#shown;
  }

  override retry(): void {
    this.isCancelled = false;
    super.retry();
  }

  /** Lists the other cases and the clusters, as they are now. */
  async listPlaces(): Promise<void> {
    const [hello, remotes] = await Promise.allSettled([
      this.#client.call('hello', {}),
      this.#client.call('remotes', {}),
    ]);
    const cases = hello.status === 'fulfilled' ? hello.value.recent : [];
    const clusters = remotes.status === 'fulfilled' ? remotes.value : null;
    const isUsable = ({ path, state }: RecentCase) =>
      path !== this.#casePath && state.kind === 'ready';
    this.places = [
      ...cases.filter(isUsable).map(({ path, name }) => ({ path, name })),
      ...(clusters === null || clusters.allOff ? [] : clusters.remotes)
        .filter(({ off }) => !off)
        .map(({ path }) => ({ path, name: path })),
    ];
  }

  /** What the case of a side is called; null for the one that is open. */
  placeName({ elsewhere }: ComparedSide): string | null {
    if (elsewhere === null) return null;
    const known = this.places.find(({ path }) => path === elsewhere)?.name;
    return known ?? elsewhere.split(/[/\\]/).at(-1) ?? elsewhere;
  }

  /** Shows the events of a side in the list, all of them or those that match a filter too. */
  async showEvents(name: SideName, filter: string | null): Promise<void> {
    const side = this.sides?.[name];
    if (side === undefined || side.elsewhere !== null) return;
    const { range, isOutside } = side;
    const clauses = [filter, isOutside && range !== null ? outside(range) : null];
    let { query } = side;
    for (const clause of clauses) {
      if (clause !== null) query = await this.#added(query, clause);
    }
    this.#history.change({ tab: 'events', query, range: isOutside ? null : range });
  }

  /** Shows the event by which the sides begin to differ, or the events of the row where no single one shows it. */
  async showFirst(reveal: (id: EventId, time: Nanos | null) => Promise<void>): Promise<void> {
    const first = this.value?.first ?? null;
    if (first === null) return;
    const name = SIDE_NAMES[first.side] ?? 'b';
    const isHere = this.sides?.[name].elsewhere === null;
    if (first.event !== null && isHere) return reveal(first.event, first.at);
    const row = this.value?.differences[first.row];
    const filter = row === undefined ? null : (row.sideFilters?.[first.side] ?? row.filter);
    await this.showEvents(name, filter);
  }

  /** The engine writes the shortest query; if it is busy or gone, a longer one means the same. */
  async #added(query: string, clause: string): Promise<string> {
    try {
      const request = { case: this.#casePath, query, edit: { kind: 'add' as const, clause } };
      return (await this.#client.call('edit', request)).query;
    } catch {
      return both(query, clause);
    }
  }

  get #casePath(): string {
    return this.#place().casePath;
  }

  #keyOf(sides: ComparedSides): string {
    return keyOf(sides, this.#place());
  }

  protected override arrived(_: Compared, sides: ComparedSides): void {
    this.mistakes = NO_MISTAKES;
    this.#answered = this.#keyOf(sides);
  }

  protected override failed(error: EngineError): void {
    this.mistakes = error instanceof WrongFilter ? error.mistakes : NO_MISTAKES;
  }
}

/** The filter of a side cannot be run. */
class WrongFilter extends EngineError {
  readonly mistakes: Mistakes;

  constructor(mistakes: Mistakes) {
    const { message, hint } = mistakes.a ?? mistakes.b ?? noFilter();
    super({ code: 'queryInvalid', message, hint, path: null, span: null });
    this.mistakes = mistakes;
  }
}

/** The mistake in the filters; null if there is none. */
async function mistakesIn(
  sides: ComparedSides,
  check: (path: string | null, query: string) => Promise<QueryCheck>,
): Promise<Mistakes | null> {
  const found: { [Name in SideName]: EngineError | null } = { ...NO_MISTAKES };
  for (const name of SIDE_NAMES) {
    const { query, elsewhere } = sides[name];
    if (query.trim() === '') continue;
    const parts = partsOf(query, await check(elsewhere, query));
    found[name] = parts.mistake ?? (parts.stages.length > 0 || parts.isSql ? noFilter() : null);
  }
  return found.a === null && found.b === null ? null : found;
}

function noFilter(): EngineError {
  const { message, hint } = texts.compare.noFilter;
  return new EngineError({ code: 'queryInvalid', message, hint, path: null, span: null });
}

/** The question of an answer: the sides, and the zone of their typed times. */
function keyOf(sides: ComparedSides, { zone }: ComparedIn): string {
  return JSON.stringify([jsonOfSides(sides), zone]);
}
