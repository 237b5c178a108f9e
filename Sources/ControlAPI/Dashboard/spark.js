// A number's history in a line as small as a word, for a glance; plot.js draws the large one with its scale.

import { svg } from "./dom.js";
import { number } from "./format.js";
import { pathOf } from "./plot.js";

const width = 100,
  height = 24,
  margin = 2;

/** A small curve of points `{time, value}`, which is hidden until there are two. */
export class Spark {
  constructor(label) {
    this.label = label;
    this.line = svg("polyline", { class: "curve", fill: "none", "vector-effect": "non-scaling-stroke" });
    this.node = svg("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
      "aria-label": label }, this.line);
    this.node.toggleAttribute("hidden", true);
    this.drawn = 0;
  }

  /** Draws a ring of points, if it has new ones. */
  draw(points) {
    if (!points || points.length < 2 || points.total === this.drawn) return;
    this.drawn = points.total;
    this.node.toggleAttribute("hidden", false);
    const { low, high, path } = pathOf([...points], width, height, margin);
    this.line.setAttribute("points", path);
    this.node.setAttribute("aria-label", `${this.label}, lately ${number(low)} to ${number(high)}`);
  }
}
