// All accessories of the program as a wall of tiles: name, state, who is connected, and what happened last.

import { el, setText, svg } from "./dom.js";
import { stateBadge, stateWord } from "./header.js";
import { pathOf } from "./plot.js";
import { Rate } from "./ring.js";
import { sentence } from "./sentences.js";

const seconds = 40,
  width = 100,
  height = 18,
  pause = 250;

export class Wall {
  /** `choose(id)` is called for a tile that was pressed. */
  constructor(place, choose) {
    this.place = place;
    this.choose = choose;
    this.tiles = new Map();
    this.changed = new Set();
    this.timer = null;
    /** How many tiles were drawn, for measurements. */
    this.drawn = 0;
  }

  /** Takes the list of accessories, and which of them are shown. */
  draw(accessories, isShown) {
    this.place.parentElement.hidden = accessories.length < 2;
    for (const accessory of accessories) {
      const tile = this.tileOf(accessory.id);
      setText(tile.name, accessory.name);
      setText(tile.id, accessory.id === accessory.name ? "" : accessory.id);
      tile.state.draw(stateWord({ ...accessory, asleep: tile.isAsleep }));
      const count = accessory.connections?.length ?? 0;
      setText(tile.peers, count ? `${count} connected` : "");
      tile.button.setAttribute("aria-pressed", String(isShown(accessory.id)));
    }
  }

  focus(id) { this.tiles.get(id)?.button.focus(); }

  tileOf(id) {
    let tile = this.tiles.get(id);
    if (!tile) {
      this.tiles.set(id, tile = makeTile(id, () => this.choose(id)));
      this.place.append(tile.node);
    }
    return tile;
  }

  /** Takes an event of an accessory. */
  take(event) {
    const tile = this.tiles.get(event.accessory);
    if (!tile) return;
    tile.rate.add(event.time ?? 0, 1);
    tile.event = event;
    if (event.event === "asleep" || event.event === "awake") tile.isAsleep = event.event === "asleep";
    this.changed.add(tile);
    this.timer ??= setTimeout(() => requestAnimationFrame(() => this.drawChanged()), pause);
  }

  drawChanged() {
    this.timer = null;
    for (const tile of this.changed) {
      const words = sentence(tile.event);
      if (words) setText(tile.latest, `${words.title}${words.detail ? `: ${words.detail.slice(0, 80)}` : ""}`);
      if (tile.rate.buckets.length > 1) tile.line.setAttribute("points", pathOf([...tile.rate.buckets], width, height, 1).path);
      this.drawn += 1;
    }
    this.changed.clear();
    this.place.dataset.drawn = String(this.drawn);
  }
}

function makeTile(id, press) {
  const name = el("b", {}),
    small = el("small", {}),
    peers = el("span", { class: "quiet" }),
    latest = el("span", { class: "latest" });
  const state = stateBadge();
  const line = svg("polyline", { class: "curve", fill: "none", "vector-effect": "non-scaling-stroke" });
  const button = el("button", { type: "button", class: "tile", "aria-pressed": "false", "data-id": id, on: { click: press } },
    el("span", { class: "tile-name" }, name, " ", small), " ", state.node, " ", peers, " ", latest,
    svg("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, line));
  return { node: el("li", {}, button), button, name, id: small, peers, latest, line, state, rate: new Rate(seconds), event: null, isAsleep: false };
}
