/** The interface to a host: calls as data, chosen files, dropped files. */
import type { Contract, ErrorCode, HostKind, WireError } from './generated';

/** The engine's codes, and one more for an unreachable engine. */
export type FailureCode = ErrorCode | 'unreachable';

export class EngineError extends Error {
  readonly code: FailureCode;
  readonly hint: string | null;
  readonly path: string | null;
  /** The byte range of the query that the error is about. */
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
   * Aborting asks the engine to stop. The call still settles with the engine's answer, because the
   * work done before the stop is kept.
   */
  signal?: AbortSignal;
}

/** How many of the chosen files were sent to the engine; only a browser has to send them. */
export type HandoverReport = (done: number, total: number) => void;

/** A position in the window, in CSS pixels. */
export interface WindowPoint {
  readonly x: number;
  readonly y: number;
}

export interface DropHandlers {
  enter(): void;
  leave(): void;
  /** The pointer position during a drag. */
  over(place: WindowPoint): void;
  /** Dropped here. The paths follow, or a failure. */
  landed(place: WindowPoint): void;
  handover: HandoverReport;
  drop(paths: string[]): void;
  failed(error: EngineError): void;
}

export interface Saved<T> {
  /** The name of the file, and its path if the host knows it. */
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
  /** Lets a person choose; no paths if they cancelled. */
  choose(kind: 'files' | 'folder', handover?: HandoverReport): Promise<string[]>;
  /** Saves a file that the screen has made. Returns its name, or null if the person cancelled. */
  save(name: string, content: Blob): Promise<string | null>;
  /**
   * Lets the engine write a file and saves it: asks for the location, or lets a browser download
   * it. Null if the person cancelled.
   */
  saveWritten<T>(name: string, write: (path: string) => Promise<T>): Promise<Saved<T> | null>;
  /** Files dropped anywhere on the window. Returns what removes the listeners. */
  onDrop(handlers: DropHandlers): () => void;
  /** The paths that another window opened this one with; null if it was not opened by one. */
  openedFor(): Promise<string[] | null>;
  /**
   * Opens another window. To be called during a person's gesture, because browsers block it later;
   * the paths are passed when they are known. Null if no window can be opened.
   */
  openWindow(): ((paths: string[]) => void) | null;
  /** The progress in the window's task bar entry: 0 to 1, null for none. */
  showProgress(share: number | null): void;
  /** Notifies a person who may be looking elsewhere: work has ended, or an alert fires. */
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

/** Converts whatever a host threw to an error of ours. */
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
