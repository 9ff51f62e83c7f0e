import { randomId } from '../../base/ids';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { Entities, EntityValue, FiredRule, RuleHitList, RuleRuns } from '../../ipc/generated';
import type { Notes } from '../notes/notes.svelte';
import { Request } from '../request.svelte';

/** Notes of this kind are Sigma filters, which the engine reads with all rules that it runs over the case. */
export const FILTER = 'sigmafilter';

/** Events of an alert that are read at first, and with each further step. */
const FIRST = 10;
const MORE = 50;

/** The engine lists no more of one alert. */
export const MOST_HITS = 200;

/** A value that is left out of a rule. */
export interface RuleFilter {
  readonly id: string;
  readonly title: string;
  readonly field: string;
  readonly value: string;
  /** The filter as Sigma has it. */
  readonly text: string;
}

interface Asked {
  readonly rule: string;
  readonly file: string;
  /** Null for all events of the rule. */
  readonly entities: Entities | null;
  readonly take: number;
}

const sameEntities = (one: Entities | null, other: Entities | null) =>
  JSON.stringify(one) === JSON.stringify(other);

/** How a person reads what rules found: the open rule, the events of one of its alerts, and what is left out of it. */
export class RuleReading {
  /** The id of the rule that is unfolded. */
  rule = $state<string | null>(null);
  /** A technique of ATT&CK: only rules that are about it are listed. */
  technique = $state<string | null>(null);
  /** The alert whose events are shown. */
  #asked = $state.raw<Asked | null>(null);
  /** The last events that were read, and whose they are. */
  #read = $state.raw<{ readonly asked: Asked; readonly list: RuleHitList } | null>(null);
  #fired: readonly FiredRule[] = [];
  #unwritten = $state.raw<EngineError | null>(null);
  readonly #client: Client;
  readonly #case: string;
  readonly #notes: Notes;
  readonly #hits: Request<Asked, RuleHitList>;

  constructor(lifetime: Lifetime, client: Client, casePath: string, notes: Notes) {
    this.#client = client;
    this.#case = casePath;
    this.#notes = notes;
    this.#hits = new Request(
      lifetime,
      (asked, { signal }) =>
        client.call('ruleHits', { case: casePath, skip: 0, ...asked }, { signal }),
      { ignoresGrowth: true },
    );
  }

  get failure(): EngineError | null {
    return this.#unwritten ?? this.#hits.error;
  }

  retry(): void {
    this.#unwritten = null;
    if (this.#hits.error !== null) this.#hits.retry();
  }

  get busy(): boolean {
    return this.#hits.busy;
  }

  /** The events that are shown; null while they are read. */
  get hits(): RuleHitList | null {
    const [asked, read] = [this.#asked, this.#read];
    const isSame =
      read?.asked.rule === asked?.rule &&
      sameEntities(read?.asked.entities ?? null, asked?.entities ?? null);
    return asked === null || read === null || !isSame ? null : read.list;
  }

  isShown(rule: FiredRule, entities: Entities | null): boolean {
    return this.#asked?.rule === rule.name && sameEntities(this.#asked.entities, entities);
  }

  /** Unfolds a rule with the matches of its first alert, or folds it. */
  toggle(rule: FiredRule): void {
    this.#close();
    this.rule = this.rule === rule.name ? null : rule.name;
    const [first] = rule.entities;
    if (this.rule !== null && first !== undefined) this.toggleHits(rule, first);
  }

  /** Unfolds a rule by its id. */
  show(name: string): void {
    const rule = this.#fired.find((each) => each.name === name);
    this.technique = null;
    if (rule !== undefined && this.rule !== name) this.toggle(rule);
  }

  /** Shows the events of an alert, or hides them. */
  toggleHits(rule: FiredRule, entities: Entities | null): void {
    if (this.isShown(rule, entities)) this.#close();
    else this.#ask({ rule: rule.name, file: rule.file, entities, take: FIRST });
  }

  more(): void {
    if (this.#asked !== null)
      this.#ask({ ...this.#asked, take: Math.min(this.#asked.take + MORE, MOST_HITS) });
  }

  /** Reads the events again that are shown, if their rule fired again. */
  ran({ fired }: RuleRuns): void {
    this.#fired = fired;
    const asked = this.#asked;
    const rule = fired.find(({ name }) => name === asked?.rule);
    const isThere = rule?.entities.some((entities) => sameEntities(entities, asked!.entities));
    if (isThere === true) this.#ask(asked!);
    else this.#close();
  }

  /** The filters of the case, the oldest first. */
  get filters(): readonly RuleFilter[] {
    return this.#notes
      .ofKind(FILTER)
      .toSorted((a, b) => a.revision - b.revision)
      .map(({ id, text, data }) => {
        const known = (data ?? {}) as Record<string, unknown>;
        const part = (key: string) => (typeof known[key] === 'string' ? known[key] : '');
        return { id, text, title: part('title'), field: part('field'), value: part('value') };
      });
  }

  /** Differs whenever a filter was added, changed or removed. */
  get filterState(): string {
    return this.#notes
      .ofKind(FILTER)
      .map(({ id, revision }) => `${id}:${revision}`)
      .sort()
      .join(' ');
  }

  get readOnly(): boolean {
    return this.#notes.readOnly !== null;
  }

  /** Leaves the events with a value out of a rule. The filter is a note, which undo takes back. */
  async exclude(rule: FiredRule, { field, value }: EntityValue): Promise<boolean> {
    this.#unwritten = null;
    try {
      const asked = { case: this.#case, file: rule.file, rule: rule.name, field, value };
      const { text } = await this.#client.call('excludeValue', asked);
      const data = { rule: rule.name, title: rule.title, field, value };
      return await this.#notes.change([{ kind: FILTER, id: randomId(), text, data }]);
    } catch (cause) {
      this.#unwritten = engineError(cause);
      return false;
    }
  }

  include({ id }: RuleFilter): Promise<boolean> {
    return this.#notes.change([], [{ kind: FILTER, id }]);
  }

  #ask(asked: Asked): void {
    this.#asked = asked;
    void this.#hits.answer(asked).then((list) => {
      if (list !== null) this.#read = { asked, list };
    });
  }

  #close(): void {
    this.#asked = null;
    this.#hits.stop();
  }
}
