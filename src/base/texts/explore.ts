/** What the query bar, the time range, the timeline and the history of steps say. */
export const explore = {
  undo: 'Undo',
  redo: 'Redo',
  closeTab: (title: string) => `Close “${title}” (Del)`,
  unknownTab: 'This version cannot show this tab',
} as const;
