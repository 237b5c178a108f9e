// The time of the virtual radio, which can be advanced when the program runs with --speed.

import { getIfAny, post } from "./api.js";
import { button, el, field, form, panel, setText } from "./dom.js";
import { number } from "./format.js";

const jumps = ["1 s", "10 s", "1 min", "1 h"];

export function timePanel() {
  const { node, body } = panel("Time", false);
  const state = el("p", {}),
    how = el("p", { class: "empty" }, "Time passes as on any clock: start the program with --speed fast or a factor to advance it.");
  const amount = el("input", { type: "text", value: "30 s", autocomplete: "off", required: true });
  const advance = async (time) => {
    await post("/v1/radio/advance", { for: time });
    await draw();
  };
  const controls = el("div", {}, el("div", { class: "row" }, jumps.map((jump) => button(`+ ${jump}`, () => advance(jump),
    { "aria-label": `Advance the time by ${jump}` }))), form(() => advance(amount.value), { class: "row" },
    field("Advance the time by", amount), el("button", {}, "Advance")));
  body.append(state, how, controls);
  node.addEventListener("toggle", () => { if (node.open) draw().catch(() => {}); });

  async function draw() {
    const radio = await getIfAny("/v1/radio");
    node.hidden = !radio;
    if (!radio) return;
    const { elapsed_ms: elapsed, speed } = radio.time;
    const isReal = speed === "real";
    setText(state, `${number(elapsed / 1000, 1)} s since the start, speed: ${speed}`);
    how.hidden = !isReal;
    controls.hidden = isReal;
  }
  return { node };
}
