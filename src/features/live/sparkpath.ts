/** An area under rates, which ends at the right edge; the highest of them fills the height. */
export function sparkPath(rates: readonly number[], samples: number, height: number): string {
  const shown = rates.slice(-samples);
  const most = Math.max(...shown, 0);
  if (most === 0) return '';
  const start = samples - shown.length;
  const y = (rate: number) => Number((height - (rate / most) * (height - 1)).toFixed(1));
  const points = shown.map((rate, at) => `L${start + at + 1} ${y(rate)}`);
  return `M${start + 1} ${height}${points.join('')}L${samples} ${height}Z`;
}
