// Reads the compact data of a report in the page. All texts come from outside, and are only ever shown as text.

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Replaces the characters that could move or hide others. */
export const plain = (text) => String(text ?? "").replace(controls, "\ufffd");

/** Parses a JSON text, and makes all texts in it plain; null if it is not JSON. */
export function valueOf(json) {
  try {
    return JSON.parse(json, (key, value) => {
      if (typeof value === "string") return plain(value);
      if (!value || typeof value !== "object" || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [plain(name), part]));
    });
  } catch {
    return null;
  }
}

/** Reads the report of this page. */
export function readReport() {
  const raw = JSON.parse(document.getElementById("data").textContent);
  const texts = raw.texts.map(plain);
  const tables = { texts, fields: raw.fields, layers: raw.layers };
  return { title: plain(raw.title), maker: plain(raw.maker), cases: raw.cases.map((one, index) => caseOf(one, index, tables)) };
}

function caseOf(raw, index, tables) {
  const failure = raw.failure && {
    line: raw.failure.line,
    step: plain(raw.failure.step),
    reason: plain(raw.failure.reason),
    expected: raw.failure.expected === null ? null : plain(raw.failure.expected),
    actual: raw.failure.actual === null ? null : plain(raw.failure.actual),
    time: raw.failure.time,
    injected: raw.failure.injected?.map(plain) ?? null,
  };
  const moments = raw.moments.map(([time, who, text]) => momentOf(time, tables.texts[who], tables.texts[text]));
  return { index, state: raw.state, scenario: plain(raw.scenario), name: plain(raw.name), file: plain(raw.file), failure, moments,
    duration: raw.duration, epoch: raw.epoch, reason: plain(raw.reason), scenarioText: excerptOf(raw.scenarioText),
    profileText: excerptOf(raw.profileText), track: raw.track ? new Track(raw.track, tables) : null };
}

const excerptOf = (raw) => raw ? { ...raw, file: plain(raw.file), lines: raw.lines.map(plain) } : null;

function momentOf(time, who, text) {
  // An event that was too long was cut: it stays a text.
  const event = text.startsWith("{") ? valueOf(text) : null;
  const line = who === "step" ? Number(/^line (\d+)/.exec(text)?.[1] ?? 0) : 0;
  return { isMoment: true, time, who, text, event, line };
}

/** The packets of a case, read from their lists on demand. */
export class Track {
  constructor(raw, tables) {
    this.raw = raw;
    this.tables = tables;
    this.lanes = raw.lanes.map((lane) => ({ name: plain(lane.name), viewpoint: lane.viewpoint }));
    this.omitted = raw.omitted;
    this.series = raw.series.map((one) => ({ name: plain(one.name),
      points: one.times.map((time, place) => ({ time, value: one.values[place] })) }));
    const [lost, faulty] = [new Set(raw.lost), new Set(raw.faulty)];
    const remarks = new Map(raw.remarks.map(([place, ...texts]) => [place, texts.map((number) => tables.texts[number])]));
    let time = 0;
    this.packets = raw.times.map((difference, place) => {
      time += difference;
      return { place, time, lane: raw.lane[place], isSent: raw.sent[place] === 1, level: raw.level[place],
        type: tables.texts[raw.type[place]], isLost: lost.has(place), isFaulty: faulty.has(place),
        remarks: remarks.get(place) ?? [] };
    });
  }

  /** Returns the contents of a packet on one line. */
  text(packet) { return this.raw.text[packet.place].map((number) => this.tables.texts[number]).join(" - "); }

  /** Returns the packet that a packet answers, and the nanoseconds since then; null if it answers none. */
  answered(packet) {
    const place = this.raw.request[packet.place];
    return place < 0 ? null : { packet: this.packets[place], latency: this.raw.latency[packet.place] };
  }

  /** Returns the octets of a packet, in hexadecimal. */
  octets(packet) { return hexOf(this.raw.octets[packet.place]); }

  /** Returns the layers of a packet with all fields, as `GET /v1/packets?tree=true` describes them. */
  layers(packet) {
    const whole = this.octets(packet);
    return this.raw.layers[packet.place].map((number) => {
      const [name, title, start, length, own, fields] = this.tables.layers[number];
      const octets = start < 0 ? hexOf(own) : whole.slice(2 * start, 2 * (start + length));
      return { name: this.tables.texts[name], title: this.tables.texts[title], octets,
        fields: fields.map((field) => this.field(field, octets)) };
    });
  }

  field(number, octets) {
    const [name, start, length, value, meaning, children] = this.tables.fields[number];
    const content = octets.slice(2 * start, 2 * (start + length));
    const field = { name: this.tables.texts[name], range: [start, start + length], value: "" };
    if (value === -2) field.value = content;
    else if (value === -3) field.value = "0x" + (content.match(/../g) ?? []).reverse().join("").toUpperCase();
    else if (value >= 0) field.value = this.tables.texts[value];
    if (meaning >= 0) field.meaning = this.tables.texts[meaning];
    if (children) field.fields = children.map((child) => this.field(child, octets));
    return field;
  }
}

function hexOf(base64) {
  return [...atob(base64)].map((character) => character.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
