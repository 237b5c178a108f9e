// Advertising sets: whether they are on the air, and their schedule.

import { post } from "./api.js";
import { button, el, panel, refill } from "./dom.js";
import { number } from "./format.js";

export function advertisingPanel(model) {
  const { node, body } = panel("Advertising", true);
  const list = el("ul", { class: "cards" });
  body.append(list);
  return {
    node,
    changed: (part) => {
      if (part !== "advertising") return;
      refill(list, model.advertising, () => model.advertising.map((set) => el("li", { class: "set" },
        el("div", {}, el("b", {}, set.id), " ", el("span", { class: set.on ? "badge on" : "badge" }, set.on ? "on the air" : "off"),
          el("p", { class: "quiet" }, `${set.kind}, ${set.connectable ? "connectable" : "not connectable"}, every ${
            set.interval_ms.map((time) => `${number(time)} ms`).join(", then ")}`)),
        button(set.on ? "Stop" : "Start", () => post(model.at("advertising", set.id, set.on ? "stop" : "start")),
          { "aria-label": `${set.on ? "Stop" : "Start"} advertising set ${set.id}` }))));
    },
  };
}
