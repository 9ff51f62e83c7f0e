// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { connectBrowser, offerToken, takeToken, takeWindowKey, tokenOfOtherTab } from './browser';
import { EngineError } from './client';

const respond = (text: string, status = 200) =>
  new Response(new TextEncoder().encode(text), { status });

const requests: { url: string; init: RequestInit }[] = [];
let answers: (() => Promise<Response> | Response)[] = [];

beforeEach(() => {
  requests.length = 0;
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    requests.push({ url, init });
    return answers.shift()!();
  });
});
afterEach(() => void vi.unstubAllGlobals());

describe('a call', () => {
  it('sends the command with the token, reports progress and returns the reply', async () => {
    answers = [
      () =>
        respond('event: progress\ndata: {"events":1}\n\nevent: reply\ndata: {"paths":["/a"]}\n\n'),
    ];
    const progress = vi.fn();
    const reply = await connectBrowser('secret').call('sample', {}, { progress });
    expect(reply).toEqual({ paths: ['/a'] });
    expect(progress).toHaveBeenCalledWith({ events: 1 });
    expect(requests[0]!.url).toBe('/api/call');
    expect(requests[0]!.init.headers).toMatchObject({ Authorization: 'Bearer secret' });
    expect(JSON.parse(requests[0]!.init.body as string)).toMatchObject({
      command: { command: 'sample', args: {} },
    });
  });

  it('throws the error of the engine, with its span', async () => {
    answers = [
      () =>
        respond(
          'event: error\ndata: {"code":"queryInvalid","message":"no closing quote","hint":"add one","path":null,"span":[3,4]}\n\n',
        ),
    ];
    const error = await connectBrowser('t')
      .call('sample', {})
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({ code: 'queryInvalid', hint: 'add one', span: [3, 4] });
  });

  it('reports the engine as unreachable if the connection fails or ends early', async () => {
    answers = [
      () => respond('event: progress\ndata: {}\n\n'),
      () => Promise.reject(new TypeError('refused')),
    ];
    const client = connectBrowser('t');
    await expect(client.call('sample', {})).rejects.toMatchObject({ code: 'unreachable' });
    await expect(client.call('sample', {})).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('asks the engine to stop the call when its signal is aborted, and still takes the answer', async () => {
    let finish!: (response: Response) => void;
    answers = [
      () => new Promise<Response>((resolve) => (finish = resolve)),
      () => respond('event: reply\ndata: {}\n\n'),
    ];
    const abort = new AbortController();
    const call = connectBrowser('t').call('sample', {}, { signal: abort.signal });
    abort.abort();
    await vi.waitFor(() => expect(requests).toHaveLength(2));
    const { id } = JSON.parse(requests[0]!.init.body as string) as { id: string };
    expect(JSON.parse(requests[1]!.init.body as string)).toMatchObject({
      command: { command: 'cancel', args: { call: id } },
    });
    finish(respond('event: reply\ndata: {"paths":[]}\n\n'));
    await expect(call).resolves.toEqual({ paths: [] });
  });
});

it('takes the token from the address and keeps it for a reload', () => {
  history.replaceState(null, '', '/?x=1#token=abc%2F1');
  expect(takeToken()).toBe('abc/1');
  expect(location.hash).toBe('');
  expect(location.search).toBe('?x=1');
  expect(takeToken()).toBe('abc/1');
});

it('leaves the view in the address when it takes the token and the key of a window', () => {
  history.replaceState(null, '', '/#token=abc&window=k-1&case=a&timberline-view=1&query=x%26y');
  expect(takeWindowKey()).toBe('k-1');
  expect(takeToken()).toBe('abc');
  expect(location.hash).toBe('#case=a&timberline-view=1&query=x%26y');
  expect([takeToken(), takeWindowKey()]).toEqual(['abc', null]);
});

it('a tab that was opened by a link gets the token from another tab', async () => {
  sessionStorage.clear();
  expect(await tokenOfOtherTab()).toBe('');
  offerToken('abc');
  expect(await tokenOfOtherTab()).toBe('abc');
  expect(takeToken()).toBe('abc');
});
