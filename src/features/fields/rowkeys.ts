import { handleKey, stepOf } from '../../base/keys';

/** Arrow keys in a list whose rows have the same controls: up and down stay in a column. */
export function moveInRows(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const target = event.target as HTMLElement;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('.row')];
  const controls = (row: HTMLElement | undefined) => [
    ...(row?.querySelectorAll<HTMLElement>('input, .clicks button') ?? []),
  ];
  const at = rows.findIndex((row) => row.contains(target));
  handleKey(event, {
    list: (key) => {
      const next = controls(rows[at + stepOf(key)]);
      // At its ends, the keys belong to the panel around the list.
      if (at < 0 || next.length === 0 || target.matches('input[type="search"]')) return false;
      next[Math.max(0, controls(rows[at]).indexOf(target))]?.focus();
    },
  });
}
