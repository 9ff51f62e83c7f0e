import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { Receiver } from './receiving.mjs';

it('counts the bytes of a case whose files and folders disappear meanwhile', () => {
  const home = mkdtempSync(join(tmpdir(), 'timberline-receiving-'));
  try {
    mkdirSync(join(home, 'segments', '1'), { recursive: true });
    writeFileSync(join(home, 'segments', '1', 'events.parquet'), 'seven');
    writeFileSync(join(home, 'case.json'), '{}');
    // A link to nothing is a file that is gone when it is asked for its size.
    symlinkSync(join(home, 'nothing'), join(home, 'gone'));
    const receiver = new Receiver({}, home);
    expect(receiver.bytes()).toBe(7);
    expect(receiver.bytes(join(home, 'segments', '2'))).toBe(0);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
