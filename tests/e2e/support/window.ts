/** The hands for the real window: WebDriver's keys and mouse, and the system's own dialog. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { eventually, temporaryFolder } from './machine';
import type { Hands, Point } from './screen';
import type { App } from './webdriver';

/** The keys without a letter, by their WebDriver names. */
const KEYS: Readonly<Record<string, string>> = {
  Control: '\uE009',
  Shift: '\uE008',
  Alt: '\uE00A',
  Enter: '\uE007',
  Escape: '\uE00C',
  Delete: '\uE017',
  Backspace: '\uE003',
  ArrowDown: '\uE015',
  ArrowUp: '\uE013',
};

const pressing = (value: string) => ({ type: 'keyDown', value });
const releasing = (value: string) => ({ type: 'keyUp', value });

export function windowHands(app: App, display: string): Hands {
  const env = { ...process.env, DISPLAY: display };
  let at: Point = { x: 0, y: 0 };
  let scrolled = 0;
  const system = (...args: string[]) => execFileSync('xdotool', args, { env, encoding: 'utf8' });

  return {
    run: (script, ...args) => app.run(script, ...args),
    async press(keys) {
      const held = keys.split('+').map((key) => KEYS[key] ?? key);
      const released = [...held].reverse().map(releasing);
      await app.act('key', [...held.map(pressing), ...released]);
    },
    type: (text) =>
      app.act(
        'key',
        [...text].flatMap((letter) => [pressing(letter), releasing(letter)]),
      ),
    async move(to) {
      at = to;
      await app.act('pointer', [{ type: 'pointerMove', duration: 0, ...to }]);
    },
    down: () => app.act('pointer', [{ type: 'pointerDown', button: 0 }]),
    up: () => app.act('pointer', [{ type: 'pointerUp', button: 0 }]),
    async wheel(byPx) {
      // WebKit's driver takes the number as the wheel's position, and scrolls by the difference.
      scrolled += byPx;
      await app.act('wheel', [{ type: 'scroll', duration: 0, ...at, deltaX: 0, deltaY: scrolled }]);
    },
    screenshot: () => app.screenshot(),
    async saved(click) {
      const path = join(temporaryFolder(), 'saved');
      await click();
      const dialog = await eventually('the dialog', () => {
        const shown = system('search', '--onlyvisible', '--name', '^Save').trim().split('\n');
        return shown.at(-1) || null;
      });
      system('windowfocus', '--sync', dialog);
      system('key', 'ctrl+a');
      system('type', '--delay', '1', path);
      system('key', 'Return');
      return eventually('the saved file', () => existsSync(path) && readFileSync(path));
    },
  };
}
