// Elements. Everything that comes from a device or a profile becomes text, never markup.

/** Makes an element with attributes, listeners (`on`) and children, which are nodes or texts. Null is left out. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  set(element, attributes);
  append(element, children);
  return element;
}

/** Does the same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, attributes);
  append(element, children);
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on")
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "value") element.value = value;
    else if (name === "checked" || name === "open" || name === "disabled" || name === "hidden") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces the content of an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

const drawnStates = new WeakMap();

/** Replaces the content of a list if the state that it shows has changed. The focus stays on its control, or in its place. */
export function refill(element, state, make) {
  const text = JSON.stringify(state);
  if (drawnStates.get(element) === text) return;
  drawnStates.set(element, text);
  const controls = () => [...element.querySelectorAll("button, input, select, textarea")];
  const place = controls().indexOf(document.activeElement);
  const label = document.activeElement?.getAttribute("aria-label");
  fill(element, make());
  if (place < 0) return;
  const now = controls();
  (now.find((control) => control.getAttribute("aria-label") === label) ?? now[place])?.focus();
}

/** Makes these nodes the content of an element, and touches only those that are not there yet, so that the focus stays where it is. */
export function arrange(element, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...element.children])
    if (!wanted.has(child)) child.remove();
  for (const [place, node] of nodes.entries())
    if (element.children[place] !== node) element.insertBefore(node, element.children[place] ?? null);
}

/** Sets a text only if it differs, so that screen readers and selections are not disturbed. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

let lastID = 0;
/** Returns a new id for an element. */
export const newID = () => `e${++lastID}`;

/** Makes a control below its label. */
export function field(label, control, hint) {
  control.id ||= newID();
  return el("div", { class: "field" }, el("label", { for: control.id }, label), control, hint ? el("small", {}, hint) :
    null);
}

/** Makes a select from `[value, text]` pairs or texts. */
export function select(options, value, attributes = {}) {
  const element = el("select", attributes,
    options.map((option) => Array.isArray(option) ? el("option", { value: option[0] }, option[1]) : el(
    "option", { value: option }, option)));
  if (value !== undefined) element.value = value;
  return element;
}

/** Makes a button that performs an action, and shows a message when the action fails. */
export function button(text, action, attributes = {}) {
  return el("button", { type: "button", ...attributes, on: { click: (event) => attempt(() => action(event)) } }, text);
}

/** Makes a form that performs an action when it is submitted. */
export function form(action, attributes, ...children) {
  return el("form", { ...attributes, on: { submit: (event) => { event.preventDefault();
        attempt(action); } } }, ...children);
}

/** Performs an action, and shows a message when it fails. */
export async function attempt(action) {
  try {
    await action();
  } catch (error) {
    alertOf(error.message || String(error));
  }
}

/** Says something to people who cannot see what has changed. */
export function say(text) { document.getElementById("said").textContent = text; }

const mostAlerts = 3;
/** Shows a message until it is dismissed. */
export function alertOf(text) {
  const list = document.getElementById("alerts");
  const line = el("p", {}, text, " ", el("button", { type: "button", on: { click: () => line.remove() } }, "Dismiss"));
  list.append(line);
  while (list.children.length > mostAlerts) list.firstChild.remove();
}

/** Makes a part of an accessory's view that can be folded. */
export function panel(title, open, ...children) {
  const heading = el("h4", {}, title);
  const body = el("div", { class: "body" }, ...children);
  const node = el("details", { class: "panel", open }, el("summary", {}, heading), body);
  return { node, heading, body };
}

/** Makes a frame in which wide content scrolls. */
export function scrolling(label, child) {
  return el("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, child);
}

/** Makes a table with these headings and rows. */
export function table(caption, headings, rows) {
  return el("table", {}, el("caption", {}, caption),
    el("thead", {}, el("tr", {}, headings.map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell))))));
}

/** Makes a list of terms and their values. */
export function definitions(pairs) {
  return el("dl", {}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))));
}
