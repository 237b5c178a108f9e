// What a profile says about how a value is shown (`show` in GET /v1/characteristics), and what follows from the form alone.

import { isColour, primaries } from "./form.js";
import { octets } from "./format.js";

/** Returns a form with what the profile says: `as`, `range`, `unit` and `label`, in its fields too. */
export function shownForm(form, show) {
  if (!form || !show) return form;
  const { as, from, to, unit, label, fields } = show;
  const shown = { ...form, as, label, range: from === undefined && to === undefined ? undefined : [from ?? 0, to ?? 1] };
  if (unit !== undefined) Object.assign(shown, form.kind === "list" ? { of: { ...form.of, unit } } : { unit });
  if (fields) {
    // What is said of a field says that there are fields to see.
    shown.as = "fields";
    shown.fields = form.fields.map((member) => ({ ...member, form: shownForm(member.form, fields[member.name]) }));
  }
  return shown;
}

/** Returns the fields that are not hidden. */
export const seenFields = (form) => form.fields.filter((member) => member.form.as !== "hidden");

/** Returns the values that mean off and on, and which values are on; null for a form that is no switch. */
export function switchOf(form) {
  const isSwitch = form.as === undefined ? form.kind === "boolean" : form.as === "switch";
  if (!isSwitch) return null;
  const [off, on] = { boolean: [false, true], names: form.names }[form.kind] ?? form.range ?? [0, 1];
  return { off, on, isOn: (value) => typeof value === "number" ? value !== off : value === on };
}

/** Returns how a color is read from a value, and put into it; null for a form that is no color. */
export function colourOf(form) {
  if (form.as !== "color" && !(form.as === undefined && form.kind === "object" && isColour(form))) return null;
  switch (form.kind) {
    case "object":
      return { read: (value) => primaries.map((name) => value?.[name] ?? 0),
        put: (parts, value) => ({ ...value, ...Object.fromEntries(primaries.map((name, index) => [name, parts[index]])) }) };
    case "list":
      return { read: (value) => value ?? [], put: (parts) => parts };
    default:
      return { read: (value) => [...octets(value?.hex ?? "")],
        put: (parts) => ({ hex: hexOf(parts) }) };
  }
}

const hexOf = (parts) => [0, 1, 2].map((index) => Math.max(0, Math.min(255, Math.round(parts[index] ?? 0))).toString(16)
  .padStart(2, "0")).join("");

/** Returns a color as CSS writes it. */
export const cssColour = (parts) => `#${hexOf(parts)}`;

/** Returns the three octets of a color that CSS writes. */
export const partsOf = (text) => [...octets(text.slice(1))];
