/** What a drop does, by its position in the window. The overlay draws the same zones. */

export type DropTarget = 'new' | 'here' | 'newWindow' | 'look';

/** A zone of the window in shares of its width and height. */
export interface DropZone {
  readonly target: DropTarget;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Below this the files are previewed first; a drop in the large zone above starts at once. */
const LOOK_FROM = 0.8;
/** The most common action has the middle and most of the width. */
const SIDE = 0.24;

const look: DropZone = { target: 'look', left: 0, top: LOOK_FROM, right: 1, bottom: 1 };

/** The zones, with or without an open case. */
export function dropZones(hasCase: boolean, readOnly: boolean): readonly DropZone[] {
  const above = { top: 0, bottom: LOOK_FROM };
  if (!hasCase) return [{ target: 'new', left: 0, right: 1, ...above }, look];
  if (readOnly) {
    return [
      { target: 'new', left: 0, right: 0.5, ...above },
      { target: 'newWindow', left: 0.5, right: 1, ...above },
      look,
    ];
  }
  return [
    { target: 'new', left: 0, right: SIDE, ...above },
    { target: 'here', left: SIDE, right: 1 - SIDE, ...above },
    { target: 'newWindow', left: 1 - SIDE, right: 1, ...above },
    look,
  ];
}

/** The target at a position given in shares; a position outside counts as the nearest inside. */
export function targetAt(zones: readonly DropZone[], x: number, y: number): DropTarget {
  const inside = (value: number) => Math.min(Math.max(value, 0), 0.999_999);
  const [across, down] = [inside(x), inside(y)];
  const found = zones.find(
    ({ left, right, top, bottom }) =>
      across >= left && across < right && down >= top && down < bottom,
  );
  return found?.target ?? 'new';
}
