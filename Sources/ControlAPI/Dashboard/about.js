// What the accessory is and how a phone finds it: its description, its instructions, and a QR code of its name and address.

import { definitions, el, fill } from "./dom.js";
import { qrPicture } from "./qr.js";

export function aboutPanel(model) {
  const node = el("section", { class: "about", "aria-label": "About" });
  let drawn = "";
  return {
    node,
    changed: (part) => {
      if (part !== "state") return;
      const { name, about, instructions, address, address_type: type, controller, joining = [] } = model.state;
      const state = JSON.stringify([name, about, instructions, address, type, controller, joining]);
      if (state === drawn) return;
      drawn = state;
      fill(node, el("div", {}, about ? el("p", {}, about) : null, instructions ? el("details", { open: true },
        el("summary", {}, "Instructions"), el("p", { class: "instructions" }, instructions)) : null, definitions([
          ["Address", address ? `${address} (${type})` : "none yet"],
          ["Controller", controller],
          ["Hosts join at", joining.join(", ")],
        ])), qrPicture(`${name}\n${address ?? ""}`, `QR code of ${name}, ${address ?? "without an address"}`));
    },
  };
}
