/** The files of a case as a tree of folders and archives, and the clause that chooses among them. */
import type { Source } from '../../ipc/generated';
import { endsLike, expressionOf, literalOf } from '../query/querytext';
import { valueField, type Alternative, type ValueField } from './valueclause';

/** A file, or the files of a rotated set, which are one source to people. */
export interface FileRow {
  /** Its name as a value of `source`. */
  readonly name: string;
  /** The sources that it is made of; none if it is of a cluster. */
  readonly ids: readonly number[];
  readonly count: number;
}

export interface FileNode {
  readonly kind: 'file';
  readonly key: string;
  readonly label: string;
  readonly files: readonly FileRow[];
  readonly count: number;
}

/** A folder or an archive. Folders that have nothing but one folder are one node. */
export interface FolderNode {
  readonly kind: 'folder' | 'archive';
  /** Its path, with a slash at its end. */
  readonly key: string;
  readonly label: string;
  /** All files below it. */
  readonly files: readonly FileRow[];
  readonly count: number;
  readonly children: readonly TreeNode[];
}

export type TreeNode = FileNode | FolderNode;

const ARCHIVE = /\.(?:zip|jar|war|7z|tar|tgz|tbz2?|txz|tzst|tar\.\w+)$/i;
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** The files of a case with the events that match, also those without any. */
export function fileRows(
  sources: readonly Pick<Source, 'id' | 'name' | 'set'>[],
  counts: ReadonlyMap<string, number>,
): FileRow[] {
  const ids = new Map<string, number[]>();
  const sums = new Map<string, number>();
  const sets = new Map(sources.map(({ name, set }) => [name, set ?? name]));
  for (const { id, name } of sources) {
    const row = sets.get(name) ?? name;
    ids.set(row, [...(ids.get(row) ?? []), id]);
  }
  for (const [name, count] of counts) {
    const row = sets.get(name) ?? name;
    sums.set(row, (sums.get(row) ?? 0) + count);
  }
  const names = [...new Set([...ids.keys(), ...sums.keys()])].sort((one, other) =>
    collator.compare(one, other),
  );
  return names.map((name) => ({ name, ids: ids.get(name) ?? [], count: sums.get(name) ?? 0 }));
}

/** The files whose names have all words of a search. */
export function searchedFiles(rows: readonly FileRow[], search: string): readonly FileRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

export function fileTree(rows: readonly FileRow[], prefix = ''): TreeNode[] {
  const folders = new Map<string, FileRow[]>();
  const files: TreeNode[] = [];
  for (const row of rows) {
    const rest = row.name.slice(prefix.length);
    const end = rest.indexOf('/');
    // A name with nothing before its slash, or after it, is no path.
    if (end <= 0 || end === rest.length - 1) {
      files.push({ kind: 'file', key: row.name, label: rest, files: [row], count: row.count });
      continue;
    }
    const folder = rest.slice(0, end);
    folders.set(folder, [...(folders.get(folder) ?? []), row]);
  }
  const nodes = [...folders].map(([label, below]) => folderNode(label, below, prefix));
  return [...nodes, ...files];
}

function folderNode(label: string, files: readonly FileRow[], prefix: string): FolderNode {
  const key = `${prefix}${label}/`;
  const children = fileTree(files, key);
  const kind = ARCHIVE.test(label) ? 'archive' : 'folder';
  const [only] = children;
  if (kind === 'folder' && children.length === 1 && only?.kind === 'folder') {
    return { ...only, label: `${label}/${only.label}` };
  }
  const count = files.reduce((sum, row) => sum + row.count, 0);
  return { kind, key, label, files, count, children };
}

/** The nodes that are listed one below the other: what is in folded folders is not. */
export function listedNodes(
  nodes: readonly TreeNode[],
  isFolded: (key: string) => boolean,
  level = 0,
): { node: TreeNode; level: number }[] {
  return nodes.flatMap((node) => {
    const inside = node.kind === 'file' || isFolded(node.key) ? [] : node.children;
    return [{ node, level }, ...listedNodes(inside, isFolded, level + 1)];
  });
}

/**
 * How files are written in a clause: one by its name, all of a folder by the beginning of their
 * names. A name without a folder matches files in folders too; where there are some, it is an
 * expression.
 */
export function filesField(rows: readonly FileRow[]): ValueField {
  const names = rows.map(({ name }) => name);
  const single = valueField({ name: 'source', kinds: [] }, names);
  const written = (nodes: readonly TreeNode[], chosen: ReadonlySet<string>): Alternative[] =>
    nodes.flatMap((node) => {
      if (node.kind === 'file') return chosen.has(node.key) ? single.write([node.key]) : [];
      const isWhole = node.files.length > 1 && node.files.every(({ name }) => chosen.has(name));
      if (!isWhole) return written(node.children, chosen);
      return [{ operator: ':', value: `^${expressionOf(node.key)}`, isRegex: true }];
    });
  return {
    name: 'source',
    read: (alternative) => {
      const matches = matcher(alternative);
      const found = matches === null ? [] : names.filter(matches);
      return found.length === 0 ? null : found;
    },
    write: (values) => written(fileTree(rows), new Set(values)),
  };
}

function matcher({ operator, value, isRegex }: Alternative): ((name: string) => boolean) | null {
  if (isRegex) {
    const { text = '', isWhole = false } = literalOf(value) ?? {};
    if (isWhole) return (name) => name === text;
    return text.endsWith('/') ? (name) => name.startsWith(text) : null;
  }
  if (operator === '=') return (name) => name === value || endsLike(name, value);
  const words = ` ${tokens(value)} `;
  return words.trim() === '' ? null : (name) => ` ${tokens(name)} `.includes(words);
}

/** Words one after the other, as the engine compares them. */
function tokens(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(' ');
}
