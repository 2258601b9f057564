import type { Plot } from "./report.ts";
import { round } from "./report.ts";

const width = 640;
const height = 360;
const margin = { left: 64, right: 16, top: 40, bottom: 56 };
/** Told apart also in grey and by colour-blind readers, with the marks below. */
const colours = ["#0b6e99", "#c2410c", "#4d7c0f", "#7e22ce", "#475569"];
const ticksWanted = 5;

/**
 * A line chart as SVG: x logarithmic with a tick at each value measured, y from zero. @throws RangeError without points
 * or with x ≤ 0.
 */
export function lineChart(plot: Plot): string {
  const points = plot.series.flatMap((series) => series.points);
  const xs = [...new Set(points.map(([x]) => x))].sort((a, b) => a - b);
  if (xs.length === 0 || xs[0]! <= 0) throw new RangeError(`nothing to draw on a logarithmic axis in ${plot.file}`);
  const [low, high] = [Math.log(xs[0]!), Math.log(xs.at(-1)!)];
  const top = niceCeiling(Math.max(...points.map(([, y]) => y)));
  const plotWidth = width - margin.left - margin.right;
  const plotHeight = height - margin.top - margin.bottom;
  const atX = (x: number): number =>
    margin.left + plotWidth * (high === low ? 0.5 : (Math.log(x) - low) / (high - low));
  const atY = (y: number): number => margin.top + plotHeight * (1 - y / top);
  const at = (x: number, y: number): string => `${atX(x).toFixed(1)},${atY(y).toFixed(1)}`;

  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(plot.title)}</title>`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<text x="${width / 2}" y="18" text-anchor="middle" font-weight="bold">${escapeXml(plot.title)}</text>`,
    `<text x="${margin.left + plotWidth / 2}" y="${height - 22}" text-anchor="middle">${escapeXml(plot.xLabel)}</text>`,
    `<text transform="translate(14 ${margin.top + plotHeight / 2}) rotate(-90)" text-anchor="middle">${escapeXml(plot.yLabel)}</text>`,
  ];
  for (let tick = 0; tick <= ticksWanted; tick++) {
    const y = (top * tick) / ticksWanted;
    lines.push(
      `<path d="M${margin.left} ${atY(y).toFixed(1)}H${width - margin.right}" stroke="#ddd"/>`,
      `<text x="${margin.left - 6}" y="${(atY(y) + 4).toFixed(1)}" text-anchor="end">${round(y)}</text>`,
    );
  }
  for (const x of xs) {
    lines.push(
      `<text x="${atX(x).toFixed(1)}" y="${height - margin.bottom + 16}" text-anchor="middle">${x.toLocaleString("en-US")}</text>`,
    );
  }
  plot.series.forEach((series, index) => {
    const colour = colours[index % colours.length]!;
    const sorted = [...series.points].sort(([a], [b]) => a - b);
    lines.push(
      `<polyline points="${sorted.map(([x, y]) => at(x, y)).join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...sorted.map(([x, y]) => mark(index, atX(x), atY(y), colour)),
      mark(index, margin.left + 4 + index * legendStep(plot), height - 8, colour),
      `<text x="${margin.left + 12 + index * legendStep(plot)}" y="${height - 4}">${escapeXml(series.name)}</text>`,
    );
  });
  return `${lines.join("\n")}\n</svg>\n`;
}

function legendStep(plot: Plot): number {
  return (width - margin.left - margin.right) / plot.series.length;
}

function mark(index: number, x: number, y: number, colour: string): string {
  const [cx, cy] = [x.toFixed(1), y.toFixed(1)];
  if (index % 2 === 0) return `<circle cx="${cx}" cy="${cy}" r="4" fill="${colour}"/>`;
  return `<rect x="${(x - 4).toFixed(1)}" y="${(y - 4).toFixed(1)}" width="8" height="8" fill="${colour}"/>`;
}

/** The smallest of 1, 2, 2.5 or 5 times a power of ten that is not below `value`. */
function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10);
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
