// Values over time: over the whole case, with the time in view marked, or only over the time in view.

import { el, fill, svg } from "./dom.js";
import { Plot } from "./plot.js";

// As in plot.js.
const width = 320,
  height = 72,
  margin = 4;

/** Makes a curve for each number in the values of a case; null if there are none. */
export function curves(reported, window) {
  const series = (reported.track?.series ?? []).filter((one) => one.points.length > 1);
  if (!series.length) return null;
  const plots = series.map((one) => ({ one, plot: new Plot(one.name), note: el("p", { class: "empty" }),
    view: svg("rect", { class: "in-view", y: 0, height }) }));
  for (const { plot, view } of plots) plot.node.prepend(view);
  const isNarrow = el("input", { type: "checkbox" });
  const node = el("section", { class: "curves", "aria-labelledby": "curves-title" }, el("h2", { id: "curves-title" }, "Values"),
    el("label", { class: "switch" }, isNarrow, "Only the time in view"),
    el("div", { class: "plots" }, plots.map(({ one, plot, note }) => el("figure", {}, el("figcaption", {}, one.name), plot.node, note))));

  function draw() {
    const range = isNarrow.checked ? { from: window.from, to: window.to } : { from: window.begin, to: window.end };
    const place = (time) => margin + (time - range.from) / (range.to - range.from) * (width - 2 * margin);
    for (const { one, plot, note, view } of plots) {
      const points = one.points.filter((point) => point.time >= range.from && point.time <= range.to);
      view.toggleAttribute("hidden", isNarrow.checked);
      view.setAttribute("x", place(window.from).toFixed(1));
      view.setAttribute("width", Math.max(1, place(window.to) - place(window.from)).toFixed(1));
      plot.node.toggleAttribute("hidden", points.length === 0);
      fill(note, points.length ? null : "No value in the time in view.");
      plot.draw(points, "", range);
    }
  }
  window.addEventListener("moved", draw);
  isNarrow.addEventListener("change", draw);
  draw();
  return { node };
}
