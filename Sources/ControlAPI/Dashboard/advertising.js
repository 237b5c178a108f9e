// Advertising sets: whether they are on the air, and their schedule.

import { post } from "./api.js";
import { attempt, button, el, panel, refill, say } from "./dom.js";
import { number } from "./format.js";

export function advertisingPanel(model) {
  const { node, body } = panel("Advertising", true);
  const list = el("ul", { class: "cards" });
  body.append(list);
  // Stops all sets that are on the air, or starts all.
  const toggle = () => attempt(async () => {
    const active = model.advertising.filter((set) => set.on);
    const verb = active.length ? "stop" : "start";
    for (const set of active.length ? active : model.advertising) await post(model.at("advertising", set.id, verb));
    say(active.length ? "Advertising is stopped." : "Advertising is started.");
  });
  return {
    node,
    shortcuts: { advertise: toggle },
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
