/** The commands of notes, for keys and the palette. */
import { texts } from '../../base/texts';
import type { EventId, Nanos } from '../../ipc/generated';
import { spanOf, type NoteTarget } from '../../state/notes/notetarget';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import { keyCommand, type Command } from '../commands/commands.svelte';

const words = texts.notes;

/** The event for a command if none is selected: the row under the cursor, otherwise the open one. */
function selected({ rows, detail }: OpenCase): EventId | null {
  return rows.at(detail.index)?.id ?? (detail.open ? (detail.value?.row.id ?? null) : null);
}

/** The selected events, or the row under the cursor. */
async function meant(opened: OpenCase): Promise<readonly EventId[]> {
  if (opened.selection.count > 0) {
    const events = await opened.selection.events();
    return (events ?? []).map(({ row }) => row.id);
  }
  const one = selected(opened);
  return one === null ? [] : [one];
}

/** The time of the selected event, otherwise the visible range. */
function timeMeant(opened: OpenCase): { from: Nanos; to: Nanos } | null {
  const row = opened.rows.at(opened.detail.index);
  const time = row?.time ?? (opened.detail.open ? opened.detail.value?.row.time : null) ?? null;
  if (time !== null) return { from: time, to: time };
  return rangeMeant(opened);
}

function rangeMeant({ explorer }: OpenCase) {
  return explorer.range === null ? null : spanOf(explorer.range);
}

export function noteCommands(opened: OpenCase): Command[] {
  const { notes, notebook, explorer, selection } = opened;
  const inEvents = () =>
    explorer.history.current.tab === 'events' && (selection.count > 0 || selected(opened) !== null);
  const wish = (kind: 'tag' | 'comment', targets: readonly NoteTarget[]) => {
    notes.asking = kind === 'tag' ? { kind, targets } : { kind, targets, comment: null };
  };
  const ask = async (kind: 'tag' | 'comment') => {
    const events = await meant(opened);
    if (events.length > 0) wish(kind, events);
  };
  const onRange = (id: 'star' | 'tag' | 'comment', run: (target: NoteTarget) => void): Command => ({
    id: `note-range-${id}`,
    name: words.range[id],
    group: 'notes',
    can: () => explorer.range !== null && notes.readOnly === null,
    run: () => {
      const target = rangeMeant(opened);
      if (target !== null) run(target);
    },
  });
  return [
    keyCommand('note-star', {
      can: inEvents,
      run: () => void meant(opened).then((events) => notes.toggleStar(events)),
    }),
    keyCommand('note-tag', { can: inEvents, run: () => void ask('tag') }),
    keyCommand('note-comment', { can: inEvents, run: () => void ask('comment') }),
    onRange('star', (target) => void notes.toggleStar([target])),
    onRange('tag', (target) => wish('tag', [target])),
    onRange('comment', (target) => wish('comment', [target])),
    {
      id: 'note-back',
      name: words.bringBackLast,
      group: 'notes',
      can: () => notes.removed.length > 0,
      run: () => void notes.bringBack(),
    },
    keyCommand('note-marker', {
      can: () => timeMeant(opened) !== null,
      run: () => {
        const time = timeMeant(opened);
        if (time !== null) notes.askMarker(time.from, time.to);
      },
    }),
    {
      id: 'note-cite',
      name: words.cite,
      group: 'notes',
      can: inEvents,
      run: () => void meant(opened).then((events) => notebook.cite(events, words.untitled)),
    },
    {
      id: 'note-page',
      name: words.page,
      group: 'notes',
      run: () => {
        notebook.create(words.untitled);
        explorer.history.change({ tab: 'notes' });
      },
    },
  ];
}
