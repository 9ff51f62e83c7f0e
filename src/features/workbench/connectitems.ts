/** The connections of a case: live sources, clusters, and configurations for production. */
import { copyText } from '../../base/clipboard';
import { texts } from '../../base/texts';
import { shellQuoted } from '../../base/shell';
import type { OpenCase } from '../../state/workbench/opencase.svelte';
import type { Session } from '../../state/workbench/session.svelte';
import type { Command } from '../commands/commands.svelte';
import type { MenuItem } from '../controls/Menu.svelte';

const words = texts.workbench.connect;

interface ConnectItem {
  readonly id: string;
  /** Its name in the menu, and in the palette, where nothing else says what it is about. */
  readonly label: string;
  readonly command: string;
  can(): boolean;
  run(): void;
}

function connectItems(session: Session, opened: OpenCase): ConnectItem[] {
  const copied = async (command: string) => {
    const isCopied = await copyText(command);
    session.confirmations.say(isCopied ? words.copied(command) : texts.listing.copyFailed);
  };
  return [
    {
      id: 'live',
      label: texts.live.add,
      command: texts.live.command,
      can: () => opened.summary.readOnly === null,
      run: () => session.addLive(),
    },
    {
      id: 'remotes',
      label: texts.remotes.open,
      command: texts.remotes.command,
      can: () => true,
      run: () => session.showRemotes(),
    },
    {
      id: 'show-with',
      label: texts.remotes.together.command,
      command: texts.remotes.together.command,
      can: () => opened.summary.remote === undefined,
      run: () => session.showRemotes(),
    },
    {
      id: 'push',
      label: texts.push.open,
      command: texts.push.command,
      can: () => opened.rows.total > 0 && !opened.isRemote,
      run: () => session.showPush(),
    },
    {
      id: 'configs',
      label: words.configs,
      command: words.configsCommand,
      can: () => opened.summary.events > 0 && !opened.isRemote,
      run: () => void copied(`timberline configs ${shellQuoted(opened.summary.path)} --to configs`),
    },
    {
      id: 'plan',
      label: words.plan,
      command: words.planCommand,
      can: () => true,
      run: () => void copied('timberline tune'),
    },
  ];
}

export function connectMenu(session: Session, opened: OpenCase): MenuItem[] {
  return connectItems(session, opened).map(({ id, label, can, run }) => ({
    id,
    label,
    run: can() ? run : null,
  }));
}

export function connectCommands(session: Session, opened: OpenCase): Command[] {
  return connectItems(session, opened).map(({ id, command, can, run }) => ({
    id: `connect-${id}`,
    name: command,
    group: 'anywhere',
    can,
    run,
  }));
}
