// All events, the newest first.

import { el, field, fill, panel, scrolling } from "./dom.js";
import { clock, valueText } from "./format.js";

const shown = 60;
const inside = new Set(["event", "time", "accessory"]);

export function eventsPanel(model) {
  const { node, body } = panel("Events", false);
  const wanted = el("input", { type: "search", autocomplete: "off" });
  const list = el("ol", { class: "log" });
  wanted.addEventListener("input", draw);
  body.append(field("Filter events", wanted), scrolling("Events", list));
  node.addEventListener("toggle", () => { if (node.open) draw(); });

  function draw() {
    const text = wanted.value.toLowerCase();
    const lines = [];
    for (let index = model.events.length - 1; index >= 0 && lines.length < shown; index -= 1) {
      const event = model.events.at(index);
      const rest = Object.entries(event).filter(([key]) => !inside.has(key)).map(([key, value]) =>
        `${key} ${valueText(value)}`).join(", ");
      const line = `${clock(event.time ?? 0)} ${event.event} ${rest}`;
      if (!text || line.toLowerCase().includes(text)) lines.push(el("li", {}, line.slice(0, 400)));
    }
    fill(list, lines);
  }
  return { node, tick: draw };
}
