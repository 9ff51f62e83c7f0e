import { formatCount } from '../../base/format';
import { numberFormat } from '../../base/locale';
import type { KnownField } from '../../ipc/generated';

export const FIELD_KINDS = ['all', 'text', 'number', 'bool'] as const;
export type KindChoice = (typeof FIELD_KINDS)[number];

/**
 * The fields that match a search: all words are in the name or the ECS name. Names that begin with
 * the first word come first, the others keep their order.
 */
export function fittingFields(
  fields: readonly KnownField[],
  search: string,
  kind: KindChoice,
): readonly KnownField[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = fields.filter(
    (field) =>
      isOfKind(field, kind) &&
      words.every((word) => `${field.name} ${field.ecs ?? ''}`.toLowerCase().includes(word)),
  );
  const begins = ({ name }: KnownField) => name.toLowerCase().startsWith(words[0] ?? '');
  return [...fitting.filter(begins), ...fitting.filter((field) => !begins(field))];
}

/**
 * The fields that are listed separately because no event has them. A field whose presence is
 * unknown, or that is held, stays where it is: a list in use does not move.
 */
export function absentFields(
  before: ReadonlySet<string>,
  fields: readonly string[],
  isAbsent: (field: string) => boolean | null,
  isHeld: (field: string) => boolean,
): ReadonlySet<string> {
  const moving = fields.filter((field) => {
    const absent = isAbsent(field);
    return absent !== null && absent !== before.has(field) && !isHeld(field);
  });
  if (moving.length === 0) return before;
  const absent = new Set(before);
  for (const field of moving) if (!absent.delete(field)) absent.add(field);
  return absent;
}

function isOfKind({ kinds }: KnownField, kind: KindChoice): boolean {
  if (kind === 'all') return true;
  if (kind === 'number') return kinds.includes('int') || kinds.includes('float');
  return kinds.includes(kind);
}

/** An area chart of counts, as an SVG path as wide as there are counts and one high. */
export function areaPath(counts: readonly number[]): string {
  const most = counts.reduce((greatest, count) => Math.max(greatest, count), 1);
  const tops = counts.map((count, at) => `V${1 - count / most}H${at + 1}`);
  return `M0 1${tops.join('')}V1Z`;
}

const figure = numberFormat({ maximumSignificantDigits: 5 });

/** A number with as many digits as distinguish it from others. */
export function formatFigure(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e9
    ? formatCount(value)
    : figure.format(value);
}
