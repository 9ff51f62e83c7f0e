import { Latest } from '../../base/latest';
import type { Lifetime } from '../../base/lifetime';
import { texts } from '../../base/texts';
import { engineError, type Client, type EngineError } from '../../ipc/client';
import type {
  Estimate,
  Formats,
  ImportChoices,
  PreviewFile,
  Profile,
  ProfileCost,
  Reading,
} from '../../ipc/generated';

/** Events in the preview of each file. */
const SHOWN_EVENTS = 40;

/** An empty choice is no choice. */
export function withoutNothing(reading: Reading): Reading {
  const said = Object.entries(reading).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(said);
}

export function saysNothing(reading: Reading): boolean {
  return Object.keys(withoutNothing(reading)).length === 0;
}

/** The import preview: how each file would be read, the choices, and the estimate. */
export class ImportSheet {
  files = $state.raw<readonly PreviewFile[] | null>(null);
  estimate = $state.raw<Estimate | null>(null);
  failure = $state.raw<EngineError | null>(null);
  busy = $state(true);
  /** The path of the selected file. */
  selected = $state<string | null>(null);
  /** The reading of all files that have no choice of their own. */
  all = $state.raw<Reading>({});
  own = $state.raw<ReadonlyMap<string, Reading>>(new Map());
  /** Files that a person unchecked, by their paths. */
  leftOut = $state.raw<ReadonlySet<string>>(new Set());
  again = $state(false);
  beyondReserve = $state(false);
  /** A field has an invalid text; it is no choice yet. */
  mistyped = $state(false);
  /** What is kept besides the original bytes; a case with data keeps its own profile. */
  profile = $state<Profile>('full');
  formats = $state.raw<Formats | null>(null);

  readonly paths: readonly string[];
  /** The case that the files are imported into; null for a new one. */
  readonly caseName: string | null;
  #waiting: (() => void) | null = null;
  readonly #casePath: string;
  readonly #client: Client;
  readonly #asking: Latest<{ files: PreviewFile[]; estimate: Estimate }>;
  readonly #lifetime: Lifetime;

  constructor(
    lifetime: Lifetime,
    client: Client,
    casePath: string,
    paths: string[],
    caseName: string | null,
  ) {
    this.#lifetime = lifetime;
    this.#asking = new Latest(lifetime, (busy) => {
      this.busy = busy;
    });
    this.#client = client;
    this.#casePath = casePath;
    this.paths = paths;
    this.caseName = caseName;
    this.#look();
    void this.loadFormats();
  }

  get choices(): ImportChoices {
    const own = [...this.own].map(([path, reading]) => ({ path, reading }));
    return {
      reading: withoutNothing(this.all),
      // Choices for all files apply to a file too, unless it has its own.
      files: own.map(({ path, reading }) => ({
        path,
        reading: withoutNothing({ ...this.all, ...withoutNothing(reading) }),
      })),
      include: [],
      exclude: [],
      leftOut: [...this.leftOut],
      again: this.again,
      beyondReserve: this.beyondReserve,
    };
  }

  get current(): PreviewFile | null {
    return this.files?.find((file) => file.path === this.selected) ?? null;
  }

  /** The cost of the import in a profile; a case with data is estimated with its own. */
  costOf(profile: Profile): ProfileCost | null {
    return this.estimate?.profiles.find((cost) => cost.profile === profile) ?? null;
  }

  get cost(): ProfileCost | null {
    return this.costOf(this.profile) ?? this.estimate?.profiles[0] ?? null;
  }

  get fits(): boolean {
    return this.cost === null || this.cost.fits;
  }

  /** Why the import cannot start; null if it can. */
  get obstacle(): string | null {
    const words = texts.importing.sheet;
    const files = (this.files ?? []).filter(({ path }) => !this.leftOut.has(path));
    if (this.mistyped) return words.mistyped;
    if (this.failure !== null) return this.failure.message;
    const refused = files.find(({ error }) => error?.code === 'badRequest');
    if (refused?.error) return words.refused(refused.name, refused.error.message);
    if (this.files !== null && files.length === 0) return words.noneChosen;
    if (files.length > 0 && files.every(({ error }) => error !== null)) return words.nothing;
    return this.fits || this.beyondReserve ? null : words.noRoom;
  }

  /** Starts the import, after the preview of the latest choice. False if it cannot start. */
  start(run: () => void): boolean {
    const isChosen = !saysNothing(this.all) || this.own.size > 0;
    if (this.busy && isChosen) this.#waiting = run;
    else if (this.obstacle !== null) return false;
    else run();
    return true;
  }

  select(path: string): void {
    this.selected = path;
  }

  /** Whether the files are imported. */
  check(paths: readonly string[], checked: boolean): void {
    const leftOut = new Set(this.leftOut);
    for (const path of paths) {
      if (checked) leftOut.delete(path);
      else leftOut.add(path);
    }
    this.leftOut = leftOut;
    this.#look(false, true);
  }

  chosenFor(path: string): Reading {
    return this.own.get(path) ?? {};
  }

  choose(path: string, reading: Reading): void {
    const own = new Map(this.own);
    if (saysNothing(reading)) own.delete(path);
    else own.set(path, withoutNothing(reading));
    this.own = own;
    this.#look();
  }

  chooseForAll(reading: Reading): void {
    this.all = withoutNothing(reading);
    this.#look();
  }

  async loadFormats(): Promise<void> {
    this.formats = await this.#client.call('formats', {}).catch(() => null);
  }

  /** Requests again, after a format was saved or removed. */
  refresh(): void {
    void this.loadFormats();
    this.#look(true);
  }

  dispose(): void {
    this.#lifetime.end();
  }

  #look(again = false, measured = false): void {
    const choices = this.choices;
    const request = { case: this.#casePath, paths: [...this.paths], choices, events: SHOWN_EVENTS };
    // The estimate takes a second. Choices change it little, other files much.
    const withoutEstimate = this.estimate !== null && !measured;
    if (again) this.#asking.stop();
    this.#asking.replace({
      key: JSON.stringify(request),
      load: (signal) => this.#client.call('preview', { ...request, withoutEstimate }, { signal }),
      done: ({ files, estimate }) => {
        this.files = files;
        if (!withoutEstimate) this.estimate = estimate;
        this.failure = null;
        this.selected ??= firstToLookAt(files);
        const run = this.#waiting;
        this.#waiting = null;
        if (this.obstacle === null) run?.();
      },
      failed: (cause) => {
        this.failure = engineError(cause);
        this.#waiting = null;
      },
    });
  }
}

/** How much attention a file needs. */
export function worth(file: PreviewFile): 'failed' | 'doubtful' | 'fine' {
  if (file.error !== null) return 'failed';
  const odd = file.unparsed > 0 && file.unparsed >= file.events * DOUBTFUL_SHARE;
  return odd || file.account.score < SURE_SCORE ? 'doubtful' : 'fine';
}

/** Below this share of parsed lines the detection is doubtful. */
const SURE_SCORE = 0.8;
const DOUBTFUL_SHARE = 0.2;

function firstToLookAt(files: readonly PreviewFile[]): string | null {
  const odd = files.find((file) => worth(file) === 'doubtful');
  return (odd ?? files.find((file) => file.error === null) ?? files[0])?.path ?? null;
}
