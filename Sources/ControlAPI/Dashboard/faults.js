// Faults to arm, and the buttons and triggers of a profile, where the program has them.

import { post, put, remove } from "./api.js";
import { button, el, field, fill, form, panel, select } from "./dom.js";
import { valueText } from "./format.js";

export function faultsPanel(model) {
  const { node, body } = panel("Faults", false);
  node.hidden = true;
  return { node, changed: () => { node.hidden = !model.faults; } };
}

export function buttonsPanel(model) {
  const { node, body } = panel("Buttons", true);
  node.hidden = true;
  return { node, changed: () => { node.hidden = !model.buttons; } };
}
