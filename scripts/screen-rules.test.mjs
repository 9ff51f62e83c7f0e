import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { ESLint, Linter } from 'eslint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import ts from 'typescript-eslint';

import { root } from './paths.mjs';
import { screenRules } from './screen-rules.mjs';

const folder = mkdtempSync(join(tmpdir(), 'screen-rules-'));
const linter = new Linter({ cwd: folder });
const config = {
  files: ['**/*.ts'],
  languageOptions: { parser: ts.parser },
  plugins: { screen: screenRules(folder) },
  rules: { 'screen/layers': 'error', 'screen/cycles': 'error' },
};

/** What the rules find in a text, if it were that file of a project. */
function found(file, text) {
  return linter.verify(text, [config], join(folder, file)).map(({ message }) => message);
}

function write(files) {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

afterAll(() => rmSync(folder, { recursive: true }));

describe('layers', () => {
  const rows = "import type { Row } from '../ipc/generated';";
  const app = "import A from './features/A.svelte';";

  it.each([
    ['src/base/time.ts', rows, ['src/base/ may not know src/ipc/generated']],
    ['src/state/time.ts', rows, []],
    [
      'src/ipc/client.ts',
      "const x = await import('../state/session.svelte');",
      ['src/ipc/ may not know src/state/session.svelte'],
    ],
    [
      'src/state/events/rows.svelte.ts',
      "export { A } from '../../features/events/A.svelte';",
      ['src/state/ may not know src/features/events/A.svelte'],
    ],
    [
      'src/state/rows.ts',
      "let row: import('../features/row').Row;",
      ['src/state/ may not know src/features/row'],
    ],
    ['src/features/list.ts', "export * from '../main';", ['src/features/ may not know src/main']],
    ['src/features/list.ts', "import data from '../../fixtures/a.json';", []],
    ['src/state/events/rows.svelte.ts', "import { Lifetime } from '../../base/lifetime';", []],
    ['src/app.ts', app, []],
  ])('%s: %s', (file, text, messages) => expect(found(file, text)).toEqual(messages));

  it('lets one file name Tauri', () => {
    const text = "import { Channel } from '@tauri-apps/api/core';";
    expect(found('src/ipc/desktop.ts', text)).toEqual([]);
    expect(found('src/ipc/browser.ts', text)).toEqual(['only src/ipc/desktop.ts names Tauri']);
    expect(found('tests/e2e/a.ts', text)).toEqual(['only src/ipc/desktop.ts names Tauri']);
  });
});

describe('cycles', () => {
  beforeAll(() =>
    write({
      'src/base/a.ts': "import { b } from './b';\nimport { leaf } from './leaf';",
      'src/base/b.ts': "import C from './C.svelte';",
      'src/base/C.svelte':
        '<p>x</p>\n<script lang="ts">\n  import type { D } from "./d";\n</script>',
      'src/base/d/index.ts': "export * from '../a';",
      'src/base/leaf.ts': "// import './a';",
    }),
  );

  it('finds a circle through components, types and folders', () => {
    expect(found('src/base/a.ts', "import { b } from './b';")).toEqual([
      'import cycle: src/base/a.ts → src/base/b.ts → src/base/C.svelte → src/base/d/index.ts → src/base/a.ts',
    ]);
  });

  it('finds each import that closes one', () => {
    const text =
      "import { b } from './b';\nimport { leaf } from './leaf';\nimport { d } from './d';";
    expect(found('src/base/a.ts', text)).toHaveLength(2);
  });

  it('is content with a file outside the circle', () => {
    expect(found('src/base/other.ts', "import { b } from './b';")).toEqual([]);
    expect(found('src/base/leaf.ts', "import { itself } from './leaf';")).toEqual([]);
  });
});

// The settings of the project, on other texts of its files. Rules that need types ask for files that
// TypeScript knows, and read the whole screen first.
describe('the project', { timeout: 120_000 }, () => {
  const eslint = new ESLint({ cwd: root });

  it.each([
    ['src/features/A.svelte', '<p>{@html line}</p>', ['svelte/no-at-html-tags']],
    ['src/features/A.svelte', '<p bind:innerHTML={line}></p>', ['no-restricted-syntax']],
    [
      'src/features/A.svelte',
      '<iframe title="a" srcdoc={line}></iframe>',
      ['no-restricted-syntax'],
    ],
    ['src/features/A.svelte', '<p>{line}</p>', []],
    ['src/main.ts', "document.body.innerHTML = '';", ['no-restricted-properties']],
  ])('%s: %s', async (file, text, rules) => {
    const [result] = await eslint.lintText(text, { filePath: join(root, file) });
    expect(result.messages.map(({ ruleId }) => ruleId)).toEqual(rules);
  });

  it.each(['src/main.ts', 'scripts/run.mjs'])('knows the types of %s', async (file) => {
    const bad = [
      'export async function save() {}',
      'save();',
      '[1].forEach(save);',
      'await 1;',
      'const side = [1, 2].includes(1) ? 1 : 2;',
      'switch (side) { case 1: break; }',
    ];
    const [result] = await eslint.lintText(bad.join('\n'), { filePath: join(root, file) });
    expect(result.messages.map(({ ruleId, line }) => `${line} ${ruleId}`)).toEqual([
      '2 @typescript-eslint/no-floating-promises',
      '3 @typescript-eslint/no-misused-promises',
      '4 @typescript-eslint/await-thenable',
      '6 @typescript-eslint/switch-exhaustiveness-check',
    ]);
  });
});
