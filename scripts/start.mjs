// `npm start [-- PATHS…]`: set-up, build, and the workbench with these files and folders open: in a
// window, or where there is no display at an address for the browser.
import { resolve } from 'node:path';

import { buildPrograms, buildScreen } from './build.mjs';
import { caller, program } from './paths.mjs';
import { hasDisplay, main, run, say } from './run.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  // Only the program that is started is built, and only what it needs is installed.
  const window = hasDisplay();
  const host = window ? 'timberline-desktop' : 'timberline';
  await setup({ window });
  await buildScreen();
  await buildPrograms([host]);

  const paths = process.argv.slice(2).map((path) => resolve(caller, path));
  if (window) {
    say('Opening the window');
    await run(program(host), paths);
  } else {
    say('There is no display here, so the workbench is served to a browser instead.');
    await run(program(host), ['serve', ...paths]);
  }
});
