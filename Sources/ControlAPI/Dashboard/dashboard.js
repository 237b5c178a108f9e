// The page: the accessories, which of them are shown, and the stream of events that they share.

import { AccessoryView } from "./accessory.js";
import { followEvents, get, getIfAny, tokensFrom } from "./api.js";
import { attempt, setText } from "./dom.js";
import { Model } from "./model.js";
import { RadioView } from "./radio.js";
import { Ring } from "./ring.js";
import { listenToKeys } from "./shortcuts.js";
import { Wall } from "./wall.js";

const status = document.getElementById("stream");
const place = document.getElementById("accessories");
const views = new Map();
// What happened to each accessory before its view was opened.
const past = new Map();
const keptPast = 300,
  mostPasts = 200;
// With more accessories than that, the wall alone is the first glance.
const fewAccessories = 4;
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

const wall = new Wall(document.getElementById("overview"), toggle);

async function show(accessory) {
  const model = new Model(pathOf(accessory), accessory.id);
  const view = new AccessoryView(model, accessories.length > 1 ? () => hide(accessory.id) : null);
  views.set(accessory.id, view);
  place.append(view.node);
  for (const event of past.get(accessories.length > 1 ? accessory.id : undefined) ?? []) model.take(event, true);
  await view.begin();
  drawWall();
}

function hide(id) {
  views.get(id)?.end();
  views.delete(id);
  drawWall();
  wall.focus(id);
}

function toggle(id) {
  if (views.has(id)) hide(id);
  else attempt(async () => {
    await show(accessories.find((one) => one.id === id));
    views.get(id)?.node.querySelector("h2")?.focus();
  });
}

function drawWall() {
  wall.draw(accessories, (id) => views.has(id));
  document.getElementById("wall").dataset.open = String(views.size);
}

let wallTimer = null;

function refreshWall() {
  wallTimer ??= setTimeout(async () => {
    wallTimer = null;
    const list = await getIfAny("/v1/accessories").catch(() => null);
    if (list) accessories = list.accessories;
    drawWall();
  }, 500);
}

function happened(event) {
  remember(event);
  if (/^(connected|disconnected|advertising-|identity-changed|ready$|asleep$|awake$)/.test(event.event) && accessories.length > 1)
    refreshWall();
  if (/^(connected|disconnected|joined|left)$/.test(event.event)) radio.want();
  wall.take(event);
  if (event.accessory === undefined)
    for (const view of views.values()) view.model.take(event);
  else views.get(event.accessory)?.model.take(event);
}

function remember(event) {
  let ring = past.get(event.accessory);
  if (!ring && past.size < mostPasts) past.set(event.accessory, ring = new Ring(keptPast));
  ring?.push(event);
}

let hasBeenLost = false;

function streamChanged(state) {
  setText(status, { live: "Live", lost: "The program does not answer; trying again …",
    absent: "No accessories, only the radio" } [state]);
  status.dataset.state = state;
  if (state === "live" && hasBeenLost) {
    refreshWall();
    for (const view of views.values()) attempt(() => view.model.load());
  }
  hasBeenLost ||= state === "lost";
}

listenToKeys(document.getElementById("keys"), () => {
  const open = [...views.values()];
  return open.find((view) => view.node.contains(document.activeElement)) ?? open[0];
});
const radioPlace = document.getElementById("radio");
const radio = new RadioView(radioPlace);
// The stream begins with what has already happened, so that nothing is missed between an answer and the first event.
followEvents("/v1/events", new AbortController().signal, happened, streamChanged);
await attempt(async () => {
  accessories = (await get("/v1/accessories")).accessories;
  drawWall();
  for (const ring of past.values())
    for (const event of ring) wall.take(event);
  drawWall();
  const wanted = new URLSearchParams(location.hash.slice(1)).getAll("accessory");
  const first = accessories.filter((accessory) => wanted.includes(accessory.id));
  const usual = accessories.length <= fewAccessories ? accessories.slice(0, 1) : [];
  for (const accessory of first.length ? first : usual) await show(accessory);
  // The only accessory has the radio on its bench.
  if (accessories.length === 1) views.get(accessories[0].id).bench.append(radioPlace);
});
await attempt(() => radio.begin(accessories.length === 1));
document.documentElement.dataset.ready = "true";
