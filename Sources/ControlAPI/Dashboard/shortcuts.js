// Keyboard shortcuts of one key: the table of them, the list that shows it, and the listener. They can be turned off (WCAG 2.1.4).

import { el, table } from "./dom.js";

// The row of each key says what it does and where, and `act` does it to the view of an accessory. docs/dashboard.md has the same rows.
const shortcuts = [
  { key: "?", what: "Show this list", where: "everywhere" },
  { key: "Esc", what: "Close this list", where: "this list" },
  { key: "1", what: "Go to the accessory", where: "Accessory", act: (view) => view.go("thing") },
  { key: "2", what: "Go to the conversation", where: "Conversation", act: (view) => view.go("talk") },
  { key: "3", what: "Go to the bench", where: "Bench", act: (view) => view.go("bench") },
  { key: "/", what: "Find in the conversation", where: "Conversation", act: (view) => view.perform("find", "talk") },
  { key: "p", what: "Pause the conversation, or continue it", where: "Conversation", act: (view) => view.perform("pause") },
  { key: "f", what: "Filter the packets", where: "Bench: Packets", act: (view) => view.perform("filter", "bench") },
  { key: "a", what: "Stop advertising, or start it", where: "Bench: Advertising", act: (view) => view.perform("advertise") },
];
// Where letters are typed, or choose something.
const fields = 'input:not([type="checkbox"]), textarea, select, [contenteditable]';
const setting = "understudy-shortcuts";
const areOn = () => localStorage.getItem(setting) !== "off";

/** Listens to the keys, and opens the list when `opener` is pressed. `current()` returns the view that the keys act on. */
export function listenToKeys(opener, current) {
  const list = shortcutList();
  document.body.append(list);
  opener.addEventListener("click", () => list.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat || event.defaultPrevented) return;
    if (list.open || !areOn() || event.target.closest?.(fields)) return;
    const row = shortcuts.find((one) => one.key === event.key.toLowerCase());
    const view = current();
    if (!row || (row.act && !view)) return;
    event.preventDefault();
    if (row.act) row.act(view);
    else list.showModal();
  });
}

function shortcutList() {
  const heading = el("h2", { id: "shortcuts-title" }, "Keyboard shortcuts");
  const isOn = el("input", { type: "checkbox", role: "switch", checked: areOn() });
  isOn.addEventListener("change", () => {
    if (isOn.checked) localStorage.removeItem(setting);
    else localStorage.setItem(setting, "off");
  });
  const list = el("dialog", { id: "shortcuts", "aria-labelledby": heading.id }, heading,
    table("Of several accessories, they act on the one with the focus, or else on the first.", ["Key", "What", "Where"],
      shortcuts.map(({ key, what, where }) => [el("kbd", {}, key), what, where])),
    el("div", { class: "row" }, el("label", { class: "switch" }, isOn, " Shortcuts of one key are on"),
      el("button", { type: "button", autofocus: true, on: { click: () => list.close() } }, "Close")));
  return list;
}
