// Connections: their parameters, their traffic, and what can be requested from the central.

import { get, post } from "./api.js";
import { button, definitions, el, field, fill, form, panel, scrolling, select, setText } from "./dom.js";
import { number, rate } from "./format.js";
import { Plot } from "./plot.js";
import { Ring } from "./ring.js";

const reasons = [
  ["0x13", "remote user terminated"],
  ["0x05", "authentication failure"],
  ["0x14", "low resources"],
  ["0x15", "power off"],
  ["0x1a", "unsupported remote feature"],
  ["0x29", "pairing with unit key not supported"],
  ["0x3b", "unacceptable connection parameters"]
];

const listening = 2000,
  strengths = 150;

export function connectionsPanel(model) {
  const { node, heading, body } = panel("Connections", true);
  node.classList.add("connections");
  const none = el("p", { class: "empty" }, "No central is connected.");
  const list = el("ul", { class: "cards" });
  const failures = el("p", {});
  failures.hidden = true;
  body.append(none, failures, list);
  const cards = new Map();
  // The controller is asked only while the panel is open.
  const timer = setInterval(() => {
    if (!node.open || document.hidden) return;
    for (const card of cards.values()) card.listen();
  }, listening);

  return {
    end: () => clearInterval(timer),
    node,
    changed: (part) => {
      if (part !== "state") return;
      const links = model.state.connections;
      setText(heading, links.length ? `Connections (${links.length})` : "Connections");
      none.hidden = links.length > 0;
      const { made, failed } = model.state.connection_counts;
      failures.hidden = failed === 0;
      setText(failures, `${failed} failed to be established (0x3E), ${made} made since the start`);
      const known = new Set(links.map((link) => link.connection));
      for (const [id, card] of cards) {
        if (known.has(id)) continue;
        card.node.remove();
        cards.delete(id);
        model.rates.delete(id);
      }
      for (const link of links) {
        let card = cards.get(link.connection);
        if (!card) {
          cards.set(link.connection, card = connectionCard(model, link.connection));
          list.append(card.node);
        }
        card.draw(link);
      }
    },
    tick: () => { for (const card of cards.values()) card.tick(); },
  };
}

function connectionCard(model, id) {
  const facts = el("div", {}),
    traffic = el("p", {});
  const plot = new Plot(`Octets sent per second over connection ${id}`);
  const strength = el("p", {}),
    heard = new Ring(strengths),
    heardPlot = new Plot(`RSSI of connection ${id}`);
  heardPlot.node.toggleAttribute("hidden", true);
  const title = el("b", {});
  const shortest = el("input", { type: "number", min: 7.5, max: 4000, step: 1.25, value: 15, required: true });
  const longest = el("input", { type: "number", min: 7.5, max: 4000, step: 1.25, value: 30, required: true });
  const latency = el("input", { type: "number", min: 0, max: 499, value: 0, required: true });
  const timeout = el("input", { type: "number", min: 100, max: 32000, step: 10, value: 4000, required: true });
  const reason = select(reasons, "0x13", { "aria-label": `Reason to disconnect ${id}` });
  const parameters = form(
    () => post(model.at("connections", id, "parameters"), {
      interval_ms: [Number(shortest.value), Number(longest.value)],
      latency: Number(latency.value),
      timeout_ms: Number(timeout.value),
    }), { class: "row" },
    field("Shortest interval (ms)", shortest), field("Longest interval (ms)", longest), field("Latency", latency),
    field("Supervision timeout (ms)", timeout), el("button", {}, "Request these parameters"));
  const node = el("li", {}, title, facts, el("div", { class: "pair" }, el("div", {}, strength, heardPlot.node),
      el("div", {}, traffic, plot.node)),
    el("div", { class: "row" },
      button("Request security", () => post(model.at("connections", id,
      "pair"), {}), { "aria-label": `Request security from connection ${id}` }),
      reason, button("Disconnect", () => post(model.at("connections", id, "disconnect"), { reason: reason
        .value }), { "aria-label": `Disconnect ${id}` })),
    el("details", {}, el("summary", {}, "Other parameters"), parameters), remoteServices(model, id));
  const listen = async () => {
    const answer = await get(model.at("connections", id, "rssi")).catch(() => null);
    if (!answer) return;
    setText(strength, answer.rssi === null ? "RSSI: not known to the controller" : `RSSI: ${answer.rssi} dBm`);
    if (answer.rssi === null) return;
    heard.push({ time: Date.now() / 1000, value: answer.rssi });
    heardPlot.node.toggleAttribute("hidden", heard.length < 2);
    if (heard.length > 1) heardPlot.draw(heard, "dBm");
  };
  listen();
  return {
    node,
    listen,
    draw: (link) => {
      setText(title, `${id}: ${link.peer} (${link.peer_type})`);
      const { protection, key_size: size, bonded } = link.security ?? {};
      fill(facts, definitions([
        ["Interval", `${number(link.interval_ms)} ms`],
        ["Latency", link.latency],
        ["Timeout", `${number(link.timeout_ms)} ms`],
        ["MTU", link.mtu],
        ["PHY", both(link.phy, "")],
        ["Data length", both(link.data_length, " octets")],
        ["Security", protection ?
          `${protection}${size ? `, key of ${size} octets` : ""}${bonded ? ", bonded" : ""}` : null
        ],
        ["Subscriptions", link.subscriptions.map((one) =>
          `${one.characteristic} (${[one.notify && "notify", one.indicate && "indicate"].filter(Boolean).join(", ")})`
          ).join(", ")],
      ]));
    },
    tick: () => {
      const { sent, received } = model.ratesOf(id);
      setText(traffic,
        `Sent ${rate(sent.at(model.now))}, ${sent.total} octets; received ${rate(received.at(model.now))}, ${received.total} octets`
        );
      plot.node.toggleAttribute("hidden", sent.buckets.length < 2);
      if (sent.buckets.length > 1) plot.draw(sent.buckets, "octets");
    },
  };
}

function both(pair, unit) {
  if (!pair || (pair.tx === null && pair.rx === null)) return "unchanged";
  return pair.tx === pair.rx ? `${pair.tx}${unit}` : `${pair.tx}${unit} sent, ${pair.rx}${unit} received`;
}

// The services of the central's own server, which are discovered on request.
function remoteServices(model, id) {
  const found = el("div", { role: "status" });
  const uuid = el("input", { type: "text", required: true, autocomplete: "off" });
  const show = (answer) => fill(found, scrolling("What the central has", el("pre", {}, JSON.stringify(answer, null, 2))));
  return el("details", {}, el("summary", {}, "The central's services"),
    button("Discover", async () => show(await post(model.at("connections", id, "remote",
    "discover"), {})), { "aria-label": `Discover the services of connection ${id}` }),
    form(async () => show(await post(model.at("connections", id, "remote", "read"), { uuid: uuid.value
      .trim() })), { class: "row" },
      field("UUID of a characteristic", uuid), el("button", {}, "Read")), found);
}
