/** A cluster for tests of the screen: one index of made-up events, asked in query DSL, on a port of 127.0.0.1. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/* eslint-disable @typescript-eslint/no-explicit-any -- requests and documents are JSON of any shape. */
type Json = Record<string, any>;

export interface StandIn {
  readonly url: string;
  /** Paths that were asked for so far. */
  readonly asked: string[];
  /** While it is set, answers say that a shard failed. */
  isPartial: boolean;
  /** Bulk requests that there is room for; others are answered with 429. */
  bulks: number;
  /** The last index template. */
  template: Json | null;
  stop(): Promise<void>;
}

const PROPERTIES: Json = {
  '@timestamp': { type: 'date' },
  level: { type: 'keyword' },
  service: { type: 'keyword' },
  status: { type: 'long' },
  message: { type: 'text', fields: { keyword: { type: 'keyword' } } },
};

const LEVELS = ['info', 'info', 'warn', 'error'];
const SERVICES = ['cart', 'payment', 'search'];

/** The event with a number among those of a shop, which follow each other after so many milliseconds. */
export function shopEvent(at: number, stepMs = 700): Json {
  return {
    '@timestamp': new Date(Date.UTC(2026, 2, 1) + at * stepMs).toISOString(),
    level: LEVELS[at % 4],
    service: SERVICES[at % 3],
    status: [200, 200, 404, 500][at % 4],
    message: `request ${at} to upstream`,
  };
}

const time = (document: Json) => Date.parse(document['@timestamp']);
const value = (document: Json, field: string): any => {
  const name = field.replace(/\.keyword$/, '');
  return document[name] ?? name.split('.').reduce((within, part) => within?.[part], document);
};

function only(object: Json): [string, any] {
  const entries = Object.entries(object);
  if (entries.length !== 1) throw new Error(`one clause is expected: ${JSON.stringify(object)}`);
  return entries[0]!;
}

function passes(document: Json, query: Json): boolean {
  const [clause, body] = only(query);
  switch (clause) {
    case 'match_all':
      return true;
    case 'match_none':
      return false;
    case 'bool': {
      const { filter = [], must_not = [], should = [] } = body;
      return (
        filter.every((part: Json) => passes(document, part)) &&
        !must_not.some((part: Json) => passes(document, part)) &&
        (should.length === 0 || should.some((part: Json) => passes(document, part)))
      );
    }
    case 'exists':
      return value(document, body.field) !== undefined;
    case 'ids':
      return body.values.includes(document._id);
    case 'terms': {
      const [field, wanted] = only(body);
      return wanted.includes(value(document, field));
    }
    case 'term': {
      const [field, wanted] = only(body);
      return value(document, field) === wanted;
    }
    case 'regexp': {
      const [field, { value: expression }] = only(body);
      return new RegExp(`^(?:${expression})$`).test(value(document, field));
    }
    case 'range': {
      const [field, ends] = only(body);
      const found = field === '@timestamp' ? time(document) : value(document, field);
      const { gte = -Infinity, gt = -Infinity, lte = Infinity, lt = Infinity } = ends;
      return found >= +gte && found > +gt && found <= +lte && found < +lt;
    }
    default:
      throw new Error(`no clause ${clause}`);
  }
}

function aggregated(rows: Json[], aggs: Json): Json {
  return Object.fromEntries(Object.entries(aggs).map(([name, one]) => [name, answer(rows, one)]));
}

function answer(rows: Json[], { aggs: inner = {}, ...described }: Json): Json {
  const [kind, body] = only(described);
  const bucket = (some: Json[], more: Json = {}) => ({
    doc_count: some.length,
    ...aggregated(some, inner),
    ...more,
  });
  const there = rows.filter(
    (row) => body.field === undefined || value(row, body.field) !== undefined,
  );
  const numbers = () =>
    there.map((row) => (body.field === '@timestamp' ? time(row) : Number(value(row, body.field))));
  const grouped = (key: (row: Json) => unknown) => {
    const groups = new Map<unknown, Json[]>();
    for (const row of there) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
    return [...groups];
  };
  switch (kind) {
    case 'min':
    case 'max':
      return { value: there.length === 0 ? null : Math[kind](...numbers()) };
    case 'filter':
      return bucket(rows.filter((row) => passes(row, body)));
    case 'filters': {
      const named = Object.entries<Json>(body.filters).map(([name, query]) => [
        name,
        bucket(rows.filter((row) => passes(row, query))),
      ]);
      return { buckets: Object.fromEntries(named) };
    }
    case 'terms': {
      const groups = grouped((row) => value(row, body.field));
      const sorted = groups.sort((one, other) => other[1].length - one[1].length);
      const buckets = sorted.map(([key, some]) => bucket(some, { key })).slice(0, body.size);
      return { doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets };
    }
    case 'cardinality':
      return { value: grouped((row) => value(row, body.field)).length };
    case 'stats':
    case 'extended_stats': {
      const all = numbers();
      const sum = all.reduce((one, other) => one + other, 0);
      const ends = { min: Math.min(...all), max: Math.max(...all) };
      return { count: all.length, sum, avg: sum / all.length, ...ends, std_deviation_sampling: 0 };
    }
    case 'percentiles': {
      const all = numbers().sort((one, other) => one - other);
      const at = (percent: number) => all[Math.floor((percent / 100) * (all.length - 1))];
      const values = body.percents.map((one: number) => [one.toFixed(1), at(one)]);
      return { values: Object.fromEntries(values) };
    }
    case 'date_histogram': {
      const width = Number(/^(\d+)ms$/.exec(body.fixed_interval)![1]);
      const offset = Number(/^(\d+)ms$/.exec(body.offset ?? '0ms')![1]);
      const start = (row: Json) => Math.floor((time(row) - offset) / width) * width + offset;
      const groups = grouped(start).sort((one, other) => Number(one[0]) - Number(other[0]));
      return { buckets: groups.map(([key, some]) => bucket(some, { key })) };
    }
    case 'composite': {
      const part = (row: Json, source: Json): unknown => {
        const [kind, { field, fixed_interval = '', interval = 1 }] = only(only(source)[1]);
        const found = value(row, field);
        if (found === undefined) return null;
        const width = Number(/^(\d+)ms$/.exec(fixed_interval)?.[1] ?? interval);
        const number = field === '@timestamp' ? time(row) : found;
        return kind === 'terms' ? found : Math.floor(number / width) * width;
      };
      const names = (body.sources as Json[]).map((source) => only(source)[0]);
      const key = (row: Json) => (body.sources as Json[]).map((source) => part(row, source));
      const groups = new Map<string, Json[]>();
      for (const row of rows) {
        const text = JSON.stringify(key(row));
        groups.set(text, [...(groups.get(text) ?? []), row]);
      }
      const all = [...groups].map(([text, some]) => {
        const parts = JSON.parse(text) as unknown[];
        return bucket(some, {
          key: Object.fromEntries(names.map((name, at) => [name, parts[at]])),
        });
      });
      const after = JSON.stringify(body.after);
      const start = all.findIndex((one) => JSON.stringify((one as Json).key) === after) + 1;
      const buckets = all.slice(start, start + body.size);
      return { buckets, after_key: (buckets.at(-1) as Json | undefined)?.key };
    }
    case 'range': {
      const within = ({ from, to = Infinity }: Json) =>
        there.filter((row) => value(row, body.field) >= from && value(row, body.field) < to);
      const named = body.ranges.map((range: Json) => [range.key, bucket(within(range))]);
      return { buckets: Object.fromEntries(named) };
    }
    default:
      throw new Error(`no aggregation ${kind}`);
  }
}

function search(documents: readonly Json[], body: Json): Json {
  // Random scores leave the order as it is.
  const query = body.query?.function_score?.query ?? body.query ?? { match_all: {} };
  const rows = documents.filter((row) => passes(row, query));
  const [, { order = 'asc' } = {}] = body.sort === undefined ? ['', {}] : only(body.sort[0]);
  const sign = order === 'desc' ? -1 : 1;
  const key = (row: Json): [number, number] => [time(row), row._n];
  const compared = (one: [number, number], other: [number, number]) =>
    sign * (one[0] - other[0] || one[1] - other[1]);
  const sorted = rows.toSorted((one, other) => compared(key(one), key(other)));
  const after = body.search_after as [number, number] | undefined;
  const listed =
    after === undefined ? sorted : sorted.filter((row) => compared(key(row), after) > 0);
  const hits = listed.slice(body.from ?? 0, (body.from ?? 0) + (body.size ?? 10));
  return {
    hits: {
      total: { value: rows.length, relation: 'eq' },
      hits: hits.map((row) => {
        const { _id, _index, _n, ...source } = row;
        return { _index, _id, sort: [time(row), _n], _source: source };
      }),
    },
    ...(body.aggs === undefined ? {} : { aggregations: aggregated(rows, body.aggs) }),
    ...(body.pit === undefined ? {} : { pit_id: body.pit.id }),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  return String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes);
}

/** Fields and multi-fields of a mapping with their types, by their whole names. */
function typesOf(properties: Json, above = ''): [string, string][] {
  return Object.entries<Json>(properties).flatMap(([name, { type, fields = {}, properties }]) => {
    const whole = `${above}${name}`;
    if (properties !== undefined) return typesOf(properties, `${whole}.`);
    return [[whole, type] as [string, string], ...typesOf(fields, `${whole}.`)];
  });
}

/** Creates documents whose ids are new. */
function created(documents: Json[], index: string, text: string): Json {
  const lines = text.trimEnd().split('\n');
  const pairs = lines.flatMap((line, at) => (at % 2 === 0 ? [[line, lines[at + 1]!]] : []));
  const items = pairs.map(([action, document]) => {
    const { _id } = JSON.parse(action!).create;
    if (documents.some((known) => known._id === _id)) return { create: { status: 409, error: {} } };
    documents.push({ ...JSON.parse(document!), _id, _index: index, _n: documents.length });
    return { create: { status: 201 } };
  });
  return { errors: false, items };
}

/** Starts a cluster with these documents, the oldest first. */
export async function standIn(made: readonly Json[]): Promise<StandIn> {
  const documents = made.map((document, at) => ({
    ...document,
    _id: `id-${at}`,
    _index: 'logs-1',
    _n: at,
  }));
  /** Indexes that were pushed, with the mapping of their template. */
  const pushed = new Map<string, { documents: Json[]; properties: Json }>();
  const mapped = (index: string) =>
    pushed.has(index)
      ? { name: index, ...pushed.get(index)! }
      : { name: 'logs-1', documents, properties: PROPERTIES };
  const caps = (properties: Json) =>
    Object.fromEntries(
      typesOf(properties).map(([name, type]) => [
        name,
        { [type]: { type, searchable: true, aggregatable: type !== 'text' } },
      ]),
    );
  const state = {
    asked: [] as string[],
    isPartial: false,
    bulks: Infinity,
    template: null as Json | null,
  };
  const shards = () =>
    state.isPartial
      ? {
          total: 2,
          successful: 1,
          skipped: 0,
          failed: 1,
          failures: [{ reason: { type: 'node_disconnected_exception', reason: 'node left' } }],
        }
      : { total: 2, successful: 2, skipped: 0, failed: 0 };
  const reply = (method: string, path: string, text: string): Json => {
    const index = path.split('/')[1]!;
    if (path.endsWith('/_bulk')) {
      const properties = state.template!['template'].mappings.properties;
      if (!pushed.has(index)) pushed.set(index, { documents: [], properties });
      return created(pushed.get(index)!.documents, index, text);
    }
    const body: Json = text === '' ? {} : JSON.parse(text);
    if (path.startsWith('/_index_template/')) {
      state.template = body;
      return { acknowledged: true };
    }
    if (path.endsWith('/_refresh')) return { _shards: shards() };
    if (path === '/') return { version: { number: '8.19.21' } };
    if (path === '/_cluster/health') return { status: 'green', cluster_name: 'test' };
    if (path.startsWith('/_cat/indices')) return [{ index: 'logs-1', status: 'open' }];
    if (path.endsWith('/_field_caps')) {
      const { name, properties } = mapped(index);
      return { indices: [name], fields: caps(properties) };
    }
    if (path.endsWith('/_mapping')) {
      const { name, properties } = mapped(index);
      return { [name]: { mappings: { properties } } };
    }
    if (path.endsWith('/_pit')) return method === 'DELETE' ? { succeeded: true } : { id: 'point' };
    if (path.endsWith('/_search')) {
      return {
        took: 1,
        timed_out: false,
        _shards: shards(),
        ...search(mapped(index).documents, body),
      };
    }
    throw new Error(`${method} ${path}`);
  };
  const server: Server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]!;
    state.asked.push(path);
    read(request)
      .then((text) => {
        if (!path.endsWith('/_bulk') || state.bulks-- > 0) return text;
        response.writeHead(429).end('{}');
        return null;
      })
      .then((text) =>
        text === null ? null : JSON.stringify(reply(request.method ?? '', path, text)),
      )
      .then(
        (text) => {
          if (text !== null) {
            response.writeHead(200, { 'content-type': 'application/json' }).end(text);
          }
        },
        (error: unknown) =>
          response
            .writeHead(400)
            .end(JSON.stringify({ error: { type: 'test', reason: `${error}` } })),
      );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  });
}
