// The virtual radio: the controllers on it, how well they hear each other, and its impairments.

import { getIfAny, post, put, remove } from "./api.js";
import { button, el, field, fill, form, panel, scrolling, select } from "./dom.js";
import { number } from "./format.js";
import { RadioMap } from "./radiomap.js";

const most = 20;

export class RadioView {
  constructor(place) {
    this.place = place;
    this.timer = null;
  }

  /** Shows the radio, as a part of a bench or of the page itself. */
  async begin(isOnBench) {
    this.state = await getIfAny("/v1/radio");
    if (!this.state) return;
    const { node, heading, body } = panel("Virtual radio", false);
    this.map = el("div", {});
    this.controllers = el("ul", { class: "cards" });
    this.paths = el("div", {});
    this.picture = new RadioMap(pathText, (from, to, path) => this.choose(from, to, path));
    body.append(this.picture.node, this.map, el("h5", {}, "Paths"), this.paths, el("h5", {}, "Controllers"), this.controllers);
    if (!isOnBench) {
      heading.ariaLevel = "2";
      for (const one of body.querySelectorAll("h5")) one.ariaLevel = "3";
    }
    this.place.append(el("section", { "aria-label": "Virtual radio" }, node));
    this.makePaths();
    this.draw();
    // No event of an accessory reports who joins and leaves.
    node.addEventListener("toggle", () => this.want());
    setInterval(() => { if (node.open && !document.hidden) this.want(); }, 2000);
  }

  /** Requests everything again soon. */
  want() {
    if (!this.state) return;
    this.timer ??= setTimeout(async () => {
      this.timer = null;
      this.state = await getIfAny("/v1/radio").catch(() => this.state) ?? this.state;
      this.draw();
    }, 150);
  }

  get names() { return this.state.controllers.map((controller) => controller.name); }

  pathOf(from, to) { return this.state.paths.find((path) => path.from === from && path.to === to) ?? this.state
      .default; }

  /** Puts a path into the form, where it can be changed. */
  choose(from, to, path) {
    [this.ends[0].value, this.ends[1].value] = [from, to];
    this.fields.loss.value = typeof path.loss === "number" ? number(path.loss * 100) : 0;
    this.fields.rssi.value = path.rssi;
    this.fields.errors.value = path.ber ?? 0;
    this.fields.heard.checked = path.reachable;
    this.fields.loss.focus();
  }

  draw() {
    this.picture.draw(this.names, (from, to) => this.pathOf(from, to));
    const names = this.names.slice(0, most);
    const rows = names.map((from) => el("tr", {}, el("th", { scope: "row" }, from), names.map((to) => el("td", {},
      from === to ? "–" : pathText(this.pathOf(from, to))))));
    const hidden = this.names.length - names.length;
    fill(this.map, scrolling("Who hears whom", el("table", {},
      el("caption", {},
        `Who hears whom: how strongly, and how much is lost, from the row to the column${hidden ? `; ${hidden} more are not shown` : ""}`
        ),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "from"), names.map((name) => el(
      "th", { scope: "col" }, name)))), el("tbody", {}, rows))));
    this.drawEnds();
    if (!this.controllers.contains(document.activeElement)) fill(this.controllers, this.state.controllers.slice(0,
      most).map((one) => this.controllerItem(one)));
  }

  // An open select is not changed as long as it has all names.
  drawEnds() {
    const known = this.names.join("\n");
    if (known === this.known) return;
    this.known = known;
    for (const [place, end] of this.ends.entries()) {
      const chosen = end.options.length ? end.value : this.names[place] ?? "";
      fill(end, [
        ["", "all others"], ...this.names.map((name) => [name, name])
      ].map(([value, text]) => el("option", { value }, text)));
      end.value = this.names.includes(chosen) ? chosen : "";
    }
  }

  makePaths() {
    this.ends = [el("select", {}), el("select", {})];
    const [from, to] = this.ends;
    const loss = el("input", { type: "number", min: 0, max: 100, step: 1, value: 0 });
    const rssi = el("input", { type: "number", min: -127, max: 20, value: -50 });
    const errors = el("input", { type: "number", min: 0, max: 1, step: "any", value: 0 });
    const heard = el("input", { type: "checkbox", checked: true });
    this.fields = { loss, rssi, errors, heard };
    const path = () => {
      if (!from.value && !to.value) return "/v1/radio/default";
      if (!from.value || !to.value) throw new Error("Give both ends of a path, or neither for the default.");
      return `/v1/radio/paths/${encodeURIComponent(from.value)}/${encodeURIComponent(to.value)}`;
    };
    const again = () => this.want();
    fill(this.paths, form(async () => {
        await put(path(), { loss: Number(loss.value) / 100, rssi: Number(rssi.value), ber: Number(errors.value),
          reachable: heard.checked });
        again();
      }, { class: "row" }, field("From", from), field("To", to), field("Lost (%)", loss), field("RSSI (dBm)",
        rssi), field("Bit error rate", errors),
      el("label", { class: "switch" }, heard, " reachable"), el("button", {}, "Impair"),
      button("Reset", async () => { await remove(path());
        again(); }, { "aria-label": "Reset the path" })));
  }

  controllerItem(one) {
    const path = `/v1/radio/controllers/${encodeURIComponent(one.name)}`;
    const latency = el("input", { type: "number", min: 0, max: 60000, value: one.impairment.latency_ms });
    const hung = el("input", { type: "checkbox", checked: one.impairment.hung });
    const notice = select(["silent", "nop", "hardware-error", "assertion"],
    "silent", { "aria-label": `How ${one.name} restarts` });
    return el("li", {}, el("b", {}, one.name), ` ${one.preset}, ${one.place}${one.host ? "" : ", no host"}`,
      form(async () => { await put(path, { latency_ms: Number(latency.value), hung: hung.checked });
          this.want(); }, { class: "row" },
        field(`Latency of ${one.name} (ms)`, latency), el("label", { class: "switch" }, hung,
          ` ${one.name} hangs`), el("button", { "aria-label": `Impair ${one.name}` }, "Impair"),
        notice, button("Restart", async () => { await post(`${path}/restart`, { notice: notice.value });
          this.want(); }, { "aria-label": `Restart ${one.name}` })));
  }
}

function pathText(path) {
  if (!path.reachable) return "nothing";
  const loss = typeof path.loss === "string" ? path.loss : path.loss ? `${number(path.loss * 100)} % lost` : "";
  return [`${path.rssi} dBm`, loss, path.ber ? `BER ${path.ber}` : ""].filter(Boolean).join(", ");
}
