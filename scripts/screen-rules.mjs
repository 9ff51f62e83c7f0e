// Lint rules for the imports of the screen. eslint-plugin-import-x 4.18 has such rules too, but it
// adds 28 packages, one of them native, and finding cycles takes it 16 seconds instead of one.
import { readFileSync, statSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';

import ts from 'typescript';

// From the top down. A file imports from its own part and from those below; files outside the
// parts, such as the entry file, are above all of them.
const PARTS = ['src/features/', 'src/state/', 'src/ipc/', 'src/base/'];
const TAURI_FILE = 'src/ipc/desktop.ts';
// How a specifier becomes a file: as it is, or with one of these.
const ENDINGS = ['', '.ts', '/index.ts'];
// Each linted file asks for most others. An editor keeps the process while they change, so what was
// read is trusted for this long.
const RECHECK_MS = 1_000;

/** The rules as a plugin, for a project whose screen is in `src` of the folder `root`. */
export function screenRules(root) {
  const modules = new Modules();
  const named = (path) => relative(root, path).split(sep).join('/');
  const isOfScreen = (path) => named(path).startsWith('src/');

  const layers = rule('imports of the screen point one way', (context) => {
    const from = named(context.filename);
    return (node, specifier) => {
      if (specifier.startsWith('@tauri-apps') && from !== TAURI_FILE)
        context.report({ node, message: `only ${TAURI_FILE} names Tauri` });
      if (!specifier.startsWith('.')) return;
      const target = resolve(dirname(context.filename), specifier);
      if (isOfScreen(context.filename) && isOfScreen(target) && rank(named(target)) < rank(from))
        context.report({ node, message: `${partOf(from)} may not know ${named(target)}` });
    };
  });

  const cycles = rule('modules of the screen do not import each other in a circle', (context) => {
    if (!isOfScreen(context.filename)) return () => {};
    // Modules that do not lead back to this file; all its imports share them.
    const dead = new Set();
    return (node, specifier) => {
      const target = modules.resolve(context.filename, specifier);
      // A component that shows itself for its children imports itself.
      if (target === undefined || target === context.filename) return;
      const path = modules.path(target, context.filename, dead);
      if (path === undefined) return;
      const circle = [context.filename, ...path].map(named).join(' → ');
      context.report({ node, message: `import cycle: ${circle}` });
    };
  });

  return { rules: { layers, cycles } };
}

const rank = (path) => PARTS.findIndex((part) => path.startsWith(part));
const partOf = (path) => PARTS[rank(path)] ?? 'the entry';

/** A rule that is called with each import of a file and its specifier. */
function rule(description, create) {
  return {
    meta: { type: 'problem', docs: { description }, schema: [] },
    create(context) {
      const found = create(context);
      const check = (node) => {
        if (typeof node?.value === 'string') found(node, node.value);
      };
      return {
        ImportDeclaration: (node) => check(node.source),
        ImportExpression: (node) => check(node.source),
        ExportNamedDeclaration: (node) => check(node.source),
        ExportAllDeclaration: (node) => check(node.source),
        TSImportType: (node) => check(node.source ?? node.argument?.literal),
      };
    },
  };
}

/** Which module imports which, read from the files when a rule asks. */
class Modules {
  #known = new Map();

  /** The file that a relative specifier names, or undefined. */
  resolve(from, specifier) {
    if (!specifier.startsWith('.')) return undefined;
    const path = resolve(dirname(from), specifier);
    return ENDINGS.map((ending) => path + ending).find((file) => changeTime(file) !== null);
  }

  /** The shortest path from one module to another. `dead` collects modules that have none. */
  path(from, to, dead) {
    // The module that each one was reached from. The loop also visits what it adds.
    const reached = new Map([[from, null]]);
    for (const module of reached.keys()) {
      if (module === to) return [...stepsBack(reached, module)].reverse();
      if (dead.has(module)) continue;
      for (const next of this.#imports(module)) if (!reached.has(next)) reached.set(next, module);
    }
    for (const module of reached.keys()) dead.add(module);
    return undefined;
  }

  /** The files that a module imports. */
  #imports(module) {
    const now = Date.now();
    const known = this.#known.get(module);
    if (known !== undefined && now - known.checkedMs < RECHECK_MS) return known.imports;
    const changedMs = changeTime(module);
    const specifiers =
      known?.changedMs === changedMs ? known.specifiers : specifiersOf(module, changedMs);
    const imports = specifiers.map((name) => this.resolve(module, name));
    const found = imports.filter((target) => target !== undefined);
    this.#known.set(module, { checkedMs: now, changedMs, specifiers, imports: found });
    return found;
  }
}

/** When a file changed, or null if there is no such file. */
function changeTime(path) {
  const status = statSync(path, { throwIfNoEntry: false });
  return status?.isFile() ? status.mtimeMs : null;
}

function specifiersOf(module, changedMs) {
  if (changedMs === null || !/\.(ts|svelte)$/.test(module)) return [];
  const text = readFileSync(module, 'utf8');
  const code = module.endsWith('.svelte') ? scripts(text) : text;
  return ts.preProcessFile(code, true, true).importedFiles.map(({ fileName }) => fileName);
}

/** The code of a Svelte file. */
function scripts(text) {
  const found = text.matchAll(/<script[^>]*>(.*?)<\/script>/gs);
  return [...found].map(([, code]) => code).join('\n');
}

function* stepsBack(reached, last) {
  for (let module = last; module !== null; module = reached.get(module)) yield module;
}
