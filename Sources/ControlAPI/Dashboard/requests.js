// Every request of the control API as a form, made from its own description, for all that has no part of its own on this page.

import { get, request, segment } from "./api.js";
import { el, field, fill, form, panel, scrolling, select } from "./dom.js";

const methods = ["get", "post", "put", "delete"];
// Streams never end, and files are not JSON.
const left = /^\/v1\/(events|packets|capture|ring|openapi\.json)$/;
const mostAnswer = 20_000;

export function requestsPanel(model) {
  const { node, body } = panel("Every request", false);
  const text = el("pre", { role: "status" });
  const answer = scrolling("Answer", text);
  answer.hidden = true;
  const show = (result) => {
    answer.hidden = result === null;
    text.textContent = JSON.stringify(result, null, 2).slice(0, mostAnswer);
  };
  const place = el("div", {});
  node.addEventListener("toggle", async () => {
    if (!node.open || place.firstChild) return;
    const operations = operationsOf(await get("/v1/openapi.json"));
    const chosen = choice(operations);
    const inputs = el("div", {});
    const draw = () => {
      show(null);
      fill(inputs, requestForm(operations[Number(chosen.value)], model, show));
    };
    chosen.addEventListener("change", draw);
    place.append(field("Request", chosen), inputs);
    draw();
  });
  body.append(el("p", { class: "empty" }, "Send any request of the control API from here."), place, answer);
  return { node };
}

function operationsOf(description) {
  return Object.entries(description.paths).flatMap(([path, operations]) => left.test(path) ||
    path.startsWith("/v1/accessories/") ? [] : methods.filter((method) => operations[method] &&
    !(method === "get" && left.test(path))).map((method) => ({ path, method: method.toUpperCase(), ...operations[method] })));
}

function choice(operations) {
  const groups = Map.groupBy(operations.map((operation, index) => ({ ...operation, index })), (one) => one.tags?.[0] ?? "");
  return el("select", {}, [...groups].map(([title, members]) => el("optgroup", { label: title }, members.map((one) =>
    el("option", { value: one.index }, `${one.method} ${one.path.replace("/v1/", "")}: ${one.summary.slice(0, 90)}`)))));
}

function requestForm(operation, model, show) {
  const parameters = (operation.parameters ?? []).filter((one) => one.in !== "header").map((one) => ({ ...one,
    control: parameterControl(one, model) }));
  const schema = operation.requestBody?.content["application/json"].schema;
  const json = schema ? el("textarea", { rows: 4, spellcheck: "false" }) : null;
  if (json) json.value = JSON.stringify(example(schema), null, 1);
  return form(async () => {
      show(await request(operation.method, addressOf(operation, parameters, model), json ? read(json.value) : undefined));
    }, {}, el("p", {}, operation.summary), parameters.map((one) => field(one.name, one.control, one.description)),
    json ? [field("Body", json), explanation(schema)] : null, el("button", {}, "Send the request"));
}

function read(text) {
  try {
    return text.trim() ? JSON.parse(text) : {};
  } catch {
    throw new Error("Expected JSON.");
  }
}

function parameterControl(one, model) {
  const known = { characteristic: model.characteristics, service: model.services, connection: model.state?.connections.map((link) =>
    ({ id: link.connection })), set: model.advertising }[one.name];
  if (known?.length) return select(known.map(({ id }) => [id, id]));
  if (one.schema?.enum) return select(one.required ? one.schema.enum : ["", ...one.schema.enum]);
  return el("input", { type: "text", autocomplete: "off", required: one.required });
}

function addressOf(operation, parameters, model) {
  let path = operation.path;
  const query = new URLSearchParams();
  for (const { name, in: place, control } of parameters) {
    if (place === "path") path = path.replace(`{${name}}`, segment(control.value));
    else if (control.value) query.set(name, control.value);
  }
  // Of several accessories, the request is for this one.
  const isCommon = /^\/v1\/(radio|accessories)\b/.test(path);
  if (!isCommon && model.path !== "/v1") path = path === "/v1/accessory" ? model.path : path.replace("/v1", model.path);
  return `${path}${query.size ? `?${query}` : ""}`;
}

/** Returns an example of a body: its required fields. */
function example(schema) {
  if (!schema.properties) return {};
  return Object.fromEntries((schema.required ?? []).map((name) => [name, exampleValue(schema.properties[name])]));
}

function exampleValue(schema = {}) {
  if (schema.enum) return schema.enum[0];
  return { integer: schema.minimum ?? 0, number: schema.minimum ?? 0, boolean: true, array: [], object: {} }[schema.type] ?? "";
}

function explanation(schema) {
  const required = new Set(schema.required ?? []);
  return el("ul", { class: "explanation" }, Object.entries(schema.properties ?? {}).map(([name, part]) => el("li", {}, el("code", {}, name),
    [required.has(name) ? "" : ", optional", part.enum ? `: ${part.enum.join(", ")}` : part.type ? `: ${part.type}` : "",
      part.description ? `; ${part.description}` : ""].join(""))));
}
