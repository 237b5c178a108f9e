// L2CAP channels: published PSMs, open channels with their counters, and sending.

import { post, put, remove } from "./api.js";
import { button, definitions, el, field, fill, form, panel, refill, select, setText } from "./dom.js";
import { digits, handle } from "./format.js";

const handlers = ["echo", "sink", "source", "manual"];

export function channelsPanel(model) {
  const { node, heading, body } = panel("L2CAP channels", false);
  const none = el("p", { class: "empty" }, "No channel is open.");
  const list = el("ul", { class: "cards" }),
    published = el("ul", { class: "cards" });
  const cards = new Map();
  const id = el("input", { type: "text", required: true, autocomplete: "off" });
  const psm = el("input", { type: "text", value: "auto", required: true, autocomplete: "off" });
  const handler = select(handlers.slice(0, 3), "echo");
  const publish = form(async () => {
    await post(model.at("published"), { id: id.value, psm: /^\d+$/.test(psm.value) ? Number(psm.value) : psm
        .value, handler: handler.value });
    id.value = "";
    model.want("channels");
  }, { class: "row" }, field("Id", id), field("PSM", psm, "a number, auto or new"), field("Handler", handler), el(
    "button", {}, "Publish"));
  body.append(el("h5", {}, "Open"), none, list, el("h5", {}, "Published"), published, publish);
  return {
    node,
    changed: (part) => {
      if (part !== "channels") return;
      const open = new Map(model.channels.map((channel) => [`${channel.connection}/${channel.channel}`, channel]));
      none.hidden = open.size > 0;
      setText(heading, open.size ? `L2CAP channels (${open.size})` : "L2CAP channels");
      for (const [key, card] of cards)
        if (!open.has(key)) { card.node.remove();
          cards.delete(key); }
      for (const [key, channel] of open) {
        let card = cards.get(key);
        if (!card) {
          cards.set(key, card = channelCard(model, channel));
          list.append(card.node);
          node.open = true;
        }
        card.draw(channel);
      }
      refill(published, model.published, () => (model.published ?? []).map((one) => publicationItem(model, one)));
    },
    // No event reports the counters.
    tick: () => { if (cards.size) model.want("channels"); },
  };
}

function channelCard(model, { connection, channel }) {
  const facts = el("div", {}),
    title = el("b", {});
  const text = el("input", { type: "text", autocomplete: "off" });
  const kind = select([
    ["text", "text"],
    ["hex", "octets"]
  ], "text", { "aria-label": "Data to send" });
  const node = el("li", {}, title, facts,
    form(async () => {
      await post(model.at("channels", connection, channel, "send"), kind.value === "hex" ? { hex: digits(text
          .value) } : { text: text.value });
      model.want("channels");
    }, { class: "row" }, field("SDU", text), kind, el("button", { "aria-label": `Send over channel ${channel}` },
      "Send")),
    button("Close", () => post(model.at("channels", connection, channel,
    "close"), {}), { "aria-label": `Close channel ${channel}` }));
  return {
    node,
    draw: (one) => {
      setText(title, `${one.id ?? "channel"} ${handle(one.channel)} on connection ${one.connection}`);
      const count = (traffic) => `${traffic.sdus} SDUs, ${traffic.frames} frames, ${traffic.octets} octets`;
      fill(facts, definitions([
        ["PSM", one.psm],
        ["MTU", `${one.mtu}, peer ${one.peer_mtu}`],
        ["MPS", `${one.mps}, peer ${one.peer_mps}`],
        ["Credits", `${one.credits} given, ${one.peer_credits} to send`],
        ["Sent", count(one.sent)],
        ["Received", count(one.received)],
        ["Queued", `${one.queued} octets`],
        ["Sink", one.sink ? `${one.sink.sdus} SDUs, ${one.sink.octets} octets` : null],
        ["Line", one.bridge],
      ]));
    },
  };
}

function publicationItem(model, one) {
  const state = select(["", "ask", "granted", "denied"], "", { "aria-label": `Who may open ${one.id}` });
  state.options[0].textContent = "authorization …";
  state.addEventListener("change", () => { if (state.value) put(model.at("published", one.id,
    "authorization"), { state: state.value }).catch(() => {}); });
  return el("li", {}, el("b", {}, one.id),
    ` PSM ${one.psm}, ${typeof one.handler === "string" ? one.handler : JSON.stringify(one.handler)}, ${one.open ?? 0} open `,
    el("div", { class: "row" }, state, button("Withdraw", async () => {
      await remove(model.at("published", one.id));
      model.want("channels");
    }, { "aria-label": `Withdraw ${one.id}` })));
}
