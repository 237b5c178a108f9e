// Times and happenings in words.

import { valueText } from "./format.js";

const technical = new Set(["event", "accessory", "time", "uuid", "connection"]);

/** Returns a time since the start in seconds. */
export const seconds = (nanoseconds) => (nanoseconds / 1e9).toFixed(6);

/** Returns a span of time with a unit that fits. */
export function span(nanoseconds) {
  if (Math.abs(nanoseconds) < 1e6) return `${Number((nanoseconds / 1e3).toFixed(1))} µs`;
  if (Math.abs(nanoseconds) < 1e9) return `${Number((nanoseconds / 1e6).toFixed(2))} ms`;
  return `${Number((nanoseconds / 1e9).toFixed(3))} s`;
}

/** Returns a number and its noun. */
export const counted = (count, noun, many = `${noun}s`) => `${count.toLocaleString("en")} ${count === 1 ? noun : many}`;

/** Returns the words of a moment: who did what. */
export function wordsOf(moment) {
  if (!moment.event) return [moment.who, moment.text];
  const hasValue = moment.event.value !== undefined && moment.event.value !== null;
  const rest = Object.entries(moment.event).filter(([key]) => !technical.has(key) && !(key === "hex" && hasValue))
    .map(([key, value]) => `${key.replaceAll("_", " ")} ${valueText(value)}`);
  return [moment.who, [String(moment.event.event).replaceAll("-", " "), ...rest].join(", ")];
}

/** Returns whether a moment reports a fault or the failure. */
export const isAlarming = (moment) => moment.who === "failed" || ["fault", "rule-failed"].includes(moment.event?.event);
