/** Export of the matching events, for the menu above the list and the palette. */
import { texts } from '../../base/texts';
import { EVENT_FORMATS, type EventFormat } from '../../state/events/eventexport.svelte';
import { exportedQuery } from '../../state/events/exportedquery';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import type { Command } from '../commands/commands.svelte';

/** Columns that each event has. */
const ALWAYS = ['time', 'level', 'source', 'line', 'raw'];
const words = texts.workbench.exports;

export function exportEvents(opened: OpenCase, format: EventFormat): void {
  const { exporting, explorer, clock, fields, summary } = opened;
  const name = `${summary.name}.${words.ending[format]}`;
  const { view, history } = explorer;
  const shown = history.current;
  const columns = fields.known === null ? shown.columns.map(({ field }) => field) : [];
  const known = new Set([...ALWAYS, ...columns, ...fields.inOrder.map((field) => field.name)]);
  // The original text of an event has no columns, and is written in the order of the case.
  const query = format === 'raw' ? view.query : exportedQuery(view.query, shown, known);
  void exporting.start({ ...view, query }, clock.zoneAsked, format, name);
}

export function exportCommands(opened: OpenCase): Command[] {
  return EVENT_FORMATS.map((format) => ({
    id: `export-${format}`,
    name: words.commands[format],
    group: 'events',
    can: () => opened.rows.total > 0 && !opened.isRemote,
    run: () => exportEvents(opened, format),
  }));
}
