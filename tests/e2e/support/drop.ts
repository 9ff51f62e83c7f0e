/** Drops files on the window like a person: from another program, with the mouse. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { root } from '../../../scripts/paths.mjs';
import { end, firstLine, sleep, start } from './machine';

const source = join(root, 'tests', 'e2e', 'support', 'drop_source.py');

/** Returns the time at which the mouse button was released over the window. */
export async function dropFiles(display: string, paths: string[]): Promise<number> {
  const env = { ...process.env, DISPLAY: display };
  const child = start('drop', '/usr/bin/python3', [source, ...paths], { env, pipe: true });
  const mouse = (...args: string[]) => execFileSync('xdotool', args, { env });
  try {
    await firstLine(child);
    await sleep(400);
    mouse('mousemove', '1450', '150', 'mousedown', '1');
    // GTK starts a drag after a short distance, and the window receives it in steps.
    for (let x = 1430; x >= 640; x -= 40) {
      mouse('mousemove', String(x), '400');
      await sleep(15);
    }
    await sleep(100);
    const dropped = Date.now();
    mouse('mouseup', '1');
    // The source is asked for the names after the drop, so it has to stay for a while.
    await sleep(400);
    return dropped;
  } finally {
    await end(child);
  }
}
