import { createContext } from 'svelte';

import { belongsToControls, chordOf, type Pressed } from './keys';

/** The parts of the screen, in the order that the sheet of keys shows them. */
export const GROUPS = ['anywhere', 'query', 'events', 'timeline', 'charts', 'notes'] as const;
export type Group = (typeof GROUPS)[number];

/** Something that a person can have done, by its keys, from the palette, or both. */
export interface Command {
  readonly id: string;
  readonly name: string;
  readonly group: Group;
  /** Each is a way to call it: `Ctrl+K`, `j`. */
  readonly keys?: readonly string[];
  /** Null where the part itself listens for the keys, and they are only told here. */
  readonly run: (() => void) | null;
  /** Whether it can be done now; a command that cannot is not offered, and its keys stay free. */
  readonly can?: () => boolean;
  /** Its keys are obeyed while text is written too. */
  readonly whileWriting?: boolean;
  /** Its keys are obeyed only while nothing has the focus, because controls have their own use for them. */
  readonly unfocused?: boolean;
  /** Only by its keys: such as a step through a list, which nobody looks for in a palette. */
  readonly hidden?: boolean;
}

/** Where keys were pressed. */
export interface Focus {
  readonly writing: boolean;
  readonly onControl: boolean;
}

/** Every command of a case's screen, in one place: what is done by keys, found, and shown on the sheet. */
export class Commands {
  list = $state.raw<readonly Command[]>([]);
  /** Commands that were chosen from the palette, the last first. */
  recent = $state.raw<readonly string[]>([]);

  /** Adds commands until what is returned is called. */
  register(commands: readonly Command[]): () => void {
    this.list = [...this.list, ...commands];
    return () => (this.list = this.list.filter((each) => !commands.includes(each)));
  }

  /** Does what a key means here. False when it means nothing. */
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

  /** What a palette offers now. */
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
