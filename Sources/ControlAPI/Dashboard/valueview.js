// Values as what they are: figures with units and gauges, words, lamps, colors, texts; octets only when nothing else is known.

import { el, fill, setText } from "./dom.js";
import { number, valueText } from "./format.js";
import { colourOf, cssColour, seenFields, switchOf } from "./shown.js";
import { Spark } from "./spark.js";

const mostText = 120,
  mostOctets = 8,
  mostDigits = 7,
  mostElements = 6;
// Units that are longer in the assigned numbers than on any instrument.
const shortUnits = { "beats per minute": "bpm", "revolutions per minute": "rpm", percentage: "%" };
const shortUnit = (form) => shortUnits[form.unit] ?? form.unit;

/**
 * Makes the picture of a value of a form, as `shownForm` returns it. `node` is what is shown, and `draw(value, curves)` shows a value
 * and the history of its numbers. `usual` holds the limits of generated values by the name of the field, or "" for the value itself.
 */
export function picture(form, name, usual = {}) {
  const colour = form ? colourOf(form) : null;
  const isRaw = !form || form.as === "octets" || (form.kind === "hex" && !colour);
  const typed = isRaw ? null : typedPicture(form, name, usual, "");
  const raw = octetsPicture();
  const node = el("span", { class: "picture" }, typed?.node, raw.node);
  return {
    node,
    draw: (value, curves = new Map()) => {
      // A value of no octets has no color.
      const isTyped = typed !== null && value !== null && value !== undefined &&
        (isOctets(value) ? form.kind === "hex" && value.hex !== "" : true);
      if (typed) typed.node.hidden = !isTyped;
      raw.node.hidden = isTyped;
      if (isTyped) typed.draw(value, curves);
      else raw.draw(value);
    },
  };
}

const isOctets = (value) => typeof value === "object" && !Array.isArray(value) && typeof value.hex === "string" &&
  Object.keys(value).length === 1;

function typedPicture(form, name, usual, path) {
  const states = switchOf(form),
    colour = colourOf(form);
  if (states) return lamp(form, states);
  if (colour) return swatch(colour);
  if (form.as === "text") return words();
  switch (form.kind) {
    case "number":
      return figure(form, name, usual[path], path);
    case "names":
      return word("word", (value) => spaced(valueText(value)));
    case "flags":
      return flags();
    case "object":
      return structure(form, name, usual, path);
    case "list":
      return series(form, name, path);
    default:
      return words();
  }
}

const words = () => word("words", (value) => value === "" ? "empty" : cut(valueText(value)));

/** Shows the state of a switch: the names of its states, if they have names. */
function lamp(form, { isOn }) {
  return word("lamp", (value) => form.kind === "names" ? spaced(valueText(value)) : isOn(value) ? "on" : "off",
    (node, value) => { node.dataset.on = String(isOn(value)); });
}

const spaced = (text) => text.replaceAll("-", " ");
const cut = (text) => text.length > mostText ? `${text.slice(0, mostText)}…` : text;

function word(kind, textOf, mark = () => {}) {
  const node = el("span", { class: kind });
  return {
    node,
    draw: (value) => {
      setText(node, textOf(value));
      mark(node, value);
    },
  };
}

/** Returns a number with the places that its steps need. */
function figureText(value, step = 0.01) {
  if (typeof value !== "number") return spaced(valueText(value));
  const places = step >= 1 ? 0 : Math.min(9, Math.ceil(-Math.log10(step) - 1e-9));
  return String(Number(value.toFixed(places)));
}

function figure(form, name, usual, path) {
  const digits = el("b", { class: "digits" });
  const unit = form.unit ? el("span", { class: "unit" }, shortUnit(form)) : null;
  const range = rangeOf(form, usual);
  const level = range ? el("span", { class: "level" }) : null;
  const bar = level ? el("span", { class: "gauge", "aria-hidden": "true" }, level) : null;
  // A gauge that the profile asks for says where it begins and ends.
  const scale = bar && form.as === "gauge" ?
    el("span", { class: "scaled", "aria-hidden": "true" }, number(range[0]), bar, number(range[1])) : bar;
  const spark = new Spark(path || name);
  const node = el("span", { class: "figure" }, el("span", { class: "amount" }, digits, unit ? [" ", unit] : null),
    scale, spark.node);
  return {
    node,
    draw: (value, curves) => {
      const text = figureText(value, form.step);
      setText(digits, text);
      digits.classList.toggle("long", text.length > mostDigits);
      if (level && typeof value === "number") level.style.inlineSize = `${100 * portion(value, range)}%`;
      spark.draw(curves.get(path));
    },
  };
}

/** Returns the range of a gauge; null for a number without one. */
function rangeOf(form, usual) {
  if (form.as === "number") return null;
  if (form.as === "gauge") return form.range;
  return form.unit === "%" ? [0, 100] : usual;
}

const portion = (value, [low, high]) => Math.max(0, Math.min(1, (value - low) / (high - low || 1)));

function flags() {
  const node = el("span", { class: "flags" });
  return {
    node,
    draw: (value) => {
      const names = Array.isArray(value) ? value : [];
      const text = names.join("\n");
      if (node.dataset.names === text) return;
      node.dataset.names = text;
      fill(node, names.length ? names.map((name) => el("span", { class: "flag" }, spaced(String(name)))) : "none");
    },
  };
}

function swatch(colour) {
  const patch = el("span", { class: "patch", "aria-hidden": "true" }),
    code = el("span", { class: "code" });
  const node = el("span", { class: "swatch" }, patch, code);
  return {
    node,
    draw: (value) => {
      const text = cssColour(colour.read(value));
      patch.style.backgroundColor = text;
      setText(code, text);
    },
  };
}

/** Returns the field that a structure is about: a gauge, one that the profile generates, or its only number; null if none stands out. */
function leadOf(fields, usual, path) {
  const generated = fields.find((member) => member.form.as === "gauge") ??
    fields.find((member) => usual[path ? `${path}.${member.name}` : member.name]);
  if (generated) return generated;
  const numbers = fields.filter((member) => member.form.kind === "number");
  const needed = numbers.filter((member) => !member.optional);
  if (needed.length === 1) return needed[0];
  return numbers.length === 1 ? numbers[0] : null;
}

function structure(form, name, usual, path) {
  const fields = seenFields(form);
  const lead = leadOf(fields, usual, path);
  const members = fields.map((member) => {
    const isPlain = member.form.kind === "hex" && member.form.as !== "color";
    const inside = typedPicture(isPlain ? { kind: "text" } : member.form, `${name} ${member.form.label ?? member.name}`, usual,
      path ? `${path}.${member.name}` : member.name);
    // “bpm 72 bpm” says nothing that “72 bpm” does not.
    const isClear = member.form.label === undefined && shortUnit(member.form) === member.name;
    const title = isClear ? null : el("span", { class: "part-name" }, member.form.label ?? spaced(member.name));
    const node = el("span", { class: member === lead ? "lead" : "part" }, title, " ", inside.node);
    return { member, inside, node };
  });
  const first = members.find((one) => one.member === lead);
  const node = el("span", { class: "structure" }, first?.node, el("span", { class: "parts" },
    members.filter((one) => one !== first).map((one) => one.node)));
  return {
    node,
    draw: (value, curves) => {
      for (const one of members) {
        const part = value?.[one.member.name];
        one.node.hidden = part === undefined;
        if (part !== undefined) one.inside.draw(part, curves);
      }
    },
  };
}

function series(form, name, path) {
  const unit = form.of?.unit ? ` ${shortUnit(form.of)}` : "";
  const elements = seriesText(form, unit);
  const spark = new Spark(path || name);
  return {
    node: el("span", { class: "series" }, elements.node, spark.node),
    draw: (value, curves) => {
      elements.draw(value);
      spark.draw(curves.get(path));
    },
  };
}

function seriesText(form, unit) {
  return word("elements", (value) => {
    const elements = Array.isArray(value) ? value : [value];
    if (elements.length === 0) return "none";
    const shown = elements.slice(-mostElements).map((one) => typeof one === "number" ? figureText(one, form.of?.step) :
      cut(valueText(one))).join(", ");
    return `${elements.length > mostElements ? "… " : ""}${shown}${unit}${elements.length > 1 ? ` (${elements.length})` : ""}`;
  });
}

function octetsPicture() {
  return word("raw", (value) => {
    const text = isOctets(value ?? {}) ? value.hex : null;
    if (text === null) return value === null || value === undefined ? "nothing yet" : cut(valueText(value));
    if (text === "") return "nothing yet";
    const pairs = text.match(/../g);
    return pairs.slice(0, mostOctets).join(" ") + (pairs.length > mostOctets ? ` … (${pairs.length} octets)` : "");
  });
}
