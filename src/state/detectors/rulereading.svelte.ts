import { randomId } from '../../base/ids';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type {
  AlertInterval,
  Entities,
  EntityValue,
  FiredRule,
  RuleHitList,
  RuleRuns,
} from '../../ipc/generated';
import type { Notes } from '../notes/notes.svelte';
import { Request } from '../request.svelte';

/** Notes of this kind are Sigma filters, which the engine reads with all rules that it runs over the case. */
export const FILTER = 'sigmafilter';

/** Events of an alert that are read at first, and with each further step. */
const FIRST = 10;
const MORE = 50;

/** A value that is left out of a rule. */
export interface RuleFilter {
  readonly id: string;
  readonly title: string;
  readonly field: string;
  readonly value: string;
  /** The filter as Sigma has it. */
  readonly text: string;
}

/** Which alert of a rule: by its entities, or of a correlation by its times and group. */
interface Target {
  readonly entities: Entities | null;
  readonly interval: AlertInterval | null;
}

interface Asked extends Target {
  readonly paths: string[];
  readonly rule: string;
  readonly file: string;
  readonly take: number;
}

const isSame = (one: Target | undefined, other: Target | undefined) =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    JSON.stringify([one.entities, one.interval]) ===
      JSON.stringify([other.entities, other.interval]));

/** The alert at a place among those that are listed of a rule. Detectors, which have no file, have no matches. */
function target({ kind, entities, listed }: FiredRule, at: number): Target | undefined {
  const [of, alert] = [entities[at], listed[at]];
  if (kind === 'rule' && of !== undefined) return { entities: of, interval: null };
  if (kind !== 'correlation' || alert === undefined) return undefined;
  const { start, end, group } = alert;
  if (start === null || end === null) return undefined;
  return { entities: null, interval: { start, end, keys: group.map(([, value]) => value) } };
}

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
  /** The files and folders that the rules were run from. */
  #paths: readonly string[] = [];
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
    if (asked === null || read === null || read.asked.rule !== asked.rule) return null;
    return isSame(read.asked, asked) ? read.list : null;
  }

  /** Whether the matches of the alert at a place are shown. */
  isShown(rule: FiredRule, at: number): boolean {
    const asked = this.#asked;
    return asked?.rule === rule.name && isSame(asked, target(rule, at));
  }

  /** Unfolds a rule with the matches of its first alert, or folds it. */
  toggle(rule: FiredRule): void {
    this.#close();
    this.rule = this.rule === rule.name ? null : rule.name;
    if (this.rule !== null) this.toggleHits(rule, 0);
  }

  /** Unfolds a rule by its id. */
  show(name: string): void {
    const rule = this.#fired.find((each) => each.name === name);
    this.technique = null;
    if (rule !== undefined && this.rule !== name) this.toggle(rule);
  }

  /** Shows the matches of the alert at a place, or hides them. */
  toggleHits(rule: FiredRule, at: number): void {
    const of = target(rule, at);
    if (of === undefined || this.isShown(rule, at)) this.#close();
    else
      this.#ask({ ...of, paths: [...this.#paths], rule: rule.name, file: rule.file, take: FIRST });
  }

  more(): void {
    if (this.#asked !== null) this.#ask({ ...this.#asked, take: this.#asked.take + MORE });
  }

  /** Reads the events again that are shown, if their rule fired again. */
  ran({ fired }: RuleRuns, paths: readonly string[]): void {
    this.#fired = fired;
    this.#paths = paths;
    const asked = this.#asked;
    const rule = fired.find(({ name }) => name === asked?.rule);
    const isThere = rule?.listed.some((_, at) => this.isShown(rule, at));
    if (isThere === true) this.#ask({ ...asked!, paths: [...paths] });
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
  async exclude(
    { name, title }: Pick<FiredRule, 'name' | 'title'>,
    { field, value }: EntityValue,
  ): Promise<boolean> {
    this.#unwritten = null;
    try {
      const asked = { case: this.#case, paths: [...this.#paths], rule: name, field, value };
      const { text } = await this.#client.call('excludeValue', asked);
      const data = { rule: name, title, field, value };
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
