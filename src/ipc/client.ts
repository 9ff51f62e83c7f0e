/** What the screen knows of its host: calls as data, files chosen, files dropped. */
import type { Contract, ErrorCode, HostKind, WireError } from './generated';

/** The engine's codes, and one more for the case that no engine answers. */
export type FailureCode = ErrorCode | 'unreachable';

export class EngineError extends Error {
  readonly code: FailureCode;
  readonly hint: string | null;
  readonly path: string | null;
  /** Byte range of the query that the error is about. */
  readonly span: readonly [number, number] | null;

  constructor(error: Omit<WireError, 'code'> & { code: FailureCode }) {
    super(error.message);
    this.name = 'EngineError';
    this.code = error.code;
    this.hint = error.hint;
    this.path = error.path;
    this.span = error.span;
  }
}

export interface CallOptions<K extends keyof Contract> {
  progress?: (report: Contract[K]['progress']) => void;
  /**
   * Aborting asks the engine to stop. The call still settles with the engine's answer, because what
   * was done before the stop is kept and worth knowing.
   */
  signal?: AbortSignal;
}

/** How many of the chosen files the engine has been given so far; only a browser has to wait. */
export type HandoverReport = (done: number, total: number) => void;

/** A place in the window, in CSS pixels. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface DropHandlers {
  enter(): void;
  leave(): void;
  /** Where the pointer is while something is dragged. */
  over(place: Place): void;
  /** It was let go here. What was dropped follows, or a failure. */
  landed(place: Place): void;
  handover: HandoverReport;
  drop(paths: string[]): void;
  failed(error: EngineError): void;
}

export interface Saved<T> {
  /** What the file is called, and where a host says it, where it is. */
  readonly name: string;
  readonly written: T;
}

export interface Client {
  readonly kind: HostKind;
  call<K extends keyof Contract>(
    name: K,
    args: Contract[K]['args'],
    options?: CallOptions<K>,
  ): Promise<Contract[K]['reply']>;
  /** Lets a person choose; no paths when they thought better of it. */
  choose(kind: 'files' | 'folder', handover?: HandoverReport): Promise<string[]>;
  /**
   * Hands over a file that the screen has made. Gives back what it is called, or null when a person
   * thought better of it.
   */
  save(name: string, content: Blob): Promise<string | null>;
  /**
   * Lets the engine write a file and hands it over: asks where, or has a browser download it. Null
   * when a person thought better of it.
   */
  saveWritten<T>(name: string, write: (path: string) => Promise<T>): Promise<Saved<T> | null>;
  /** Files dropped anywhere on the window. Returns what ends the listening. */
  onDrop(handlers: DropHandlers): () => void;
  /** The paths that this window was opened for by another one; null where it was not. */
  openedFor(): Promise<string[] | null>;
  /**
   * Opens a window beside this one. To be called while a person's gesture is answered, because a browser opens
   * none later; the paths are given when they are known. Null where no window can be opened.
   */
  openWindow(): ((paths: string[]) => void) | null;
  /** How far the work is, in the window's entry of the task bar: 0 to 1, null where there is none. */
  showProgress(share: number | null): void;
  /** Something has ended that a person may wait for while looking elsewhere. */
  callBack(title: string, text: string): void;
}

function isWireError(value: unknown): value is WireError {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<WireError>).code === 'string' &&
    typeof (value as Partial<WireError>).message === 'string'
  );
}

/** Whatever a host threw, as an error of ours. */
export function engineError(cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  if (isWireError(cause)) {
    return new EngineError({
      code: cause.code,
      message: cause.message,
      hint: cause.hint ?? null,
      path: cause.path ?? null,
      span: cause.span ?? null,
    });
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return new EngineError({ code: 'internal', message, hint: null, path: null, span: null });
}

export function unreachable(message: string): EngineError {
  return new EngineError({ code: 'unreachable', message, hint: null, path: null, span: null });
}
