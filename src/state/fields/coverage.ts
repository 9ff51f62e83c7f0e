/** The order of fields in every list and menu. */
import type { KnownField } from '../../ipc/generated';

/** Every event has these, so they tell most. */
export const FIRST: readonly string[] = ['level', 'source'];

/** Level and source, then the fields by the number of events that have them, then by name without case. */
export function byCoverage(fields: readonly KnownField[]): readonly KnownField[] {
  const place = ({ name }: KnownField) => {
    const at = FIRST.indexOf(name);
    return at < 0 ? FIRST.length : at;
  };
  const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
  return fields.toSorted(
    (one, other) =>
      place(one) - place(other) ||
      (other.present ?? 0) - (one.present ?? 0) ||
      collator.compare(one.name, other.name),
  );
}

/** Whether all values of a field are numbers. */
export function isNumber(field: KnownField | undefined): boolean {
  return (
    field !== undefined &&
    field.kinds.length > 0 &&
    field.kinds.every((kind) => kind === 'int' || kind === 'float')
  );
}
