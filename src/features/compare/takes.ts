/** What both sides can be taken from: the filter, the selected range and the markers. */
import { texts } from '../../base/texts';
import { domainOf } from '../../state/charts/charts.svelte';
import {
  AGAINST,
  sidesAgainst,
  sidesAtMarker,
  type Against,
  type TakenFrom,
} from '../../state/compare/sides';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import type { Command } from '../commands/commands.svelte';
import type { MenuItem } from '../controls/Menu.svelte';

const words = texts.compare.take;

function takenFrom({ explorer, summary }: OpenCase): TakenFrom {
  const { filter, range } = explorer;
  return { query: filter, range, whole: domainOf(null, summary) };
}

/** The comparison; null if there is nothing to take it from. */
function taking(opened: OpenCase, against: Against): (() => void) | null {
  const sides = sidesAgainst(against, takenFrom(opened));
  return sides === null ? null : () => opened.comparing.compare(sides);
}

export function takeItems(opened: OpenCase): MenuItem[] {
  const items = AGAINST.map((against): MenuItem => {
    const run = taking(opened, against);
    const needs = against === 'others' ? words.needsFilter : words.needsRange;
    const isHalves = against === 'halves';
    const label = words.against[against];
    return { id: against, label, run, ...(run === null && !isHalves ? { detail: needs } : {}) };
  });
  const markers = opened.markers.list.map(({ id, from, label }): MenuItem => {
    const sides = sidesAtMarker(from, takenFrom(opened));
    const run = sides === null ? null : () => opened.comparing.compare(sides);
    return { id: `marker-${id}`, label: words.marker(label), run };
  });
  return [...items, ...markers];
}

export function compareCommands(opened: OpenCase): Command[] {
  const names = texts.compare.commands;
  const group = 'timeline';
  return [
    ...AGAINST.map((against): Command => ({
      id: `compare-${against}`,
      name: names.against[against],
      group,
      can: () => taking(opened, against) !== null,
      run: () => taking(opened, against)?.(),
    })),
    {
      id: 'compare-swap',
      name: names.swap,
      group,
      can: () => opened.comparing.sides !== null,
      run: () => opened.comparing.swap(),
    },
  ];
}
