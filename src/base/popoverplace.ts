/** Where a popover is placed: next to what it belongs to, and always within the window. */

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface PlaceWish {
  /** The edge of the anchor that it is aligned with. */
  readonly side: 'left' | 'right';
  /** Above the anchor, if there is room. */
  readonly up: boolean;
}

export interface PopoverPlace {
  readonly left: number;
  readonly top: number;
  readonly mostHeight: number;
}

const GAP_PX = 4;
/** Distance from the edges of the window. */
const EDGE_PX = 4;

/** The side with enough room for `size`: the wished one, otherwise the one with more room. */
export function popoverPlace(
  anchor: Box,
  size: Size,
  room: Size,
  { side, up }: PlaceWish,
): PopoverPlace {
  const above = anchor.top - GAP_PX - EDGE_PX;
  const below = room.height - anchor.bottom - GAP_PX - EDGE_PX;
  const [wished, other] = up ? [above, below] : [below, above];
  const isAbove = wished >= size.height || wished >= other ? up : !up;
  const mostHeight = Math.max(0, isAbove ? above : below);
  const height = Math.min(size.height, mostHeight);
  const left = side === 'left' ? anchor.left : anchor.right - size.width;
  return {
    left: within(left, EDGE_PX, room.width - size.width - EDGE_PX),
    top: isAbove
      ? within(anchor.top - GAP_PX - height, EDGE_PX, room.height - height - EDGE_PX)
      : within(anchor.bottom + GAP_PX, EDGE_PX, room.height - height - EDGE_PX),
    mostHeight,
  };
}

/** The start counts more than the end where there is no room for both. */
const within = (value: number, least: number, most: number) =>
  Math.max(least, Math.min(value, most));
