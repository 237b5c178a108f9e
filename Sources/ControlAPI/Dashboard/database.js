// The database as a tree: services, and characteristics with their live values and controls.

import { get, post, put } from "./api.js";
import { control, hex } from "./form.js";
import { button, definitions, el, fill, form, panel, scrolling, select, setText, table } from "./dom.js";
import { clock, handle, valueText } from "./format.js";
import { Plot } from "./plot.js";

const mostText = 120;
const short = (text) => text.length > mostText ? `${text.slice(0, mostText)}…` : text;

export function databasePanel(model) {
  const { node, body } = panel("Services and characteristics", true);
  let rows = [];
  return {
    node,
    changed: (part) => {
      if (part === "state")
        for (const row of rows) row.connectionsChanged?.();
      if (part !== "database") return;
      const opened = new Set(rows.filter((row) => row.node.open).map((row) => row.id));
      const known = new Map(model.characteristics.map((one) => [one.id, one]));
      rows = [];
      fill(body, model.services.map((service) => serviceNode(model, service, known, rows, opened)));
    },
    tick: () => { for (const row of rows) row.tick(); },
  };
}

function serviceNode(model, service, known, rows, opened) {
  const items = service.characteristics.map((one) => {
    const row = characteristicRow(model, { ...one, ...known.get(one.id) });
    if (opened.has(one.id)) row.node.open = true;
    rows.push(row);
    return el("li", {}, row.node);
  });
  const range = `${handle(service.handle)}–${handle(service.end)}`;
  return el("section", { class: "service" },
    el("h4", {}, `${service.name ?? service.id} `, el("small", {},
      `${service.id}, ${service.uuid}, ${service.primary ? "primary" : "secondary"}, ${range}`)),
    el("ul", { class: "tree" }, items));
}

function characteristicRow(model, one) {
  const live = el("span", { class: "live" });
  const summary = el("summary", {}, el("b", {}, one.id), " ",
    el("small", {}, [one.name, one.uuid, handle(one.value_handle)].filter(Boolean).join(" · ")), " ", live);
  const node = el("details", { class: "characteristic" }, summary);
  let inside = null;
  if (!model.values.has(one.id)) setText(live, short(valueText(one.value)));
  node.addEventListener("toggle", () => {
    if (!node.open || inside) return;
    inside = characteristicBody(model, one);
    node.append(inside.node);
    inside.read();
  });
  let shown = 0;
  return {
    id: one.id,
    node,
    connectionsChanged: () => inside?.connectionsChanged(),
    tick: () => {
      const values = model.values.get(one.id);
      if (!values || values.count === shown) return;
      shown = values.count;
      setText(live, short(valueText(values.value)));
      if (node.open) inside?.draw(values);
    },
  };
}

function characteristicBody(model, one) {
  const path = (...parts) => model.at("characteristics", one.id, ...parts);
  const present = el("p", {}, "Value: "),
    latest = el("div", {}),
    plots = el("div", { class: "plots" });
  const curves = new Map();
  const body = el("div", { class: "body" }, definitions([
    ["Properties", one.properties.join(", ")],
    ["Descriptors", one.descriptors.map((each) => `${each.uuid} at ${handle(each.handle)}`).join(", ")],
  ]), one.behavior ? el("details", {}, el("summary", {}, "Behavior"), el("pre", {}, JSON.stringify(one
    .behavior, null, 2))) : null, present);

  const read = async () => {
    const answer = await get(path("value"));
    show(answer);
    editor?.write(answer);
  };
  const show = ({ hex: digits, value }) => fill(present, "Value: ", el("code", { class: "value" }, short(valueText(
    value)) || "none"), " ", el("code", {}, digits ? `0x${digits}` : ""));
  const editor = one.form ? valueEditor(model, one, path, show) : null;
  body.append(el("div", { class: "row" }, button("Read", read, { "aria-label": `Read ${one.id}` })), editor ? editor
    .node : "", plots, latest);
  return {
    node: body,
    read: () => read().catch(() => {}),
    connectionsChanged: () => editor?.connectionsChanged(),
    draw: (values) => {
      show(values);
      for (const [name, curve] of values.curves) {
        if (curve.length < 2) continue;
        let plot = curves.get(name);
        if (!plot) {
          curves.set(name, plot = new Plot(name ? `${one.id} ${name}` : one.id));
          plots.append(el("figure", {}, el("figcaption", {}, name || one.id), plot.node));
        }
        plot.draw(curve, unitOf(one.form, name));
      }
      const rows = values.samples.newest(8).reverse().map((sample) => [clock(sample.time), sample.from, short(
        valueText(sample.value)), el("code", {}, short(sample.hex))]);
      fill(latest, scrolling(`Latest values of ${one.id}`, table("Latest values", ["Time", "By", "Value", "Octets"],
        rows)));
    },
  };
}

function unitOf(form, name) {
  if (!form || name === "") return form?.unit ?? "";
  const [first, ...rest] = name.split(".");
  const inner = form.fields?.find((member) => member.name === first)?.form ?? form.of;
  return inner ? unitOf(inner.kind === "list" ? inner.of : inner, rest.join(".")) : "";
}

// The form that sets, notifies and indicates a value, as fields or as octets.
function valueEditor(model, one, path, show) {
  const octets = hex(`Octets of ${one.id}`);
  const typed = one.form.kind === "hex" ? null : control(one.form, one.id, one.usual ?? {});
  const mode = typed ? select([
    ["fields", "as fields"],
    ["hex", "as octets"]
  ], "fields", { "aria-label": `How the value of ${one.id} is given` }) : null;
  octets.node.hidden = typed !== null;
  mode?.addEventListener("change", () => {
    typed.node.hidden = mode.value === "hex";
    octets.node.hidden = mode.value !== "hex";
  });
  const value = () => typed && mode.value === "fields" ? { value: typed.read() } : octets.read();
  const target = select([
    ["", "to all subscribers"]
  ], "", { "aria-label": `Who gets ${one.id}` });
  const result = el("output", {});
  const send = async (verb) => {
    const body = { ...value(), ...(target.value ? { connection: Number(target.value) } : {}) };
    const answer = await post(path(verb), body);
    setText(result, `sent to ${answer.sent}, queued for ${answer.queued}, dropped for ${answer.dropped}`);
    show(await get(path("value")));
  };
  const sends = [
    ["notify", "Notify"],
    ["indicate", "Indicate"]
  ].filter(([verb]) => one.properties.includes(verb));
  const connectionsChanged = () => {
    const chosen = target.value;
    fill(target, el("option", { value: "" }, "to all subscribers"),
      (model.state?.connections ?? []).map((link) => el("option", { value: link.connection },
        `to connection ${link.connection}`)));
    target.value = [...target.options].some((option) => option.value === chosen) ? chosen : "";
  };
  connectionsChanged();
  const node = form(async () => {
      const answer = await put(path("value"), value());
      show(answer);
      setText(result, "set");
    }, { class: "editor", "aria-label": `Value of ${one.id}` },
    mode, typed?.node, octets.node,
    el("div", { class: "row" }, el("button", { "aria-label": `Set ${one.id}` }, "Set"),
      sends.map(([verb, text]) => button(text, () => send(verb), { "aria-label": `${text} ${one.id}` })), sends
      .length ? target : null, result));
  return {
    node,
    connectionsChanged,
    write: (answer) => {
      octets.write(answer.hex);
      typed?.write(answer.value);
    },
  };
}
