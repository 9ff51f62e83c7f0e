import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';

import { root } from './scripts/paths.mjs';
import { screenRules } from './scripts/screen-rules.mjs';
import svelteConfig from './svelte.config.js';

const MARKUP = 'log text is never markup';
const markupProperties = [
  'innerHTML',
  'outerHTML',
  'insertAdjacentHTML',
  'setHTMLUnsafe',
  'parseHTMLUnsafe',
  'createContextualFragment',
  'srcdoc',
].map((property) => ({ property, message: MARKUP }));
const markupSyntax = [
  'SvelteDirective[kind="Binding"][key.name.name="innerHTML"]',
  'SvelteAttribute[key.name="srcdoc"]',
].map((selector) => ({ selector, message: MARKUP }));

export default ts.config(
  {
    ignores: [
      'dist/',
      'target/',
      'node_modules/',
      'docs/',
      'fixtures/',
      'src-tauri/',
      'tests/out/',
      'src/ipc/generated.ts',
      '**/*.case/',
    ],
  },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    rules: {
      // TypeScript checks names better than this rule can.
      'no-undef': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  {
    plugins: { screen: screenRules(root) },
    rules: { 'screen/layers': 'error', 'screen/cycles': 'error' },
  },
  {
    files: ['src/**'],
    languageOptions: { globals: globals.browser },
    rules: {
      'svelte/no-at-html-tags': 'error',
      // Plain maps are chosen on purpose where nothing on the screen depends on them.
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
  {
    files: ['src/**'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-properties': ['error', ...markupProperties],
      'no-restricted-syntax': ['error', ...markupSyntax],
    },
  },
  {
    files: ['src/**'],
    // The one place that chooses a locale, and the tables of time zones, which no person reads.
    ignores: ['src/base/locale.ts', 'src/base/zone.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...markupSyntax,
        ...[
          'CallExpression[callee.property.name=/^toLocale(Date|Time)?String$/]',
          'NewExpression[callee.object.name="Intl"][callee.property.name=/^(Number|DateTime)Format$/]',
        ].map((selector) => ({
          selector,
          message: 'use numberFormat or dateFormat of base/locale',
        })),
      ],
    },
  },
  {
    // Delayed work belongs to a lifetime, so that closing a case ends all of it.
    files: ['src/state/**'],
    ignores: ['**/*.test.ts', 'src/state/fakeclient.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['setTimeout', 'setInterval'].map((name) => ({
          name,
          message: 'use Timer of base/timer, which ends with its lifetime',
        })),
      ],
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig },
    },
  },
  {
    // Rules that need types. A promise that fails unseen hides what went wrong. Components are left out:
    // each would build the program again, 49 s in all, and the rules find nothing in them today.
    files: ['src/**/*.ts', 'tests/e2e/**/*.ts', 'scripts/*.mjs'],
    languageOptions: {
      parser: ts.parser,
      parserOptions: {
        projectService: true,
        tsconfigRootDir: root,
        extraFileExtensions: ['.svelte'],
      },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    // A page shows an answer when it has it: one look at it is a matter of luck.
    files: ['tests/e2e/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression[callee.name="expect"] > AwaitExpression > CallExpression[callee.property.name=/^(count|innerText|textContent|inputValue|getAttribute|is[A-Z][a-z]+)$/]',
          message: 'use expect.poll, which waits for it',
        },
      ],
    },
  },
  {
    // Scripts and tests talk to a terminal and to the pages they drive.
    files: ['scripts/**', 'tests/**', '*.config.{js,ts}'],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
    rules: { 'no-console': 'off' },
  },
);
