// The page: the accessories, which of them are shown, and the stream of events that they share.

import { AccessoryView } from "./accessory.js";
import { followEvents, get, getIfAny, tokensFrom } from "./api.js";
import { attempt, el, fill, setText } from "./dom.js";
import { Model } from "./model.js";
import { RadioView } from "./radio.js";

const status = document.getElementById("stream");
const overview = document.getElementById("overview");
const place = document.getElementById("accessories");
const views = new Map();
let accessories = [];

tokensFrom(() => new Promise((done) => {
  const form = document.getElementById("token-form"),
    input = document.getElementById("token");
  form.hidden = false;
  input.focus();
  form.onsubmit = (event) => {
    event.preventDefault();
    form.hidden = true;
    done(input.value.trim());
    input.value = "";
  };
}));

/** Returns the path of an accessory. It contains the name only if there are several accessories. */
const pathOf = (accessory) => accessories.length > 1 ? accessory.path : "/v1";

async function show(accessory) {
  const model = new Model(pathOf(accessory), accessory.id);
  const view = new AccessoryView(model, accessories.length > 1 ? () => hide(accessory.id) : null);
  views.set(accessory.id, view);
  place.append(view.node);
  await view.begin();
  drawOverview();
}

function hide(id) {
  views.get(id)?.end();
  views.delete(id);
  drawOverview();
  overview.querySelector(`button[data-id="${CSS.escape(id)}"]`)?.focus();
}

function toggle(accessory) {
  if (views.has(accessory.id)) hide(accessory.id);
  else attempt(async () => {
    await show(accessory);
    views.get(accessory.id)?.node.querySelector("h2")?.focus();
  });
}

function drawOverview() {
  overview.parentElement.hidden = accessories.length < 2;
  const focused = document.activeElement?.dataset?.id;
  fill(overview, accessories.map((accessory) => {
    const count = accessory.connections?.length ?? 0;
    const words = [accessory.advertising.length ? "advertising" : "not advertising", count ?
      `${count} connected` : null
    ];
    return el("li", {}, el("button", {
      type: "button",
      "aria-pressed": String(views.has(accessory.id)),
      "data-id": accessory.id,
      on: { click: () => toggle(accessory) },
    }, el("b", {}, accessory.name), " ", el("small", {}, accessory.id), " ", el("small", {}, words.filter(
      Boolean).join(", "))));
  }));
  if (focused !== undefined) overview.querySelector(`button[data-id="${CSS.escape(focused)}"]`)?.focus();
}

let overviewTimer = null;

function refreshOverview() {
  overviewTimer ??= setTimeout(async () => {
    overviewTimer = null;
    const list = await getIfAny("/v1/accessories").catch(() => null);
    if (list) accessories = list.accessories;
    drawOverview();
  }, 500);
}

function happened(event) {
  if (/^(connected|disconnected|advertising-|identity-changed)/.test(event.event) && accessories.length > 1)
    refreshOverview();
  if (/^(connected|disconnected)$/.test(event.event)) radio.want();
  if (event.accessory === undefined)
    for (const view of views.values()) view.model.take(event);
  else views.get(event.accessory)?.model.take(event);
}

let hasBeenLost = false;

function streamChanged(state) {
  setText(status, { live: "Live", lost: "The program does not answer; trying again …",
    absent: "No accessories, only the radio" } [state]);
  status.dataset.state = state;
  if (state === "live" && hasBeenLost) {
    refreshOverview();
    for (const view of views.values()) attempt(() => view.model.load());
  }
  hasBeenLost ||= state === "lost";
}

const radio = new RadioView(document.getElementById("radio"));
// This comes before any request, so that nothing is missed between the answer and the first event.
followEvents("/v1/events", new AbortController().signal, happened, streamChanged);
await attempt(async () => {
  accessories = (await get("/v1/accessories")).accessories;
  drawOverview();
  const wanted = new URLSearchParams(location.hash.slice(1)).getAll("accessory");
  const first = accessories.filter((accessory) => wanted.includes(accessory.id));
  for (const accessory of first.length ? first : accessories.slice(0, 1)) await show(accessory);
});
await attempt(() => radio.begin());
document.documentElement.dataset.ready = "true";
