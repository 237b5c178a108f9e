// Bonds, the ways to break them, and how the accessory pairs.

import { getIfAny, post, put, remove } from "./api.js";
import { button, definitions, el, form, panel, refill, select, setText } from "./dom.js";

// Those that need more than their name are among all requests.
const alterations = ["wrong-ltk", "without-ltk", "changed-irk", "without-subscriptions"];

export function bondsPanel(model) {
  const { node, heading, body } = panel("Bonds", false);
  const list = el("ul", { class: "cards" });
  const none = el("p", { class: "empty" }, "There are no bonds.");
  body.append(none, list);
  return {
    node,
    changed: (part) => {
      if (part !== "bonds") return;
      node.hidden = model.bonds === null;
      const bonds = model.bonds ?? [];
      none.hidden = bonds.length > 0;
      setText(heading, bonds.length ? `Bonds (${bonds.length})` : "Bonds");
      refill(list, bonds, () => bonds.map((bond) => {
        const how = select(alterations,
        "wrong-ltk", { "aria-label": `How to damage the bond with ${bond.peer}` });
        return el("li", {}, el("b", {}, bond.name ? `${bond.name}, ${bond.peer}` : bond.peer), definitions([
          ["Keys", (bond.keys ?? []).join(", ")],
          ["Key size", bond.key_size],
          ["Authenticated", bond.authenticated ? "yes" : "no"],
          ["LE Secure Connections", bond.secure_connections ? "yes" : "no"],
        ]), el("div", { class: "row" },
          button("Forget", async () => { await remove(model.at("bonds", bond.id));
            model.want("bonds"); }, { "aria-label": `Forget the bond with ${bond.peer}` }),
          how, button("Break", async () => { await post(model.at("bonds", bond.id, "alter"), { with: how
                .value });
            model.want("bonds"); }, { "aria-label": `Break the bond with ${bond.peer}` })));
      }));
    },
  };
}

export function securityPanel(model) {
  const { node, body } = panel("Pairing", false);
  const text = el("textarea", { rows: 6, spellcheck: "false", "aria-label": "How the accessory pairs, as JSON" });
  const result = el("output", {});
  body.append(form(async () => {
    let json;
    try { json = JSON.parse(text.value); } catch { throw new Error(
        "Expected JSON, such as {\"pairing\": \"display\"}."); }
    text.value = JSON.stringify(await put(model.at("security"), json), null, 2);
    setText(result, "set");
  }, {}, text, el("div", { class: "row" }, el("button", { "aria-label": "Set how the accessory pairs" }, "Set"),
    button("Reload", async () => { text.value = JSON.stringify(await getIfAny(model.at("security")), null,
      2); }, { "aria-label": "Reload how the accessory pairs" }), result)));
  return {
    node,
    changed: (part) => {
      if (part !== "rest") return;
      node.hidden = !model.security;
      if (document.activeElement !== text) text.value = JSON.stringify(model.security, null, 2);
    },
  };
}
