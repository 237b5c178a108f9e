// Faults, if the program supports them: when they happen, what they do, and how often they have happened.

import { post, remove } from "./api.js";
import { button, definitions, el, field, fill, form, panel, refill, select, setText } from "./dom.js";
import { valueText } from "./format.js";

const occasions = [
  ["read", "a read of"],
  ["write", "a write to"],
  ["access", "a read or write of"],
  ["subscribe", "a subscription to"],
  ["notify", "a notification of"],
  ["indicate", "an indication of"],
  ["connected", "a connection"],
  ["encrypted", "encryption"],
];
const deeds = [
  ["error", "answer with the error"],
  ["delay", "delay by"],
  ["ignore", "ignore"],
  ["drop", "drop"],
  ["duplicate", "duplicate"],
  ["truncate", "cut to this many octets"],
  ["corrupt", "corrupt"],
  ["value", "give the value"],
  ["disconnect", "disconnect, because of"],
  ["vanish", "vanish for"],
];
// An example of what each deed needs. The deeds that are missing here need nothing.
const examples = { error: "0x80", delay: "5 s", truncate: "3", value: "hex:63", disconnect: "low-resources",
  vanish: "10 s" };

export function faultsPanel(model) {
  const { node, heading, body } = panel("Faults", false);
  const none = el("p", { class: "empty" }, "There are no faults.");
  const list = el("ul", { class: "cards" });
  const occasion = select(occasions, "read"),
    characteristic = el("select", {}),
    deed = select(deeds, "error");
  const detail = el("input", { type: "text", value: "0x80", autocomplete: "off" });
  const times = el("input", { type: "number", min: 1, step: 1 });
  const own = el("textarea", { rows: 3, spellcheck: "false", "aria-label": "A fault as JSON" });
  occasion.addEventListener("change", () => { characteristic.disabled = ["connected", "encrypted"].includes(occasion
      .value); });
  deed.addEventListener("change", () => {
    detail.disabled = !(deed.value in examples);
    detail.value = examples[deed.value] ?? "";
  });
  const arm = async (fault) => {
    await post(model.at("faults"), fault);
    model.want("faults");
  };
  body.append(none, list,
    form(() => arm({
        on: characteristic.disabled ? occasion.value : {
          [occasion.value]: characteristic.value },
        do: detail.disabled ? deed.value : {
          [deed.value]: /^\d+$/.test(detail.value) ? Number(detail.value) : detail.value },
        ...(times.value ? { times: Number(times.value) } : {}),
      }), { class: "row" }, field("On", occasion), field("Characteristic", characteristic), field("Do", deed), field(
        "With", detail),
      field("Times at most", times), el("button", {}, "Arm fault")),
    el("details", {}, el("summary", {}, "With all keys"), form(() => {
      let fault;
      try { fault = JSON.parse(own.value); } catch { throw new Error(
          "Expected JSON, such as {\"on\": {\"read\": \"level\"}, \"do\": \"ignore\"}."); }
      return arm(fault);
    }, {}, own, el("button", { "aria-label": "Arm the fault given as JSON" }, "Arm"))),
    button("Disarm all", async () => { await remove(model.at("faults"));
      model.want("faults"); }, { "aria-label": "Disarm all faults" }));
  node.hidden = true;

  return {
    node,
    changed: (part) => {
      if (part === "database") {
        const chosen = characteristic.value || "any";
        fill(characteristic, el("option", { value: "any" }, "any"), model.characteristics.map((one) => el(
        "option", { value: one.id }, one.id)));
        characteristic.value = chosen;
      }
      if (part !== "faults") return;
      node.hidden = !model.faults;
      const faults = model.faults?.faults ?? [];
      none.hidden = faults.length > 0;
      setText(heading, faults.length ? `Faults (${faults.length})` : "Faults");
      refill(list, faults, () => faults.map(({ id, on, do: what, seen, fired, ...rest }) => el("li", {}, el("b", {}, id), definitions(
        [
          ["On", valueText(on)],
          ["Do", valueText(what)],
          ["Occasions", seen],
          ["Happened", fired],
          ...Object.entries(rest).map(([key, value]) => [key, valueText(value)]),
        ]), button("Disarm", async () => { await remove(model.at("faults", id));
        model.want("faults"); }, { "aria-label": `Disarm fault ${id}` }))));
    },
  };
}
