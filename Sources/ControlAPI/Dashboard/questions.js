// Questions that wait for an answer: reads, writes, authorization, channels, and the questions of pairing.

import { post } from "./api.js";
import { button, el, field, form, panel, setText } from "./dom.js";
import { digits, valueText } from "./format.js";

export function questionsPanel(model) {
  const { node, heading, body } = panel("Questions", true);
  // It stands directly below the accessory's name, outside of the areas.
  heading.ariaLevel = "3";
  const news = el("p", { role: "status", class: "visually-hidden" });
  const list = el("ul", { class: "cards" });
  body.append(news, list);
  node.hidden = true;
  const cards = new Map();
  return {
    node,
    changed: (part) => {
      if (part !== "questions") return;
      const open = new Map((model.questions ?? []).map((question) => [question.ticket, question]));
      for (const [ticket, card] of cards) {
        if (open.has(ticket)) continue;
        card.remove();
        cards.delete(ticket);
      }
      for (const [ticket, question] of open) {
        if (cards.has(ticket)) continue;
        const card = questionCard(model, question);
        cards.set(ticket, card);
        list.append(card);
        setText(news, `Question ${ticket}: ${sentence(question)}`);
      }
      node.hidden = cards.size === 0;
      if (cards.size) node.open = true;
      setText(heading, `Questions (${cards.size})`);
    },
  };
}

function sentence({ kind, connection, characteristic, operation, hex, value, psm, channels, digits: code }) {
  const who = `Connection ${connection}`;
  switch (kind) {
    case "read":
      return `${who} reads ${characteristic}. Which value does it get?`;
    case "write":
      return `${who} writes ${valueText(value ?? hex)} (0x${hex}) to ${characteristic}. Is it accepted?`;
    case "authorization":
      return `${who} wants to ${operation} ${characteristic}. Do you allow it?`;
    case "channels":
      return `${who} wants ${channels} channels to PSM ${psm}. Do you allow it?`;
    case "consent":
      return `${who} wants to pair. Do you allow it?`;
    case "comparison":
      return `${who} wants to pair. Does it show ${code}?`;
    case "passkey":
      return `${who} wants to pair. Which passkey does it show?`;
    case "display":
      return `${who} wants to pair. Type ${code} there.`;
    default:
      return `${who}: ${kind} ${characteristic ?? ""}`;
  }
}

function questionCard(model, question) {
  const { ticket, kind } = question;
  const answer = (body) => post(model.at("questions", ticket, "answer"), body);
  const yes = kind === "comparison" ? "They are the same" : "Accept";
  const parts = [el("p", {}, sentence(question))];
  if (kind === "read") {
    const input = el("input", { type: "text", class: "hex", autocomplete: "off", required: true });
    parts.push(form(() => answer({ hex: digits(input.value) }), { class: "row" }, field("Octets", input), el(
      "button", {}, "Answer")));
  } else if (kind === "passkey") {
    const input = el("input", { type: "text", inputmode: "numeric", pattern: "[0-9]{6}", maxlength: 6,
      autocomplete: "off", required: true });
    parts.push(form(() => answer({ value: Number(input.value) }), { class: "row" }, field("Passkey", input), el(
      "button", {}, "Answer")));
  }
  if (!["read", "passkey", "display"].includes(kind)) parts.push(button(yes, () =>
answer({ accept: true }), { "aria-label": `${yes}, question ${ticket}` }));
  parts.push(" ", button("Refuse", () => answer({ accept: false }), { "aria-label": `Refuse question ${ticket}` }));
  return el("li", { class: "question" }, parts);
}
