// `npm start [-- PATHS…]`: set-up, build, and the workbench with these files and folders open: in a
// window, or where there is no display at an address for the browser.
import { resolve } from 'node:path';

import { buildPrograms, buildScreen } from './build.mjs';
import { caller, program } from './paths.mjs';
import { hasDisplay, main, run, say } from './run.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  await setup();
  await buildScreen();
  await buildPrograms();

  const paths = process.argv.slice(2).map((path) => resolve(caller, path));
  if (hasDisplay()) {
    say('Opening the window');
    await run(program('timberline-desktop'), paths);
  } else {
    say('There is no display here, so the workbench is served to a browser instead.');
    await run(program('timberline'), ['serve', ...paths]);
  }
});
