// What no sender should send, for measuring that receiving stays small: many streams, wide documents, long lines.
import { once } from 'node:events';
import { connect } from 'node:net';

const second = () => new Date().toISOString();

/** Waits until a connection takes more, or is closed. */
function room(socket) {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}

/** Writes what `next` gives to a connection until the time is over. */
async function stream(address, localAddress, until, next) {
  const [host, port] = address.split(':');
  const socket = connect({ host, port: Number(port), localAddress });
  socket.on('error', () => {});
  await once(socket, 'connect');
  while (Date.now() < until && !socket.destroyed) {
    if (!socket.write(next())) await room(socket);
  }
  socket.end();
  if (!socket.destroyed) await once(socket, 'close');
}

/** Sends bulk requests until the time is over. A receiver that has no room is asked again. */
async function bulk(address, until, next) {
  while (Date.now() < until) {
    const answer = await fetch(`http://${address}/_bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: next(),
    });
    await answer.arrayBuffer();
  }
}

const items = (documents) =>
  documents
    .map(([index, fields]) => `{"create":{"_index":"${index}"}}\n${JSON.stringify(fields)}\n`)
    .join('');

const several = (count, work) => Promise.all(Array.from({ length: count }, (_, at) => work(at)));

/** Each sends until a time in milliseconds since 1970: to the addresses for HTTP and for syslog over TCP. */
export const hostile = {
  /** As many senders as have a stream of their own, and hundreds of indices. */
  'many streams': (http, tcp, until) => {
    let number = 0;
    const line = (at) => () => {
      number += 1;
      return `<34>1 ${second()} host-${at} app-${number % 97} ${number} - - request ${number} of ${at}\n`.repeat(
        20,
      );
    };
    const documents = () => {
      number += 1;
      return items(
        Array.from({ length: 500 }, (_, at) => [
          `index-${at}`,
          { '@timestamp': second(), message: `request ${number}`, [`field-${at % 50}`]: number },
        ]),
      );
    };
    return Promise.all([
      several(240, (at) => stream(tcp, `127.0.0.${at + 1}`, until, line(at))),
      bulk(http, until, documents),
    ]);
  },

  /** Documents of hundreds of fields, and ever new names of fields. */
  'wide documents': (http, _tcp, until) => {
    let number = 0;
    const documents = () =>
      items(
        Array.from({ length: 50 }, () => {
          number += 1;
          const fields = { '@timestamp': second() };
          for (let at = 0; at < 400; at += 1)
            fields[`f${(number * 31 + at) % 20_000}`] = `v${number * at}`;
          return ['wide', fields];
        }),
      );
    return several(4, () => bulk(http, until, documents));
  },

  /** Documents as long as they may be, and lines over TCP that do not end. */
  'long lines': (http, tcp, until) => {
    const long = 'x'.repeat(900_000);
    const piece = Buffer.alloc(1 << 20, 'y');
    const documents = () =>
      items(Array.from({ length: 8 }, () => ['long', { '@timestamp': second(), message: long }]));
    return Promise.all([
      several(4, () => bulk(http, until, documents)),
      several(32, (at) => stream(tcp, `127.0.1.${at + 1}`, until, () => piece)),
    ]);
  },

  /** Texts that never repeat. */
  'new texts': (http, _tcp, until) => {
    const text = () => Math.random().toString(36).repeat(8);
    const documents = () =>
      items(
        Array.from({ length: 2_000 }, () => [
          'texts',
          { '@timestamp': second(), a: text(), b: text(), message: `${text()} ${text()}` },
        ]),
      );
    return several(4, () => bulk(http, until, documents));
  },
};
