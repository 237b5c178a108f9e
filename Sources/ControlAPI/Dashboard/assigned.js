// Values that every server has and no profile describes: those of the Generic Access and Generic Attribute services.

import { octets } from "./format.js";

// The categories of the Appearance, by the upper ten bits (Assigned Numbers 2.6.2).
const categories = [
  "Unknown", "Phone", "Computer", "Watch", "Clock", "Display", "Remote Control", "Eye-glasses", "Tag", "Keyring",
  "Media Player", "Barcode Scanner", "Thermometer", "Heart Rate Sensor", "Blood Pressure", "Human Interface Device",
  "Glucose Meter", "Running Walking Sensor", "Cycling", "Control Device", "Network Device", "Sensor", "Light Fixtures",
  "Fan", "HVAC", "Air Conditioning", "Humidifier", "Heating", "Access Control", "Motorized Device", "Power Device",
  "Light Source", "Window Covering", "Audio Sink", "Audio Source", "Motorized Vehicle", "Domestic Appliance",
  "Wearable Audio Device", "Aircraft", "AV Equipment", "Display Equipment", "Hearing aid", "Gaming", "Signage",
];
const laterCategories = { 49: "Pulse Oximeter", 50: "Weight Scale", 51: "Personal Mobility Device", 52: "Continuous Glucose Monitor",
  53: "Insulin Pump", 54: "Medication Delivery", 55: "Spirometer", 81: "Outdoor Sports Activity" };
// The kinds within a category that people meet most.
const kinds = { 0x00C1: "Sports Watch", 0x00C2: "Smartwatch", 0x0301: "Ear Thermometer", 0x0341: "Heart Rate Belt", 0x0381: "Arm",
  0x0382: "Wrist", 0x03C1: "Keyboard", 0x03C2: "Mouse", 0x03C3: "Joystick", 0x03C4: "Gamepad", 0x0441: "In-Shoe", 0x0442: "On-Shoe",
  0x0443: "On-Hip", 0x0481: "Cycling Computer", 0x0482: "Speed Sensor", 0x0483: "Cadence Sensor", 0x0484: "Power Sensor",
  0x0485: "Speed and Cadence Sensor", 0x0708: "Door Lock", 0x0C41: "Fingertip", 0x0C42: "Wrist Worn" };

const plain = { kind: "text" };
const milliseconds = { kind: "number", step: 0.25, unit: "ms" };
const parameters = { kind: "object", fields: [
  { name: "shortest interval", form: milliseconds }, { name: "longest interval", form: milliseconds },
  { name: "latency", form: { kind: "number", step: 1 } }, { name: "timeout", form: milliseconds },
] };
const flags = { kind: "flags", names: [] };

const little = (data, at) => data[at] | data[at + 1] << 8;
const features = (names) => (data) => [flags, names.filter((name, bit) => data[bit >> 3] >> (bit & 7) & 1)];

const readers = {
  "2A00": (data) => [plain, new TextDecoder().decode(data)],
  "2A01": (data) => [plain, appearance(little(data, 0))],
  "2A04": (data) => [parameters, {
    "shortest interval": little(data, 0) * 1.25, "longest interval": little(data, 2) * 1.25,
    latency: little(data, 4), timeout: little(data, 6) * 10,
  }],
  "2A05": (data) => [plain, little(data, 2) ? `handles ${little(data, 0)} to ${little(data, 2)}` : "nothing yet"],
  "2AA6": (data) => [{ kind: "boolean" }, data[0] === 1],
  "2B29": features(["Robust Caching", "Enhanced ATT bearer", "Multiple Handle Value Notifications"]),
  "2B3A": features(["Enhanced ATT bearer"]),
};
const lengths = { "2A01": 2, "2A04": 8, "2A05": 4, "2AA6": 1 };

function appearance(value) {
  const category = categories[value >> 6] ?? laterCategories[value >> 6] ?? `category ${value >> 6}`;
  return kinds[value] ? `${category}: ${kinds[value]}` : category;
}

/** Returns the form and value of a characteristic without a format, or null when its octets mean nothing here. */
export function assigned(uuid, hex) {
  const read = readers[uuid];
  if (!read || typeof hex !== "string") return null;
  const data = octets(hex);
  if (data.length < (lengths[uuid] ?? 0)) return null;
  const [form, value] = read(data);
  return { form, value };
}
