// Snapshots: states that were stored and can be restored.

import { get, post, remove } from "./api.js";
import { button, el, field, fill, form, panel, setText } from "./dom.js";

export function snapshotsPanel(model) {
  const { node, heading, body } = panel("Snapshots", false);
  const list = el("ul", { class: "cards" });
  const id = el("input", { type: "text", autocomplete: "off" });
  body.append(list, form(async () => {
    await post(model.at("snapshots"), id.value ? { id: id.value } : {});
    id.value = "";
    await draw();
  }, { class: "row" }, field("Name of the snapshot", id), el("button", {}, "Store")));
  node.addEventListener("toggle", () => { if (node.open) draw().catch(() => {}); });

  async function draw() {
    const { snapshots } = await get(model.at("snapshots"));
    setText(heading, snapshots.length ? `Snapshots (${snapshots.length})` : "Snapshots");
    fill(list, snapshots.map((one) => el("li", { class: "row" }, el("b", {}, one.id), button("Restore", () =>
      post(model.at("snapshots", one.id, "restore")), { "aria-label": `Restore snapshot ${one.id}` }), button("Delete", async () => {
      await remove(model.at("snapshots", one.id));
      await draw();
    }, { "aria-label": `Delete snapshot ${one.id}` }))));
  }
  return { node };
}
