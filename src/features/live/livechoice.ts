/** What a person writes in the sheet of a live source, and what is wrong with it. */
import { texts } from '../../base/texts';
import type { LiveKind, LiveReading, LiveSettings } from '../../ipc/generated';

export type LiveTransport = 'udp' | 'tcp' | 'unix';

export type LiveChoice = 'follow' | 'syslog' | 'http' | 'journal';

export const LIVE_CHOICES: readonly LiveChoice[] = ['follow', 'syslog', 'http', 'journal'];

export interface LiveForm {
  readonly choice: LiveChoice;
  /** One path a line. */
  readonly paths: string;
  readonly transport: LiveTransport;
  readonly socket: string;
  /** What lines are read as; empty where that is learned. */
  readonly format: string;
  /** The zone of times without one; empty for UTC. */
  readonly zone: string;
  /** What senders and programs are read as in another way. */
  readonly parts: readonly PartForm[];
  readonly syslogPort: string;
  readonly httpPort: string;
}

/** What a sender sends, by its address or network, or what a program writes, by its tag. */
export interface PartForm {
  readonly of: 'sender' | 'tag';
  readonly name: string;
  readonly format: string;
  readonly zone: string;
}

export const EMPTY_PART: PartForm = { of: 'sender', name: '', format: '', zone: '' };

/** The ports that programs expect, moved where they need special rights. */
export const EMPTY_FORM: LiveForm = {
  choice: 'follow',
  paths: '',
  transport: 'tcp',
  socket: '',
  format: '',
  zone: '',
  parts: [],
  syslogPort: '5514',
  httpPort: '9200',
};

const MOST_PORT = 65_535;
const words = texts.live.sheet;

function pathsOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export function portOf(text: string): number | null {
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  return port >= 1 && port <= MOST_PORT ? port : null;
}

const isAbsolute = (path: string) => path.startsWith('/') || /^[a-z]:[\\/]|^\\\\/i.test(path);

/** The source that is described, or what is wrong with its description. */
export function liveSource(form: LiveForm): { source: LiveKind } | { mistake: string } {
  switch (form.choice) {
    case 'journal':
      return { source: { kind: 'journal' } };
    case 'follow': {
      const paths = pathsOf(form.paths);
      const relative = paths.find((path) => !isAbsolute(path));
      if (relative !== undefined) return { mistake: words.relative(relative) };
      return paths.length === 0
        ? { mistake: words.missing }
        : { source: { kind: 'follow', paths } };
    }
    case 'http': {
      const port = portOf(form.httpPort);
      return port === null ? { mistake: words.badPort } : { source: { kind: 'http', port } };
    }
    case 'syslog': {
      if (form.transport === 'unix') {
        const path = form.socket.trim();
        if (path === '') return { mistake: words.missingSocket };
        return isAbsolute(path)
          ? { source: { kind: 'syslogUnix', path } }
          : { mistake: words.relative(path) };
      }
      const port = portOf(form.syslogPort);
      const kind = form.transport === 'udp' ? 'syslogUdp' : 'syslogTcp';
      return port === null ? { mistake: words.badPort } : { source: { kind, port } };
    }
  }
}

const chosen = ({ format, zone }: { format: string; zone: string }) => ({
  ...(format === '' ? {} : { format }),
  ...(zone.trim() === '' ? {} : { zone: zone.trim() }),
});

/** How lines are read, where something is chosen. Parts without a name or a choice are left out. */
export function liveReading(form: LiveForm): LiveReading | null {
  if (form.choice === 'journal') return null;
  const parts = form.choice === 'syslog' ? form.parts : [];
  const reading = {
    // Documents say by themselves that they are JSON.
    ...chosen(form.choice === 'http' ? { ...form, format: '' } : form),
    parts: parts
      .map((part) => ({
        part: part.of === 'tag' ? `tag:${part.name.trim()}` : part.name.trim(),
        ...chosen(part),
      }))
      .filter(({ part, ...rest }) => !/^(tag:)?$/.test(part) && Object.keys(rest).length > 0),
  };
  return Object.keys(reading).length > 1 || reading.parts.length > 0 ? reading : null;
}

/** How soon events may become visible, in milliseconds. */
export const REFRESHES: readonly number[] = [200, 1_000, 5_000, 30_000];
/** How long events may be kept, in hours; null keeps all. */
export const KEPT_HOURS: readonly (number | null)[] = [null, 24, 168, 720];
/** How much a case may take, in bytes; null is as much as there is. */
export const KEPT_BYTES: readonly (number | null)[] = [null, 1e9, 1e10, 5e10];

/** After how long what was received is compressed harder, in hours; null is never. */
export const COMPRESSED_HOURS: readonly (number | null)[] = [null, 24, 168];

export const USUAL_SETTINGS: LiveSettings = {
  refreshMs: 1_000,
  keepHours: null,
  keepBytes: null,
  compressHours: null,
};

/** The choices, with the present one where it is none of them. */
export function withPresent<T>(choices: readonly T[], present: T): readonly T[] {
  return choices.includes(present) ? choices : [...choices, present];
}

export function isSame(one: LiveSettings, other: LiveSettings): boolean {
  return (
    one.refreshMs === other.refreshMs &&
    one.keepHours === other.keepHours &&
    one.keepBytes === other.keepBytes &&
    one.compressHours === other.compressHours
  );
}
