// The conversation: phones on the left, the accessory on the right, and what they say to each other, down to the octets.

import { hasRoomForPackets, readPackets } from "./api.js";
import { alertOf, arrange, button, el, select, setText } from "./dom.js";
import { itemView } from "./conversationitem.js";
import { Story } from "./story.js";

const shown = 150;
const kinds = [["", "everything"], ["values", "values"], ["link", "connection and security"], ["discovery", "discovery"],
  ["air", "advertising"], ["rest", "the rest"]];
const steps = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
// Discovery, pairing and values; packets of the link itself are only in the list of packets.
const packetFilter = "att || smp";

export function conversationPanel(model) {
  const story = new Story(),
    views = new Map();
  const list = el("ol", { class: "talks", "aria-label": `What ${model.id} and its centrals say` });
  const frame = el("div", { class: "talk-frame" }, list);
  const words = el("input", { type: "search", autocomplete: "off", placeholder: "Find", "aria-label": "Find in the conversation" });
  const kind = select(kinds, "", { "aria-label": "Kinds in the conversation" });
  const news = el("p", { class: "news", role: "status" });
  const newest = button("Newest ↓", () => {
    isFollowing = true;
    redraw();
  }, { class: "newest", hidden: true });
  // While it is paused, the conversation is what it was then.
  let paused = null,
    pausedAt = 0,
    drawn = -1,
    isFollowing = true;

  const pause = button("Pause", () => {
    paused = paused ? null : [...story.items];
    pausedAt = story.total;
    pause.setAttribute("aria-pressed", String(paused !== null));
    redraw();
  }, { "aria-pressed": "false", "aria-label": "Pause the conversation" });
  const feed = packetFeed(model, story, schedule);
  const lanes = el("div", { class: "lanes", "aria-hidden": "true" }, el("span", {}, "Phone"), el("span", { class: "own" }, model.id));
  const node = el("div", { class: "talk-panel" }, el("div", { class: "row tools" }, pause, feed.node, words, kind), news, lanes, frame, newest);
  model.addEventListener("happened", (event) => story.takeEvent(event.detail));
  for (const [control, event] of [[words, "input"], [kind, "change"]]) control.addEventListener(event, redraw);
  frame.addEventListener("scroll", () => {
    isFollowing = frame.scrollTop + frame.clientHeight >= frame.scrollHeight - 24;
    newest.hidden = isFollowing;
  }, { passive: true });
  // What is read stays where it is.
  list.addEventListener("click", () => { isFollowing = false; });
  list.addEventListener("keydown", move);

  function matching() {
    const text = words.value.toLowerCase();
    const items = (paused ?? story.items).filter((item) => (!kind.value || item.kind === kind.value) &&
      (!text || `${item.title} ${item.detail}`.toLowerCase().includes(text)));
    return items.slice(-shown);
  }

  function redraw() {
    drawn = -1;
    draw();
  }

  function draw() {
    const missed = story.total - pausedAt;
    setText(news, paused ? `Paused${missed ? `, ${missed} more since` : ""}` : "");
    if ((paused && drawn !== -1) || story.total === drawn || frame.clientHeight === 0) return;
    drawn = story.total;
    const kept = new Set(paused ?? story.items);
    for (const item of views.keys()) if (!kept.has(item)) views.delete(item);
    arrange(list, matching().map((item) => {
      let view = views.get(item);
      if (!view) views.set(item, view = itemView(item, story, model));
      view.draw();
      return view.node;
    }));
    enter();
    newest.hidden = isFollowing;
    if (isFollowing) frame.scrollTop = frame.scrollHeight;
  }

  // The tab key reaches one line, and the arrow keys reach the others from there.
  function enter(line = list.querySelector('.saying[tabindex="0"]') ?? list.lastElementChild?.querySelector(".saying")) {
    for (const other of list.querySelectorAll('.saying[tabindex="0"]')) if (other !== line) other.tabIndex = -1;
    if (line) line.tabIndex = 0;
  }

  function move(event) {
    const step = steps[event.key];
    if (!step || !event.target.classList.contains("saying")) return;
    event.preventDefault();
    const lines = [...list.querySelectorAll(".saying")];
    const next = lines[Math.max(0, Math.min(lines.length - 1, lines.indexOf(event.target) + step))];
    enter(next);
    next.focus();
  }

  let timer = null;
  function schedule() { timer ??= setTimeout(() => { timer = null;
      requestAnimationFrame(draw); }, 200); }

  return {
    node,
    changed: (part) => { if (part === "state") setText(lanes.lastElementChild, model.state.name); },
    tick: draw,
    end: feed.stop,
    shortcuts: { find: () => words.focus(), pause: () => pause.click() },
  };
}

/** Makes the switch for the stream of packets, which is on from the start if there is room for it. */
function packetFeed(model, story, arrived) {
  let watching = null;
  const node = button("Packets", () => watching ? stop() : start(), { "aria-pressed": "false",
    "aria-label": "Watch the packets of the conversation" });

  function start() {
    const control = watching = new AbortController();
    node.setAttribute("aria-pressed", "true");
    readPackets(model.at("packets"), packetFilter, control.signal, (packet) => {
      if (packet.event === "lost") return;
      story.takePacket(packet);
      arrived();
    }).catch((error) => { if (!control.signal.aborted) alertOf(error.message); }).finally(() => {
      if (watching === control) stop();
    });
  }

  function stop() {
    watching?.abort();
    watching = null;
    node.setAttribute("aria-pressed", "false");
  }
  if (hasRoomForPackets()) start();
  return { node, stop };
}
