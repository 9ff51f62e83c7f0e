/** One way to drive the workbench in both hosts, by keys, mouse and screen content. */
import { readFileSync } from 'node:fs';

import type { Page } from 'playwright-core';

import { eventually } from './machine';

export interface Point {
  x: number;
  y: number;
}

/** What a host has to implement; the rest is shared, below. */
export interface Hands {
  /** Runs the body of a function in the page. */
  run<T>(script: string, ...args: unknown[]): Promise<T>;
  /** A key, or several that are held together: `e`, `Enter`, `Control+a`. */
  press(keys: string): Promise<void>;
  type(text: string): Promise<void>;
  move(to: Point): Promise<void>;
  /** The first mouse button, at the current position. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Turns the wheel at the current position. */
  wheel(byPx: number): Promise<void>;
  screenshot(): Promise<Buffer>;
  /** The content of the file that a click saves. */
  saved(click: () => Promise<void>): Promise<Buffer>;
}

/** The elements that match, and of those the ones that contain a text. */
const FIND = `const found = [...document.querySelectorAll(arguments[0])]
  .filter((each) => each.textContent.includes(arguments[1] ?? ''));`;

/** The centre of an element that can be clicked there: visible, not moving, and not covered. */
const PLACE = `${FIND}
  const element = found[0];
  if (!element) return null;
  element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const box = element.getBoundingClientRect();
  const place = { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
  const top = document.elementFromPoint(place.x, place.y);
  return element.contains(top) ? place : null;`;

export interface Box extends Point {
  width: number;
  height: number;
}

export const byId = (testid: string) => `[data-testid="${testid}"]`;

export class Screen {
  constructor(readonly hands: Hands) {}

  count(css: string, text = ''): Promise<number> {
    return this.hands.run<number>(`${FIND} return found.length;`, css, text);
  }

  text(css: string): Promise<string | null> {
    return this.hands.run(`return document.querySelector(arguments[0])?.innerText ?? null;`, css);
  }

  attribute(css: string, name: string): Promise<string | null> {
    const script = `return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? null;`;
    return this.hands.run(script, css, name);
  }

  async number(css: string, name: string): Promise<number> {
    return Number((await this.attribute(css, name)) ?? Number.NaN);
  }

  shown(css: string, text = '', limitMs?: number): Promise<unknown> {
    const what = text === '' ? css : `${css} with "${text}"`;
    return eventually(what, async () => (await this.count(css, text)) > 0, limitMs);
  }

  gone(css: string): Promise<unknown> {
    return eventually(`the end of ${css}`, async () => (await this.count(css)) === 0);
  }

  /** Waits for a number of matching events, because counts increase while files are read. */
  async totalBecomes(wanted: number, limitMs = 60_000): Promise<void> {
    let seen = Number.NaN;
    const arrived = async () => (seen = await this.number(byId('total'), 'data-value')) === wanted;
    await eventually(`${wanted} events`, arrived, limitMs).catch((error: Error) => {
      throw new Error(`${error.message}; the screen shows ${seen}`);
    });
  }

  /** A number of matching events between two others. */
  totalBetween(least: number, most: number): Promise<number> {
    return eventually(`${least} to ${most} events`, async () => {
      const now = await this.number(byId('total'), 'data-value');
      return now >= least && now <= most ? now : null;
    });
  }

  /** Waits until the list has the events that are counted: its rows come by themselves. */
  listed(): Promise<unknown> {
    return eventually('the counted events in the list', async () => {
      const counted = await this.number(byId('total'), 'data-value');
      return (await this.number(byId('events'), 'data-total')) === counted;
    });
  }

  async click(css: string, text = ''): Promise<void> {
    await this.hover(css, text);
    await this.hands.down();
    await this.hands.up();
  }

  async hover(css: string, text = ''): Promise<void> {
    await this.hands.move(await this.place(css, text));
  }

  /** Drags over a part of an element, given in shares of its width. */
  async drag(css: string, from: number, to: number): Promise<void> {
    const box = await this.box(css);
    const point = (share: number) => ({
      x: Math.round(box.x + box.width * share),
      y: Math.round(box.y + box.height / 2),
    });
    await this.hands.move(point(from));
    await this.hands.down();
    await this.hands.move(point((from + to) / 2));
    await this.hands.move(point(to));
    await this.hands.up();
  }

  box(css: string): Promise<Box> {
    const script = `const box = document.querySelector(arguments[0])?.getBoundingClientRect();
      return box ? { x: box.x, y: box.y, width: box.width, height: box.height } : null;`;
    return eventually(`a place for ${css}`, () => this.hands.run<Box | null>(script, css));
  }

  /** Chooses in a native list, in which no host lets a test click. */
  async choose(css: string, value: string): Promise<void> {
    const offered = `option[value="${value}"]`;
    await this.shown(`${css} ${offered}`);
    await this.hands.run(
      `const list = document.querySelector(arguments[0]);
       list.value = arguments[1];
       list.dispatchEvent(new Event('change', { bubbles: true }));`,
      css,
      value,
    );
  }

  /** Chooses in a menu of fields, which may be longer than what it shows. */
  async chooseField(menu: string, field: string): Promise<void> {
    await this.click(byId(menu));
    const item = byId(`${menu}-${field}`);
    await this.shown(item);
    await this.hands.run(
      `document.querySelector(arguments[0]).scrollIntoView({ block: 'nearest' });`,
      item,
    );
    await this.click(item);
  }

  /** Replaces the query, runs it, and returns to the list. */
  async query(text: string): Promise<void> {
    await this.click(byId('query'));
    await this.hands.press('Control+a');
    await this.hands.press('Delete');
    await this.hands.type(text);
    await this.hands.press('Enter');
    await this.hands.press('Escape');
  }

  private place(css: string, text: string): Promise<Point> {
    let before: Point | null = null;
    return eventually(`a way to ${css} ${text}`, async () => {
      const now = await this.hands.run<Point | null>(PLACE, css, text);
      // The mouse would miss an element that still moves. Two looks of one frame would not see that.
      const isAtRest = now !== null && now.x === before?.x && now.y === before?.y;
      before = now;
      return isAtRest ? now : null;
    });
  }
}

/** A page of a browser. */
export function browserHands(page: Page): Hands {
  return {
    run: <T>(script: string, ...args: unknown[]) =>
      page.evaluate(
        // The page's content policy forbids to compile code from text, so the text is evaluated by
        // the driver.
        `(function () { ${script} }).apply(null, ${JSON.stringify(args)})`,
      ) as Promise<T>,
    press: (keys) => page.keyboard.press(keys),
    type: (text) => page.keyboard.type(text),
    move: ({ x, y }) => page.mouse.move(x, y),
    down: () => page.mouse.down(),
    up: () => page.mouse.up(),
    wheel: (byPx) => page.mouse.wheel(0, byPx),
    screenshot: () => page.screenshot(),
    async saved(click) {
      const [download] = await Promise.all([page.waitForEvent('download'), click()]);
      return readFileSync(await download.path());
    },
  };
}
