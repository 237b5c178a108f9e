// A characteristic in its service's card: its value at a glance, a switch or color where one fits, and all the rest when it is opened.

import { get, put } from "./api.js";
import { assigned } from "./assigned.js";
import { attempt, button, definitions, el, fill, scrolling, setText, table } from "./dom.js";
import { valueEditor } from "./editor.js";
import { clock, handle, valueText } from "./format.js";
import { Plot } from "./plot.js";
import { colourOf, cssColour, partsOf, shownForm, switchOf } from "./shown.js";
import { picture } from "./valueview.js";

const mostText = 120;
const short = (text) => text.length > mostText ? `${text.slice(0, mostText)}…` : text;

/** Makes the row of a characteristic. `tick()` draws what has changed since the last time. */
export function valueRow(model, characteristic) {
  const one = { ...characteristic, form: shownForm(characteristic.form, characteristic.show) };
  const known = assigned(one.uuid, one.hex);
  const form = one.form ?? known?.form;
  const view = picture(form, one.id, one.usual ?? {});
  const subscribers = el("span", { class: "subscribers" });
  const summary = el("summary", {}, el("span", { class: "label" }, one.show?.label ?? one.id.replaceAll("-", " ")), " ", subscribers, " ", view.node);
  const details = el("details", { class: "characteristic" }, summary);
  const quick = quickControl(model, one, form);
  const node = el("li", { class: quick ? "value-row has-quick" : "value-row" }, quick?.node, details);
  const draw = (hex, value, curves) => {
    view.draw(form?.as === "octets" ? { hex } : one.form ? value : assigned(one.uuid, hex)?.value ?? value, curves);
    quick?.draw(value);
  };
  draw(one.hex, one.value, model.values.get(one.id)?.curves);
  let inside = null,
    shown = 0;
  details.addEventListener("toggle", () => {
    if (!details.open || inside) return;
    inside = rowBody(model, one);
    details.append(inside.node);
    inside.read();
  });
  const connectionsChanged = () => {
    inside?.connectionsChanged();
    const count = subscribersOf(model, one).length;
    setText(subscribers, count ? `${count} subscribed` : "");
  };
  connectionsChanged();
  return {
    id: one.id,
    node,
    details,
    connectionsChanged,
    tick: () => {
      const values = model.values.get(one.id);
      if (!values || values.count === shown) return;
      shown = values.count;
      draw(values.hex, values.value, values.curves);
      if (details.open) inside?.draw(values);
    },
  };
}

const subscribersOf = (model, one) => (model.state?.connections ?? []).filter((link) =>
  link.subscriptions.some((each) => each.characteristic === one.id));

/** Makes the control that needs no form: a switch for what is on or off, a color for a color. */
function quickControl(model, one, form) {
  if (!one.form) return null;
  const set = (value) => attempt(() => put(model.at("characteristics", one.id, "value"), { value }));
  const states = switchOf(form),
    colour = colourOf(form);
  if (states) {
    const node = el("button", { type: "button", class: "quick toggle", role: "switch", "aria-checked": "false",
      "aria-label": `Switch ${one.show?.label ?? one.id}`,
      on: { click: () => set(node.getAttribute("aria-checked") === "true" ? states.off : states.on) } });
    return { node, draw: (value) => node.setAttribute("aria-checked", String(states.isOn(value))) };
  }
  if (colour) {
    let present;
    const node = el("input", { type: "color", class: "quick", "aria-label": `Choose ${one.show?.label ?? one.id}` });
    node.addEventListener("change", () => set(colour.put(partsOf(node.value), present)));
    return {
      node,
      draw: (value) => {
        present = value;
        if (document.activeElement !== node) node.value = cssColour(colour.read(value));
      },
    };
  }
  return null;
}

function rowBody(model, one) {
  const path = (...parts) => model.at("characteristics", one.id, ...parts);
  const present = el("p", { class: "octets" }),
    latest = el("div", {}),
    plots = el("div", { class: "plots" }),
    who = el("div", {});
  const curves = new Map();
  const show = ({ hex, value }) => fill(present, el("code", { class: "value" }, short(valueText(value)) || "none"), " ",
    el("code", {}, hex ? `0x${short(hex)}` : ""));
  const editor = one.form ? valueEditor(model, one, path, show) : null;
  const read = async () => {
    const answer = await get(path("value"));
    show(answer);
    editor?.write(answer);
  };
  const connectionsChanged = () => {
    editor?.connectionsChanged();
    fill(who, facts(model, one));
  };
  connectionsChanged();
  const node = el("div", { class: "inside" }, editor?.node, plots,
    el("div", { class: "row" }, button("Read", read, { "aria-label": `Read ${one.id}` }), present), who,
    one.behavior ? el("details", {}, el("summary", {}, "Behavior"), scrolling(`Behavior of ${one.id}`,
      el("pre", {}, JSON.stringify(one.behavior, null, 2)))) : null,
    latest);
  return {
    node,
    connectionsChanged,
    read: () => read().catch(() => {}),
    draw: (values) => {
      show(values);
      drawPlots(one, values, curves, plots);
      const rows = values.samples.newest(8).reverse().map((sample) => [clock(sample.time), sample.from, short(
        valueText(sample.value)), el("code", {}, short(sample.hex))]);
      if (rows.length) fill(latest, scrolling(`Latest values of ${one.id}`, table("Latest values",
        ["Time", "By", "Value", "Octets"], rows)));
    },
  };
}

function facts(model, one) {
  return definitions([
    ["Name", one.name],
    ["Id", one.id],
    ["UUID", one.uuid],
    ["Handle", handle(one.value_handle)],
    ["Properties", one.properties.join(", ")],
    ["Descriptors", one.descriptors.map((each) => `${each.uuid} at ${handle(each.handle)}`).join(", ")],
    ["Subscribers", subscribersOf(model, one).map((link) => `connection ${link.connection}`).join(", ") || "none"],
  ]);
}

function drawPlots(one, values, curves, plots) {
  for (const [name, curve] of values.curves) {
    const form = formOf(one.form, name);
    if (curve.length < 2 || form?.as === "hidden") continue;
    let plot = curves.get(name);
    if (!plot) {
      curves.set(name, plot = new Plot(name ? `${one.id} ${name}` : one.id));
      plots.append(el("figure", {}, el("figcaption", {}, form?.label ?? (name || one.id)), plot.node));
    }
    plot.draw(curve, form?.unit ?? "");
  }
}

/** Returns the form of a number by its name; undefined if it has none. */
function formOf(form, name) {
  if (!form || name === "") return form;
  const [first, ...rest] = name.split(".");
  const inner = form.fields?.find((member) => member.name === first)?.form ?? form.of;
  return inner ? formOf(inner.kind === "list" ? inner.of : inner, rest.join(".")) : undefined;
}
