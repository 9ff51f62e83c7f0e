import { expect, it } from 'vitest';

import type { KnownField, QueryClause, QueryEdit } from '../../ipc/generated';
import {
  choiceEdits,
  choiceOf,
  listClause,
  toggled,
  turned,
  valueField,
  withoutChoice,
  type Choice,
} from './valueclause';

const field = (name: string, ...kinds: KnownField['kinds']) => valueField({ name, kinds });
const status = field('status', 'int');
const path = field('path', 'text');

/** The clauses of a filter, in the spelling of the engine. */
const clauses = (...texts: string[]): QueryClause[] =>
  texts.map((text) => ({ text, isNegated: text.startsWith('NOT ') }));

const listed = ({ included, excluded }: Choice) => [[...included], [...excluded]];

/** The clauses after edits, which are in the order that the engine applies them in. */
function applied(before: readonly string[], edits: readonly QueryEdit[]): string[] {
  const after = [...before];
  for (const edit of edits) {
    if (edit.kind === 'add') after.push(edit.clause);
    else if (edit.kind === 'remove') after.splice(edit.at, 1);
    else if (edit.kind === 'replace') after[edit.at] = edit.clause;
  }
  return after;
}

const choose = (
  before: readonly string[],
  of: typeof status,
  change: (now: Choice) => Choice,
): string[] => applied(before, choiceEdits(clauses(...before), of, change).edits);

it('grows one clause with each included value, and removes it with the last', () => {
  const include = (value: string) => (now: Choice) => toggled(now, [value]);
  const one = choose([], status, include('502'));
  expect(one).toEqual(['status="502"']);
  expect(choose(['status=502'], status, include('504'))).toEqual(['status:("502" OR "504")']);
  expect(choose(['a', 'status:(502 OR 504)', 'b'], status, include('502'))).toEqual([
    'a',
    'status="504"',
    'b',
  ]);
  expect(choose(['a', 'status=504', 'b'], status, include('504'))).toEqual(['a', 'b']);
});

it('excludes in the same way, and never both includes and excludes a value', () => {
  const exclude = (value: string) => (now: Choice) => turned(now, [value]);
  expect(choose([], status, exclude('200'))).toEqual(['NOT status="200"']);
  expect(choose(['NOT status=200'], status, exclude('304'))).toEqual([
    'NOT status:("200" OR "304")',
  ]);
  expect(choose(['NOT status:(200 OR 304)'], status, exclude('200'))).toEqual(['NOT status="304"']);
  expect(choose(['status:(200 OR 304)', 'x'], status, exclude('304'))).toEqual([
    'status="200"',
    'x',
    'NOT status="304"',
  ]);
  expect(choose(['NOT status=304', 'x'], status, (now) => toggled(now, ['304']))).toEqual([
    'x',
    'status="304"',
  ]);
});

it('merges clauses that exclude one value each, and clauses that contradict each other', () => {
  const exclude = (now: Choice) => turned(now, ['c']);
  const before = ['NOT path=a', 'x', 'NOT path=b'];
  expect(listed(choiceOf(clauses(...before), path))).toEqual([[], ['a', 'b']]);
  expect(choose(before, path, exclude)).toEqual(['NOT (path="a" OR path="b" OR path="c")', 'x']);
  const impossible = ['status=1', 'status=2'];
  expect(listed(choiceOf(clauses(...impossible), status))).toEqual([[], []]);
  expect(choose(impossible, status, (now) => toggled(now, ['3']))).toEqual(['status="3"']);
});

it('compares texts as a whole, so that no value includes another that has its words', () => {
  expect(choose(['path="/a b"'], path, (now) => toggled(now, ['/a']))).toEqual([
    'path="/a b" OR path="/a"',
  ]);
  // Words of a text are no choice of values.
  expect(listed(choiceOf(clauses('path:a', 'path:(a OR b)'), path))).toEqual([[], []]);
  expect(choose(['path:a'], path, (now) => toggled(now, ['/a']))).toEqual(['path:a', 'path="/a"']);
});

it.each([
  ['status:(-5 OR 1.5 OR 1e-7)', status, ['-5', '1.5', '1e-7']],
  ['status=1 OR status:(2 OR 3)', status, ['1', '2', '3']],
  ['path="a \\"b\\" \\\\ (c OR d)" OR path=/x/y', path, ['a "b" \\ (c OR d)', '/x/y']],
  ['path="" OR path="\n\t\u202e<b>"', path, ['', '\n\t\u202e<b>']],
  ['"my field"=a OR "my field"="b c"', field('my field', 'text'), ['a', 'b c']],
  ['level:(WARN OR error)', field('level', 'text'), ['warn', 'error']],
  ['ok:(true OR false)', field('ok', 'bool'), ['true', 'false']],
])('reads the values of %s', (clause, of, expected) => {
  expect(listed(choiceOf(clauses(clause), of))).toEqual([expected, []]);
});

it.each([
  'status>=500',
  'status>=500 OR status=404',
  'status:*',
  'status:[400 TO 500]',
  'status:5??',
  'status:(5?? OR 404)',
  'status:*50*',
  'status:/^5/i',
  'status:10.0.0.0/8',
  'status:"a b"~2',
  'status:tim~',
  'status=500 OR other=1',
  'NOT (status=500 OR x)',
  'NOT NOT status=500',
  'other.status=500',
  '"status=500"',
  'p OR q',
  '',
])('takes %s for no list of values, and leaves it as it is', (clause) => {
  expect(listed(choiceOf(clauses(clause), status))).toEqual([[], []]);
  const after = choose([clause], status, (now) => toggled(now, ['1']));
  expect(after).toEqual([clause, 'status="1"']);
});

it('counts all values without the clauses that choose among them', () => {
  const filter = 'p OR q status:(502 OR 504) status>400 NOT status=3 x';
  const all = clauses('p OR q', 'status:(502 OR 504)', '', 'status>400', 'NOT status=3', 'x');
  expect(withoutChoice(filter, all, status)).toBe('(p OR q) (status>400) (x)');
  expect(withoutChoice(filter, all, path)).toBe(filter);
  expect(withoutChoice('status=1', clauses('status=1'), status)).toBe('');
});

it('names the clauses that it removes, because they may be pinned', () => {
  const none = () => ({ included: new Set<string>(), excluded: new Set<string>() });
  expect(choiceEdits(clauses('x', 'status=1', 'NOT status=2'), status, none)).toEqual({
    edits: [
      { kind: 'remove', at: 2 },
      { kind: 'remove', at: 1 },
    ],
    removed: ['NOT status=2', 'status=1'],
  });
  expect(choiceEdits(clauses('x'), status, none).edits).toEqual([]);
  expect(choiceEdits(clauses('status=1'), status, (now) => now).edits).toEqual([]);
});

it('reads what it writes, however long and odd a value is', () => {
  const odd = [
    '"',
    '\\',
    'a" OR path="b',
    ')',
    '(',
    ' OR ',
    'NOT x',
    'é\u0000\n',
    'L'.repeat(100_000),
  ];
  const written = listClause('path', path.write(odd));
  expect(listed(choiceOf(clauses(written), path))).toEqual([odd, []]);
});

it.each([
  ['a line end', 'one\ntwo', 'path:/^one\\ntwo$/'],
  ['a carriage return', 'cr\r\nlf', 'path:/^cr\\x{d}\\nlf$/'],
  [
    'control characters and quotation marks',
    'a"\u0000\u001b[0m',
    'path:/^a\\x{22}\\x{0}\\x{1b}\\[0m$/',
  ],
  ['a change of direction', 'bidi\u202eevil', 'path:/^bidi\\x{202e}evil$/'],
  ['slashes at its ends', '/a\n/i', 'path:/^\\/a\\n\\/i$/'],
])(
  'writes a value with %s as an expression for exactly this value, and reads it',
  (_, value, clause) => {
    const written = choose([], path, (now) => toggled(now, [value]));
    expect(written).toEqual([clause]);
    expect(listed(choiceOf(clauses(...written), path))).toEqual([[value], []]);
    const two = choose(written, path, (now) => toggled(now, ['plain']));
    expect(two).toEqual([`${clause} OR path="plain"`]);
    expect(choose(two, path, (now) => toggled(now, ['plain', value]))).toEqual([]);
  },
);

it('reads no other expression as a value', () => {
  const texts = ['path:/^a/', 'path:/a$/', 'path:/^a.b$/', 'path:/^\\d$/', 'path:/^(a|b)$/'];
  expect(listed(choiceOf(clauses(...texts), path))).toEqual([[], []]);
});

it('means only one file by a name that others end with', () => {
  const source = valueField({ name: 'source', kinds: ['text'] }, ['api.log', 'app/api.log']);
  expect(choose([], source, (now) => toggled(now, ['api.log', 'app/api.log']))).toEqual([
    'source:/^api\\.log$/ OR source="app/api.log"',
  ]);
});
