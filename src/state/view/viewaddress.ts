import type { AddressPlace } from '../../base/addressplace';
import { Coalesced } from '../../base/coalesce';
import { Lifetime } from '../../base/lifetime';
import { addressOf, readAddress, type Address, type AddressProblem } from './address';
import type { ViewHistory } from './history.svelte';
import { START } from './viewstate';

/** Small changes, such as those of a wheel, reach the address at most this often: browsers refuse more. */
const REWRITE_MS = 400;

/** What is stored with an entry of the browser's history: the place of its step. */
interface Entry {
  readonly at: number;
}

export interface AddressUser {
  /** Opens the case of an address that a person went to. False if this window knows no such case. */
  open(address: Address): boolean;
  report(problem: AddressProblem): void;
}

/**
 * Keeps the address of the page and the view the same. Each step of the view's history is an entry of
 * the browser's: new steps are pushed, undo and redo move it, and its back and forward move the view.
 */
export class ViewAddress {
  readonly #place: AddressPlace;
  readonly #user: AddressUser;
  #shown: { caseName: string; history: ViewHistory; lifetime: Lifetime } | null = null;
  #rewrite: Coalesced | null = null;
  /** The place of the entry that the browser shows, and of its last one as far as known. */
  #at = 0;
  #last = 0;
  /** Where this class has sent the browser, until it is there. */
  #target: number | null = null;
  /** A new step was made, which is no entry yet. */
  #isNew = false;
  /** The browser has made the entry of the next step itself: a person typed its address. */
  #isTyped = false;
  /** What the current entry lacks. */
  #unwritten: string | null = null;

  constructor(place: AddressPlace, user: AddressUser) {
    this.#place = place;
    this.#user = user;
    place.onMove(() => this.#moved());
  }

  /** The address that the page was opened with. */
  read(): Address | null {
    return readAddress(this.#place.hash);
  }

  /** A link to the view that is shown; null if there is none, and if it is too long for one. */
  get link(): string | null {
    const text = this.#shown?.history.text;
    if (text === undefined) return null;
    const hash = this.#text();
    return hash.endsWith(text) ? this.#place.link(hash) : null;
  }

  /** A case is open: its address is written, over that of the same case or of none. */
  show(caseName: string, history: ViewHistory): void {
    this.#end();
    const lifetime = new Lifetime();
    this.#shown = { caseName, history, lifetime };
    this.#rewrite = new Coalesced(lifetime, () => this.#write(), REWRITE_MS);
    const before = readAddress(this.#place.hash)?.caseName ?? null;
    const isOther = before !== null && before !== caseName;
    this.#at = this.#last = placeOf(this.#place.state) + (isOther ? 1 : 0);
    this.#target = null;
    this.#isNew = isOther;
    this.#isTyped = false;
    history.followedBy((isNew) => this.#follow(isNew), this.#at);
    this.#sync();
  }

  /** No case is open any more. */
  leave(): void {
    this.#end();
    this.#place.replace({ at: this.#at } satisfies Entry, '');
  }

  #end(): void {
    this.#shown?.lifetime.end();
    this.#shown?.history.followedBy(() => {}, this.#shown.history.at);
    this.#shown = null;
    this.#unwritten = null;
  }

  #text(): string {
    const { caseName, history } = this.#shown!;
    return addressOf(caseName, history.text);
  }

  #follow(isNew: boolean): void {
    if (isNew) {
      // The entry before gets what it lacks.
      this.#write();
      this.#isNew = true;
    }
    this.#sync();
  }

  /** Moves the browser to the step of the view. */
  #sync(): void {
    if (this.#shown === null || this.#target !== null) return;
    const { at } = this.#shown.history;
    if (this.#isNew) {
      const how = this.#isTyped ? 'replace' : 'push';
      this.#isNew = this.#isTyped = false;
      this.#at = this.#last = at;
      this.#place[how]({ at } satisfies Entry, this.#text());
    } else if (at !== this.#at && this.#keeps(at)) {
      this.#target = at;
      this.#place.go(at - this.#at);
    } else {
      this.#at = at;
      this.#unwritten = this.#text();
      this.#rewrite?.request();
    }
  }

  /** Whether the browser still has the entry of a place: it drops the oldest of very many. */
  #keeps(at: number): boolean {
    return at <= this.#last && at > this.#last - this.#place.length;
  }

  #write(): void {
    if (this.#unwritten === null || this.#target !== null) return;
    this.#place.replace({ at: this.#at } satisfies Entry, this.#unwritten);
    this.#unwritten = null;
  }

  /** The browser shows another entry: where it was sent, where a person went, or a typed address. */
  #moved(): void {
    const target = this.#target;
    this.#target = null;
    const { hash, state } = this.#place;
    if (hash.startsWith('token=')) return this.#place.reload();
    this.#unwritten = null;
    const isEntry = isOurs(state);
    if (isEntry) this.#at = state.at;
    const address = readAddress(hash);
    const history = this.#shown?.history ?? null;
    const caseName = address?.caseName ?? null;
    if (history === null || (caseName !== null && caseName !== this.#shown?.caseName)) {
      if (address !== null && !this.#user.open(address)) this.#unknown(caseName ?? '');
    } else if (!isEntry) this.#typed(address);
    else if (target === null) history.goTo(this.#at, address?.view ?? history.current);
    else {
      // Steps that followed each other within an instant have no entries of their own.
      if (this.#at !== target) this.#at = history.at;
      this.#sync();
      this.#write();
    }
  }

  /** A typed or pasted address is a step like any other. */
  #typed(address: Address | null): void {
    const { history } = this.#shown!;
    if (address?.problem) this.#user.report(address.problem);
    this.#isTyped = true;
    history.change(address?.view ?? {});
    this.#isTyped = false;
    // A view that is shown already is no step.
    this.#at = history.at;
    this.#sync();
    this.#write();
  }

  /** The address of a case that is not known here shows the plain view. */
  #unknown(name: string): void {
    this.#user.report({ kind: 'otherCase', about: name });
    if (this.#shown === null) this.leave();
    else this.#typed({ caseName: null, view: START, problem: null });
  }
}

function isOurs(state: unknown): state is Entry {
  return typeof (state as Entry | null)?.at === 'number';
}

function placeOf(state: unknown): number {
  return isOurs(state) ? state.at : 0;
}
