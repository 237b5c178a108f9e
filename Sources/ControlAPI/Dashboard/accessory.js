// One accessory: its panels, updated at most five times per second and only while they are visible.

import { bondsPanel, securityPanel } from "./bonds.js";
import { buttonsPanel } from "./buttons.js";
import { channelsPanel } from "./channels.js";
import { connectionsPanel } from "./connections.js";
import { databasePanel } from "./database.js";
import { definitions, el, fill } from "./dom.js";
import { eventsPanel } from "./events.js";
import { faultsPanel } from "./faults.js";
import { advertisingPanel } from "./advertising.js";
import { notificationsPanel } from "./notifications.js";
import { packetsPanel } from "./packets.js";
import { playerPanel } from "./player.js";
import { qrPicture } from "./qr.js";
import { questionsPanel } from "./questions.js";

const pause = 200;
const makers = [
  questionsPanel, advertisingPanel, buttonsPanel, connectionsPanel, databasePanel, channelsPanel, notificationsPanel,
  playerPanel, faultsPanel,
  bondsPanel, securityPanel, packetsPanel, eventsPanel,
];

/** The view of an accessory. A panel has `node`, `changed(part)` for parts that were requested again, and `tick()` for frequent updates. */
export class AccessoryView {
  constructor(model, close) {
    this.model = model;
    this.heading = el("h2", { tabindex: "-1" }, model.id);
    this.heading.id = `accessory-${model.id}`;
    this.identity = el("div", { class: "identity" });
    this.panels = makers.map((make) => make(model));
    this.node = el("article", { "aria-labelledby": this.heading.id },
      el("div", { class: "title" }, this.heading,
        close ? el("button", { type: "button", on: { click: close }, "aria-label": `Close ${model.id}` }, "Close") :
        null),
      this.identity, this.panels.map((panel) => panel.node));
    this.isDirty = false;
    this.hasEnded = false;
  }

  async begin() {
    this.model.addEventListener("happened", () => this.schedule());
    this.model.addEventListener("changed", (event) => {
      if (event.detail === "state") this.drawIdentity();
      for (const panel of this.panels) panel.changed?.(event.detail);
      this.schedule();
    });
    await this.model.load();
  }

  end() {
    this.hasEnded = true;
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

  drawIdentity() {
    const { name, about, instructions, address, address_type: type, controller, joining = [] } = this.model.state;
    this.heading.textContent = name;
    const code = qrPicture(`${name}\n${address ?? ""}`, `QR code of ${name}, ${address ?? "without an address"}`);
    fill(this.identity, code, el("div", {}, about ? el("p", {}, about) : null, definitions([
      ["Address", address ? `${address} (${type})` : "none yet"],
      ["Controller", controller],
      ["Hosts join at", joining.join(", ")],
    ]), instructions ? el("details", { open: true }, el("summary", {}, "Instructions"),
      el("p", { class: "instructions" }, instructions)) : null));
  }
}
