// Forms for values, made from the format of a characteristic (`form` in GET /v1/characteristics).

import { el, field, newID, select } from "./dom.js";
import { digits } from "./format.js";

const mostSteps = 65_536;

/**
 * Makes a control for a value of a form. `node` is what is shown, `read()` returns the value or undefined when it is left out, and
 * `write(value)` shows a value. `usual` holds the limits of generated values, by the name of the field, or "" for the value itself.
 */
export function control(form, label, usual = {}, range = usual[""]) {
  switch (form?.kind) {
    case "boolean":
      return flag(label);
    case "number":
      return numeric(form, label, range);
    case "names":
      return named(form, label);
    case "flags":
      return flags(form, label);
    case "object":
      if (isColour(form)) return colour(form, label, usual);
      return structure(form, label, usual);
    case "list":
      return list(form, label);
    case "text":
      return line(label, { maxlength: form.length ?? 512 });
    case "date-time":
      return dateTime(label);
    case "uuid":
    case "time-zone":
      return line(label, {});
    default:
      return hex(label);
  }
}

function line(label, attributes) {
  const input = el("input", { type: "text", autocomplete: "off", ...attributes });
  return { node: field(label, input), read: () => input.value, write: (value) => { input.value = value ?? ""; } };
}

/** Makes an input for octets as hexadecimal digits. */
export function hex(label) {
  const input = el("input", { type: "text", class: "hex", autocomplete: "off", spellcheck: "false" });
  return {
    node: field(label, input, "hexadecimal digits"),
    input,
    read: () => ({ hex: digits(input.value) }),
    write: (value) => { input.value = typeof value === "string" ? value : value?.hex ?? ""; },
  };
}

function flag(label) {
  const input = el("input", { type: "checkbox", role: "switch" });
  const node = el("label", { class: "switch" }, input, " ", label);
  return { node, read: () => input.checked, write: (value) => { input.checked = value === true; } };
}

function numeric(form, label, usual) {
  const unit = form.unit ? ` (${form.unit})` : "";
  const input = el("input", { type: "number", step: form.step ?? "any", min: form.min, max: form.max,
    inputmode: "decimal" });
  const parts = [field(label + unit, input)];
  const [low, high] = form.as === "gauge" ? form.range : sliderRange(form, usual);
  let slider = null;
  if (low !== null) {
    slider = el("input", { type: "range", min: low, max: high, step: form.step ??
      "any", "aria-label": `${label}${unit}, slider` });
    slider.addEventListener("input", () => { input.value = slider.value; if (special) special.value = ""; });
    input.addEventListener("input", () => { if (input.value !== "") slider.value = input.value; });
    parts.push(slider);
  }
  const special = form.special ? select([
    ["", "the number"], ...form.special
  ], "", { "aria-label": `${label}, instead of a number` }) : null;
  if (special) parts.push(special);
  return {
    node: el("div", { class: "number" }, parts),
    read: () => special?.value || (input.value === "" ? undefined : Number(input.value)),
    write: (value) => {
      if (special) special.value = typeof value === "string" && form.special.includes(value) ? value : "";
      input.value = typeof value === "number" ? value : "";
      if (slider && typeof value === "number") slider.value = value;
    },
  };
}

/** Returns the range of a slider: the usual range and some more, or else the whole range if it does not have too many steps. */
function sliderRange(form, usual) {
  const least = form.min ?? -Infinity,
    most = form.max ?? Infinity,
    step = form.step || 1;
  if (usual) {
    const room = (usual[1] - usual[0]) / 2;
    return [Math.max(least, Math.floor((usual[0] - room) / step) * step), Math.min(most, Math.ceil((usual[1] + room) /
      step) * step)];
  }
  return (most - least) / step <= mostSteps ? [least, most] : [null, null];
}

function named(form, label) {
  const other = el("input", { type: "number", min: 0, max: form.max, "aria-label": `${label}, as a number`,
    hidden: true });
  const input = select([...form.names, ["\u0000", "another number"]]);
  input.addEventListener("change", () => { other.hidden = input.value !== "\u0000"; });
  return {
    node: el("div", { class: "number" }, field(label, input), other),
    read: () => input.value === "\u0000" ? Number(other.value) : input.value,
    write: (value) => {
      const isNamed = form.names.includes(value);
      input.value = isNamed || value === undefined ? value ?? form.names[0] : "\u0000";
      other.hidden = input.value !== "\u0000";
      if (!isNamed && typeof value === "number") other.value = value;
    },
  };
}

function flags(form, label) {
  const boxes = form.names.map((name) => el("input", { type: "checkbox", value: name }));
  const node = el("fieldset", {}, el("legend", {}, label), boxes.map((box) => el("label", { class: "switch" }, box, " ",
    box.value)));
  return {
    node,
    read: () => boxes.filter((box) => box.checked).map((box) => box.value),
    write: (value) => { for (const box of boxes) box.checked = Array.isArray(value) && value.includes(box.value); },
  };
}

function dateTime(label) {
  const input = el("input", { type: "datetime-local", step: 1 });
  return {
    node: field(label, input, "empty: unknown"),
    read: () => input.value === "" ? "unknown" : input.value.length === 16 ? `${input.value}:00` : input.value,
    write: (value) => { input.value = value && value !== "unknown" ? value : ""; },
  };
}

function structure(form, label, usual) {
  const members = form.fields.map((member) => {
    const inner = control(member.form, member.name, {}, usual[member.name]);
    const given = member.optional ? el("input", { type: "checkbox", "aria-label": `${member.name} is given` }) :
      null;
    if (given) {
      inner.node.addEventListener("input", () => { given.checked = true; });
      inner.node.addEventListener("change", () => { given.checked = true; });
      inner.write(member.default);
    }
    return { name: member.name, inner, given };
  });
  const node = el("fieldset", {}, el("legend", {}, label),
    members.map(({ inner, given }) => el("div", { class: "member" }, given, inner.node)));
  return {
    node,
    read: () => {
      const value = {};
      for (const { name, inner, given } of members) {
        const part = given && !given.checked ? undefined : inner.read();
        if (part !== undefined) value[name] = part;
      }
      return value;
    },
    write: (value) => {
      for (const { name, inner, given } of members) {
        const part = value?.[name];
        if (given) given.checked = part !== undefined;
        if (part !== undefined) inner.write(part);
      }
    },
  };
}

export const primaries = ["red", "green", "blue"];

/** Returns whether a value is a color: it has three octets called red, green and blue, and perhaps more fields. */
export function isColour(form) {
  return primaries.every((name) => form.fields.some((member) => member.name === name && !member.optional && member
    .form.kind === "number" && member.form.min === 0 && member.form.max === 255));
}

/** Makes a control for a color, which is chosen as a whole or part by part. */
function colour(form, label, usual) {
  const parts = structure(form, label, usual);
  const input = el("input", { type: "color" });
  const two = (value) => Math.max(0, Math.min(255, Math.round(value ?? 0))).toString(16).padStart(2, "0");
  const show = () => {
    const value = parts.read();
    input.value = `#${primaries.map((name) => two(value[name])).join("")}`;
  };
  input.addEventListener("input", () => {
    const octets = primaries.map((name, index) => [name, parseInt(input.value.slice(1 + 2 * index, 3 + 2 * index), 16)]);
    parts.write({ ...parts.read(), ...Object.fromEntries(octets) });
  });
  parts.node.addEventListener("input", show);
  return {
    node: el("div", {}, field(`${label}, as a color`, input), parts.node),
    read: parts.read,
    write: (value) => {
      parts.write(value);
      show();
    },
  };
}

function list(form, label) {
  const rows = el("ol", {});
  let members = [];
  const add = (value) => {
    const inner = control(form.of, `${label} ${members.length + 1}`);
    const row = el("li", {}, inner.node);
    const member = { inner, row };
    row.append(el("button", {
      type: "button",
      "aria-label": `Remove ${label} ${members.length + 1}`,
      on: {
        click: () => {
          members = members.filter((other) => other !== member);
          row.remove();
          node.dispatchEvent(new Event("change", { bubbles: true }));
        }
      }
    }, "Remove"));
    members.push(member);
    rows.append(row);
    if (value !== undefined) inner.write(value);
  };
  const id = newID();
  const node = el("fieldset", { id }, el("legend", {}, label), rows,
    form.length ? null : el("button", { type: "button", on: { click: () => { add();
          node.dispatchEvent(new Event("change", { bubbles: true })); } } }, `Add to ${label}`));
  return {
    node,
    read: () => members.map(({ inner }) => inner.read()),
    write: (value) => {
      members = [];
      rows.replaceChildren();
      for (const part of Array.isArray(value) ? value : []) add(part);
    },
  };
}
