import { expect, it } from 'vitest';

import type { QueryClause } from '../../ipc/generated';
import { fileRows, filesField, fileTree, listedNodes, searchedFiles, type TreeNode } from './files';
import { choiceEdits, choiceOf, toggled, turned, type Choice } from './valueclause';

const sources = [
  'web/access.log',
  'web/access.log.1',
  'app/api.log',
  'app/old/api.log',
  'bundle.zip/node1/app.log',
  'bundle.zip/node2/app.log',
  'api.log',
  'a/b/c/deep.log',
].map((name, id) => (name.startsWith('web/') ? { id, name, set: 'web/access.log' } : { id, name }));
const counts = new Map([
  ['web/access.log', 6],
  ['web/access.log.1', 2],
  ['app/api.log', 3],
  ['of a cluster', 4],
]);
const rows = fileRows(sources, counts);
const field = filesField(rows);

const clauses = (...texts: string[]): QueryClause[] =>
  texts.map((text) => ({ text, isNegated: text.startsWith('NOT ') }));
const included = (...texts: string[]) => [...choiceOf(clauses(...texts), field).included].sort();
const edits = (before: string[], change: (now: Choice) => Choice) =>
  choiceEdits(clauses(...before), field, change).edits;

it('lists a rotated set as one file, and files without matching events too', () => {
  expect(rows.find(({ name }) => name === 'web/access.log')).toEqual({
    name: 'web/access.log',
    ids: [0, 1],
    count: 8,
  });
  expect(rows.find(({ name }) => name === 'api.log')?.count).toBe(0);
  expect(rows.find(({ name }) => name === 'of a cluster')).toMatchObject({ ids: [], count: 4 });
});

it('groups files by folder and archive, and joins folders that have nothing else', () => {
  const shown = ({ node, level }: { node: TreeNode; level: number }) =>
    `${'  '.repeat(level)}${node.label} ${node.kind} ${node.count}`;
  const isFolded = (key: string) => key === 'app/old/';
  expect(listedNodes(fileTree(rows), isFolded).map(shown)).toEqual([
    'a/b/c folder 0',
    '  deep.log file 0',
    'app folder 3',
    '  old folder 0',
    '  api.log file 3',
    'bundle.zip archive 0',
    '  node1 folder 0',
    '    app.log file 0',
    '  node2 folder 0',
    '    app.log file 0',
    'web folder 8',
    '  access.log file 8',
    'api.log file 0',
    'of a cluster file 4',
  ]);
  expect(searchedFiles(rows, 'NODE app').map(({ name }) => name)).toEqual([
    'bundle.zip/node1/app.log',
    'bundle.zip/node2/app.log',
  ]);
});

it('takes names with slashes at their ends, and case paths of one machine, for what they are', () => {
  const odd = fileRows(
    ['/var/log/a', 'b/', '//', 'C:\\logs\\x.log'].map((name, id) => ({ id, name })),
    new Map(),
  );
  const nodes = listedNodes(fileTree(odd), () => false);
  expect(nodes.map(({ node }) => node.label).sort()).toEqual(
    ['/var/log/a', '//', 'C:\\logs\\x.log', 'b/'].sort(),
  );
});

it('writes one file by its name, and all files of a folder by their beginning', () => {
  const one = (now: Choice) => toggled(now, ['app/api.log']);
  expect(edits([], one)).toEqual([{ kind: 'add', clause: 'source="app/api.log"' }]);
  const folder = ['bundle.zip/node1/app.log', 'bundle.zip/node2/app.log'];
  expect(edits(['source=app/api.log'], (now) => toggled(now, folder))).toEqual([
    {
      kind: 'replace',
      at: 0,
      clause: 'source="app/api.log" OR source:/^bundle\\.zip\\//',
    },
  ]);
  expect(edits([], (now) => turned(now, folder))).toEqual([
    { kind: 'add', clause: 'NOT source:/^bundle\\.zip\\//' },
  ]);
});

it('lists the other files of a folder once one is taken out', () => {
  expect(
    edits(['source:/^bundle\\.zip\\//'], (now) => toggled(now, ['bundle.zip/node1/app.log'])),
  ).toEqual([{ kind: 'replace', at: 0, clause: 'source="bundle.zip/node2/app.log"' }]);
});

it('means only one file by a name that others end with', () => {
  expect(edits([], (now) => toggled(now, ['api.log']))).toEqual([
    { kind: 'add', clause: 'source:/^api\\.log$/' },
  ]);
  expect(included('source:/^api\\.log$/')).toEqual(['api.log']);
});

it.each([
  ['source=api.log', ['api.log', 'app/api.log', 'app/old/api.log']],
  ['source:(api.log OR deep)', ['a/b/c/deep.log', 'api.log', 'app/api.log', 'app/old/api.log']],
  ['source:/^app\\//', ['app/api.log', 'app/old/api.log']],
  ['source="web/access.log"', ['web/access.log']],
  // A part of a rotated set, expressions and wildcards are other filters.
  ['source="web/access.log.1"', []],
  ['source:/^a.*\\//', []],
  ['source:/^\\d\\//', []],
  ['source:app\\/*', []],
  ['source=nowhere.log', []],
])('checks the files that %s matches', (clause, expected) =>
  expect(included(clause)).toEqual(expected),
);
