/**
 * A realistic folder of an incident: many formats, two zones, rotated, compressed, and one file
 * that is no log.
 */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { temporaryFolder } from './machine';

const START = Date.UTC(2026, 2, 2, 13);
const MINUTES = 120;
const MINUTE_MS = 60_000;
/** From this minute on everything takes four times as long; for a few minutes checkouts fail too. */
const SLOW_FROM = 65;
const FAILING_UNTIL = 70;
const SLOWER = 4;

/** The services, and their normal latencies. */
export const services = { cart: 20, payment: 80, stock: 40 } as const;
export const slower = SLOWER;

/** The request of the first failed checkout, which four of the files contain. */
export const traceId = '7f3a9c0e5b1d4e2f8a6b7c8d9e0f1a2b';

export interface Mixed {
  folder: string;
  events: number;
  /** The files that contain `traceId`. */
  traced: string[];
  /** A file that is rejected as not being a log. */
  refused: string;
  /** A file whose bytes a test compares with the stored ones. */
  evidence: string;
}

const at = (minute: number, second = 0) => new Date(START + minute * MINUTE_MS + second * 1000);
const iso = (time: Date) => time.toISOString();
const isFailing = (minute: number) => minute >= SLOW_FROM && minute < FAILING_UNTIL;
const minutes = Array.from({ length: MINUTES }, (_, minute) => minute);
const pad = (value: number) => String(value).padStart(2, '0');
const clock = (time: Date) =>
  [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()].map(pad).join(':');

function traceOf(minute: number, turn: number): string {
  return minute === SLOW_FROM && turn === 0
    ? traceId
    : `${pad(minute)}${pad(turn)}`.padStart(32, '0');
}

/** The web server logs in its local time, an hour ahead. */
function accessLines(from: number, to: number): string[] {
  return minutes.slice(from, to).flatMap((minute) => {
    const count = isFailing(minute) ? 30 : 5;
    return Array.from({ length: count }, (_, turn) => {
      const local = new Date(at(minute, turn * 2).getTime() + 60 * MINUTE_MS);
      const failed = isFailing(minute) && turn % 3 === 0;
      const request = failed
        ? `POST /checkout?trace=${traceOf(minute, turn)}`
        : `GET /item/${minute}`;
      const answer = failed ? '502 87' : `200 ${4000 + turn}`;
      return `192.0.2.${turn + 1} - - [02/Mar/2026:${clock(local)} +0100] "${request} HTTP/1.1" ${answer} "-" "test"`;
    });
  });
}

function shopLines(): string[] {
  return minutes.flatMap((minute) =>
    Object.entries(services).map(([service, usual], turn) => {
      const failed = isFailing(minute) && service === 'payment';
      return JSON.stringify({
        ts: iso(at(minute, turn)),
        level: failed ? 'error' : 'info',
        service,
        duration_ms: minute < SLOW_FROM ? usual : usual * SLOWER,
        trace_id: traceOf(minute, failed ? 0 : turn + 1),
        message: failed ? 'the bank did not answer' : 'answered',
      });
    }),
  );
}

function workerLines(): string[] {
  return minutes.map((minute) => {
    const [level, message] = isFailing(minute) ? ['warn', 'queue is full'] : ['info', 'job done'];
    return `time=${iso(at(minute, 3))} level=${level} job=${minute} trace_id=${traceOf(minute, 0)} msg="${message}"`;
  });
}

function orderLines(): string[] {
  return minutes.map((minute) => {
    const stamp = `2026-03-02 ${clock(at(minute, 1))},480`;
    if (!isFailing(minute)) return `${stamp} INFO [http-1] com.example.Orders - order ${minute}`;
    return [
      `${stamp} ERROR [http-7] com.example.Orders - checkout ${traceOf(minute, 0)} failed`,
      'java.lang.IllegalStateException: payment is not there',
      '\tat com.example.Orders.pay(Orders.java:84)',
      '\tat com.example.Orders.checkout(Orders.java:41)',
      'Caused by: java.net.SocketTimeoutException: read timed out',
      '\tat com.example.Bank.read(Bank.java:17)',
      '\t... 12 more',
    ].join('\n');
  });
}

function systemLines(): string[] {
  return minutes.map((minute) =>
    isFailing(minute)
      ? `Mar  2 ${clock(at(minute, 4))} shop-1 kernel: TCP: request_sock_TCP: possible SYN flooding on port ${8000 + minute}`
      : `Mar  2 ${clock(at(minute, 4))} shop-1 cron[${400 + minute}]: (root) CMD (true)`,
  );
}

function stockLines(): string[] {
  return minutes.map((minute) => `${iso(at(minute, 5))},sku-${minute % 7},${minute % 50}`);
}

export function mixedFolder(): Mixed {
  const folder = join(temporaryFolder(), 'bad day');
  for (const each of ['web', 'shop', 'host']) mkdirSync(join(folder, each), { recursive: true });
  const put = (name: string, content: string | Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    // A log without a year is dated by its file.
    utimesSync(path, at(MINUTES), at(MINUTES));
    return path;
  };
  const text = (lines: string[]) => `${lines.join('\n')}\n`;
  const half = MINUTES / 2;
  const [before, since] = [accessLines(0, half), accessLines(half, MINUTES)];

  put('web/access.log.1.gz', gzipSync(text(before)));
  put('web/access.log', text(since));
  const evidence = put('shop/shop.jsonl', text(shopLines()));
  put('shop/worker.log', text(workerLines()));
  put('shop/orders.log', text(orderLines()));
  put('host/messages', text(systemLines()));
  put('stock.csv', `${text(['time,sku,left'])}${text(stockLines())}`);
  // The header of an image and then nothing that could be text.
  put('web/logo.png', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10', 'latin1'));

  return {
    folder,
    events: before.length + since.length + MINUTES * Object.keys(services).length + MINUTES * 4,
    traced: ['access.log', 'shop.jsonl', 'worker.log', 'orders.log'],
    refused: 'logo.png',
    evidence,
  };
}
