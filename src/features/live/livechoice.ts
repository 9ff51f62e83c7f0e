/** What a person writes in the sheet of a live source, and what is wrong with it. */
import { texts } from '../../base/texts';
import type { LiveKind } from '../../ipc/generated';

export type LiveChoice = 'follow' | 'syslog' | 'http' | 'journal';

export const LIVE_CHOICES: readonly LiveChoice[] = ['follow', 'syslog', 'http', 'journal'];

export interface LiveForm {
  readonly choice: LiveChoice;
  /** One path a line. */
  readonly paths: string;
  readonly transport: 'udp' | 'tcp';
  readonly syslogPort: string;
  readonly httpPort: string;
}

/** The ports that programs expect, moved where they need special rights. */
export const EMPTY_FORM: LiveForm = {
  choice: 'follow',
  paths: '',
  transport: 'tcp',
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
      const port = portOf(form.syslogPort);
      const kind = form.transport === 'udp' ? 'syslogUdp' : 'syslogTcp';
      return port === null ? { mistake: words.badPort } : { source: { kind, port } };
    }
  }
}
