/** Where the detail of an event stands, and how large it is there. */
export const DETAIL_PLACES = ['right', 'below'] as const;
export type DetailPlace = (typeof DETAIL_PLACES)[number];

/** What the list and the detail share. */
export interface Room {
  readonly widthPx: number;
  readonly heightPx: number;
}

interface Extent {
  readonly leastPx: number;
  readonly bestPx: number;
  readonly mostPx: number;
}

/** A line of a log cannot be read in a list that is narrower than this. */
const READABLE_LIST_PX = 760;
/** A room that is lower than this is not divided into two that are lower still. */
const LEAST_DIVIDED_PX = 300;
/** Fewer rows of a list than fit this say nothing of what is around the event. */
const LEAST_LIST_TALL_PX = 150;

const WIDTH = { leastPx: 300, share: 0.3, mostBestPx: 640, mostShare: 0.6 } as const;
const HEIGHT = { leastPx: 130, share: 0.45, mostBestPx: 420 } as const;

function within(least: number, value: number, most: number): number {
  return Math.round(Math.max(least, Math.min(value, most)));
}

/** The least, the best and the most that the detail takes of the room at a place. */
export function extentAt(place: DetailPlace, { widthPx, heightPx }: Room): Extent {
  if (place === 'right') {
    const mostPx = Math.max(WIDTH.leastPx, Math.round(widthPx * WIDTH.mostShare));
    const bestPx = within(WIDTH.leastPx, widthPx * WIDTH.share, WIDTH.mostBestPx);
    return { leastPx: WIDTH.leastPx, bestPx, mostPx };
  }
  // Where there is too little for both, they share it.
  const leastPx = Math.min(HEIGHT.leastPx, Math.round(heightPx / 2));
  const mostPx = Math.max(leastPx, heightPx - LEAST_LIST_TALL_PX);
  const bestPx = within(leastPx, heightPx * HEIGHT.share, HEIGHT.mostBestPx);
  return { leastPx, bestPx: Math.min(bestPx, mostPx), mostPx };
}

/** What a person wants holds; else the detail is beside a list that stays readable, or below it. */
export function placeFor(wanted: DetailPlace | null, room: Room): DetailPlace {
  if (wanted !== null) return wanted;
  const listPx = room.widthPx - extentAt('right', room).bestPx;
  const isNarrow = listPx < READABLE_LIST_PX;
  return isNarrow && room.heightPx >= LEAST_DIVIDED_PX ? 'below' : 'right';
}

/** The size that is drawn: what a person chose, as far as this room allows. */
export function sizeAt(place: DetailPlace, chosenPx: number | null, room: Room): number {
  const { leastPx, bestPx, mostPx } = extentAt(place, room);
  return within(leastPx, chosenPx ?? bestPx, mostPx);
}
