/** Logs with known counts, made for the tests. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { generate, out, temporaryFolder } from './machine';

/** An hour of requests, one every six seconds; each tenth is a failed checkout. */
export const access = { lines: 600, checkouts: 60, name: 'access.log' };

/** The content of `fixtures/sample`. */
export const sample = { events: 2938 };

export function accessLog(): string {
  const lines = Array.from({ length: access.lines }, (_, index) => {
    const minute = String(Math.floor(index / 10)).padStart(2, '0');
    const second = String((index % 10) * 6).padStart(2, '0');
    const failed = index % 10 === 3;
    const request = failed ? 'POST /checkout' : `GET /item/${index}`;
    const status = failed ? '500 87' : '200 5120';
    return `192.0.2.${index % 200} - - [05/Mar/2024:14:${minute}:${second} +0000] "${request} HTTP/1.1" ${status} "-" "test"`;
  });
  const path = join(temporaryFolder(), access.name);
  writeFileSync(path, lines.join('\n') + '\n');
  return path;
}

/** A generated access log with a last line; made once and kept next to the screenshots. */
function generatedLines(lines: number, last = ''): string {
  const path = join(out, `access-${lines}${last === '' ? '' : '-and-one'}.log`);
  if (!existsSync(path)) {
    const part = `${path}.part`;
    execFileSync(generate, ['access', String(lines)], {
      stdio: ['ignore', openSync(part, 'w'), 'inherit'],
    });
    appendFileSync(part, last);
    renameSync(part, path);
  }
  return path;
}

export const millionLines = (): string => generatedLines(1_000_000);

/** Only the last line of the long log has this word. */
export const needle = 'needle';
const lastLine = `192.0.2.1 - - [05/Mar/2024:14:00:00 +0000] "GET /${needle} HTTP/1.1" 200 1 "-" "test"\n`;

/** So long that its import is still running after a few clicks, on a fast machine too. */
export const longLog = (): string => generatedLines(3_000_000, lastLine);

export const longLines = 3_000_001;
