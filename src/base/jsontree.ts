/**
 * JSON as a tree that keeps every value as written: numbers keep all their digits, duplicate names
 * stay, and text that is no JSON is rejected.
 */
export interface JsonNode {
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'word';
  /** The name in an object, the index in an array, empty at the root. */
  readonly name: string | null;
  /** Names from the root joined by dots, as in the names of JSON fields. */
  readonly path: string;
  /** The value: texts without quotes and escapes, everything else as written. */
  readonly text: string;
  readonly children: JsonNode[];
}

/** Deeper nesting is not readable, and a hostile log must not exhaust the screen. */
const MOST_DEPTH = 200;

export class TooDeep extends Error {}

/** Parses a text; null if it is no JSON object or array. */
export function jsonTree(text: string): JsonNode | null {
  const reader = new Reader(text);
  try {
    const root = reader.value(null, '', 0);
    return reader.isAtEnd() && isNested(root) ? root : null;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** The values in an object or array; of a truncated text, those before the cut. Null if it is no JSON. */
export function jsonLeaves(text: string, isCut: boolean): readonly JsonNode[] | null {
  const reader = new Reader(text);
  try {
    reader.value(null, '', 0);
    return reader.isAtEnd() || isCut ? reader.leaves : null;
  } catch {
    return isCut ? reader.leaves : null;
  }
}

export function isNested({ kind }: JsonNode): boolean {
  return kind === 'object' || kind === 'array';
}

class Unreadable extends Error {}

class Reader {
  /** Values that are not nested, as far as the text was parsed. */
  readonly leaves: JsonNode[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#space();
    return this.#at === this.#text.length;
  }

  value(name: string | null, path: string, depth: number): JsonNode {
    if (depth > MOST_DEPTH) throw new TooDeep();
    this.#space();
    const first = this.#text[this.#at];
    if (first === '{') return this.#nested('object', name, path, depth);
    if (first === '[') return this.#nested('array', name, path, depth);
    if (first === '"') return this.#leaf('string', name, path, this.#string());
    const written = this.#matched(/[^\s,\]}]+/y);
    if (/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(written))
      return this.#leaf('number', name, path, written);
    if (/^(?:true|false|null)$/.test(written)) return this.#leaf('word', name, path, written);
    throw new Unreadable();
  }

  #nested(kind: 'object' | 'array', name: string | null, path: string, depth: number): JsonNode {
    const children: JsonNode[] = [];
    const close = kind === 'object' ? '}' : ']';
    this.#at += 1;
    this.#space();
    if (this.#taken(close)) return { kind, name, path, text: '', children };
    for (;;) {
      this.#space();
      const own = kind === 'object' ? this.#string() : String(children.length);
      if (kind === 'object') {
        this.#space();
        if (!this.#taken(':')) throw new Unreadable();
      }
      // Elements of a list have the name of the list.
      const below = kind === 'array' ? path : path === '' ? own : `${path}.${own}`;
      children.push(this.value(own, below, depth + 1));
      this.#space();
      if (this.#taken(close)) return { kind, name, path, text: '', children };
      if (!this.#taken(',')) throw new Unreadable();
    }
  }

  #string(): string {
    const start = this.#at;
    if (!this.#taken('"')) throw new Unreadable();
    while (this.#text[this.#at] !== '"') {
      if (this.#at >= this.#text.length) throw new Unreadable();
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    }
    this.#at += 1;
    const written = this.#text.slice(start, this.#at);
    try {
      return JSON.parse(written) as string;
    } catch {
      // JSON does not allow control characters, but logs have them.
      return written.slice(1, -1);
    }
  }

  #leaf(kind: JsonNode['kind'], name: string | null, path: string, text: string): JsonNode {
    const leaf = { kind, name, path, text, children: [] };
    this.leaves.push(leaf);
    return leaf;
  }

  #matched(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw new Unreadable();
    this.#at += found.length;
    return found;
  }

  #taken(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }
}
