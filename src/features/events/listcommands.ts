import { texts } from '../../base/texts';
import type { CopyFormat } from '../../state/events/copyevents';
import type { Mark } from '../../state/events/landmarks.svelte';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import { keyCommand, type Command } from '../commands/commands.svelte';

/** The parts of the list that the commands need. */
export interface ListParts {
  seek(mark: Mark, backward: boolean): void;
  find(): void;
  jump(): void;
  copy(format: CopyFormat): void;
  unpick(): void;
}

const words = texts.listing;

/** The commands of the event list, for keys and the palette. */
export function listCommands(opened: OpenCase, list: ListParts): Command[] {
  const { explorer, display, selection, detail } = opened;
  const group = 'events';
  const isShown = () => explorer.history.current.tab === 'events';
  const isByTime = () => isShown() && explorer.history.current.sort === null;
  const hasEvent = () => isShown() && (selection.count > 0 || detail.index >= 0);
  const seeks = (['error', 'warning', 'match'] as const).flatMap((mark): Command[] => [
    keyCommand(`next-${mark}`, { can: isByTime, run: () => list.seek(mark, false) }),
    keyCommand(`previous-${mark}`, { can: isByTime, run: () => list.seek(mark, true) }),
  ]);
  // Text that is selected with the mouse is copied by the system.
  const can = () => hasEvent() && !hasMarkedText();
  return [
    ...seeks,
    keyCommand('find', { can: isByTime, run: () => list.find() }),
    keyCommand('jump', { can: isByTime, run: () => list.jump() }),
    keyCommand('copy-text', { can, run: () => list.copy('text') }),
    { id: 'copy-json', name: words.copyJson, group, can, run: () => list.copy('json') },
    { id: 'copy-markdown', name: words.copyMarkdown, group, can, run: () => list.copy('markdown') },
    keyCommand('unpick', {
      can: () => isShown() && selection.count > 0,
      hidden: true,
      run: () => list.unpick(),
    }),
    keyCommand('fields', {
      can: isShown,
      run: () => display.change({ fieldsOpen: !display.fieldsOpen }),
    }),
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

/** Whether text is selected with the mouse, which a person then means to copy. */
export function hasMarkedText(): boolean {
  return (getSelection()?.toString() ?? '') !== '';
}
