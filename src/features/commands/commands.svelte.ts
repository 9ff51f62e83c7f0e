import { createContext } from 'svelte';

import {
  belongsToControls,
  chordOf,
  shortcut,
  type KeyId,
  type Place,
  type Pressed,
} from '../../base/keys';

/** A command, called by its keys, from the palette, or both. */
export interface Command {
  readonly id: string;
  readonly name: string;
  readonly group: Place;
  /** Those of the table of keys. */
  readonly keys?: readonly string[];
  readonly run: () => void;
  /** Whether it is possible now; an impossible command is not offered, and its keys stay free. */
  readonly can?: () => boolean;
  /** Its keys also work in text fields. */
  readonly whileWriting?: boolean;
  /** Its keys work only if nothing has the focus, because controls use them. */
  readonly unfocused?: boolean;
  /** Only by its keys, such as a step through a list, which nobody searches for in a palette. */
  readonly hidden?: boolean;
}

/** A command with the name and the keys of a row of the table. */
export function keyCommand(
  id: KeyId,
  command: Omit<Command, 'id' | 'name' | 'group' | 'keys'>,
): Command {
  const { does, place, keys } = shortcut(id);
  return { id, name: does, group: place, keys, ...command };
}

/** The element in which keys were pressed. */
export interface Focus {
  readonly writing: boolean;
  readonly onControl: boolean;
}

/** Every command of a case's screen: run by keys or from the palette. */
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
    found?.run();
    return found !== undefined;
  }

  /** The commands that a palette offers now. */
  get offered(): readonly Command[] {
    return this.list.filter((each) => !each.hidden && isPossible(each));
  }

  choose(command: Command): void {
    this.recent = [command.id, ...this.recent.filter((id) => id !== command.id)];
    command.run();
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
