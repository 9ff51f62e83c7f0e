import { texts } from '../../base/texts';
import { LIVE_LENGTHS } from '../../state/live/livemode.svelte';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import type { Command } from '../commands/commands.svelte';

/** The commands of the Live switch. */
export function liveCommands(opened: OpenCase): Command[] {
  const { liveMode } = opened;
  const words = texts.live;
  return [
    ...LIVE_LENGTHS.map((length): Command => ({
      id: `live-${length}`,
      name: words.mode.commandOn(words.mode.lengths[length]),
      group: 'timeline',
      can: () => liveMode.length !== length,
      run: () => liveMode.start(length),
    })),
    {
      id: 'live-off',
      name: words.mode.commandOff,
      group: 'timeline',
      can: () => liveMode.isOn,
      run: () => liveMode.end(),
    },
  ];
}
