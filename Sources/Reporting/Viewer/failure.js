// The step that failed: the expected and the actual value, and the lines of the scenario and the profile.

import { valueOf } from "./data.js";
import { button, el } from "./dom.js";
import { valueText } from "./format.js";

/** Makes the card of a failure. `goThere` shows the moment in the list. */
export function failureCard(reported, goThere) {
  const { failure } = reported;
  return el("section", { class: "failure", "aria-labelledby": "failure-title" },
    el("h2", { id: "failure-title" }, failure.reason),
    failure.line ? el("p", {}, "The step ", el("code", {}, failure.step), " in ", el("code", {}, `${reported.file}:${failure.line}`)) : null,
    failure.time === null ? null : el("p", {}, `It failed ${(failure.time / 1e9).toFixed(3)} s after the beginning of the case.`),
    injections(failure.injected),
    failure.expected === null ? null : comparison(failure.expected, failure.actual),
    el("div", { class: "excerpts" }, excerpt("Scenario", reported.scenarioText), excerpt("Profile", reported.profileText)),
    goThere ? el("p", {}, button("Show what happened just before", goThere)) : null);
}

function injections(injected) {
  if (injected === null) return null;
  if (injected.length === 0) return el("p", {}, "No fault had been injected.");
  return el("div", { class: "injected" }, el("h3", {}, "Injected before"), el("ul", {}, injected.map((text) => el("li", {}, text))));
}

function excerpt(title, part) {
  if (!part) return null;
  const lines = part.lines.map((text, place) => {
    const number = part.first + place;
    const content = `${String(number).padStart(4)}  ${text}\n`;
    return number === part.marked ? el("mark", {}, content) : content;
  });
  return el("figure", {}, el("figcaption", {}, `${title}: ${part.file}, line ${part.marked}`), el("pre", {}, lines));
}

function comparison(expected, actual) {
  const [wanted, came] = [fieldsOf(expected), fieldsOf(actual)];
  if (wanted && came) return fieldTable(wanted, came);
  const [left, right] = marked(expected, actual);
  return el("div", { class: "beside" }, el("div", { class: "expected" }, el("h3", {}, "Expected"), el("pre", {}, left)),
    el("div", { class: "actual" }, el("h3", {}, "Actual"), el("pre", {}, right)));
}

/** Returns the fields of the last event in a text; null if there is none. */
function fieldsOf(text) {
  const value = valueOf(text.trim().split("\n").at(-1));
  return value && typeof value === "object" && !Array.isArray(value) ? value : null;
}

function fieldTable(wanted, came) {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(came)])];
  const rows = names.map((name) => {
    const isWanted = name in wanted;
    const differs = isWanted && JSON.stringify(wanted[name]) !== JSON.stringify(came[name]);
    const cell = (text) => el("td", {}, differs ? el("mark", {}, text) : text);
    return el("tr", {}, el("th", { scope: "row" }, name), cell(isWanted ? valueText(wanted[name]) : "anything"),
      cell(name in came ? valueText(came[name]) : "nothing"));
  });
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Expected and actual fields" },
    el("table", {}, el("thead", {}, el("tr", {}, ["Field", "Expected", "Actual"].map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, rows)));
}

/** Returns both texts in parts, with the octets marked that differ. */
function marked(expected, actual) {
  const pattern = /^hex:([0-9a-f]*)/i;
  const [left, right] = [pattern.exec(expected), pattern.exec(actual)];
  if (!left || !right) return [[expected], [actual]];
  const [ours, theirs] = [left, right].map((found) => found[1].match(/../g) ?? []);
  const parts = (own, other, text, found) => [...own.map((octet, place) => octet === other[place] ? `${octet} ` :
    [el("mark", {}, octet), " "]), own.length ? "" : "no octets", text.slice(found[0].length)];
  return [parts(ours, theirs, expected, left), parts(theirs, ours, actual, right)];
}
