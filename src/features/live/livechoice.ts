/** What a person writes in the sheet of a live source, and what is wrong with it. */
import { texts } from '../../base/texts';
import type { LiveKind, LiveSettings } from '../../ipc/generated';

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
  readonly syslogPort: string;
  readonly httpPort: string;
}

/** The ports that programs expect, moved where they need special rights. */
export const EMPTY_FORM: LiveForm = {
  choice: 'follow',
  paths: '',
  transport: 'tcp',
  socket: '',
  format: '',
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

/** How soon events may become visible, in milliseconds. */
export const REFRESHES: readonly number[] = [200, 1_000, 5_000, 30_000];
/** How long events may be kept, in hours; null keeps all. */
export const KEPT_HOURS: readonly (number | null)[] = [null, 24, 168, 720];
/** How much a case may take, in bytes; null is as much as there is. */
export const KEPT_BYTES: readonly (number | null)[] = [null, 1e9, 1e10, 5e10];

export const USUAL_SETTINGS: LiveSettings = { refreshMs: 1_000, keepHours: null, keepBytes: null };

/** The choices, with the present one where it is none of them. */
export function withPresent<T>(choices: readonly T[], present: T): readonly T[] {
  return choices.includes(present) ? choices : [...choices, present];
}

export function isSame(one: LiveSettings, other: LiveSettings): boolean {
  return (
    one.refreshMs === other.refreshMs &&
    one.keepHours === other.keepHours &&
    one.keepBytes === other.keepBytes
  );
}
