// The head of an accessory, which stays in view: its name, its state in one word, and who is connected.

import { el, fill, setText, svg } from "./dom.js";
import { number } from "./format.js";

// Each state has a shape of its own, so that it can be told without its color.
const shapes = {
  "Connected": [svg("circle", { cx: 8, cy: 8, r: 6, class: "solid" })],
  "Advertising": [svg("circle", { cx: 8, cy: 8, r: 2.5, class: "solid" }), svg("path", {
    d: "M4 12a5.6 5.6 0 0 1 0-8M12 4a5.6 5.6 0 0 1 0 8", class: "stroke" })],
  "Asleep": [svg("path", { d: "M10 2a6.3 6.3 0 1 0 4 9.4A7 7 0 0 1 10 2z", class: "solid" })],
  "Off": [svg("circle", { cx: 8, cy: 8, r: 5.5, class: "stroke" })],
  "No controller": [svg("path", { d: "M3 3l10 10M13 3L3 13", class: "stroke" })],
};

/** Returns the state of an accessory in a word. */
export function stateWord({ asleep = false, address, connections = [], advertising = [] }, hasController = true) {
  if (!hasController || !address) return "No controller";
  if (connections.length) return "Connected";
  if (asleep) return "Asleep";
  return advertising.length ? "Advertising" : "Off";
}

/** Makes a word for a state with its shape. */
export function stateBadge() {
  const word = el("span", {}),
    shape = svg("svg", { viewBox: "0 0 16 16", class: "shape", "aria-hidden": "true" });
  const node = el("span", { class: "state" }, shape, word);
  return {
    node,
    draw: (text) => {
      if (node.dataset.state === text) return;
      node.dataset.state = text;
      setText(word, text);
      fill(shape, shapes[text].map((one) => one.cloneNode(true)));
    },
  };
}

/** Makes the head. `openConnections` shows a connection in all detail. */
export function accessoryHeader(model, close, openConnections) {
  const heading = el("h2", { tabindex: "-1", id: `accessory-${model.id}` }, model.id);
  const badge = stateBadge();
  const peers = el("ul", { class: "peers", "aria-label": "Connected centrals" });
  const node = el("div", { class: "title" }, heading, badge.node, peers, close ? el("button", { type: "button",
    class: "close", on: { click: close }, "aria-label": `Close ${model.id}` }, "Close") : null);
  let drawn = "";
  const drawPeers = (links) => {
    const texts = links.map(chipTexts);
    if (JSON.stringify(texts) === drawn) return;
    drawn = JSON.stringify(texts);
    const hadFocus = peers.contains(document.activeElement);
    fill(peers, links.map((link, index) => el("li", {}, el("button", { type: "button", class: "chip",
      on: { click: () => openConnections(link.connection) } }, texts[index].map((text, place) =>
      el("span", { class: place ? "quiet" : "" }, text, " "))))));
    if (hadFocus) peers.querySelector("button")?.focus();
  };
  return {
    node,
    heading,
    draw: () => {
      setText(heading, model.state.name);
      badge.draw(stateWord(model.state, model.hasController));
      drawPeers(model.state.connections);
    },
  };
}

function chipTexts(link) {
  const { protection = "none", bonded } = link.security ?? {};
  return [link.peer, `${number(link.interval_ms)} ms`, `MTU ${link.mtu}`, protection === "none" ? "not encrypted" :
    `${protection}${bonded ? ", bonded" : ""}`];
}
