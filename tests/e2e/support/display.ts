/** A virtual display for the window, so that the tests need no real one. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

import { end } from './machine';

export interface Display {
  name: string;
  stop(): Promise<void>;
}

/** Wider than the window, so that the drag source fits next to it. */
export async function openDisplay(): Promise<Display> {
  const child = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1600x900x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  // The server chooses a free number and writes it when it is ready.
  const number = await new Promise<string>((done, fail) => {
    (child.stdio[3] as Readable).once('data', (chunk: Buffer) => done(chunk.toString().trim()));
    child.once('error', fail);
    child.once('exit', (code) => fail(new Error(`Xvfb ended with ${code}`)));
  });
  return { name: `:${number}`, stop: () => end(child) };
}
