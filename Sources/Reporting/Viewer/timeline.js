// The time line: steps, and a lane for each host and for the air. It is a slider: its value is the chosen happening.

import { button, el, setText } from "./dom.js";
import { isAlarming, seconds, span } from "./wording.js";

const laneHeight = 30,
  axisHeight = 22,
  mostLanes = 12;
const warning = 2;

/** Makes the time line of a case. `list` is the list of its happenings. */
export function timeline(reported, window, list) {
  const lanes = (reported.track?.lanes ?? []).slice(0, mostLanes);
  const steps = reported.moments.filter((one) => one.who === "step");
  const names = [...(reported.moments.length ? ["steps"] : []), ...lanes.map((lane) => lane.name)];
  const stepLanes = names.length - lanes.length;
  const height = names.length * laneHeight + axisHeight;
  const canvas = el("canvas", { "aria-hidden": "true" });
  canvas.style.height = `${height}px`;
  const slider = el("div", { class: "lanes", role: "slider", tabindex: "0", "aria-label": "Time", "aria-describedby": "timeline-keys",
    "aria-valuemin": "0", "aria-valuemax": (window.end / 1e9).toFixed(6) }, canvas);
  const range = el("output", { class: "range" });
  const tool = (text, label, act) => button(text, act, { "aria-label": label, title: label });
  const node = el("section", { class: "timeline", "aria-labelledby": "timeline-title" },
    el("h2", { id: "timeline-title" }, "Time line"),
    el("div", { class: "row" }, tool("+", "Zoom in", () => window.zoom(0.5)), tool("−", "Zoom out", () => window.zoom(2)),
      tool("←", "Earlier", () => window.pan(-0.5)), tool("→", "Later", () => window.pan(0.5)),
      tool("All", "Show the whole time", () => window.show(0, Infinity)), range),
    el("div", { class: "chart" }, el("ul", { class: "names", "aria-hidden": "true" }, names.map((name) => el("li", {}, name))), slider),
    el("p", { class: "legend", id: "timeline-keys" },
      "High marks are values and other packets, low marks advertising and empty ones; ✕ a fault, ○ a lost packet, ▲ a refusal, ◆ an event that ",
      "reports a fault. Arrow keys go from line to line, plus and minus zoom, Page Up and Page Down move."));

  function place(time, width) { return (time - window.from) / window.span * width; }

  function draw() {
    const width = canvas.clientWidth,
      scale = globalThis.devicePixelRatio || 1;
    if (!width) return;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    context.scale(scale, scale);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    drawAxis(context, width, color);
    if (stepLanes) drawSteps(context, width, color);
    drawPackets(context, width, color);
    if (window.chosen) {
      const x = place(window.chosen.time, width);
      context.fillStyle = color("accent");
      context.fillRect(x - 1, 0, 2, height - axisHeight);
    }
    setText(range, `${seconds(window.from)} s to ${seconds(window.to)} s`);
  }

  function drawAxis(context, width, color) {
    const marks = Math.max(2, Math.floor(width / 120));
    const step = niceStep(window.span / marks);
    context.fillStyle = color("quiet");
    context.strokeStyle = color("line");
    for (let lane = 1; lane <= names.length; lane += 1) line(context, 0, lane * laneHeight, width, lane * laneHeight);
    for (let time = Math.ceil(window.from / step) * step; time <= window.to; time += step) {
      const x = place(time, width);
      line(context, x, 0, x, height - axisHeight);
      const label = step < 1e6 ? `${(time / 1e6).toFixed(3)} ms` : `${Number((time / 1e9).toFixed(4))} s`;
      const room = context.measureText(label).width;
      context.fillText(label, Math.min(Math.max(0, x - room / 2), width - room), height - 7);
    }
  }

  function drawSteps(context, width, color) {
    for (const [index, step] of steps.entries()) {
      const next = steps[index + 1]?.time ?? window.end;
      const from = Math.max(-2, place(step.time, width)),
        to = Math.min(width + 2, place(next, width));
      if (to < 0 || from > width) continue;
      const isFailed = reported.failure && index === steps.length - 1;
      context.fillStyle = isFailed ? color("bad") : color(index % 2 ? "raised" : "line");
      context.fillRect(from, 3, Math.max(1, to - from), laneHeight - 6);
      if (to - from < 40) continue;
      context.save();
      context.beginPath();
      context.rect(from, 0, to - from - 4, laneHeight);
      context.clip();
      context.fillStyle = isFailed ? color("on-bad") : color("text");
      context.fillText(step.text.replace(/^line \d+: /, ""), from + 4, laneHeight / 2 + 4);
      context.restore();
    }
    for (const moment of reported.moments)
      if (moment.event && isAlarming(moment)) symbol(context, place(moment.time, width), laneHeight / 2, "◆", color("warn"));
  }

  function drawPackets(context, width, color) {
    const colors = [color("edge"), color("accent"), color("warn"), color("bad")];
    // Thousands of packets can share a column: it shows the most important one of each lane.
    const columns = new Map();
    for (const packet of reported.track?.packets ?? []) {
      if (packet.time < window.from || packet.time > window.to || packet.lane >= mostLanes) continue;
      const key = Math.round(place(packet.time, width)) * mostLanes + packet.lane;
      const rank = rankOf(packet);
      if ((columns.get(key)?.rank ?? -1) < rank) columns.set(key, { rank, packet });
    }
    for (const [key, { rank, packet }] of columns) {
      const x = Math.floor(key / mostLanes),
        top = (stepLanes + packet.lane) * laneHeight;
      if (rank >= 2) symbol(context, x, top + laneHeight / 2, packet.isLost ? "○" : packet.isFaulty ? "✕" : "▲", colors[rank]);
      else {
        context.fillStyle = colors[rank];
        context.fillRect(x - 0.75, top + (rank ? 4 : laneHeight / 2), 1.5, rank ? laneHeight - 8 : laneHeight / 2 - 4);
      }
    }
  }

  const rankOf = (packet) => packet.isLost || packet.isFaulty ? 3 : packet.level >= warning ? 2 : packet.level === 0 ? 0 : 1;

  // Keys, pointer and wheel.
  slider.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const actions = {
      ArrowRight: () => choose(list.neighbour(1)), ArrowLeft: () => choose(list.neighbour(-1)),
      ArrowUp: () => choose(list.neighbour(1)), ArrowDown: () => choose(list.neighbour(-1)),
      Home: () => choose(list.all[0]), End: () => choose(list.all[list.all.length - 1]),
      "+": () => window.zoom(0.5), "=": () => window.zoom(0.5), "-": () => window.zoom(2),
      PageUp: () => window.pan(-0.5), PageDown: () => window.pan(0.5),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
  const choose = (one) => { if (one) window.choose(one); };
  let dragged = null;
  canvas.addEventListener("pointerdown", (event) => {
    dragged = { x: event.clientX, center: (window.from + window.to) / 2, hasMoved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const distance = event.clientX - dragged.x;
    dragged.hasMoved ||= Math.abs(distance) > 4;
    if (dragged.hasMoved) window.show(dragged.center - distance / canvas.clientWidth * window.span, window.span);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (dragged && !dragged.hasMoved) choose(nearest(event));
    dragged = null;
  });
  canvas.addEventListener("wheel", (event) => {
    // Without a key, the wheel scrolls the page.
    if (!event.ctrlKey && !event.altKey) return;
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    window.zoom(event.deltaY < 0 ? 0.7 : 1.4, window.from + (event.clientX - box.left) / box.width * window.span);
  }, { passive: false });

  function nearest(event) {
    const box = canvas.getBoundingClientRect();
    const time = window.from + (event.clientX - box.left) / box.width * window.span;
    const lane = Math.floor((event.clientY - box.top) / laneHeight) - stepLanes;
    const candidates = lane >= 0 && lane < lanes.length ? reported.track.packets.filter((one) => one.lane === lane) : reported.moments;
    const reach = window.span * 6 / box.width;
    const within = candidates.filter((one) => Math.abs(one.time - time) <= reach);
    const best = within.filter((one) => one.isMoment ? isAlarming(one) : rankOf(one) > 1);
    const pool = best.length ? best : within.length ? within : candidates;
    return pool.reduce((found, one) => !found || Math.abs(one.time - time) < Math.abs(found.time - time) ? one : found, null);
  }

  function valueChanged() {
    const time = window.chosen?.time ?? 0;
    slider.setAttribute("aria-valuenow", (time / 1e9).toFixed(6));
    slider.setAttribute("aria-valuetext", `${seconds(time)} s, ${span(window.span)} in view`);
    draw();
  }
  window.addEventListener("moved", valueChanged);
  window.addEventListener("chosen", valueChanged);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  const observer = new ResizeObserver(draw);
  observer.observe(canvas);
  valueChanged();
  return { node, end: () => observer.disconnect() };
}

function line(context, fromX, fromY, toX, toY) {
  context.beginPath();
  context.moveTo(Math.round(fromX) + 0.5, Math.round(fromY) - 0.5);
  context.lineTo(Math.round(toX) + 0.5, Math.round(toY) - 0.5);
  context.stroke();
}

function symbol(context, x, y, text, color) {
  context.save();
  context.font = "bold 14px system-ui, sans-serif";
  context.fillStyle = color;
  context.textAlign = "center";
  context.fillText(text, x, y + 5);
  context.restore();
}

/** Returns the shortest step of 1, 2 or 5 times a power of ten that is at least this long. */
function niceStep(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= length) ?? 10 * power;
}
