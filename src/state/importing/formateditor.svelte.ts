import type { Lifetime } from '../../base/lifetime';
import type { Client } from '../../ipc/client';
import type {
  SavedFormat,
  SaveFormatRequest,
  TriedFormat,
  TryFormatRequest,
} from '../../ipc/generated';
import { Request } from '../request.svelte';

/** The number of sample events that the engine marks one by one. */
const SHOWN_EVENTS = 200;

const SKELETON = `name = "my-format"
title = "lines of my program"

# One pattern: grok, regex with (?<names>), or dissect.
grok = "%{TIMESTAMP_ISO8601:timestamp} %{WORD:level} %{GREEDYDATA:message}"
`;

/** A custom format in the editor, and its result on sample lines. */
export class FormatEditor extends Request<TryFormatRequest, TriedFormat> {
  text = $state('');
  sample = $state('');
  readonly saving: Request<SaveFormatRequest, SavedFormat>;
  readonly #before: SavedFormat | null;
  readonly #lifetime: Lifetime;

  constructor(
    lifetime: Lifetime,
    client: Client,
    sample: string,
    before: SavedFormat | null = null,
  ) {
    super(lifetime, (asked, { signal }) => client.call('tryFormat', asked, { signal }), {
      ignoresGrowth: true,
    });
    this.#lifetime = lifetime;
    this.saving = new Request(lifetime, (asked) => client.call('saveFormat', asked), {
      ignoresGrowth: true,
    });
    this.#before = before;
    this.text = before?.text ?? SKELETON;
    this.sample = sample;
    this.try();
  }

  /** Whether it has no errors and defines a format. */
  get isSound(): boolean {
    const { value } = this;
    return value !== null && value.faults.length === 0 && value.formats.length > 0;
  }

  try(): void {
    this.ask({ text: this.text, sample: this.sample, events: SHOWN_EVENTS });
  }

  /** Saves the definition. Returns the name of the format, or null if saving failed. */
  async save(replace = false): Promise<string | null> {
    const name = this.value?.formats[0]?.name;
    const same = this.#before?.formats.some((format) => format.name === name) ?? false;
    const saved = await this.saving.answer({ text: this.text, replace: replace || same });
    return saved?.formats[0]?.name ?? null;
  }

  dispose(): void {
    this.#lifetime.end();
  }
}
