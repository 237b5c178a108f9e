// The player of a phone with the Apple Media Service, or of an accessory that shows and controls a player.

import { post } from "./api.js";
import { button, definitions, el, fill, panel, setText } from "./dom.js";
import { number } from "./format.js";

// The names that profiles use for the values of a player and for the buttons that control it (docs/dashboard.md).
const titles = ["track-title", "track"];
const verbs = [
  ["play", "Play"],
  ["pause", "Pause"],
  ["play-pause", "Play or pause"],
  ["previous", "Previous track"],
  ["next", "Next track"],
  ["volume-down", "Softer"],
  ["volume-up", "Louder"],
  ["repeat", "Repeat"],
  ["shuffle", "Shuffle"],
  ["skip-backward", "Back"],
  ["skip-forward", "Forward"],
  ["like", "Like"],
];
const starters = ["play", "pause", "play-pause"];
const modes = { 0: "off", 1: "one", 2: "all" };

export function playerPanel(model) {
  const { node, body } = panel("Player (AMS)", true);
  const state = el("p", { role: "status" }),
    facts = el("div", {}),
    keys = el("div", { class: "row" });
  const progress = el("progress", { max: 1, value: 0, "aria-label": "Position in the track" });
  const volume = el("meter", { min: 0, max: 1, value: 0, "aria-label": "Volume" });
  const levels = el("div", { class: "row" }, progress, volume);
  body.append(state, facts, levels, keys);
  node.hidden = true;
  let values = new Map(),
    known = "";

  const buttons = () => model.buttons?.buttons ?? [];
  const isThere = () => buttons().some((name) => starters.includes(name)) && titles.some((id) => values.has(id));

  function take() {
    values = new Map((model.characteristics ?? []).map((one) => [one.id, model.valueOf(one.id)]));
    node.hidden = !isThere();
    if (!node.hidden) draw();
  }

  const text = (...ids) => {
    const value = values.get(ids.find((id) => values.has(id)));
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };

  function draw() {
    const [playing, rate, position] = text("playback-info").split(",").map(Number);
    const duration = Number(text("track-duration")) || 0;
    const isKnown = values.has("playback-info");
    const title = text(...titles);
    setText(state, [isKnown ? playing === 1 ? "Playing" : "Paused" : "", title || "nothing"].filter(Boolean).join(": "));
    fill(facts, definitions([
      ["Artist", text("track-artist")],
      ["Album", text("track-album")],
      ["Player", text("player-name")],
      ["Position", isKnown && duration ? `${time(position)} of ${time(duration)}${playing && rate !== 1 ?
        `, ${number(rate)} times as fast` : ""}` : ""],
      ["Track", values.has("queue-count") ? `${Number(text("queue-index")) + 1} of ${text("queue-count")}` : ""],
      ["Shuffle", modes[text("shuffle-mode")]],
      ["Repeat", modes[text("repeat-mode")]],
    ]));
    progress.hidden = !isKnown || !duration;
    if (duration) progress.value = Math.max(0, Math.min(1, position / duration));
    volume.hidden = !values.has("volume");
    volume.value = Number(text("volume")) || 0;
    levels.hidden = progress.hidden && volume.hidden;
    const wanted = verbs.filter(([name]) => buttons().includes(name));
    const names = wanted.join("\n");
    // Keep the focus on the key that has it.
    if (names === known) return;
    known = names;
    fill(keys, wanted.map(([name, words]) => button(words, async () => {
      await post(model.at("buttons", name));
      await model.measure();
    })));
  }

  return {
    node,
    changed: (part) => { if (["database", "buttons", "values"].includes(part)) take(); },
  };
}

const time = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
