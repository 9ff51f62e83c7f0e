// `npm start [-- PATHS…]`: set-up, build, and the workbench with these files and folders: in a
// window, or without a display at an address for the browser.
import { resolve } from 'node:path';

import { buildPrograms, buildScreen } from './build.mjs';
import { caller, program } from './paths.mjs';
import { hasDisplay, main, run, say } from './run.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  // Builds only the program that is started, and installs only what it needs.
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
