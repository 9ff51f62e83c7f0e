/** Export of the matching events, for the menu above the list and the palette. */
import { texts } from '../../base/texts';
import { EVENT_FORMATS, type EventFormat } from '../../state/events/eventexport.svelte';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import type { Command } from '../commands/commands.svelte';

const words = texts.workbench.exports;

export function exportEvents(opened: OpenCase, format: EventFormat): void {
  const { exporting, explorer, clock, summary } = opened;
  const name = `${summary.name}.${words.ending[format]}`;
  void exporting.start(explorer.view, clock.zoneAsked, format, name);
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
