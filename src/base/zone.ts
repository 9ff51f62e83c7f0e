/** Time zones: their offset from UTC at a time, from the system's own tables. */
import {
  asTime,
  dateOf,
  floorTo,
  formatClock,
  formatDay,
  formatRange,
  formatTime,
  formatTimeFull,
  formatTimeShort,
  MILLISECOND,
  MINUTE,
  type Time,
  type TimeRange,
} from './time';

/** Offsets change at most at a quarter of an hour, so one answer serves all of it. */
const OFFSET_HOLDS = 15n * MINUTE;
/** Cached offsets; a list shows a few times at once, an axis a few dozen. */
const MOST_OFFSETS = 4096;

/** The IANA name of this machine's zone. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** One zone and its cached offsets. */
interface Clocks {
  /** An IANA name. */
  readonly zone: string;
  /** Null for UTC. */
  readonly parts: Intl.DateTimeFormat | null;
  readonly offsets: Map<bigint, bigint>;
}

/** Formats and parses times in a zone. */
export class Clock {
  readonly #wanted: () => string;
  #clocks: Clocks = { zone: 'UTC', parts: null, offsets: new Map() };
  #cachedZone = 'UTC';

  /** `UTC`, `local`, or an IANA name; an unknown name is UTC. The clock follows changes of its zone. */
  constructor(zone: string | (() => string)) {
    this.#wanted = typeof zone === 'string' ? () => zone : zone;
  }

  get zone(): string {
    return this.#now().zone;
  }

  /** The zone for engine requests: null for UTC. */
  get zoneAsked(): string | null {
    return this.#now().parts === null ? null : this.zone;
  }

  /** The zone's offset from UTC at a time, in nanoseconds. */
  offset(time: Time): bigint {
    const { parts, offsets } = this.#now();
    if (parts === null) return 0n;
    const slot = floorTo(time, OFFSET_HOLDS);
    const known = offsets.get(slot);
    if (known !== undefined) return known;
    const offset = offsetAt(parts, slot);
    if (offsets.size >= MOST_OFFSETS) offsets.clear();
    offsets.set(slot, offset);
    return offset;
  }

  #now(): Clocks {
    const wanted = this.#wanted();
    if (wanted !== this.#cachedZone) {
      this.#clocks = clocksOf(wanted);
      this.#cachedZone = wanted;
    }
    return this.#clocks;
  }

  /** A time as the zone's wall clock, expressed as if that were UTC. */
  wall(time: Time): Time {
    return asTime(time + this.offset(time));
  }

  /** The time for a wall clock of the zone; the earlier one if clocks show it twice. */
  fromWall(wall: Time): Time {
    const candidates = [
      wall - this.offset(asTime(wall - DAY_AROUND)),
      wall - this.offset(asTime(wall + DAY_AROUND)),
    ]
      .map(asTime)
      .sort((a, b) => (a < b ? -1 : 1));
    // In an hour that clocks skip no time fits, so the later one is taken.
    return candidates.find((time) => this.wall(time) === wall) ?? candidates.at(-1)!;
  }

  /** `UTC`, `UTC+02:00`: the label for times. */
  label(time: Time | null): string {
    const { parts, zone } = this.#now();
    if (parts === null || time === null) return zone;
    const minutes = Number(this.offset(time) / MINUTE);
    const clock = (part: number) => String(Math.trunc(Math.abs(part))).padStart(2, '0');
    return `UTC${minutes < 0 ? '−' : '+'}${clock(minutes / 60)}:${clock(minutes % 60)}`;
  }

  day(time: Time): string {
    return formatDay(this.wall(time));
  }

  clock(time: Time): string {
    return formatClock(this.wall(time));
  }

  time(time: Time): string {
    return formatTime(this.wall(time));
  }

  full(time: Time): string {
    return formatTimeFull(this.wall(time));
  }

  short(time: Time): string {
    return formatTimeShort(this.wall(time));
  }

  range(range: TimeRange): string {
    return formatRange({ from: this.wall(range.from), to: this.wall(range.to) });
  }
}

/** No clock change has ever been larger than a day. */
const DAY_AROUND = 24n * 60n * MINUTE;

function clocksOf(wanted: string): Clocks {
  const named = wanted === 'local' ? localZone() : wanted;
  const zone = isZone(named) ? named : 'UTC';
  const numbers = 'numeric';
  const parts =
    zone === 'UTC'
      ? null
      : new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
          timeZone: zone,
          hourCycle: 'h23',
          year: numbers,
          month: numbers,
          day: numbers,
          hour: numbers,
          minute: numbers,
          second: numbers,
          era: 'short',
        });
  return { zone, parts, offsets: new Map() };
}

function offsetAt(parts: Intl.DateTimeFormat, time: Time): bigint {
  const shown = Object.fromEntries(
    parts.formatToParts(dateOf(time)).map(({ type, value }) => [type, value]),
  );
  const year = Number(shown.year) * (shown.era?.startsWith('B') ? -1 : 1);
  const wall = Date.UTC(
    year,
    Number(shown.month) - 1,
    Number(shown.day),
    Number(shown.hour),
    Number(shown.minute),
    Number(shown.second),
  );
  return BigInt(wall) * MILLISECOND - floorTo(time, 1000n * MILLISECOND);
}
