import { texts } from '../../base/texts';
import type { CopyFormat } from '../../state/events/copyevents';
import type { Mark } from '../../state/events/landmarks.svelte';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import type { Command } from '../commands/commands.svelte';

/** The parts of the list that the commands need. */
export interface ListParts {
  seek(mark: Mark, backward: boolean): void;
  find(): void;
  jump(): void;
  copy(format: CopyFormat): void;
  unpick(): void;
}

const words = texts.listing;
const MARK_KEYS: Readonly<Record<Mark, string>> = { error: 'e', warning: 'w', match: 'n' };

/** The commands of the event list, for keys and the palette. */
export function listCommands(opened: OpenCase, list: ListParts): Command[] {
  const { explorer, display, selection, detail } = opened;
  const group = 'events';
  const isShown = () => explorer.history.current.tab === 'events';
  const isByTime = () => isShown() && explorer.history.current.sort === null;
  const hasEvent = () => isShown() && (selection.count > 0 || detail.index >= 0);
  const seeks = (['error', 'warning', 'match'] as const).flatMap((mark): Command[] => [
    {
      id: `next-${mark}`,
      name: bare(words.next[mark]),
      group,
      keys: [MARK_KEYS[mark]],
      can: isByTime,
      run: () => list.seek(mark, false),
    },
    {
      id: `previous-${mark}`,
      name: bare(words.previous[mark]),
      group,
      keys: [MARK_KEYS[mark].toUpperCase()],
      can: isByTime,
      run: () => list.seek(mark, true),
    },
  ]);
  const copies = (
    [
      ['text', words.copyText],
      ['json', words.copyJson],
      ['markdown', words.copyMarkdown],
    ] as const
  ).map(([format, name]): Command => ({
    id: `copy-${format}`,
    name,
    group,
    keys: format === 'text' ? ['Ctrl+C'] : [],
    // Text that is selected with the mouse is copied by the system.
    can: () => hasEvent() && (getSelection()?.toString() ?? '') === '',
    run: () => list.copy(format),
  }));
  return [
    ...seeks,
    {
      id: 'find',
      name: bare(words.find),
      group,
      keys: ['Ctrl+F'],
      can: isByTime,
      run: () => list.find(),
    },
    {
      id: 'jump',
      name: bare(words.jump),
      group,
      keys: ['T'],
      can: isByTime,
      run: () => list.jump(),
    },
    ...copies,
    {
      id: 'unpick',
      name: bare(words.unpick),
      group,
      keys: ['Escape'],
      can: () => isShown() && selection.count > 0,
      hidden: true,
      run: () => list.unpick(),
    },
    {
      id: 'fields',
      name: texts.fields.name,
      group: 'anywhere',
      keys: ['b'],
      can: isShown,
      run: () => display.change({ fieldsOpen: !display.fieldsOpen }),
    },
    {
      id: 'message-first',
      name: `${words.json}: ${words.messageFirst}`,
      group,
      can: () => isShown() && !display.messageFirst,
      run: () => display.change({ messageFirst: true }),
    },
    {
      id: 'as-written',
      name: `${words.json}: ${words.asWritten}`,
      group,
      can: () => isShown() && display.messageFirst,
      run: () => display.change({ messageFirst: false }),
    },
    {
      id: 'columns-reset',
      name: words.reset,
      group,
      can: () => isShown() && explorer.history.current.columns.length > 0,
      run: () => explorer.history.change({ columns: [] }),
    },
  ];
}

/** A text without its shortcut, which is for tooltips. */
function bare(text: string): string {
  return text.replace(/ \([^)]*\)$/, '');
}
