// The form that sets, notifies and indicates a value, as fields or as octets.

import { get, post, put } from "./api.js";
import { button, el, fill, form, select, setText } from "./dom.js";
import { control, hex } from "./form.js";

/** Makes the form of a characteristic. `path` returns its address in the API, and `show` gets every answer with the value. */
export function valueEditor(model, one, path, show) {
  const octets = hex(`Octets of ${one.id}`);
  const typed = one.form.kind === "hex" ? null : control(one.form, one.id, one.usual ?? {});
  const mode = typed ? modeOf(one, typed, octets) : null;
  octets.node.hidden = typed !== null;
  const value = () => typed && mode.value === "fields" ? { value: typed.read() } : octets.read();
  const target = select([], undefined, { "aria-label": `Who gets ${one.id}` });
  const result = el("output", {});
  const send = async (verb) => {
    const body = { ...value(), ...(target.value ? { connection: Number(target.value) } : {}) };
    const answer = await post(path(verb), body);
    setText(result, `sent to ${answer.sent}, queued for ${answer.queued}, dropped for ${answer.dropped}`);
    show(await get(path("value")));
  };
  const sends = [["notify", "Notify"], ["indicate", "Indicate"]].filter(([verb]) => one.properties.includes(verb));
  const connectionsChanged = () => offer(target, model.state?.connections ?? []);
  connectionsChanged();
  const node = form(async () => {
      const answer = await put(path("value"), value());
      show(answer);
      setText(result, "set");
    }, { class: "editor", "aria-label": `Value of ${one.id}` },
    typed?.node, octets.node,
    el("div", { class: "row" }, el("button", { "aria-label": `Set ${one.id}` }, "Set"),
      sends.map(([verb, text]) => button(text, () => send(verb), { "aria-label": `${text} ${one.id}` })),
      sends.length ? target : null, mode, result));
  return {
    node,
    connectionsChanged,
    write: (answer) => {
      octets.write(answer.hex);
      typed?.write(answer.value);
    },
  };
}

function modeOf(one, typed, octets) {
  const mode = select([["fields", "as fields"], ["hex", "as octets"]], "fields",
    { "aria-label": `How the value of ${one.id} is given` });
  mode.addEventListener("change", () => {
    typed.node.hidden = mode.value === "hex";
    octets.node.hidden = mode.value !== "hex";
  });
  return mode;
}

// What is chosen stays chosen as long as it exists.
function offer(target, connections) {
  const chosen = target.value;
  fill(target, el("option", { value: "" }, "to all subscribers"),
    connections.map((link) => el("option", { value: link.connection }, `to connection ${link.connection}`)));
  target.value = [...target.options].some((option) => option.value === chosen) ? chosen : "";
}
