// Everything about the chosen step, event or packet, down to the octets.

import { button, definitions, el, fill } from "./dom.js";
import { clock, valueText } from "./format.js";
import { layerNode } from "./layers.js";
import { seconds, span, wordsOf } from "./wording.js";

/** Makes the panel for the window's chosen happening. */
export function inspector(reported, window) {
  const body = el("div", { class: "layers", tabindex: "0", role: "region", "aria-label": "Its fields and octets" });
  const node = el("section", { class: "inspector", "aria-labelledby": "inspector-title" },
    el("h2", { id: "inspector-title" }, "The chosen line"), body);
  window.addEventListener("chosen", draw);
  draw();

  function draw() {
    const one = window.chosen;
    if (!one) return fill(body, el("p", { class: "empty" }, "Choose a line or a place on the time line."));
    fill(body, one.isMoment ? momentParts(one) : packetParts(one));
  }

  function timeFacts(one) {
    return [["time", `${seconds(one.time)} s`], ["time of day", reported.epoch === undefined ? null :
      clock(reported.epoch + one.time / 1e9)]];
  }

  function momentParts(one) {
    if (!one.event) return [el("p", { class: "headline" }, one.text), definitions([["who", one.who], ...timeFacts(one)])];
    return [el("p", { class: "headline" }, wordsOf(one)[1]), definitions([["who", one.who], ...timeFacts(one)]),
      definitions(Object.entries(one.event).map(([key, value]) => [key.replaceAll("_", " "), valueText(value)]))];
  }

  function packetParts(one) {
    const { track } = reported;
    const answered = track.answered(one);
    const state = one.isLost ? "lost: no receiver got it" : one.isFaulty ? "violates the protocol" : null;
    return [el("p", { class: "headline" }, track.text(one)), definitions([["where", track.lanes[one.lane].name], ["kind", one.type],
      ["direction", directionOf(one, track.lanes[one.lane])], ...timeFacts(one), ["state", state],
      ...one.remarks.map((remark) => ["remark", remark])]),
      answered ? el("p", {}, button(`Answers the line at ${seconds(answered.packet.time)} s`, () => window.choose(answered.packet)),
        answered.latency >= 0 ? ` after ${span(answered.latency)}` : "") : null, track.layers(one).map(layerNode)];
  }
  return { node };
}

function directionOf(packet, lane) {
  if (lane.viewpoint === "air") return packet.isSent ? "from the central" : "from the peripheral";
  return packet.isSent ? "from the host to its controller" : "from the controller to its host";
}
