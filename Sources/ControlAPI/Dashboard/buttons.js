// The buttons that the profile's rules know, and the profile's state.

import { post } from "./api.js";
import { button, el, fill, panel, setText } from "./dom.js";

export function buttonsPanel(model) {
  const { node, body } = panel("Buttons", true);
  const state = el("p", { role: "status" }),
    list = el("div", { class: "row" });
  body.append(state, list);
  node.hidden = true;
  let known = null;
  return {
    node,
    changed: (part) => {
      if (part !== "buttons") return;
      const { buttons = [], state: present = null } = model.buttons ?? {};
      node.hidden = buttons.length === 0 && present === null;
      setText(state, present === null ? "" : `State: ${present}`);
      // Keep the focus on the button that has it.
      if (known === buttons.join("\n")) return;
      known = buttons.join("\n");
      fill(list, buttons.map((name) => button(name, async () => {
        await post(model.at("buttons", name));
        model.want("buttons");
      }, { "aria-label": `Press ${name}` })));
    },
  };
}
