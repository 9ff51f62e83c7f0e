/** A small WebDriver client over fetch, for the tests of the real window. */
import { createServer } from 'node:net';

import { end, eventually, start } from './machine';

// WebDriver marks an element reference with this key.
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

export type Device = 'key' | 'pointer' | 'wheel';

export interface App {
  /** The value of an attribute of the element with this data-testid, or null if there is none. */
  attribute(testid: string, name: string): Promise<string | null>;
  text(testid: string): Promise<string>;
  click(testid: string): Promise<void>;
  type(testid: string, text: string): Promise<void>;
  run<T>(script: string, ...args: unknown[]): Promise<T>;
  /** Sends input device actions in WebDriver's format. */
  act(device: Device, actions: object[]): Promise<void>;
  /** A PNG of the window. */
  screenshot(): Promise<Buffer>;
  close(): Promise<void>;
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Opens the program's window through WebKit's own driver. */
export async function openApp(
  binary: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<App> {
  const port = await freePort();
  const driver = start('webdriver', 'WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
    env: { ...process.env, TAURI_WEBVIEW_AUTOMATION: 'true', ...env },
  });

  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: T & { message?: string } };
    if (!response.ok) throw new Error(`${method} ${path}: ${value.message ?? response.status}`);
    return value;
  }

  await eventually(
    'the driver',
    async () => (await ask<{ ready: boolean }>('GET', '/status')).ready,
  );
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { binary, args } } };
  const { sessionId } = await ask<{ sessionId: string }>('POST', '/session', { capabilities });
  const session = `/session/${sessionId}`;

  const run = <T>(script: string, ...values: unknown[]) =>
    ask<T>('POST', `${session}/execute/sync`, { script, args: values });
  const element = async (testid: string) => {
    const using = { using: 'css selector', value: `[data-testid="${testid}"]` };
    const found = await ask<Record<string, string>>('POST', `${session}/element`, using);
    return `${session}/element/${found[ELEMENT]}`;
  };

  return {
    run,
    attribute: (testid, name) =>
      run(
        'return document.querySelector(`[data-testid="${arguments[0]}"]`)?.getAttribute(arguments[1]) ?? null',
        testid,
        name,
      ),
    text: async (testid) => ask<string>('GET', `${await element(testid)}/text`),
    click: async (testid) => ask('POST', `${await element(testid)}/click`, {}),
    type: async (testid, text) => ask('POST', `${await element(testid)}/value`, { text }),
    act: (type, actions) =>
      ask('POST', `${session}/actions`, { actions: [{ type, id: `the ${type}`, actions }] }),
    screenshot: async () =>
      Buffer.from(await ask<string>('GET', `${session}/screenshot`), 'base64'),
    close: async () => {
      await ask('DELETE', session).catch(() => undefined);
      await end(driver);
    },
  };
}
