/** `timberline serve` as a host: the same calls over loopback HTTP. */
import { randomId } from '../base/ids';
import type { EngineError } from './client';
import {
  engineError,
  unreachable,
  type CallOptions,
  type Client,
  type HandoverReport,
  type Saved,
} from './client';
import { listenForDrops, type NamedFile } from './dropped';
import { EventStreamParser, type StreamEvent } from './eventstream';
import type { Contract } from './generated';

const TOKEN_KEY = 'timberline-token';
/** The storage key, with a window's own key, for the paths that the window was opened with. */
const WINDOW_KEY = 'timberline-window ';
/** Another tab answers at once, or does not exist. */
const OTHER_TAB_MS = 300;

/** Between tabs: without a token it asks for one. */
interface TokenMessage {
  readonly token?: string;
}

/** `#token=…`, which another window completes with its key, and then what the address shows. */
const GIVEN = /^#token=([^&]+)(?:&window=([\w-]+))?(?:&(.*))?$/s;

/**
 * The token is in the address's fragment, which browsers never send. It is removed from the address
 * bar so that a copied address or a screenshot does not contain it.
 */
export function takeToken(): string {
  const [, token, , rest = ''] = GIVEN.exec(location.hash) ?? [];
  if (token === undefined) return sessionStorage.getItem(TOKEN_KEY) ?? '';
  const decoded = decodeURIComponent(token);
  sessionStorage.setItem(TOKEN_KEY, decoded);
  const hash = rest === '' ? '' : `#${rest}`;
  history.replaceState(history.state, '', location.pathname + location.search + hash);
  return decoded;
}

/** The key under which another window passes the paths to this one; to be read before the token. */
export function takeWindowKey(): string | null {
  return GIVEN.exec(location.hash)?.[2] ?? null;
}

/**
 * The token of another tab of this server: a link to a view contains none. Only pages of the same
 * address can ask or answer. Empty if no tab answers.
 */
export function tokenOfOtherTab(): Promise<string> {
  const asking = new BroadcastChannel(TOKEN_KEY);
  return new Promise<string>((resolve) => {
    const wait = setTimeout(() => resolve(''), OTHER_TAB_MS);
    asking.onmessage = ({ data }: MessageEvent<TokenMessage>) => {
      if (data.token === undefined) return;
      clearTimeout(wait);
      sessionStorage.setItem(TOKEN_KEY, data.token);
      resolve(data.token);
    };
    asking.postMessage({} satisfies TokenMessage);
  }).finally(() => asking.close());
}

/** Gives the token to other tabs of this server that ask for it. */
export function offerToken(token: string): void {
  const offering = new BroadcastChannel(TOKEN_KEY);
  offering.onmessage = ({ data }: MessageEvent<TokenMessage>) => {
    if (data.token === undefined) offering.postMessage({ token } satisfies TokenMessage);
  };
}

/** Waits for the paths from another window, which may still be sending the files to the engine. */
function given(key: string): Promise<string[]> {
  return new Promise((resolve) => {
    const listeners = new AbortController();
    const look = () => {
      const text = localStorage.getItem(WINDOW_KEY + key);
      if (text === null) return;
      localStorage.removeItem(WINDOW_KEY + key);
      listeners.abort();
      resolve(JSON.parse(text) as string[]);
    };
    window.addEventListener('storage', look, { signal: listeners.signal });
    look();
  });
}

export function connectBrowser(token: string, windowKey: string | null = null): Client {
  const headers = { Authorization: `Bearer ${token}` };

  async function call<K extends keyof Contract>(
    name: K,
    args: Contract[K]['args'],
    options: CallOptions<K> = {},
  ): Promise<Contract[K]['reply']> {
    const id = randomId();
    const stop = () => void call('cancel', { call: id }).catch(() => {});
    options.signal?.addEventListener('abort', stop, { once: true });
    try {
      const body = JSON.stringify({ id, command: { command: name, args } });
      const response = await post('/api/call', body, {
        ...headers,
        'Content-Type': 'application/json',
      });
      return await readReply(response, options.progress);
    } finally {
      options.signal?.removeEventListener('abort', stop);
    }
  }

  /** A browser gives no paths, so the engine is given the bytes and returns their location. */
  async function handOver(files: NamedFile[], report?: HandoverReport): Promise<string[]> {
    const batch = randomId();
    const paths: string[] = [];
    for (const { name, file } of files) {
      report?.(paths.length, files.length);
      const target = `/api/upload?name=${encodeURIComponent(name)}&batch=${batch}`;
      const response = await post(target, file, headers);
      const reply = (await response.json()) as { path: string };
      paths.push(reply.path);
    }
    report?.(files.length, files.length);
    return paths;
  }

  /** The engine writes to a temporary file, and the browser downloads it from there. */
  async function saveWritten<T>(
    name: string,
    write: (path: string) => Promise<T>,
  ): Promise<Saved<T>> {
    const target = `/api/download?name=${encodeURIComponent(name)}`;
    const place = (await (await post(target, '', headers)).json()) as {
      path: string;
      address: string;
    };
    const written = await write(place.path);
    return { name: download(name, place.address), written };
  }

  return {
    kind: 'browser',
    call,
    choose: async (kind, report) => handOver(await pickFiles(kind), report),
    save: (name, content) => Promise.resolve(download(name, URL.createObjectURL(content))),
    saveWritten,
    onDrop: (handlers) => listenForDrops(handlers, handOver),
    openedFor: () => (windowKey === null ? Promise.resolve(null) : given(windowKey)),
    openWindow: () => openTab(token),
    // A browser tab has no task bar entry; its title shows the progress.
    showProgress: () => {},
    callBack: (title, text) => {
      if (!document.hidden || !('Notification' in window)) return;
      if (Notification.permission === 'granted') new Notification(title, { body: text });
    },
  };
}

function openTab(token: string): ((paths: string[]) => void) | null {
  const key = randomId();
  const address = `${location.pathname}#token=${encodeURIComponent(token)}&window=${key}`;
  if (window.open(address, '_blank') === null) return null;
  return (paths) => localStorage.setItem(WINDOW_KEY + key, JSON.stringify(paths));
}

/** A released address must stay valid until the browser has read it. */
const DOWNLOAD_STARTS_MS = 60_000;

function download(name: string, address: string): string {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  if (address.startsWith('blob:'))
    setTimeout(() => URL.revokeObjectURL(address), DOWNLOAD_STARTS_MS);
  return name;
}

async function post(
  target: string,
  body: string | Blob,
  headers: Record<string, string>,
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(target, { method: 'POST', headers, body });
  } catch (cause) {
    throw unreachable(cause instanceof Error ? cause.message : String(cause));
  }
  if (response.ok) return response;
  const text = await response.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw unreachable(`${response.status} ${text || response.statusText}`);
  }
  throw engineError(parsed);
}

async function readReply<Progress, Reply>(
  response: Response,
  progress: ((report: Progress) => void) | undefined,
): Promise<Reply> {
  const reader = response.body?.getReader();
  if (reader === undefined) throw unreachable('the answer has no body');
  const parser = new EventStreamParser();
  for (;;) {
    let chunk: ReadableStreamReadResult<Uint8Array>;
    try {
      chunk = await reader.read();
    } catch (cause) {
      throw unreachable(cause instanceof Error ? cause.message : String(cause));
    }
    if (chunk.done) throw unreachable('the connection ended before the answer');
    for (const event of parser.push(chunk.value)) {
      if (event.event === 'progress') progress?.(JSON.parse(event.data) as Progress);
      else if (event.event === 'reply') return JSON.parse(event.data) as Reply;
      else if (event.event === 'error') throw wireError(event);
    }
  }
}

function wireError(event: StreamEvent): EngineError {
  return engineError(JSON.parse(event.data));
}

/** Uses the browser's own dialog. */
function pickFiles(kind: 'files' | 'folder'): Promise<NamedFile[]> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.multiple = true;
    input.hidden = true;
    input.webkitdirectory = kind === 'folder';
    const finish = (files: NamedFile[]) => {
      input.remove();
      resolve(files);
    };
    input.addEventListener('cancel', () => finish([]));
    input.addEventListener('change', () => {
      const files = Array.from(input.files ?? []);
      finish(files.map((file) => ({ name: file.webkitRelativePath || file.name, file })));
    });
    // Automation and some browsers only open a dialog for an input that is in the page.
    document.body.append(input);
    input.click();
  });
}
