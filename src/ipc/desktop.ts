/** The desktop window as a host. The only front-end file that uses Tauri. */
import { Channel, invoke } from '@tauri-apps/api/core';
import { getCurrentWebview } from '@tauri-apps/api/webview';

import { randomId } from '../base/ids';
import {
  engineError,
  type CallOptions,
  type Client,
  type DropHandlers,
  type WindowPoint,
  type Saved,
} from './client';
import type { Contract, FileContent } from './generated';

export function connectDesktop(): Client {
  return {
    kind: 'desktop',
    call,
    choose,
    save,
    saveWritten,
    onDrop,
    openedFor: () => ask<string[] | null>('window_paths'),
    openWindow: () => (paths) => void ask('open_window', { paths }).catch(() => {}),
    showProgress: (share) => void ask('show_progress', { share }).catch(() => {}),
    callBack: (title, text) => void ask('call_back', { title, text }).catch(() => {}),
  };
}

async function call<K extends keyof Contract>(
  name: K,
  args: Contract[K]['args'],
  options: CallOptions<K> = {},
): Promise<Contract[K]['reply']> {
  const id = randomId();
  const channel = new Channel<Contract[K]['progress']>();
  channel.onmessage = (report) => options.progress?.(report);
  const stop = () => void call('cancel', { call: id }).catch(() => {});
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    return await invoke<Contract[K]['reply']>('dispatch', {
      id,
      command: { command: name, args },
      channel,
    });
  } catch (cause) {
    throw engineError(cause);
  } finally {
    options.signal?.removeEventListener('abort', stop);
  }
}

function choose(kind: 'files' | 'folder'): Promise<string[]> {
  return ask<string[]>(kind === 'files' ? 'choose_files' : 'choose_folder');
}

async function ask<T>(name: string, args: Record<string, unknown> = {}): Promise<T> {
  try {
    return await invoke<T>(name, args);
  } catch (cause) {
    throw engineError(cause);
  }
}

/** The system reports physical pixels. */
function placeOf({ x, y }: { x: number; y: number }): WindowPoint {
  return { x: x / window.devicePixelRatio, y: y / window.devicePixelRatio };
}

/** Images cross as lists of numbers: they are small, and JSON has nothing better. */
async function contentOf(blob: Blob): Promise<FileContent> {
  const isText = blob.type.startsWith('text/') || blob.type === 'image/svg+xml';
  if (isText) return { kind: 'text', text: await blob.text() };
  return { kind: 'bytes', bytes: Array.from(new Uint8Array(await blob.arrayBuffer())) };
}

async function saveWritten<T>(
  name: string,
  write: (path: string) => Promise<T>,
): Promise<Saved<T> | null> {
  try {
    const path = await invoke<string | null>('choose_save', { name });
    if (path === null) return null;
    return { name: path, written: await write(path) };
  } catch (cause) {
    throw engineError(cause);
  }
}

async function save(name: string, content: Blob): Promise<string | null> {
  const written = await contentOf(content);
  const saved = await saveWritten(name, (path) => call('write', { path, content: written }));
  return saved?.name ?? null;
}

function onDrop(handlers: DropHandlers): () => void {
  const listening = getCurrentWebview().onDragDropEvent(({ payload }) => {
    if (payload.type === 'enter') handlers.enter();
    else if (payload.type === 'leave') handlers.leave();
    else if (payload.type === 'over') handlers.over(placeOf(payload.position));
    else if (payload.type === 'drop') {
      handlers.landed(placeOf(payload.position));
      handlers.leave();
      if (payload.paths.length > 0) handlers.drop(payload.paths);
    }
  });
  listening.catch((cause: unknown) => handlers.failed(engineError(cause)));
  return () => void listening.then((unlisten) => unlisten()).catch(() => {});
}
