// What happened, in the order of time: steps, events and packets. Only the lines in view are elements, so ten thousand lines cost no more than
// twenty.

import { el, field, fill, select, setText } from "./dom.js";
import { counted, isAlarming, seconds, wordsOf } from "./wording.js";

const lineHeight = 24,
  reserve = 12;
const choices = [["usual", "all but advertising and empty packets"], ["all", "everything"], ["steps", "steps and events"],
  ["packets", "packets"], ["alarms", "faults, losses and refusals"]];
const warning = 2;

/** Returns the steps, events and packets of a case in one list. */
export function happeningsOf(reported) {
  const packets = reported.track?.packets ?? [];
  const all = [];
  let next = 0;
  for (const moment of reported.moments) {
    // Moments have whole microseconds. A step causes packets, and a packet causes the events of the same time.
    const time = moment.time + (moment.who === "step" ? 0 : 999);
    while (next < packets.length && packets[next].time <= time) all.push(packets[next++]);
    all.push(moment);
  }
  return all.concat(packets.slice(next));
}

const isQuiet = (one) => !one.isMoment && one.level === 0 && !one.isLost && !one.isFaulty;
const alarms = (one) => one.isMoment ? isAlarming(one) : one.isLost || one.isFaulty || one.level >= warning;
const tests = { usual: (one) => !isQuiet(one), all: () => true, steps: (one) => one.isMoment, packets: (one) => !one.isMoment,
  alarms };

/** Makes the list of happenings. It marks the line of `window.chosen`. */
export function happeningList(reported, window) {
  const track = reported.track;
  const all = happeningsOf(reported);
  const words = el("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const kind = select(choices, "usual");
  const state = el("p", { class: "count", role: "status" });
  const space = el("div", { class: "space", role: "presentation" });
  const list = el("div", { class: "happenings", role: "listbox", tabindex: "0", "aria-label": "What happened" }, space);
  const node = el("section", { class: "story", "aria-labelledby": "story-title" }, el("h2", { id: "story-title" }, "What happened"),
    el("div", { class: "row" }, field("Show", kind), field("Find", words)), state, list);
  let shown = [];

  function textOf(one) {
    return one.isMoment ? wordsOf(one).join(" ") : `${track.lanes[one.lane].name} ${one.type} ${track.text(one)}`;
  }

  function arrange(keepsPlace = true) {
    const wanted = words.value.toLowerCase();
    shown = all.filter((one) => tests[kind.value](one) && (!wanted || textOf(one).toLowerCase().includes(wanted)));
    space.style.height = `${shown.length * lineHeight}px`;
    const left = all.length - shown.length;
    setText(state, counted(shown.length, "line") + (left ? `, ${left.toLocaleString("en")} not shown` : "") +
      (track?.omitted ? `; ${counted(track.omitted, "more packet")} ${track.omitted === 1 ? "was" : "were"} left out of this report` : ""));
    if (keepsPlace) reveal();
    draw();
  }

  function draw() {
    const first = Math.max(0, Math.floor(list.scrollTop / lineHeight) - reserve);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / lineHeight) + reserve);
    const lines = [];
    for (let place = first; place < last; place += 1) lines.push(lineOf(shown[place], place));
    fill(space, lines);
    const chosen = window.chosen && shown.indexOf(window.chosen);
    if (window.chosen && chosen >= first && chosen < last) list.setAttribute("aria-activedescendant", `line-${chosen}`);
    else list.removeAttribute("aria-activedescendant");
  }

  function lineOf(one, place) {
    const line = el("div", { id: `line-${place}`, role: "option", class: classesOf(one), "aria-posinset": place + 1,
      "aria-setsize": shown.length, "aria-selected": String(one === window.chosen) }, el("span", { class: "time" }, seconds(one.time)),
      " ", partsOf(one));
    line.style.top = `${place * lineHeight}px`;
    line.happening = one;
    return line;
  }

  function partsOf(one) {
    if (one.isMoment) {
      const [who, what] = wordsOf(one);
      return [el("span", { class: "who" }, who), " ", el("span", { class: "what" }, what)];
    }
    const mark = one.isLost ? "lost: " : one.isFaulty ? "fault: " : "";
    return [el("span", { class: "who" }, track.lanes[one.lane].name), " ",
      el("span", { class: "what" }, `${one.isSent ? "→" : "←"} ${mark}${track.text(one)}`)];
  }

  function classesOf(one) {
    if (one.isMoment) return `line moment ${one.who === "step" ? "step" : ""} ${isAlarming(one) ? "bad" : ""}`;
    const rank = one.isLost || one.isFaulty ? "bad" : one.level >= warning ? "warned" : one.level === 0 ? "silent" : "";
    return `line packet ${track.lanes[one.lane].viewpoint} ${rank}`;
  }

  // Scrolls to the chosen line, or to the one after it if the filter hides it.
  function reveal() {
    if (!window.chosen) return;
    let place = shown.indexOf(window.chosen);
    if (place < 0) place = shown.findIndex((one) => one.time >= window.chosen.time);
    if (place < 0) return;
    const top = place * lineHeight;
    if (top < list.scrollTop || top + lineHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = Math.max(0, top - list.clientHeight / 3);
  }

  /** Returns the line `step` places after the chosen one. */
  function neighbour(step) {
    if (!shown.length) return null;
    const present = shown.indexOf(window.chosen);
    const from = present >= 0 ? present : shown.findIndex((one) => one.time >= (window.chosen?.time ?? 0)) - (step > 0 ? 1 : 0);
    return shown[Math.max(0, Math.min(shown.length - 1, from + step))];
  }

  list.addEventListener("scroll", draw, { passive: true });
  list.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(list.clientHeight / lineHeight) - 1);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity } [event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = Math.abs(step) === Infinity ? shown[step < 0 ? 0 : shown.length - 1] : neighbour(step);
    if (next) window.choose(next);
  });
  list.addEventListener("click", (event) => {
    const line = event.target.closest(".line");
    if (line) window.choose(line.happening);
  });
  for (const [control, event] of [[words, "input"], [kind, "change"]]) control.addEventListener(event, () => arrange());
  window.addEventListener("chosen", () => {
    if (window.chosen && !shown.includes(window.chosen)) {
      kind.value = "all";
      words.value = "";
      arrange();
    }
    reveal();
    draw();
  });
  return { node, all, neighbour, start: () => arrange() };
}
