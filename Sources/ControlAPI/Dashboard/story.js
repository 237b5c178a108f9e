// What phones and the accessory say to each other: events in the order of their times, repetitions together, each with its packets.

import { Ring } from "./ring.js";
import { sentence } from "./sentences.js";

const limits = { items: 400, packets: 300, each: 12, look: 4, late: 60 };
// Values that come again and again stand together, also when those of several characteristics alternate.
const repeated = new Set(["notified", "indicated", "confirmed", "read", "write", "broadcast", "sdu"]);
// ATT operations (Core 5.4 Vol 3 Part F 3.4.8): those that discover, and those that carry what an event reports.
const discovery = new Set([0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x10, 0x11]);
const carriers = {
  read: [0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x20, 0x21],
  write: [0x12, 0x13, 0x52, 0xD2, 0x16, 0x17, 0x18, 0x19],
  subscribed: [0x12, 0x13],
  unsubscribed: [0x12, 0x13],
  notified: [0x1B, 0x23],
  indicated: [0x1D, 0x1E],
  confirmed: [0x1E],
  mtu: [0x02, 0x03],
};
// How long before or after an event its packets may be seen (seconds).
const near = 0.25;

export class Story {
  constructor() {
    this.items = [];
    this.packets = new Ring(limits.packets);
    /** How many items and repetitions there were in total. */
    this.total = 0;
  }

  takeEvent(event) {
    const words = sentence(event);
    if (!words) return;
    this.#add(event.time ?? 0, `${event.event} ${event.characteristic ?? ""} ${event.connection ?? ""}`, words,
      repeated.has(event.event), event.connection).events.push(event);
  }

  /** Takes a decoded packet. Discovery and pairing consist of packets that no event reports. */
  takePacket(packet) {
    this.packets.push(packet);
    const from = packet.sent ? "accessory" : "phone";
    if (packet.layer === "smp") this.#addPacket(packet, "pairing", { kind: "link", from, title: "pairing", detail: operation(packet) });
    else if (discovery.has(packet.opcode))
      this.#addPacket(packet, "discovery", { kind: "discovery", from: "phone", title: "discovers the database",
        detail: operation(packet) });
  }

  #addPacket(packet, kind, words) {
    this.#add(packet.nanoseconds / 1e9, `${kind} ${words.from} ${packet.handle}`, words, true, packet.handle).packets.push(packet);
  }

  #add(time, key, words, mayRepeat, connection) {
    this.total += 1;
    // Events and packets come in two streams, which are not exactly in step.
    const least = Math.max(0, this.items.length - limits.late);
    let place = this.items.length;
    while (place > least && this.items[place - 1].first > time) place -= 1;
    const known = mayRepeat ? this.#recent(key, place) : null;
    if (known) {
      known.count += 1;
      [known.time, known.detail] = [Math.max(known.time, time), words.detail];
      known.version += 1;
      return known;
    }
    const item = { ...words, key, mayRepeat, connection, time, first: time, count: 1, version: 0, events: new Ring(limits.each),
      packets: new Ring(limits.each) };
    this.items.splice(place, 0, item);
    if (this.items.length > limits.items) this.items.shift();
    return item;
  }

  // Looks back from a place over other repetitions, but not over anything else.
  #recent(key, place) {
    for (let back = 1; back <= Math.min(limits.look, place); back += 1) {
      const item = this.items[place - back];
      if (item.key === key) return item;
      if (!item.mayRepeat) return null;
    }
    return null;
  }

  /** Returns the packets of an item, as far as they were watched and are kept; null if it has none in the conversation. */
  packetsOf(item) {
    if (item.packets.length) return [...item.packets];
    if (![...item.events].some((event) => event.event in carriers)) return null;
    const found = new Set();
    for (const event of item.events)
      for (const packet of this.packets)
        if (carries(packet, event)) found.add(packet);
    return [...found].slice(-limits.each);
  }
}

const operation = (packet) => packet.text.split(" - ")[0];

function carries(packet, event) {
  const operations = carriers[event.event];
  if (!operations || packet.layer !== "att" || !operations.includes(packet.opcode)) return false;
  if (packet.handle !== event.connection || Math.abs(packet.nanoseconds / 1e9 - event.time) > near) return false;
  return !event.characteristic || packet.name === event.characteristic;
}
