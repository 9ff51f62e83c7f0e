import { texts } from '../../base/texts';
import { LIVE_LENGTHS } from '../../state/live/livemode.svelte';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import type { Session } from '../../state/workbench/session.svelte';
import type { Command } from '../commands/commands.svelte';

/** The commands of live sources and of the Live switch. */
export function liveCommands(session: Session, opened: OpenCase): Command[] {
  const { liveMode } = opened;
  const words = texts.live;
  return [
    {
      id: 'live-add',
      name: words.command,
      group: 'anywhere',
      can: () => opened.summary.readOnly === null,
      run: () => session.addLive(),
    },
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
