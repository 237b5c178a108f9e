// The air as a picture: the paths between all controllers, and their impairments.

import { el, fill, setText, svg } from "./dom.js";

const most = 8,
  size = 420,
  middle = size / 2,
  radius = 150;
const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * A map of controllers. The user can choose a path with the pointer or the keyboard: one path has the focus, and the arrow keys move
 * it to the next path. The map calls `choose(from, to)` for the chosen path; `wordsOf(path)` returns what is known about a path.
 */
export class RadioMap {
  constructor(wordsOf, choose) {
    this.wordsOf = wordsOf;
    this.choose = choose;
    this.picture = svg("svg", { class: "map", viewBox: `0 0 ${size} ${size}`, role: "group",
      "aria-label": "Map of the radio: paths, chosen with the arrow keys and Enter" });
    this.about = el("p", { class: "map-about", role: "status" });
    this.legend = el("p", {}, el("small", {},
      "A line for each direction: broken where packets are lost or damaged, missing ends where nothing arrives."));
    this.node = el("figure", {}, this.picture, el("figcaption", {}, this.about, this.legend));
    this.current = "";
    this.picture.addEventListener("keydown", (event) => this.key(event));
    this.drawn = "";
  }

  /** Draws these controllers; `pathOf(from, to)` returns how one hears another. */
  draw(all, pathOf) {
    const names = all.slice(0, most);
    const paths = names.flatMap((from) => names.filter((to) => to !== from).map((to) => ({ from, to,
      path: pathOf(from, to) })));
    const state = JSON.stringify([names, paths]);
    if (state === this.drawn) return;
    this.drawn = state;
    const hadFocus = this.picture.contains(document.activeElement);
    const places = new Map(names.map((name, index) => {
      const angle = 2 * Math.PI * index / Math.max(2, names.length) - Math.PI / 2;
      return [name, [middle + radius * Math.cos(angle), middle + radius * Math.sin(angle)]];
    }));
    this.edges = paths.map((one) => ({ ...one, id: `${one.from}\n${one.to}`, node: this.edge(one, places) }));
    if (!this.edges.some((edge) => edge.id === this.current)) this.current = this.edges[0]?.id ?? "";
    fill(this.picture, this.edges.map((edge) => edge.node), names.map((name) => node(name, places.get(name))));
    this.mark(hadFocus);
    if (all.length > most) setText(this.legend.firstChild,
      `${all.length - most} more controllers are only in the table.`);
  }

  edge({ from, to, path }, places) {
    const [x1, y1] = places.get(from), [x2, y2] = places.get(to);
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    // The two directions lie side by side, each on its right, and end before the circles.
    const side = 7,
      gap = 30;
    const start = [x1 + dx * gap - dy * side, y1 + dy * gap + dx * side];
    const end = [x2 - dx * gap - dy * side, y2 - dy * gap + dx * side];
    const reach = path.reachable ? 1 : 0.35;
    const tip = [start[0] + (end[0] - start[0]) * reach, start[1] + (end[1] - start[1]) * reach];
    const points = [start, tip].map((point) => point.map((value) => value.toFixed(1)).join(","));
    const head = [[-9, -4], [0, 0], [-9, 4]].map(([along, across]) =>
      `${(tip[0] + dx * along - dy * across).toFixed(1)},${(tip[1] + dy * along + dx * across).toFixed(1)}`).join(" ");
    const isImpaired = Boolean(path.loss || path.ber);
    const group = svg("g", { role: "button", tabindex: "-1",
        class: `path${path.reachable ? "" : " deaf"}${isImpaired ? " impaired" : ""}`,
        "aria-label": `From ${from} to ${to}: ${this.wordsOf(path)}` },
      svg("polyline", { class: "target", points: points.join(" ") }),
      svg("polyline", { class: "line", points: points.join(" "),
        "stroke-width": path.reachable ? width(path.rssi).toFixed(1) : "1.5" }),
      path.reachable ? svg("polyline", { class: "head", points: head }) : svg("path", { class: "head",
        d: `M${tip[0] - 5},${tip[1] - 5}l10,10m0,-10l-10,10` }));
    const id = `${from}\n${to}`;
    group.addEventListener("click", () => this.select(id));
    group.addEventListener("focus", () => { this.current = id;
      this.mark(false); });
    return group;
  }

  key(event) {
    const index = this.edges.findIndex((edge) => edge.id === this.current);
    const step = steps[event.key];
    if (step) {
      this.current = this.edges[(index + step + this.edges.length) % this.edges.length].id;
      this.mark(true);
    } else if (event.key === "Enter" || event.key === " ") this.select(this.current);
    else return;
    event.preventDefault();
  }

  select(id) {
    this.current = id;
    this.mark(true);
    const edge = this.edges.find((one) => one.id === id);
    if (edge) this.choose(edge.from, edge.to, edge.path);
  }

  // The tab key reaches one path, and the arrow keys reach the others from there.
  mark(takesFocus) {
    for (const { id, node } of this.edges) {
      node.setAttribute("tabindex", id === this.current ? "0" : "-1");
      node.classList.toggle("current", id === this.current);
      if (takesFocus && id === this.current) node.focus();
    }
    const edge = this.edges.find((one) => one.id === this.current);
    setText(this.about, edge ? `${edge.from} → ${edge.to}: ${this.wordsOf(edge.path)}` :
      "Nobody hears anybody: there is one controller at most.");
  }
}

/** Returns the width of a path's line: the stronger the signal, the wider the line. */
const width = (rssi) => 1.5 + Math.max(0, Math.min(1, (rssi + 100) / 70)) * 3;

function node(name, [x, y]) {
  return svg("g", { class: "controller", "aria-hidden": "true" }, svg("circle", { cx: x, cy: y, r: 24 }),
    svg("text", { x, y: y + (y < middle ? -32 : 42), "text-anchor": "middle" }, name));
}
