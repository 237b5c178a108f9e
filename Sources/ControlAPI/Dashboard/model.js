// What is known about one accessory. All lists are bounded, no matter how long the page is open.

import { get, getIfAny, segment } from "./api.js";
import { Rate, Ring } from "./ring.js";

export const limits = { events: 500, history: 600, curves: 8, samples: 20, connections: 64, characteristics: 2000,
  seconds: 120 };

// The parts that must be requested again after an event.
const stale = [
  [/^(connected|disconnected|parameters|phy|mtu|data-length|security|paired|subscribed|unsubscribed|identity-changed|controller|ready)$/,
    "state"
  ],
  [/^(advertising-|asleep$|awake$|controller-)/, "state"],
  [/^advertising-/, "advertising"],
  [/^database-changed$/, "database"],
  [/^(channel-|sdu$|disconnected$|connected$)/, "channels"],
  [/^question/, "questions"],
  [/^(bond-|paired$|identity-changed$)/, "bonds"],
  [/^fault$/, "faults"],
  [/^state$/, "buttons"],
];
const everything = ["state", "advertising", "database", "channels", "questions", "bonds", "faults", "buttons", "rest"];
const traffic = { notified: "sent", indicated: "sent", read: "sent", write: "received" };

/** Returns the numbers in a value by their names. The name of the value itself is "". */
export function numbersIn(value, prefix = "", into = []) {
  if (into.length >= limits.curves) return into;
  if (typeof value === "number") into.push([prefix, value]);
  else if (typeof value === "boolean") into.push([prefix, value ? 1 : 0]);
  else if (Array.isArray(value)) { if (value.length) numbersIn(value[value.length - 1], prefix, into); } else if (
    value && typeof value === "object") {
    for (const key of Object.keys(value)) numbersIn(value[key], prefix ? `${prefix}.${key}` : key, into);
  }
  return into;
}

/** The current value of a characteristic, its latest values, and the history of its numbers. */
export class Values {
  constructor() {
    this.hex = null;
    this.value = undefined;
    this.time = 0;
    this.from = "";
    this.count = 0;
    this.samples = new Ring(limits.samples);
    this.curves = new Map();
  }

  take(time, hex, value, from) {
    [this.time, this.hex, this.value, this.from] = [time, hex, value, from];
    this.count += 1;
    this.samples.push({ time, hex, value, from });
    this.#draw(time, value);
  }

  /** Takes a value that was requested, and that no event has reported. */
  measure(time, hex, value) {
    if (time - this.time < 0.5) return;
    this.#draw(time, value);
    if (hex === this.hex && this.curves.size === 0) return;
    [this.hex, this.value] = [hex, value];
    this.count += 1;
  }

  #draw(time, value) {
    for (const [name, number] of numbersIn(value)) {
      let curve = this.curves.get(name);
      if (!curve && this.curves.size < limits.curves) this.curves.set(name, curve = new Ring(limits.history));
      curve?.push({ time, value: number });
    }
  }
}

/** An accessory: what the API says about it, and what has happened to it. */
export class Model extends EventTarget {
  constructor(path, id) {
    super();
    this.path = path;
    this.id = id;
    this.events = new Ring(limits.events);
    this.values = new Map();
    this.rates = new Map();
    this.now = 0;
    this.lost = 0;
    this.hasController = true;
    this.isBusy = false;
    this.wanted = new Set();
  }

  at(...parts) { return [this.path, ...parts.map(segment)].join("/"); }

  /** Requests everything. */
  async load() { await this.refresh(everything); }

  valuesOf(id) {
    let values = this.values.get(id);
    if (!values && this.values.size < limits.characteristics) this.values.set(id, values = new Values());
    return values ?? new Values();
  }

  ratesOf(connection) {
    let rates = this.rates.get(connection);
    if (!rates) {
      rates = { sent: new Rate(limits.seconds), received: new Rate(limits.seconds) };
      if (this.rates.size >= limits.connections) this.rates.delete(this.rates.keys().next().value);
      this.rates.set(connection, rates);
    }
    return rates;
  }

  /** Takes an event. What has happened before everything is requested makes nothing out of date. */
  take(event, isPast = false) {
    const { event: name, time = 0 } = event;
    this.now = Math.max(this.now, time);
    if (name === "lost") this.lost += event.count;
    if (name === "controller-lost" || name === "controller-missing") this.hasController = false;
    if (name === "controller-found" || name === "controller" || name === "ready") this.hasController = true;
    this.events.push(event);
    if (event.characteristic && typeof event.hex === "string" && !name.startsWith("question")) {
      this.valuesOf(event.characteristic).take(time, event.hex, event.value, name);
      if (event.connection !== undefined && traffic[name]) this.ratesOf(event.connection)[traffic[name]].add(time,
        event.hex.length / 2);
    }
    if (name === "sdu") this.ratesOf(event.connection).received.add(time, event.hex.length / 2);
    if (!isPast) this.#outdate(name);
    this.dispatchEvent(new CustomEvent("happened", { detail: event }));
  }

  #outdate(name) {
    for (const [names, part] of stale)
      if (names.test(name) && !(part in this && this[part] === null)) this.want(part);
    if (name === "reset")
      for (const part of everything) this.want(part);
    // After a gap in the events, nothing is certain.
    if (name === "lost")
      for (const part of ["state", "channels", "questions"]) this.want(part);
  }

  /** Requests the current values. A request that is still under way is enough. */
  async measure() {
    if (this.isMeasuring || !this.characteristics) return;
    this.isMeasuring = true;
    const answer = await getIfAny(this.at("characteristics")).catch(() => null);
    this.isMeasuring = false;
    if (!answer) return;
    // The accessory's clock may be ahead of this one, with --speed.
    const time = Math.max(this.now, Date.now() / 1000);
    for (const one of answer.characteristics) this.valuesOf(one.id).measure(time, one.hex, one.value);
    this.dispatchEvent(new CustomEvent("changed", { detail: "values" }));
  }

  /** Returns the current value of a characteristic, as far as it is known. */
  valueOf(id) { return this.values.get(id)?.value ?? this.characteristics?.find((one) => one.id === id)?.value; }

  /** Requests a part again soon, together with the parts that are wanted until then. */
  want(part) {
    this.wanted.add(part);
    if (this.isBusy) return;
    this.isBusy = true;
    setTimeout(async () => {
      const parts = [...this.wanted];
      this.wanted.clear();
      await this.refresh(parts).catch(() => {});
      this.isBusy = false;
      if (this.wanted.size) this.want([...this.wanted][0]);
    }, 120);
  }

  async refresh(parts) {
    await Promise.all(parts.map((part) => this.#fetch(part)));
    for (const part of parts) this.dispatchEvent(new CustomEvent("changed", { detail: part }));
  }

  async #fetch(part) {
    switch (part) {
      case "state":
        this.state = await get(this.path === "/v1" ? "/v1/accessory" : this.path);
        break;
      case "advertising":
        this.advertising = (await get(this.at("advertising"))).advertising;
        break;
      case "database":
        this.characteristics = (await get(this.at("characteristics"))).characteristics;
        this.services = (await get(this.at("services"))).services;
        break;
      case "channels":
        this.channels = (await get(this.at("channels"))).channels;
        this.published = (await get(this.at("published"))).published;
        break;
      case "questions":
        this.questions = (await get(this.at("questions"))).questions;
        break;
      case "bonds":
        this.bonds = (await getIfAny(this.at("bonds")))?.bonds ?? null;
        break;
      case "faults":
        this.faults = await getIfAny(this.at("faults"));
        break;
      case "rest":
        this.security = await getIfAny(this.at("security"));
        this.notifications = (await getIfAny(this.at("notifications")))?.notifications ?? null;
        break;
      case "buttons":
        this.buttons = await getIfAny(this.at("buttons"));
        break;
      case "notifications":
        this.notifications = (await get(this.at("notifications"))).notifications;
        break;
    }
  }
}
