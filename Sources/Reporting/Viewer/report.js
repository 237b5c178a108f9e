// The page of a report: its cases, and everything about the chosen one.

import { readReport } from "./data.js";
import { curves } from "./curves.js";
import { el, fill, setText } from "./dom.js";
import { failureCard } from "./failure.js";
import { happeningList } from "./happenings.js";
import { inspector } from "./inspector.js";
import { timeline } from "./timeline.js";
import { TimeWindow } from "./timewindow.js";
import { counted, span } from "./wording.js";

const signs = { failed: "✕", passed: "✓", skipped: "–", recorded: "•" };
// The time in view around a failure, in nanoseconds.
const around = 2e9;

const report = readReport();
const main = document.getElementById("main");
let shown = null;

setText(document.getElementById("title"), report.title);
document.title = report.title;
setText(document.getElementById("verdict"), verdict());
if (report.cases.length > 1) listCases();
if (report.cases.length) show(report.cases[0]);
else fill(main, el("p", {}, "There are no cases in this report."));
document.documentElement.dataset.ready = "true";

function verdict() {
  const count = (state) => report.cases.filter((one) => one.state === state).length;
  const [failed, passed, skipped] = [count("failed"), count("passed"), count("skipped")];
  const parts = [[failed, "failed"], [passed, "passed"], [skipped, "skipped"]].filter(([number]) => number)
    .map(([number, word]) => `${counted(number, "case")} ${word}`);
  return [...parts, `made by ${report.maker}`].join(", ");
}

function listCases() {
  const groups = [["failed", "Failed"], ["skipped", "Skipped"], ["passed", "Passed"], ["recorded", "Captures"]];
  const nav = document.getElementById("cases");
  nav.hidden = false;
  fill(nav, groups.map(([state, title]) => {
    const cases = report.cases.filter((one) => one.state === state);
    if (!cases.length) return null;
    return el("details", { open: state === "failed" || cases.length <= 12 }, el("summary", {}, `${title} (${cases.length})`), el("ul", {},
      cases.map((one) => el("li", {}, el("button", { type: "button", class: `case ${one.state}`, "data-case": one.index,
        on: { click: () => { show(one);
            main.focus(); } } }, `${signs[one.state]} ${titleOf(one)}`)))));
  }));
}

function titleOf(one) { return one.scenario ? `${one.scenario}: ${one.name}` : one.name; }

function show(one) {
  shown?.end();
  for (const button of document.querySelectorAll("#cases button")) {
    if (Number(button.dataset.case) === one.index) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  const packets = one.track?.packets ?? [];
  const times = [...one.moments.slice(0, 1), ...packets.slice(0, 1), ...one.moments.slice(-1), ...packets.slice(-1)].map((each) => each.time);
  const window = new TimeWindow(Math.min(0, ...times), Math.max(one.duration, ...times, 0));
  const list = happeningList(one, window);
  const hasHappenings = list.all.length > 0;
  const failed = one.moments.findLast((moment) => moment.who === "failed");
  const lines = timeline(one, window, list);
  const values = curves(one, window);
  const goThere = failed && (() => {
    window.choose(failed);
    list.node.scrollIntoView({ block: "start" });
    list.node.querySelector(".happenings").focus();
  });
  fill(main, el("h2", { class: `name ${one.state}` }, `${signs[one.state]} ${titleOf(one)}`), el("p", { class: "quiet" }, about(one)),
    one.failure ? failureCard(one, goThere) : null, hasHappenings ? lines.node : null,
    hasHappenings ? el("div", { class: "columns" }, list.node, inspector(one, window).node) : null, values?.node ?? null);
  shown = lines;
  list.start();
  if (failed) {
    window.show(failed.time, Math.min(around, window.end - window.begin));
    window.choose(failed);
  }
}

function about(one) {
  const packets = one.track?.packets ?? [];
  const facts = [one.file, `${span(one.duration)} of ${one.epoch === undefined ? "virtual " : ""}time`];
  if (one.state === "skipped") facts.push(`not run: ${one.reason}`);
  if (one.track) facts.push(counted(packets.length, "packet"));
  const [lost, faulty] = [packets.filter((each) => each.isLost).length, packets.filter((each) => each.isFaulty).length];
  if (lost) facts.push(`${lost} lost`);
  if (faulty) facts.push(counted(faulty, "fault"));
  return facts.join(", ");
}
