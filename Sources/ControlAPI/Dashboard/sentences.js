// Events as sentences of a conversation between a phone and the accessory.

import { number, valueText } from "./format.js";

const mostText = 200;
const technical = new Set(["event", "time", "accessory", "connection", "characteristic", "uuid", "hex", "value"]);

/** What an event means: who acts (`phone`, `accessory` or `note`, neither), of which kind it is, and its words. */
const meanings = {
  "ready": ["rest", "note", (event) => ["ready", event.address ?? ""]],
  "controller": ["rest", "note", (event) => ["controller", `Bluetooth ${event.version}, ${event.address}`]],
  "advertising-started": ["air", "accessory", (event) => [`advertises ${event.set}`, `every ${number(event.interval_ms)} ms`]],
  "advertising-stopped": ["air", "accessory", (event) => [`stops advertising ${event.set}`]],
  "connected": ["link", "phone", (event) => ["connects", `${event.peer}, every ${number(event.interval_ms)} ms`]],
  "disconnected": ["link", "note", (event) => ["disconnected", event.reason]],
  "mtu": ["link", "phone", (event) => ["exchanges the MTU", `${event.mtu} octets`]],
  "parameters": ["link", "note", (event) => ["new parameters", `every ${number(event.interval_ms)} ms, latency ${event.latency}`]],
  "parameters-requested": ["link", "phone", (event) => ["asks for other parameters", event.accepted ? "accepted" : "refused"]],
  "parameters-answered": ["link", "phone", (event) => [event.accepted ? "accepts the parameters" : "refuses the parameters"]],
  "phy": ["link", "note", (event) => ["PHY", event.tx === event.rx ? event.tx : `${event.tx} sent, ${event.rx} received`]],
  "data-length": ["link", "note", (event) => ["data length", `${event.tx} octets sent, ${event.rx} received`]],
  "security": ["link", "note", (event) => ["security", `${event.protection}${event.bonded ? ", bonded" : ""}`]],
  "security-requested": ["link", "accessory", () => ["asks for security"]],
  "pairing": ["link", "phone", (event) => ["pairs", event.model.replaceAll("-", " ")]],
  "paired": ["link", "note", (event) => ["paired", event.bonded ? "and bonded" : "without a bond"]],
  "pairing-failed": ["link", "note", (event) => ["pairing failed", event.reason]],
  "read": ["values", "phone", (event) => [`reads ${event.characteristic}`, valueOf(event)]],
  "write": ["values", "phone", (event) => [`writes ${event.characteristic}`, valueOf(event)]],
  "subscribed": ["values", "phone", (event) => [`subscribes to ${event.characteristic}`]],
  "unsubscribed": ["values", "phone", (event) => [`unsubscribes from ${event.characteristic}`]],
  "notified": ["values", "accessory", (event) => [`notifies ${event.characteristic}`, valueOf(event)]],
  "indicated": ["values", "accessory", (event) => [`indicates ${event.characteristic}`, valueOf(event)]],
  "confirmed": ["values", "phone", (event) => [`confirms ${event.characteristic ?? ""}`]],
  "refused": ["values", "accessory", (event) => ["refuses a request", restOf(event)]],
  "sdu": ["values", "phone", (event) => ["sends an SDU", `${event.hex.length / 2} octets`]],
  "state": ["rest", "note", (event) => ["state", event.state]],
  "fault": ["rest", "note", (event) => ["fault", restOf(event)]],
  "lost": ["rest", "note", (event) => ["gap", `${event.count} events are no longer known`]],
};
// These repeat others, or say nothing about this accessory.
const silent = new Set(["http", "advertising-ready", "restored", "joined", "left", "bond-changed", "question-ended"]);

/** Returns what an event says, or null if it says nothing. */
export function sentence(event) {
  if (silent.has(event.event)) return null;
  const [kind, from, words] = meanings[event.event] ?? ["rest", "note", () => [event.event.replaceAll("-", " "),
    [event.characteristic, restOf(event)].filter(Boolean).join(", ")]];
  const [title, detail = ""] = words(event);
  return { kind, from, title, detail: cut(detail) };
}

const cut = (text) => text.length > mostText ? `${text.slice(0, mostText)}…` : text;
const valueOf = (event) => valueText(event.value === undefined || event.value === null ? { hex: event.hex } : event.value);

function restOf(event) {
  return Object.entries(event).filter(([key]) => !technical.has(key)).map(([key, value]) =>
    `${key.replaceAll("_", " ")} ${valueText(value)}`).join(", ");
}
