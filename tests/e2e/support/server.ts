/** `timberline serve`, started for a test. */
import { end, firstLine, start, temporaryFolder, timberline } from './machine';

export interface Server {
  /** The address with its token, as a person would open it. */
  address: string;
  /** The data folder; cases are put below it. */
  home: string;
  stop(): Promise<void>;
}

export async function serve(paths: string[], home = temporaryFolder()): Promise<Server> {
  const env = { ...process.env, TIMBERLINE_HOME: home };
  const child = start('serve', timberline, ['serve', ...paths], { env, pipe: true });
  const line = await firstLine(child);
  const address = /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/.exec(line)?.[0];
  if (!address) throw new Error(`no address in: ${line}`);
  return { address, home, stop: () => end(child) };
}
