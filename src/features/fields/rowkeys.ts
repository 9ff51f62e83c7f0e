/** Arrow keys in a list whose rows have the same controls: up and down stay in a column. */
export function moveInRows(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const target = event.target as HTMLElement;
  if (step === undefined || target.matches('input[type="search"]')) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('.row')];
  const controls = (row: HTMLElement | undefined) => [
    ...(row?.querySelectorAll<HTMLElement>('input, .clicks button') ?? []),
  ];
  const at = rows.findIndex((row) => row.contains(target));
  const next = controls(rows[at + step]);
  const column = controls(rows[at]).indexOf(target);
  // At its ends, the keys belong to what the list is in.
  if (at < 0 || next.length === 0) return;
  next[Math.max(0, column)]?.focus();
  event.preventDefault();
  event.stopPropagation();
}
