/** Files and folders dropped on a browser's page, walked recursively. */
import { engineError, type DropHandlers, type HandoverReport } from './client';

export interface NamedFile {
  /** The path inside the drop: `logs/app/today.log`. */
  readonly name: string;
  readonly file: File;
}

type HandOver = (files: NamedFile[], report: HandoverReport) => Promise<string[]>;

export function listenForDrops(handlers: DropHandlers, handOver: HandOver): () => void {
  // Every crossed element fires enter and leave, so only their balance shows where the pointer is.
  let depth = 0;
  const listeners = new AbortController();
  const listen = (
    type: 'dragenter' | 'dragover' | 'dragleave' | 'drop',
    on: (event: DragEvent) => void,
  ) =>
    window.addEventListener(
      type,
      (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        // Without this the browser leaves the page and shows the file.
        event.preventDefault();
        on(event);
      },
      { signal: listeners.signal },
    );

  listen('dragenter', () => {
    depth += 1;
    if (depth === 1) handlers.enter();
  });
  listen('dragover', (event) => handlers.over(placeOf(event)));
  listen('dragleave', () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) handlers.leave();
  });
  listen('drop', (event) => {
    depth = 0;
    handlers.landed(placeOf(event));
    handlers.leave();
    // The items must be read now: after this event the browser empties the list.
    const items = Array.from(event.dataTransfer?.items ?? []).filter(({ kind }) => kind === 'file');
    void receive(items.map(takeItem), handlers, handOver);
  });
  return () => listeners.abort();
}

const placeOf = ({ clientX, clientY }: DragEvent) => ({ x: clientX, y: clientY });

/** A file or folder, or the bare file if it comes from no file system. */
function takeItem(item: DataTransferItem): FileSystemEntry | File | null {
  return item.webkitGetAsEntry() ?? item.getAsFile();
}

async function receive(
  dropped: (FileSystemEntry | File | null)[],
  handlers: DropHandlers,
  handOver: HandOver,
): Promise<void> {
  try {
    const files = (await Promise.all(dropped.map(filesOf))).flat();
    const paths = await handOver(files, handlers.handover);
    if (paths.length > 0) handlers.drop(paths);
  } catch (cause) {
    handlers.failed(engineError(cause));
  }
}

async function filesOf(dropped: FileSystemEntry | File | null): Promise<NamedFile[]> {
  if (dropped === null) return [];
  return dropped instanceof File ? [{ name: dropped.name, file: dropped }] : walk(dropped);
}

async function walk(entry: FileSystemEntry): Promise<NamedFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ name: entry.fullPath.replace(/^\/+/, ''), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: NamedFile[] = [];
  for (;;) {
    // A reader returns at most a hundred entries at a time and an empty list at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return files;
    for (const child of some) files.push(...(await walk(child)));
  }
}
