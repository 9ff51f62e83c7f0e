// `npm run package`: builds the .deb with window, command, menu entry, icon and file types. `--debug` packs
// the everyday build, to try packing.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { buildPrograms, buildScreen } from './build.mjs';
import { program, targetFolder, tools } from './paths.mjs';
import { Stop, main, runNode, say } from './run.mjs';
import { setup } from './setup.mjs';

const debug = process.argv.includes('--debug');
const profile = debug ? 'debug' : 'release';

await main(async () => {
  if (process.platform !== 'linux') throw new Stop('Packages are made on Linux for now.');
  await setup();
  await buildScreen();
  await buildPrograms(['timberline', 'timberline-desktop'], ...(debug ? [] : ['--release']));

  // Cargo's output folder is known only now, so this entry is not in tauri.conf.json.
  const files = { '/usr/bin/timberline': program('timberline', profile) };
  const config = JSON.stringify({ bundle: { linux: { deb: { files } } } });
  const tauri = ['build', '--bundles', 'deb', '--config', config, ...(debug ? ['--debug'] : [])];
  await runNode(tools.tauri, [...tauri, '--ci', '--', '--workspace']);

  const folder = join(targetFolder(), profile, 'bundle', 'deb');
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.deb'))) {
    say(`The package is ${join(folder, name)}`);
  }
});
