import { expect, it } from 'vitest';

import { cellBlock } from './cellblock';
import { blocksOf, edited, pageOf, settled, withCell, type PageBlock } from './pageblocks';

const QUERY = '```query title=First\nlevel:error\n```';
const CHART = '```chart\n* | timechart count()\n```';
const cells = (page: string) =>
  blocksOf(page).flatMap(({ isCell, text }) => (isCell ? [text] : []));

it('has a text before, between and after its cells', () => {
  const page = `# What\n\nfound\n\n${QUERY}\n${CHART}\n\n\nend\n`;
  const shown = blocksOf(page).map(({ isCell, text }) => [isCell, text]);
  expect(shown).toEqual([
    [false, '# What\n\nfound'],
    [true, QUERY],
    [false, ''],
    [true, CHART],
    [false, 'end'],
  ]);
  expect(blocksOf('').map(({ text }) => text)).toEqual(['']);
  expect(pageOf(blocksOf(''))).toBe('');
  expect(cells('```query\nnever ended')).toEqual(['```query\nnever ended']);
});

it('inserts a cell after one that the caret is in, not into its fence', () => {
  const blocks = blocksOf(`${QUERY}\n`);
  for (let offset = 0; offset <= QUERY.length; offset += 1) {
    const page = pageOf(withCell(blocks, CHART, { id: blocks[1]!.id, offset }).blocks);
    expect(cells(page)).toEqual([QUERY, CHART]);
  }
  expect(cells(pageOf(withCell(blocks, CHART, null).blocks))).toEqual([QUERY, CHART]);
});

it('inserts a cell after the paragraph or the code that the caret is in', () => {
  const text = 'one\ntwo\n\n```text\na\n\nb\n```\n\nlast';
  const blocks = blocksOf(text);
  const at = (offset: number) => pageOf(withCell(blocks, QUERY, { id: 0, offset }).blocks);
  expect(at(1)).toBe(text.replace('two\n', `two\n\n${QUERY}\n`) + '\n');
  expect(at(text.indexOf('b'))).toBe(text.replace('```\n\n', '```\n\n' + QUERY + '\n\n') + '\n');
});

it('keeps a cell below a fence, a comment or markup that has no end', () => {
  for (const typed of [
    '```',
    '  ~~~~ text',
    '<!-- to do',
    '<pre>',
    '<?',
    '<![CDATA[',
    '<div>',
    'a\n```',
  ]) {
    const blocks = blocksOf(`found\n${QUERY}\nend`);
    const page = pageOf(edited(blocks, 0, `found\n\n${typed}`));
    expect(cells(page), typed).toEqual([QUERY]);
    expect(page.endsWith('\n\nend\n') || page.endsWith('\nend\n'), page).toBe(true);
  }
});

it('is cut again when a text has a cell in it, and its first editor stays', () => {
  const typed = edited(blocksOf(`a\n\n${QUERY}\n\nz`), 0, `a\n\n${CHART}\n\nb`);
  const after = settled(typed);
  expect(after.map(({ text }) => text)).toEqual(['a', CHART, 'b', QUERY, 'z']);
  expect(after[0]!.id).toBe(0);
  expect(after.slice(3).map(({ id }) => id)).toEqual([1, 2]);
  expect(new Set(after.map(({ id }) => id)).size).toBe(5);
});

it('reads lines of a million spaces, backticks and open tags in a moment', () => {
  for (const line of [
    `<a${' '.repeat(1e6)}`,
    '`'.repeat(1e6),
    '<'.repeat(1e6),
    `- ${' '.repeat(1e6)}`,
  ])
    expect(cells(`${line}\n\n${QUERY}\n`).length).toBeLessThanOrEqual(1);
});

/** Numbers from 0 to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const TYPED = [
  '\n', '\n', '\n\n', 'word ', '```', '```text\n', '```query\n', '~~~', '````', '`', '  ```', '- ', '1. ', '> ',
  '    ', '  ', '<!--', '-->', '<pre>', '</pre>', '<?', '<![CDATA[', '<div>', '# ', '|a|b|', '|-|-|', '\t', '[x]: ',
  '\r\n', '\u202e', CHART, `\n\n${QUERY}\n\n`,
]; // prettier-ignore

it('never changes a cell in 10,000 random edits elsewhere', { timeout: 60_000 }, () => {
  const random = numbers(50);
  const any = (below: number) => Math.floor(random() * below);
  let blocks: PageBlock[] = blocksOf('');
  let checked = 0;
  for (let step = 0; step < 10_000; step += 1) {
    if (step % 25 === 0)
      blocks = blocksOf(`# Page ${step}\n\n${QUERY}\n\n- a\n- b\n\n${CHART}\n\nend\n`);
    const at = any(blocks.length);
    const { id, text } = blocks[at]!;
    const others = blocks.filter((block) => block.isCell && block.id !== id);
    const kind = random();
    let touched = true;
    if (kind < 0.75) {
      const from = any(text.length + 1);
      const until = random() < 0.3 ? Math.min(text.length, from + any(12)) : from;
      const typed = TYPED[any(TYPED.length)]!.replaceAll('\r\n', '\n');
      blocks = edited(blocks, id, text.slice(0, from) + typed + text.slice(until));
    } else if (kind < 0.85) {
      const place = random() < 0.5 ? null : { id, offset: any(text.length + 1) };
      blocks = withCell(blocks, cellBlock('query', `n:${step}`), place).blocks;
      touched = false;
    } else if (kind < 0.95) blocks = settled(blocks);
    else blocks = edited(blocks, id, '');
    // A cell that its own editor changed may have no end, or be none any more.
    const isWhole = ({ text }: PageBlock) => text !== '' && cells(`${text}\n\nend`).join() === text;
    const kept = touched ? others : blocks.filter(({ isCell }) => isCell);
    const found = cells(pageOf(blocks));
    let next = 0;
    for (const block of kept) {
      const place = found.indexOf(block.text, next);
      if (place < 0 && isWhole(block))
        throw new Error(`step ${step}: ${block.text}\nis not in\n${pageOf(blocks)}`);
      if (place < 0) continue;
      next = place + 1;
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(10_000);
});
