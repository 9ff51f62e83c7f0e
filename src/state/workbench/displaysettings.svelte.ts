import { DETAIL_PLACES, type DetailPlace } from '../detail/placement';
import { pinnedOf, type PinnedFields } from '../fields/pinned';

/** Sizes and density of the screen: a person's preference for every case. */
export const LINES = [1, 2, 3, 5] as const;
export const DENSITIES = ['compact', 'normal', 'loose'] as const;
export const PATTERN_VIEWS = ['list', 'seismograph'] as const;
export const DETAIL_TABS = ['table', 'json', 'raw', 'pattern'] as const;

export type Density = (typeof DENSITIES)[number];
export type DetailTab = (typeof DETAIL_TABS)[number];
export type PatternView = (typeof PATTERN_VIEWS)[number];

const KEY = 'timberline look';

interface StoredSettings {
  readonly lines: number;
  readonly density: Density;
  readonly messageFirst: boolean;
  readonly fieldsOpen: boolean;
  readonly fieldsPx: number;
  readonly filesOpen: boolean;
  readonly pinnedFields: PinnedFields;
  readonly detailPx: number | null;
  readonly detailTallPx: number | null;
  readonly detailPlace: DetailPlace | null;
  readonly detailTab: DetailTab;
  readonly timelineOpen: boolean;
  readonly difference: boolean;
  readonly livePanelOpen: boolean;
  readonly patternView: PatternView;
}

const START: StoredSettings = {
  lines: 1,
  density: 'normal',
  messageFirst: true,
  fieldsOpen: true,
  fieldsPx: 232,
  filesOpen: true,
  pinnedFields: {},
  detailPx: null,
  detailTallPx: null,
  detailPlace: null,
  detailTab: 'table',
  timelineOpen: true,
  difference: true,
  livePanelOpen: true,
  patternView: 'list',
};

const PADDING_PX: Readonly<Record<Density, number>> = { compact: 1, normal: 4, loose: 10 };
const LINE_PX: Readonly<Record<Density, number>> = { compact: 18, normal: 20, loose: 20 };

/** The text size that the sizes here are made for. */
const MADE_FOR_PX = 16;

export class DisplaySettings {
  #kept = $state.raw<StoredSettings>(START);
  /** The person's text size relative to the size that pixel sizes are made for. */
  scale = $state(1);

  constructor() {
    this.#kept = { ...START, ...read() };
  }

  get lines(): number {
    return this.#kept.lines;
  }

  get density(): Density {
    return this.#kept.density;
  }

  /** Whether events show their message first, or as written. */
  get messageFirst(): boolean {
    return this.#kept.messageFirst;
  }

  get fieldsOpen(): boolean {
    return this.#kept.fieldsOpen;
  }

  get fieldsPx(): number {
    return this.#kept.fieldsPx;
  }

  get filesOpen(): boolean {
    return this.#kept.filesOpen;
  }

  /** The fields whose values a person pinned or unpinned. */
  get pinnedFields(): PinnedFields {
    return this.#kept.pinnedFields;
  }

  /** Its width to the right of the list. Null means automatic. */
  get detailPx(): number | null {
    return this.#kept.detailPx;
  }

  /** Its height below the list. Null means automatic. */
  get detailTallPx(): number | null {
    return this.#kept.detailTallPx;
  }

  /** Null means automatic. */
  get detailPlace(): DetailPlace | null {
    return this.#kept.detailPlace;
  }

  get detailTab(): DetailTab {
    return this.#kept.detailTab;
  }

  /** Whether the timeline is whole, and not a thin strip. */
  get timelineOpen(): boolean {
    return this.#kept.timelineOpen;
  }

  /** Whether it is shown what differs in a selected time range. */
  get difference(): boolean {
    return this.#kept.difference;
  }

  get livePanelOpen(): boolean {
    return this.#kept.livePanelOpen;
  }

  /** How the tab of patterns shows them. */
  get patternView(): PatternView {
    return this.#kept.patternView;
  }

  /** Height of a line of an event's text. */
  get linePx(): number {
    return Math.round(LINE_PX[this.density] * this.scale);
  }

  /** Height of a row of the list. */
  get rowPx(): number {
    return this.lines * this.linePx + PADDING_PX[this.density];
  }

  /** The text size of the page, set by the system and the person. */
  measured(remPx: number): void {
    if (remPx > 0) this.scale = remPx / MADE_FOR_PX;
  }

  change(part: Partial<StoredSettings>): void {
    this.#kept = { ...this.#kept, ...part };
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#kept));
    } catch {
      // Without storage the choice holds for this window.
    }
  }
}

/** Reads only known values: an older or newer version may have written them. */
function read(): Partial<StoredSettings> {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Record<string, unknown>>;
    const one = <T>(choices: readonly T[], value: unknown) =>
      choices.find((each) => each === value);
    const px = (value: unknown) => (typeof value === 'number' && value > 0 ? value : undefined);
    const parts = {
      lines: one(LINES, found.lines),
      density: one(DENSITIES, found.density),
      messageFirst: one([true, false], found.messageFirst),
      fieldsOpen: one([true, false], found.fieldsOpen),
      fieldsPx: px(found.fieldsPx),
      filesOpen: one([true, false], found.filesOpen),
      pinnedFields: pinnedOf(found.pinnedFields),
      detailPx: px(found.detailPx),
      detailTallPx: px(found.detailTallPx),
      detailPlace: one(DETAIL_PLACES, found.detailPlace),
      detailTab: one(DETAIL_TABS, found.detailTab),
      timelineOpen: one([true, false], found.timelineOpen),
      difference: one([true, false], found.difference),
      livePanelOpen: one([true, false], found.livePanelOpen),
      patternView: one(PATTERN_VIEWS, found.patternView),
    };
    const understood = Object.entries(parts).filter(([, value]) => value !== undefined);
    return Object.fromEntries(understood) as Partial<StoredSettings>;
  } catch {
    return {};
  }
}
