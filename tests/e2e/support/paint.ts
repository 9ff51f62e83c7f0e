/** The latency from a key or a mouse move to the frame that shows its effect. */
import { eventually } from './machine';
import { byId, type Screen } from './screen';

export interface Kind {
  name: string;
  /** The page events that start the measurement. */
  events: string[];
  /** Where the effect is observed, and which change it is. */
  answers: { in: string; as: MutationObserverInit };
  before(screen: Screen): Promise<void>;
  /** The index of the input; each has an effect. */
  act(screen: Screen, turn: number): Promise<void>;
  after(screen: Screen): Promise<void>;
}

const TURNS = 32;
const TYPED = 'status:500 and method:GET or bytes>10kb and not path:/explore';
/** About ten rows, less than a screen. */
const WHEEL_PX = 240;
const LIST = byId('events');
const TIMELINE = `${byId('timeline')} [role="slider"]`;

const nothing = () => Promise.resolve();

export const kinds: readonly Kind[] = [
  {
    name: 'typing a query',
    events: ['keydown'],
    answers: { in: '.cm-content', as: { subtree: true, childList: true, characterData: true } },
    before: (screen) => screen.click(byId('query')),
    act: (screen, turn) => screen.hands.type(TYPED.charAt(turn)),
    async after(screen) {
      await screen.hands.press('Control+a');
      await screen.hands.press('Delete');
      await screen.hands.press('Escape');
      await screen.hands.press('Escape');
    },
  },
  {
    name: 'selecting events',
    events: ['keydown'],
    answers: { in: LIST, as: { subtree: true, attributes: true, attributeFilter: ['class'] } },
    async before(screen) {
      // The list may be anywhere: an event that is open stays in view.
      await screen.click(LIST);
      await screen.shown(byId('detail'));
    },
    act: (screen) => screen.hands.press('ArrowDown'),
    after: (screen) => screen.click(byId('detail-close')),
  },
  {
    name: 'scrolling the list',
    events: ['wheel'],
    answers: { in: LIST, as: { subtree: true, childList: true, attributes: true } },
    before: (screen) => screen.hover(LIST),
    act: (screen) => screen.hands.wheel(WHEEL_PX),
    after: nothing,
  },
  {
    name: 'brushing the timeline',
    events: ['pointermove'],
    answers: { in: TIMELINE, as: { attributes: true, attributeFilter: ['aria-valuetext'] } },
    async before(screen) {
      await screen.hands.move(await along(screen, 0.1));
      await screen.hands.down();
      await screen.hands.move(await along(screen, 0.2));
    },
    // Each is some buckets away from the previous one.
    act: async (screen, turn) =>
      screen.hands.move(await along(screen, 0.25 + ((turn * 0.07) % 0.63))),
    async after(screen) {
      await screen.hands.press('Escape');
      await screen.hands.up();
    },
  },
];

async function along(screen: Screen, share: number) {
  const box = await screen.box(TIMELINE);
  return { x: Math.round(box.x + box.width * share), y: Math.round(box.y + box.height / 2) };
}

/**
 * Records in the page when an input began and when the frame with its effect was drawn. The message
 * arrives after the frame that the change requested, including canvases, because those request
 * their frame before this one does.
 */
const WATCH = `
  const [events, css, as] = arguments;
  window.watched?.stop();
  const watched = { times: [], stop };
  let began = null;
  let isDrawing = false;
  const begin = ({ timeStamp }) => {
    const now = performance.now();
    // Events from a driver need not have a timestamp of this page.
    const sane = timeStamp <= now && now - timeStamp < 5000;
    began ??= sane ? timeStamp : now;
  };
  const draw = () => {
    if (began === null || isDrawing) return;
    isDrawing = true;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        watched.times.push(performance.now() - began);
        began = null;
        isDrawing = false;
      };
      port2.postMessage(null);
    });
  };
  const observer = new MutationObserver(draw);
  const how = { capture: true, passive: true };
  for (const type of events) addEventListener(type, begin, how);
  observer.observe(document.querySelector(css), as);
  function stop() {
    for (const type of events) removeEventListener(type, begin, how);
    observer.disconnect();
  }
  window.watched = watched;
`;

export async function measureInput(screen: Screen, kind: Kind): Promise<number[]> {
  const { run } = screen.hands;
  await kind.before(screen);
  await screen.shown(kind.answers.in);
  await run(WATCH, kind.events, kind.answers.in, kind.answers.as);
  const times = () => run<number[]>('return window.watched.times;');
  for (let turn = 0; turn < TURNS; turn += 1) {
    await kind.act(screen, turn);
    await eventually(
      `an answer to ${kind.name}, ${turn}`,
      async () => (await times()).length > turn,
    );
  }
  await run('window.watched.stop();');
  await kind.after(screen);
  return times();
}
