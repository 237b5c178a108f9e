// The accessory as a whole: sleep, its initial state, and its identity.

import { post } from "./api.js";
import { button, el, panel, setText } from "./dom.js";

export function powerPanel(model) {
  const { node, body } = panel("Power and identity", false);
  const bonds = el("input", { type: "checkbox" });
  const result = el("output", {});
  const doing = (path, words) => async () => {
    await post(model.at(...path), path[0] === "reset" ? { bonds: bonds.checked } : undefined);
    setText(result, words);
  };
  const sleep = button("Sleep", doing(["sleep"], "asleep"), { "aria-label": "Put the accessory to sleep" });
  const wake = button("Wake", doing(["wake"], "awake"), { "aria-label": "Wake the accessory" });
  body.append(el("div", { class: "row" }, sleep, wake, button("New identity", doing(["identity", "rotate"], "a new identity"))),
    el("div", { class: "row" }, button("Reset", doing(["reset"], "as at the start"), { "aria-label": "Reset the accessory" }),
      el("label", { class: "switch" }, bonds, " and delete the bonds"), result));
  return {
    node,
    changed: (part) => {
      if (part !== "state") return;
      sleep.disabled = model.state.asleep;
      wake.disabled = !model.state.asleep;
    },
  };
}
