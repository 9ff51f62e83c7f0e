/** What the query bar, the time range, the timeline and the history of steps say. */
export const explore = {
  undo: 'Undo',
  redo: 'Redo',
  closeTab: (title: string) => `Close “${title}” (Del)`,
  share: {
    name: 'This view as text',
    note: 'Whoever has this case sees the same by pasting the text here. Paste another one to see that.',
    copy: 'Copy',
    copied: 'Copied',
    show: 'Show what is pasted',
    notAView: 'This text is no view. It should begin with timberline-view.',
  },
  unknownTab: 'This version cannot show this tab',
} as const;
