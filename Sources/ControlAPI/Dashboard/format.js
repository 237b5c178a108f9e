// Numbers, times and octets as text.

/** Returns a number with at most that many decimal places. */
export const number = (value, places = 2) =>
  typeof value === "number" && Number.isFinite(value) ? String(Number(value.toFixed(places))) : "–";

/** Returns a rate from octets per second. */
export function rate(octets) {
  if (octets < 1000) return `${number(octets, 0)} B/s`;
  return octets < 1e6 ? `${number(octets / 1000, 1)} kB/s` : `${number(octets / 1e6, 2)} MB/s`;
}

/** Returns the time of day from seconds since 1970. */
export function clock(seconds) {
  const date = new Date(seconds * 1000);
  const two = (value) => String(value).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** Returns a number in the notation of handles. */
export const handle = (value) => "0x" + value.toString(16).toUpperCase().padStart(4, "0");

/** Returns a value of a characteristic in one line. */
export function valueText(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === "hex") return value.hex ? `0x${value.hex}` : "no octets";
  return keys.map((key) => `${key} ${valueText(value[key])}`).join(" · ");
}

/** Returns the octets of hexadecimal digits; throws when the digits are wrong. */
export function octets(text) {
  const digits = text.replace(/^0x/i, "").replace(/[\s:-]/g, "");
  if (digits.length % 2 || /[^0-9a-f]/i.test(digits)) throw new Error(
    `Expected pairs of hexadecimal digits, such as 0102, not “${text}”.`);
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Returns hexadecimal digits without anything between them. */
export const digits = (text) => [...octets(text)].map((octet) => octet.toString(16).padStart(2, "0")).join("");
