import type { Lifetime } from '../../base/lifetime';
import { texts } from '../../base/texts';
import type { Client } from '../../ipc/client';
import type {
  Estimate,
  Formats,
  ImportChoices,
  PreviewFile,
  Preview,
  PreviewRequest,
  Profile,
  ProfileCost,
  Reading,
} from '../../ipc/generated';
import { Request } from '../request.svelte';

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
export class ImportSheet extends Request<PreviewRequest, Preview> {
  estimate = $state.raw<Estimate | null>(null);
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
  readonly formats: Request<object, Formats>;

  readonly paths: readonly string[];
  /** The case that the files are imported into; null for a new one. */
  readonly caseName: string | null;
  #waiting: (() => void) | null = null;
  readonly #casePath: string;
  readonly #lifetime: Lifetime;

  constructor(
    lifetime: Lifetime,
    client: Client,
    casePath: string,
    paths: string[],
    caseName: string | null,
  ) {
    super(lifetime, (asked, { signal }) => client.call('preview', asked, { signal }), {
      ignoresGrowth: true,
      key: (asked) => JSON.stringify({ ...asked, withoutEstimate: null }),
    });
    this.#lifetime = lifetime;
    this.#casePath = casePath;
    this.paths = paths;
    this.caseName = caseName;
    this.formats = new Request(lifetime, () => client.call('formats', {}), {
      ignoresGrowth: true,
      isShared: true,
    });
    this.formats.ask({});
    this.#look();
  }

  get files(): readonly PreviewFile[] | null {
    return this.value?.files ?? null;
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
    this.#look(true);
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

  /** Requests again, after a format was saved or removed. */
  refresh(): void {
    this.formats.retry();
    this.retry();
  }

  dispose(): void {
    this.#lifetime.end();
  }

  protected override arrived({ files, estimate }: Preview, asked: PreviewRequest): void {
    if (!asked.withoutEstimate) this.estimate = estimate;
    this.selected ??= firstToLookAt(files);
    this.#goOn();
  }

  /** Starts the import that waits for the preview. */
  #goOn(): void {
    const run = this.#waiting;
    this.#waiting = null;
    if (this.obstacle === null) run?.();
  }

  protected override failed(): void {
    this.#waiting = null;
  }

  #look(isMeasured = false): void {
    this.ask({
      case: this.#casePath,
      paths: [...this.paths],
      choices: this.choices,
      events: SHOWN_EVENTS,
      // The estimate takes a second. Choices change it little, other files much.
      withoutEstimate: this.estimate !== null && !isMeasured,
    });
    // The preview of these choices may be known already.
    if (!this.busy) this.#goOn();
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
