// Skips a step while the files that it depends on are unchanged.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { modules, root } from './paths.mjs';

// Stamps are stored with the npm packages, so that deleting those invalidates all stamps.
const stampFile = (name) => join(modules, '.cache', 'timberline', name);

function* filesIn(path) {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) yield path;
  else for (const name of readdirSync(path).sort()) yield* filesIn(join(path, name));
}

/** A fingerprint of files and folders by content, because a fresh clone has new dates. */
export function fingerprint(inputs) {
  const hash = createHash('sha256').update(process.version);
  for (const input of inputs) {
    for (const file of filesIn(join(root, input))) {
      hash.update(relative(root, file)).update(readFileSync(file));
    }
  }
  return hash.digest('hex');
}

export function isFresh(name, inputs) {
  const file = stampFile(name);
  return existsSync(file) && readFileSync(file, 'utf8') === fingerprint(inputs);
}

export function stamp(name, inputs) {
  const file = stampFile(name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, fingerprint(inputs));
}
