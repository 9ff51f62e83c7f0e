// Curves as an SVG picture for the documentation: a row for each, with its own scale.

const [width, height, left, top, gap] = [860, 96, 190, 44, 26];

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A round number that is not less. */
function ceiling(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value) * power;
}

const figure = (value) =>
  value >= 10_000 ? `${value / 1_000}k` : String(Number(value.toFixed(3)));

/** Curves with points [x, y], below one another. */
export function chart(title, axis, curves) {
  const all = curves.flatMap(({ points }) => points.map(([x]) => x));
  const [from, to] = [Math.min(...all), Math.max(...all)];
  const total = top + curves.length * (height + gap) + 24;
  const x = (value) => left + ((value - from) / Math.max(to - from, 1)) * (width - left - 20);
  const rows = curves.map(({ name, points }, row) => {
    const most = ceiling(Math.max(...points.map(([, y]) => y)));
    const base = top + row * (height + gap) + height;
    const y = (value) => base - (value / most) * height;
    const path = points
      .map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`)
      .join(' ');
    return [
      `<text x="${left - 14}" y="${base - height / 2}" text-anchor="end">${escape(name)}</text>`,
      `<line x1="${left}" x2="${width - 20}" y1="${base}" y2="${base}" class="axis"/>`,
      `<line x1="${left}" x2="${width - 20}" y1="${base - height}" y2="${base - height}" class="grid"/>`,
      `<text x="${left - 6}" y="${base - height + 4}" class="small" text-anchor="end">${figure(most)}</text>`,
      `<text x="${left - 6}" y="${base}" class="small" text-anchor="end">0</text>`,
      `<polyline points="${path}"/>`,
    ].join('\n');
  });
  const ticks = [from, (from + to) / 2, to].map(
    (at) =>
      `<text x="${x(at)}" y="${total - 18}" class="small" text-anchor="middle">${figure(at)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" width="${width}" height="${total}">
<style>
svg { background: #fff; font: 13px system-ui, sans-serif; fill: #24292f }
.small { font-size: 11px; fill: #57606a }
.axis { stroke: #8c959f }
.grid { stroke: #d8dee4; stroke-dasharray: 3 3 }
polyline { fill: none; stroke: #0969da; stroke-width: 1.6 }
</style>
<text x="${left}" y="22" font-weight="600">${escape(title)}</text>
${rows.join('\n')}
${ticks.join('\n')}
<text x="${width - 20}" y="${total - 4}" class="small" text-anchor="end">${escape(axis)}</text>
</svg>
`;
}
