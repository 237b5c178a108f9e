// A layer of a packet: its fields, and its octets, in which the chosen field is marked.

import { el } from "./dom.js";

/** Makes the picture of a layer as `GET /v1/packets?tree=true` describes it. */
export function layerNode(layer) {
  const octets = layer.octets.match(/../g) ?? [];
  const cells = octets.map((octet) => el("span", {}, octet, " "));
  const mark = (range, on) => { for (let place = range[0]; place < Math.min(range[1], cells.length); place += 1) cells[
      place].classList.toggle("marked", on); };
  const fieldNode = (one) => {
    const text = one.meaning ?
      `${one.name}: ${one.value === one.meaning ? one.meaning : `${one.value}, ${one.meaning}`}` :
      `${one.name}: ${one.value}`;
    const item = el("li", {
      tabindex: "0",
      on: {
        focus: () => mark(one.range, true),
        blur: () => mark(one.range, false),
        mouseenter: () => mark(one.range, true),
        mouseleave: () => mark(one.range, false),
      }
    }, text);
    return one.fields ? [item, el("li", {}, el("ul", {}, one.fields.map(fieldNode)))] : item;
  };
  return el("details", { open: true }, el("summary", {}, `${layer.name}: ${layer.title}`), el("ul", {}, layer.fields
    .map(fieldNode)), el("p", { class: "octets" }, cells));
}
