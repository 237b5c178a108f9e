// The accessory as a thing: a card for each service, with the values of its characteristics.

import { el, fill } from "./dom.js";
import { handle } from "./format.js";
import { valueRow } from "./valuerow.js";

// Every accessory has these, and nobody looks at them first: Generic Access, Generic Attribute, Device Information.
const common = new Set(["1800", "1801", "180A"]);
// A service with more characteristics uses several columns.
const mostInColumn = 5;

export function thingPanel(model) {
  const node = el("div", { class: "services" });
  let rows = [];
  return {
    node,
    changed: (part) => {
      if (part === "state")
        for (const row of rows) row.connectionsChanged();
      if (part !== "database") return;
      const opened = new Set(rows.filter((row) => row.details.open).map((row) => row.id));
      const known = new Map(model.characteristics.map((one) => [one.id, one]));
      const isSeen = (one) => known.get(one.id)?.show?.as !== "hidden";
      const services = model.services.map((service) => ({ ...service, characteristics: service.characteristics.filter(isSeen),
        isEmpty: service.characteristics.length === 0 }));
      rows = [];
      // A service without characteristics has a card, but not one that has only hidden ones.
      const own = services.filter((service) => !common.has(service.uuid) && (service.isEmpty || service.characteristics.length));
      const others = services.filter((service) => common.has(service.uuid) && service.characteristics.length);
      fill(node, [...own, ...others].map((service) => serviceCard(model, service, known, rows)));
      for (const row of rows) row.details.open = opened.has(row.id);
    },
    tick: () => { for (const row of rows) row.tick(); },
  };
}

function serviceCard(model, service, known, rows) {
  const items = service.characteristics.map((one) => {
    const row = valueRow(model, { ...one, ...known.get(one.id) });
    rows.push(row);
    return row.node;
  });
  const range = `${handle(service.handle)}–${handle(service.end)}`;
  const name = service.name ?? service.id.replaceAll("-", " ");
  const kind = common.has(service.uuid) ? " common" : items.length > mostInColumn ? " large" : "";
  return el("section", { class: `service${kind}`, "aria-label": `Service ${service.id}` },
    el("h4", {}, name, " ", el("small", {}, `${service.primary ? "" : "secondary, "}${shortUUID(service.uuid)}, ${range}`)),
    el("ul", {}, items));
}

/** Returns a UUID, of a long one only its beginning: the row of each characteristic has all of its own. */
const shortUUID = (uuid) => uuid.length > 8 ? `${uuid.slice(0, 8)}…` : uuid;
