// Curves, drawn as SVG by hand.

import { svg } from "./dom.js";
import { number } from "./format.js";

const width = 320,
  height = 72,
  margin = 4;

/** A picture of points `{time, value}` in the order of their times. Its label says the range. */
export class Plot {
  constructor(label) {
    this.label = label;
    this.title = svg("title", {}, label);
    this.line = svg("polyline", { class: "curve", fill: "none", "vector-effect": "non-scaling-stroke" });
    this.top = svg("text", { x: margin, y: 12, class: "scale" });
    this.bottom = svg("text", { x: margin, y: height - 4, class: "scale" });
    this.node = svg("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
      this.title, this.line, this.top, this.bottom);
  }

  /** Draws the points, over the time from the first to the last one, or over `range`. */
  draw(points, unit = "", range = null) {
    const list = [...points];
    if (list.length === 0) return;
    const { low, high, path } = pathOf(list, width, height, margin, range);
    this.line.setAttribute("points", path);
    const suffix = unit ? ` ${unit}` : "";
    this.top.textContent = number(high) + suffix;
    this.bottom.textContent = high === low ? "" : number(low) + suffix;
    const text =
      `${this.label}: ${list.length} values from ${number(low)} to ${number(high)}${suffix}, last ${number(list[list.length - 1].value)}`;
    this.node.setAttribute("aria-label", text);
    this.title.textContent = text;
  }
}

/**
 * Returns the points of a polyline through a list of points, with its lowest and highest value. If there are more points than columns,
 * each column shows its first, lowest, highest and last one. The width is the time from the first to the last point, or `range`.
 */
export function pathOf(list, width, height, margin, range = null) {
  let low = Infinity,
    high = -Infinity;
  for (const { value } of list) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const first = range?.from ?? list[0].time,
    span = (range?.to ?? list[list.length - 1].time) - first || 1,
    rise = high - low || 1;
  const x = (time) => margin + (time - first) / span * (width - 2 * margin);
  const y = (value) => high === low ? height / 2 : height - margin - (value - low) / rise * (height - 2 * margin);
  const path = thinned(list, x, width).map(({ time, value }) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  return { low, high, path };
}

function thinned(list, x, width) {
  if (list.length <= 2 * width) return list;
  const result = [];
  for (let start = 0; start < list.length;) {
    const column = Math.floor(x(list[start].time));
    let end = start,
      low = start,
      high = start;
    while (end < list.length && Math.floor(x(list[end].time)) === column) {
      if (list[end].value < list[low].value) low = end;
      if (list[end].value > list[high].value) high = end;
      end += 1;
    }
    for (const index of [...new Set([start, low, high, end - 1])].sort((a, b) => a - b)) result.push(list[index]);
    start = end;
  }
  return result;
}
