// Values over the time in view.

import { el, fill } from "./dom.js";
import { Plot } from "./plot.js";

/** Makes a curve for each number in the values of a case; null if there are none. */
export function curves(reported, window) {
  const series = (reported.track?.series ?? []).filter((one) => one.points.length > 1);
  if (!series.length) return null;
  const plots = series.map((one) => ({ one, plot: new Plot(one.name), note: el("p", { class: "empty" }) }));
  const node = el("section", { class: "curves", "aria-labelledby": "curves-title" }, el("h2", { id: "curves-title" }, "Values"),
    el("div", { class: "plots" }, plots.map(({ one, plot, note }) => el("figure", {}, el("figcaption", {}, one.name), plot.node, note))));

  function draw() {
    for (const { one, plot, note } of plots) {
      const points = one.points.filter((point) => point.time >= window.from && point.time <= window.to);
      plot.node.toggleAttribute("hidden", points.length === 0);
      fill(note, points.length ? null : "No value in the time in view.");
      plot.draw(points, "", { from: window.from, to: window.to });
    }
  }
  window.addEventListener("moved", draw);
  draw();
  return { node };
}
