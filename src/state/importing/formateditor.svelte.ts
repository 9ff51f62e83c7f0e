import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type { SavedFormat, TriedFormat } from '../../ipc/generated';

/** The number of sample events that the engine marks one by one. */
const SHOWN_EVENTS = 200;

const SKELETON = `name = "my-format"
title = "lines of my program"

# One pattern: grok, regex with (?<names>), or dissect.
grok = "%{TIMESTAMP_ISO8601:timestamp} %{WORD:level} %{GREEDYDATA:message}"
`;

/** A custom format in the editor, and its result on sample lines. */
export class FormatEditor {
  text = $state('');
  sample = $state('');
  tried = $state.raw<TriedFormat | null>(null);
  failure = $state.raw<EngineError | null>(null);
  busy = $state(false);
  saving = $state(false);
  readonly #client: Client;
  readonly #asking: Latest<TriedFormat>;
  readonly #before: SavedFormat | null;
  readonly #lifetime: Lifetime;

  constructor(
    lifetime: Lifetime,
    client: Client,
    sample: string,
    before: SavedFormat | null = null,
  ) {
    this.#lifetime = lifetime;
    this.#asking = new Latest(lifetime, (busy) => (this.busy = busy));
    this.#client = client;
    this.#before = before;
    this.text = before?.text ?? SKELETON;
    this.sample = sample;
    this.try();
  }

  /** Whether it has no errors and defines a format. */
  get isSound(): boolean {
    return this.tried !== null && this.tried.faults.length === 0 && this.tried.formats.length > 0;
  }

  try(): void {
    const request = { text: this.text, sample: this.sample, events: SHOWN_EVENTS };
    this.#asking.replace({
      key: JSON.stringify(request),
      load: (signal) => this.#client.call('tryFormat', request, { signal }),
      done: (tried) => {
        this.tried = tried;
        this.failure = null;
      },
      failed: (cause) => (this.failure = engineError(cause)),
    });
  }

  /** Saves the definition. Returns the name of the format, or null if saving failed. */
  async save(replace = false): Promise<string | null> {
    this.saving = true;
    try {
      const name = this.tried?.formats[0]?.name;
      const same = this.#before?.formats.some((format) => format.name === name) ?? false;
      const request = { text: this.text, replace: replace || same };
      const saved = await this.#client.call('saveFormat', request);
      this.failure = null;
      return saved.formats[0]?.name ?? null;
    } catch (cause) {
      this.failure = engineError(cause);
      return null;
    } finally {
      this.saving = false;
    }
  }

  dispose(): void {
    this.#lifetime.end();
  }
}
