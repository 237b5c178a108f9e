// A line of the conversation, which opens down to the fields, the packets and their octets.

import { definitions, el, fill, setText } from "./dom.js";
import { clock, valueText } from "./format.js";
import { layerNode } from "./layers.js";

const perRow = 16;
const hidden = new Set(["event", "time", "accessory", "hex", "value"]);

/** Makes the view of an item of a story. `draw()` shows what has changed. */
export function itemView(item, story, model) {
  const time = el("time", {}),
    title = el("b", {}),
    detail = el("span", { class: "detail" }),
    count = el("span", { class: "count" });
  const line = el("button", { type: "button", class: "saying", "aria-expanded": "false", tabindex: "-1" }, time, " ",
    el("span", { class: "lane" }, el("span", { class: "words" }, el("span", { class: "who" }, who(item, model)), " ", title, " ", detail,
      " ", count), el("span", { class: "arrow" })));
  const node = el("li", { class: `turn from-${item.from} kind-${item.kind}` }, line);
  let inside = null,
    drawn = -1;
  line.addEventListener("click", () => {
    const isOpen = line.getAttribute("aria-expanded") === "true";
    line.setAttribute("aria-expanded", String(!isOpen));
    inside?.remove();
    inside = isOpen ? null : inspection(item, story);
    if (inside) node.append(inside);
  });
  return {
    node,
    draw: () => {
      if (drawn === item.version) return;
      drawn = item.version;
      setText(time, clock(item.time));
      setText(title, item.title);
      setText(detail, item.detail);
      setText(count, item.count > 1 ? `× ${item.count}` : "");
    },
  };
}

/** Returns who acts, for everybody who cannot see on which side a line begins. */
function who(item, model) {
  if (item.from === "note") return "";
  if (item.from === "accessory") return "The accessory";
  const several = (model.state?.connections.length ?? 0) > 1;
  return several && item.connection !== undefined ? `Phone ${item.connection}` : "The phone";
}

function inspection(item, story) {
  const events = [...item.events];
  const packets = story.packetsOf(item);
  const last = events[events.length - 1];
  return el("div", { class: "inspection" },
    item.count > 1 ? el("p", {}, `${item.count} times, from ${clock(item.first)} to ${clock(item.time)}`) : null,
    last ? eventFacts(last) : null,
    events.length > 1 ? el("details", {}, el("summary", {}, `The last ${events.length} values`), el("ol", { class: "log" },
      events.toReversed().map((event) => el("li", {}, `${clock(event.time ?? 0)} ${valueText(event.value) || event.hex || ""}`)))) : null,
    packets === null ? null : packets.length ? packets.map(packetNode) : el("p", { class: "empty" },
      "Its packets were not watched, or are no longer kept."));
}

function eventFacts(event) {
  const value = event.value;
  const fields = value && typeof value === "object" && !Array.isArray(value) && value.hex === undefined ?
    Object.entries(value).map(([name, part]) => [name, valueText(part)]) : [["value", valueText(value)]];
  const rest = Object.entries(event).filter(([key]) => !hidden.has(key)).map(([key, part]) => [key.replaceAll("_", " "),
    valueText(part)]);
  return el("div", {}, definitions([...fields, ...rest]), event.hex ? octetTable(event.hex) : null);
}

function octetTable(hex) {
  const pairs = hex.match(/../g) ?? [];
  const rows = [];
  for (let start = 0; start < Math.min(pairs.length, 512); start += perRow)
    rows.push(`${start.toString(16).padStart(4, "0")}  ${pairs.slice(start, start + perRow).join(" ")}`);
  const node = el("pre", { class: "octets" });
  fill(node, rows.join("\n"));
  return node;
}

function packetNode(packet) {
  return el("details", { class: "packet" }, el("summary", {}, `${clock(packet.nanoseconds / 1e9)} ${packet.sent ? "→" : "←"} ${
    packet.type}: ${packet.text.slice(0, 200)}`), (packet.layers ?? []).map(layerNode));
}
