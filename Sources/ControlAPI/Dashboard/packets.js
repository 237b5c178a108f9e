// The packets between host and controller: a list with a filter, the layers of a packet, and a capture of the packets in the list.
// The program decodes them, and only while somebody watches.

import { readPackets } from "./api.js";
import { captureFile } from "./btsnoop.js";
import { alertOf, button, el, field, fill, panel, setText } from "./dom.js";
import { clock } from "./format.js";
import { layerNode } from "./layers.js";
import { Ring } from "./ring.js";

const kept = 2000,
  shown = 300;

export function packetsPanel(model) {
  const { node, body } = panel("Packets", false);
  const packets = new Ring(kept);
  const filter = el("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  const state = el("output", {}),
    list = el("ol", { class: "packets", role: "listbox", tabindex: "0", "aria-label": "Packets" });
  const tree = el("div", { class: "layers", role: "region", "aria-label": "The packet's layers" });
  let watching = null,
    isPaused = false,
    drawn = -1,
    chosen = null,
    lost = 0;

  const watch = button("Watch", () => watching ? stop() : start(), { "aria-pressed": "false" });
  const pause = button("Pause", () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    drawn = -1;
    draw();
  }, { "aria-pressed": "false" });
  body.append(field("Filter", filter, "as in understudy capture: att.write && handle == 0x0040"),
    el("div", { class: "row" }, watch, pause, button("Clear", () => { packets.clear();
        drawn = -1;
        draw(); }),
      button("Save capture", () => save(packets, model.id), { "aria-label": "Save the packets of the list" }), state),
    list, tree);
  filter.addEventListener("change", () => { if (watching) { stop();
      start(); } });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity } [event.key];
    if (!step || !list.children.length) return;
    event.preventDefault();
    const items = [...list.children],
      place = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
    choose(items[Math.max(0, Math.min(items.length - 1, place + step))]);
  });
  list.addEventListener("click", (event) => { const item = event.target.closest("li"); if (item) choose(item); });

  function start() {
    const control = watching = new AbortController();
    watch.setAttribute("aria-pressed", "true");
    setText(watch, "Stop watching");
    readPackets(model.at("packets"), filter.value.trim(), control.signal, (packet) => {
      if (packet.event === "lost") lost += packet.count;
      else if (!isPaused) packets.push(packet);
      schedule();
    }).catch((error) => { if (!control.signal.aborted) { alertOf(error.message); if (watching === control)
        stop(); } });
  }

  function stop() {
    watching?.abort();
    watching = null;
    watch.setAttribute("aria-pressed", "false");
    setText(watch, "Watch");
  }
  let timer = null;

  function schedule() { timer ??= setTimeout(() => { timer = null;
      requestAnimationFrame(draw); }, 200); }

  function draw() {
    setText(state, `${packets.length} of ${packets.total} packets${lost ? `, ${lost} lost` : ""}`);
    if (isPaused || packets.total === drawn || !node.open) return;
    drawn = packets.total;
    // A list that shows its end keeps showing it.
    const follows = list.scrollTop + list.clientHeight >= list.scrollHeight - 20;
    const known = new Map([...list.children].map((item) => [item.packet, item]));
    list.replaceChildren(...packets.newest(shown).map((packet) => known.get(packet) ?? line(packet)));
    // The chosen packet may have left the list.
    if (!list.querySelector('[aria-selected="true"]')) list.removeAttribute("aria-activedescendant");
    if (follows) list.scrollTop = list.scrollHeight;
  }

  function choose(item) {
    for (const other of list.querySelectorAll('[aria-selected="true"]')) other.setAttribute("aria-selected", "false");
    item.setAttribute("aria-selected", "true");
    item.id ||= `packet-${item.packet.number}-${model.id}`;
    list.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
    chosen = item.packet;
    fill(tree, (chosen.layers ?? []).map(layerNode));
  }
  const showFilter = () => {
    node.open = true;
    filter.focus();
  };
  return { node, changed: () => {}, end: stop, shortcuts: { filter: showFilter } };
}

function line(packet) {
  const item = el("li", { role: "option", "aria-selected": "false", class: packet.fault ? "fault" :
        `layer-${packet.layer.replace(/[^a-z]/g, "")}` },
    `${clock(packet.nanoseconds / 1e9)} ${packet.sent ? "→" : "←"} ${packet.type}  ${packet.text}`);
  item.packet = packet;
  return item;
}

function save(packets, name) {
  if (!packets.length) throw new Error("There are no packets in the list: watch some first.");
  const link = el("a", { href: URL.createObjectURL(new Blob([captureFile(
    packets)], { type: "application/octet-stream" })), download: `${name}.btsnoop` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
