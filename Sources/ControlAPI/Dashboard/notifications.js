// The notifications of a stand-in for Apple's Notification Center.

import { post, put, remove } from "./api.js";
import { button, el, field, fill, form, panel, select } from "./dom.js";

const categories = ["other", "incoming-call", "missed-call", "voicemail", "social", "schedule", "email", "news",
  "health-and-fitness",
  "business-and-finance", "location", "entertainment"
];
// The UUIDs of the Apple Notification Center Service and of its twin, which apps can see.
const services = ["7905F431-B5CE-4E99-A40F-4B1E122D00D0", "A0000010-7C4D-4B0E-9E4B-1F6E2A1B9C00"];

export function notificationsPanel(model) {
  const { node, body } = panel("Notifications (ANCS)", true);
  const list = el("ul", { class: "cards" });
  const category = select(categories, "social");
  const [app, title, message] = ["com.example.chat", "", ""].map((value) => el("input", { type: "text", value,
    autocomplete: "off" }));
  const isThere = () => model.notifications?.length || model.services?.some((service) => services.includes(service.uuid
    .toUpperCase()));
  const add = form(async () => {
    await post(model.at("notifications"), { category: category.value, app: app.value, title: title.value,
      message: message.value });
    title.value = message.value = "";
    model.want("notifications");
  }, { class: "row" }, field("Category", category), field("App", app), field("Title", title), field("Message",
    message), el("button", {}, "Add notification"));
  body.append(list, add);
  node.hidden = true;
  return {
    node,
    changed: (part) => {
      if (!["rest", "notifications", "database"].includes(part)) return;
      node.hidden = !isThere();
      if (part === "database") return;
      fill(list, (model.notifications ?? []).map((one) => {
        const text = el("input", { type: "text", value: one.title ??
          "", "aria-label": `Title of notification ${one.uid}` });
        return el("li", {}, el("b", {}, `${one.uid}: ${one.title ?? ""}`), el("p", {},
            `${one.category}, ${one.app ?? ""} ${one.subtitle ?? ""}`), el("p", {}, one.message ?? ""),
          el("div", { class: "row" }, text,
            button("Change", async () => { await put(model.at("notifications", one.uid), { title: text
                  .value });
              model.want("notifications"); }, { "aria-label": `Change notification ${one.uid}` }),
            button("Remove", async () => { await remove(model.at("notifications", one.uid));
              model.want("notifications"); }, { "aria-label": `Remove notification ${one.uid}` })));
      }));
    },
  };
}
