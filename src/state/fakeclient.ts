/** A host for tests: every call waits until the test answers it. */
import type { CallOptions, Client, Saved } from '../ipc/client';
import type { Contract } from '../ipc/generated';

export interface PendingCall<K extends keyof Contract = keyof Contract> {
  readonly name: K;
  readonly args: Contract[K]['args'];
  readonly options: CallOptions<K>;
  answer(reply: Contract[K]['reply']): Promise<void>;
  fail(error: unknown): Promise<void>;
}

/** Lets all pending promises settle. */
export const settled = () => new Promise<void>((resolve) => setTimeout(resolve));

export class FakeClient implements Client {
  readonly kind = 'browser';
  readonly calls: PendingCall[] = [];
  /** The paths of opened windows. */
  readonly newWindows: string[][] = [];
  readonly shares: (number | null)[] = [];
  readonly calledBack: string[] = [];

  call<K extends keyof Contract>(
    name: K,
    args: Contract[K]['args'],
    options: CallOptions<K> = {},
  ): Promise<Contract[K]['reply']> {
    return new Promise((resolve, reject) => {
      const pending: PendingCall<K> = {
        name,
        args,
        options,
        answer: (reply) => {
          resolve(reply);
          return settled();
        },
        fail: (error) => {
          reject(error instanceof Error ? error : Object.assign(new Error('failed'), error));
          return settled();
        },
      };
      this.calls.push(pending as unknown as PendingCall);
    });
  }

  /** The calls of one name, in the order they were made. */
  callsTo<K extends keyof Contract>(name: K): PendingCall<K>[] {
    return this.calls.filter((call) => call.name === name) as unknown as PendingCall<K>[];
  }

  choose(): Promise<string[]> {
    return Promise.resolve([]);
  }

  save(name: string): Promise<string | null> {
    return Promise.resolve(name);
  }

  async saveWritten<T>(name: string, write: (path: string) => Promise<T>): Promise<Saved<T>> {
    return { name, written: await write(`/saved/${name}`) };
  }

  onDrop(): () => void {
    return () => {};
  }

  openedFor(): Promise<string[] | null> {
    return Promise.resolve(null);
  }

  openWindow(): ((paths: string[]) => void) | null {
    return (paths) => this.newWindows.push(paths);
  }

  showProgress(share: number | null): void {
    this.shares.push(share);
  }

  callBack(title: string, text: string): void {
    this.calledBack.push(`${title}: ${text}`);
  }
}
