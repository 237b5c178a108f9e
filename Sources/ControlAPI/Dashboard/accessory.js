// One accessory in three areas: the thing, the conversation and the bench. They are updated at most five times per second.

import { aboutPanel } from "./about.js";
import { advertisingPanel } from "./advertising.js";
import { bondsPanel, securityPanel } from "./bonds.js";
import { buttonsPanel } from "./buttons.js";
import { channelsPanel } from "./channels.js";
import { connectionsPanel } from "./connections.js";
import { conversationPanel } from "./conversation.js";
import { el } from "./dom.js";
import { eventsPanel } from "./events.js";
import { faultsPanel } from "./faults.js";
import { accessoryHeader } from "./header.js";
import { notificationsPanel } from "./notifications.js";
import { packetsPanel } from "./packets.js";
import { playerPanel } from "./player.js";
import { powerPanel } from "./power.js";
import { questionsPanel } from "./questions.js";
import { requestsPanel } from "./requests.js";
import { snapshotsPanel } from "./snapshots.js";
import { thingPanel } from "./thing.js";
import { timePanel } from "./time.js";

const pause = 200,
  measuring = 1000;
// The areas by their ids, with what stands in them from top to bottom.
const areas = [
  ["thing", "Accessory", [aboutPanel, playerPanel, notificationsPanel, thingPanel]],
  ["talk", "Conversation", [conversationPanel]],
  ["bench", "Bench", [
    buttonsPanel, powerPanel, advertisingPanel, connectionsPanel, faultsPanel, timePanel, channelsPanel, bondsPanel, securityPanel,
    snapshotsPanel, packetsPanel, eventsPanel, requestsPanel,
  ]],
];

/**
 * The view of an accessory. A panel has `node`, `changed(part)` for parts that were requested again, `tick()` for frequent updates, and
 * `shortcuts`, what keys do to it.
 */
export class AccessoryView {
  constructor(model, close) {
    this.model = model;
    this.header = accessoryHeader(model, close, () => this.openConnections());
    this.questions = questionsPanel(model);
    this.panels = [this.questions];
    this.tabs = new Map();
    const parts = areas.map(([id, title, makers]) => this.makeArea(id, title, makers));
    this.bench = parts[2];
    const tabs = el("nav", { class: "tabs", "aria-label": `Areas of ${model.id}` }, [...this.tabs.values()]);
    this.node = el("article", { "aria-labelledby": this.header.heading.id }, el("div", { class: "frame" },
      el("div", { class: "head" }, this.header.node, tabs), this.questions.node, el("div", { class: "areas" }, parts)));
    this.isDirty = false;
    this.hasEnded = false;
    this.select("thing");
  }

  makeArea(id, title, makers) {
    const panels = makers.map((make) => make(this.model));
    this.panels.push(...panels);
    this.tabs.set(id, el("button", { type: "button", on: { click: () => this.select(id) } }, title));
    return el("section", { class: `area ${id}`, tabindex: "-1", "aria-label": `${title} of ${this.model.id}` }, el("h3", {}, title),
      panels.map((panel) => panel.node));
  }

  /** Selects the area that a narrow view shows; a wide one shows all of them. */
  select(id) {
    this.node.dataset.area = id;
    for (const [one, tab] of this.tabs) tab.setAttribute("aria-pressed", String(one === id));
    this.schedule();
  }

  /** Shows an area, and moves the focus to it. */
  go(id) {
    this.select(id);
    const area = this.node.querySelector(`.area.${id}`);
    area.focus({ preventScroll: true });
    area.scrollIntoView({ block: "start" });
  }

  /** Does what a key does to one of the panels, in the area that this needs to be shown. */
  perform(name, area = null) {
    if (area) this.select(area);
    for (const panel of this.panels) panel.shortcuts?.[name]?.();
  }

  openConnections() {
    this.select("bench");
    const panel = this.bench.querySelector(".connections");
    panel.open = true;
    panel.scrollIntoView({ block: "nearest" });
    panel.querySelector("summary").focus();
  }

  async begin() {
    this.model.addEventListener("happened", () => this.schedule());
    this.model.addEventListener("changed", (event) => {
      if (event.detail === "state") this.header.draw();
      for (const panel of this.panels) panel.changed?.(event.detail);
      this.schedule();
    });
    await this.model.load();
    this.model.measure();
    // A value that is computed when it is read causes no event, so that all values are requested while somebody can see them.
    this.timer = setInterval(() => { if (!document.hidden) this.model.measure(); }, measuring);
  }

  end() {
    this.hasEnded = true;
    clearInterval(this.timer);
    for (const panel of this.panels) panel.end?.();
    this.node.remove();
  }

  schedule() {
    if (this.isDirty || this.hasEnded) return;
    this.isDirty = true;
    setTimeout(() => requestAnimationFrame(() => {
      this.isDirty = false;
      for (const panel of this.panels)
        if (!panel.node.hidden && panel.node.open !== false) panel.tick?.();
    }), pause);
  }
}
