/** The placement and size of the event detail. */
export const DETAIL_PLACES = ['right', 'below'] as const;
export type DetailPlace = (typeof DETAIL_PLACES)[number];

/** The room that the list and the detail share. */
export interface Room {
  readonly widthPx: number;
  readonly heightPx: number;
}

interface Extent {
  readonly leastPx: number;
  readonly bestPx: number;
  readonly mostPx: number;
}

/** A log line is unreadable in a list that is narrower than this. */
const READABLE_LIST_PX = 640;
/** A window that is lower than this is not split vertically. */
const LEAST_DIVIDED_PX = 300;
/** Fewer rows than fit this show too little around the event. */
const LEAST_LIST_TALL_PX = 150;

const WIDTH = { leastPx: 320, share: 0.3, mostBestPx: 640, mostShare: 0.6 } as const;
const HEIGHT = { leastPx: 130, share: 0.45, mostBestPx: 420 } as const;

function within(least: number, value: number, most: number): number {
  return Math.round(Math.max(least, Math.min(value, most)));
}

/** The minimum, the best and the maximum size of the detail for a placement. */
export function extentAt(place: DetailPlace, { widthPx, heightPx }: Room): Extent {
  if (place === 'right') {
    const mostPx = Math.max(WIDTH.leastPx, Math.round(widthPx * WIDTH.mostShare));
    const bestPx = within(WIDTH.leastPx, widthPx * WIDTH.share, WIDTH.mostBestPx);
    return { leastPx: WIDTH.leastPx, bestPx, mostPx };
  }
  // If there is too little room for both, they share it.
  const leastPx = Math.min(HEIGHT.leastPx, Math.round(heightPx / 2));
  const mostPx = Math.max(leastPx, heightPx - LEAST_LIST_TALL_PX);
  const bestPx = within(leastPx, heightPx * HEIGHT.share, HEIGHT.mostBestPx);
  return { leastPx, bestPx: Math.min(bestPx, mostPx), mostPx };
}

/**
 * A chosen placement stays; otherwise the detail is on the right of a list that stays readable, or
 * below it.
 */
export function placeFor(wanted: DetailPlace | null, room: Room): DetailPlace {
  if (wanted !== null) return wanted;
  const listPx = room.widthPx - extentAt('right', room).bestPx;
  const isNarrow = listPx < READABLE_LIST_PX;
  return isNarrow && room.heightPx >= LEAST_DIVIDED_PX ? 'below' : 'right';
}

/** The rendered size: the chosen one, as far as the room allows. */
export function sizeAt(place: DetailPlace, chosenPx: number | null, room: Room): number {
  const { leastPx, bestPx, mostPx } = extentAt(place, room);
  return within(leastPx, chosenPx ?? bestPx, mostPx);
}
