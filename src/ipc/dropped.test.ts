// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { listenForDrops, type NamedFile } from './dropped';

const entry = (path: string) => ({
  isFile: true,
  fullPath: path,
  file: (give: (file: File) => void) => give(new File(['x'], path)),
});

/** A folder whose reader returns its entries in batches, as browsers do. */
const folder = (...pieces: object[][]) => ({
  isFile: false,
  createReader: () => {
    const left = [...pieces, []];
    return { readEntries: (give: (entries: object[]) => void) => give(left.shift()!) };
  },
});

const handlers = {
  enter: vi.fn(),
  leave: vi.fn(),
  over: vi.fn(),
  landed: vi.fn(),
  handover: vi.fn(),
  drop: vi.fn(),
  failed: vi.fn(),
};
const handOver = vi.fn((files: NamedFile[]) =>
  Promise.resolve(files.map(({ name }) => `/t/${name}`)),
);
let stop: () => void;

beforeEach(() => {
  vi.clearAllMocks();
  stop = listenForDrops(handlers, handOver);
});
afterEach(() => stop());

function drag(type: string, dropped: object[] = [], types = ['Files']): Event {
  const event = new Event(type, { cancelable: true });
  const items = dropped.map((each) => ({
    kind: 'file',
    webkitGetAsEntry: () => (each instanceof File ? null : each),
    getAsFile: () => (each instanceof File ? each : null),
  }));
  Object.assign(event, { dataTransfer: { types, items } });
  window.dispatchEvent(event);
  return event;
}

it('walks folders to every file in them, however many batches they come in', async () => {
  const inner = folder([entry('/logs/a/one.log')]);
  drag('drop', [folder([entry('/logs/two.log'), inner], [entry('/logs/three.log')])]);
  await vi.waitFor(() => expect(handlers.drop).toHaveBeenCalled());
  expect(handlers.drop).toHaveBeenCalledWith([
    '/t/logs/two.log',
    '/t/logs/a/one.log',
    '/t/logs/three.log',
  ]);
});

it('accepts files that come from no file system', async () => {
  drag('drop', [new File(['x'], 'mail.log')]);
  await vi.waitFor(() => expect(handlers.drop).toHaveBeenCalledWith(['/t/mail.log']));
});

it('notices when the pointer has left although it crossed elements inside', () => {
  drag('dragenter');
  drag('dragenter');
  drag('dragleave');
  expect(handlers.enter).toHaveBeenCalledTimes(1);
  expect(handlers.leave).not.toHaveBeenCalled();
  drag('dragleave');
  expect(handlers.leave).toHaveBeenCalledTimes(1);
});

it('keeps the browser from leaving the page for a file, and leaves other drags alone', () => {
  expect(drag('dragover').defaultPrevented).toBe(true);
  expect(drag('dragover', [], ['text/plain']).defaultPrevented).toBe(false);
});

it('reports a file that cannot be sent', async () => {
  handOver.mockRejectedValueOnce(new Error('disk full'));
  drag('drop', [entry('/one.log')]);
  await vi.waitFor(() => expect(handlers.failed).toHaveBeenCalled());
  expect(handlers.drop).not.toHaveBeenCalled();
});
