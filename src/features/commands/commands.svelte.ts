import { createContext } from 'svelte';

import { belongsToControls, chordOf, type Pressed } from './keys';

/** The parts of the screen, in the order of the keyboard sheet. */
export const GROUPS = ['anywhere', 'query', 'events', 'timeline', 'charts', 'notes'] as const;
export type Group = (typeof GROUPS)[number];

/** A command, called by its keys, from the palette, or both. */
export interface Command {
  readonly id: string;
  readonly name: string;
  readonly group: Group;
  /** Alternative shortcuts: `Ctrl+K`, `j`. */
  readonly keys?: readonly string[];
  /** Null if the component handles the keys itself, and they are only listed here. */
  readonly run: (() => void) | null;
  /** Whether it is possible now; an impossible command is not offered, and its keys stay free. */
  readonly can?: () => boolean;
  /** Its keys also work in text fields. */
  readonly whileWriting?: boolean;
  /** Its keys work only if nothing has the focus, because controls use them. */
  readonly unfocused?: boolean;
  /** Only by its keys, such as a step through a list, which nobody searches for in a palette. */
  readonly hidden?: boolean;
}

/** The element in which keys were pressed. */
export interface Focus {
  readonly writing: boolean;
  readonly onControl: boolean;
}

/** Every command of a case's screen: run by keys, listed in the palette and on the keyboard sheet. */
export class Commands {
  list = $state.raw<readonly Command[]>([]);
  /** Commands that were run from the palette, the latest first. */
  recent = $state.raw<readonly string[]>([]);

  /** Registers commands until the returned function is called. */
  register(commands: readonly Command[]): () => void {
    this.list = [...this.list, ...commands];
    return () => (this.list = this.list.filter((each) => !commands.includes(each)));
  }

  /** Runs the command of a key. False if it has none. */
  obey(event: Pressed, focus: Focus): boolean {
    const chord = chordOf(event);
    const found = this.list.findLast(
      (command) =>
        command.keys?.includes(chord) && fits(command, chord, focus) && isPossible(command),
    );
    if (!found?.run) return false;
    found.run();
    return true;
  }

  /** The commands that a palette offers now. */
  get offered(): readonly Command[] {
    return this.list.filter((each) => each.run !== null && !each.hidden && isPossible(each));
  }

  choose(command: Command): void {
    this.recent = [command.id, ...this.recent.filter((id) => id !== command.id)];
    command.run?.();
  }
}

function isPossible(command: Command): boolean {
  return command.can?.() ?? true;
}

function fits(command: Command, chord: string, focus: Focus): boolean {
  if (focus.writing) return command.whileWriting === true;
  return !(focus.onControl && (command.unfocused === true || belongsToControls(chord)));
}

export const [getCommands, setCommands] = createContext<Commands>();
