// Written by scripts/embed-dashboard from the files in Sources/ControlAPI/Dashboard; a test holds it against them.

/// The files of the dashboard.
enum DashboardTexts {
  /// Their names and what they hold.
  static let all: [(name: String, text: String)] = [
    (
      "accessory.js",
      ##"""
      // One accessory: its panels, brought up to date at most five times a second and only while they are seen.

      import { bondsPanel, securityPanel } from "./bonds.js";
      import { buttonsPanel } from "./buttons.js";
      import { channelsPanel } from "./channels.js";
      import { connectionsPanel } from "./connections.js";
      import { databasePanel } from "./database.js";
      import { definitions, el, fill } from "./dom.js";
      import { eventsPanel } from "./events.js";
      import { faultsPanel } from "./faults.js";
      import { advertisingPanel } from "./advertising.js";
      import { notificationsPanel } from "./notifications.js";
      import { packetsPanel } from "./packets.js";
      import { playerPanel } from "./player.js";
      import { qrPicture } from "./qr.js";
      import { questionsPanel } from "./questions.js";

      const pause = 200;
      const makers = [
        questionsPanel, advertisingPanel, buttonsPanel, connectionsPanel, databasePanel, channelsPanel, notificationsPanel,
        playerPanel, faultsPanel,
        bondsPanel, securityPanel, packetsPanel, eventsPanel,
      ];

      /** The view of an accessory. A panel has `node`, `changed(part)` for what was asked for again, and `tick()` for what happens often. */
      export class AccessoryView {
        constructor(model, close) {
          this.model = model;
          this.heading = el("h2", { tabindex: "-1" }, model.id);
          this.heading.id = `accessory-${model.id}`;
          this.identity = el("div", { class: "identity" });
          this.panels = makers.map((make) => make(model));
          this.node = el("article", { "aria-labelledby": this.heading.id },
            el("div", { class: "title" }, this.heading,
              close ? el("button", { type: "button", on: { click: close }, "aria-label": `Close ${model.id}` }, "Close") :
              null),
            this.identity, this.panels.map((panel) => panel.node));
          this.isDirty = false;
          this.hasEnded = false;
        }

        async begin() {
          this.model.addEventListener("happened", () => this.schedule());
          this.model.addEventListener("changed", (event) => {
            if (event.detail === "state") this.drawIdentity();
            for (const panel of this.panels) panel.changed?.(event.detail);
            this.schedule();
          });
          await this.model.load();
        }

        end() {
          this.hasEnded = true;
          for (const panel of this.panels) panel.end?.();
          this.node.remove();
        }

        schedule() {
          if (this.isDirty || this.hasEnded) return;
          this.isDirty = true;
          setTimeout(() => requestAnimationFrame(() => {
            this.isDirty = false;
            for (const panel of this.panels)
              if (!panel.node.hidden && panel.node.open !== false) panel.tick?.();
          }), pause);
        }

        drawIdentity() {
          const { name, about, instructions, address, address_type: type, controller, joining = [] } = this.model.state;
          this.heading.textContent = name;
          const code = qrPicture(`${name}\n${address ?? ""}`, `QR code of ${name}, ${address ?? "without an address"}`);
          fill(this.identity, code, el("div", {}, about ? el("p", {}, about) : null, definitions([
            ["Address", address ? `${address} (${type})` : "none yet"],
            ["Controller", controller],
            ["Hosts join at", joining.join(", ")],
          ]), instructions ? el("details", { open: true }, el("summary", {}, "Instructions"),
            el("p", { class: "instructions" }, instructions)) : null));
        }
      }

      """##
    ),
    (
      "advertising.js",
      ##"""
      // Advertising sets: on the air or not, and their schedule.

      import { post } from "./api.js";
      import { button, el, fill, panel } from "./dom.js";
      import { number } from "./format.js";

      export function advertisingPanel(model) {
        const { node, body } = panel("Advertising", true);
        const list = el("ul", { class: "cards" });
        body.append(list);
        return {
          node,
          changed: (part) => {
            if (part !== "advertising") return;
            fill(list, model.advertising.map((set) => el("li", {},
              el("b", {}, set.id), " ", set.on ? el("span", { class: "badge on" }, "on the air") : el(
              "span", { class: "badge" }, "off"),
              el("p", {},
                `${set.kind}, ${set.connectable ? "connectable" : "not connectable"}, every ${set.interval_ms.map((time) => `${number(time)} ms`).join(", then ")}`
                ),
              button(set.on ? "Stop" : "Start", () => post(model.at("advertising", set.id, set.on ? "stop" :
                "start")), { "aria-label": `${set.on ? "Stop" : "Start"} advertising set ${set.id}` }))));
          },
        };
      }

      """##
    ),
    (
      "api.js",
      ##"""
      // The control API: requests and streams of events, with the token where one is wanted.

      const tokenName = "understudy-token";

      /** What the API refuses. */
      export class Refused extends Error {
        constructor(status, message) {
          super(message);
          this.status = status;
        }
      }

      let askForToken = null;
      /** Says who asks the user for the token; it returns a promise that is kept once there is one. */
      export function tokensFrom(ask) { askForToken = ask; }

      let asking = null;
      async function tokenWanted() {
        asking ??= askForToken().finally(() => { asking = null; });
        sessionStorage.setItem(tokenName, await asking);
      }

      async function fetchAuthorized(path, options) {
        while (true) {
          const token = sessionStorage.getItem(tokenName);
          const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
          const answer = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit",
            redirect: "error" });
          if (answer.status !== 401) return answer;
          if (sessionStorage.getItem(tokenName) === token) sessionStorage.removeItem(tokenName);
          if (!sessionStorage.getItem(tokenName)) await tokenWanted();
        }
      }

      /** A request below `/v1`; gives the JSON of the answer, or throws `Refused`. */
      export async function request(method, path, body) {
        let answer;
        try {
          answer = await fetchAuthorized(path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
        } catch (error) {
          if (error instanceof Refused) throw error;
          throw new Refused(0, "The program does not answer.");
        }
        const json = await answer.json().catch(() => ({}));
        if (!answer.ok) throw new Refused(answer.status, json.error ?? `The program answered ${answer.status}.`);
        return json;
      }

      export const get = (path) => request("GET", path);
      export const put = (path, body) => request("PUT", path, body);
      export const post = (path, body) => request("POST", path, body);
      export const remove = (path) => request("DELETE", path);

      /** The same, null where there is no such thing: a program of another version, or an accessory without it. */
      export async function getIfAny(path) {
        try {
          return await get(path);
        } catch (error) {
          if (error.status === 404 || error.status === 405) return null;
          throw error;
        }
      }

      /** A segment of a path. */
      export const segment = (text) => encodeURIComponent(String(text));

      /**
       * Reads server-sent events until `signal` says to stop. `EventSource` cannot carry a token, so the stream is read as it comes.
       * The most that is held of an event that does not end is 4 MiB. `happened` gets each event, and its number where it has one.
       */
      export async function readEvents(path, signal, happened, began = () => {}) {
        const answer = await fetchAuthorized(path, { signal });
        if (!answer.ok) {
          const json = await answer.json().catch(() => ({}));
          throw new Refused(answer.status, json.error ?? `The program answered ${answer.status}.`);
        }
        began();
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        while (true) {
          const { done, value } = await reader.read();
          if (done) return;
          rest += value;
          let start = 0;
          for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n", start)) {
            const lines = rest.slice(start, end).split("\n");
            const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
            start = end + 2;
            const data = field("data");
            if (data) happened(JSON.parse(data), Number(field("id") ?? 0));
          }
          rest = rest.slice(start);
          if (rest.length > 4 << 20) throw new Error("An event does not end.");
        }
      }

      /**
       * The same, again and again: a program that restarts is found again. What has happened meanwhile comes first, as far as the program
       * has kept it. Gives up where there is no such stream.
       */
      export async function followEvents(path, signal, happened, changed) {
        let last = null;
        for (let pause = 250; !signal.aborted; pause = Math.min(pause * 2, 5000)) {
          try {
            await readEvents(last === null ? path : `${path}?after=${last}`, signal, (event, id) => {
              if (id > 0) last = id;
              happened(event);
            }, () => { pause = 250;
              changed("live"); });
          } catch (error) {
            if (signal.aborted) return;
            if (error.status === 404 || error.status === 400) return changed("absent");
          }
          if (signal.aborted) return;
          changed("lost");
          await new Promise((done) => setTimeout(done, pause));
        }
      }

      """##
    ),
    (
      "bonds.js",
      ##"""
      // Bonds, what a tester may break of them, and how the accessory pairs.

      import { getIfAny, post, put, remove } from "./api.js";
      import { button, definitions, el, fill, form, panel, select, setText } from "./dom.js";

      const alterations = ["wrong-ltk", "without-ltk", "changed-irk", "without-subscriptions"];

      export function bondsPanel(model) {
        const { node, heading, body } = panel("Bonds", false);
        const list = el("ul", { class: "cards" });
        const none = el("p", { class: "empty" }, "There are no bonds.");
        body.append(none, list);
        return {
          node,
          changed: (part) => {
            if (part !== "bonds") return;
            node.hidden = model.bonds === null;
            const bonds = model.bonds ?? [];
            none.hidden = bonds.length > 0;
            setText(heading, bonds.length ? `Bonds (${bonds.length})` : "Bonds");
            fill(list, bonds.map((bond) => {
              const how = select(alterations,
              "wrong-ltk", { "aria-label": `How to damage the bond with ${bond.peer}` });
              return el("li", {}, el("b", {}, bond.name ? `${bond.name}, ${bond.peer}` : bond.peer), definitions([
                ["Keys", (bond.keys ?? []).join(", ")],
                ["Key size", bond.key_size],
                ["Authenticated", bond.authenticated ? "yes" : "no"],
                ["LE Secure Connections", bond.secure_connections ? "yes" : "no"],
              ]), el("div", { class: "row" },
                button("Forget", async () => { await remove(model.at("bonds", bond.id));
                  model.want("bonds"); }, { "aria-label": `Forget the bond with ${bond.peer}` }),
                how, button("Break", async () => { await post(model.at("bonds", bond.id, "alter"), { with: how
                      .value });
                  model.want("bonds"); }, { "aria-label": `Break the bond with ${bond.peer}` })));
            }));
          },
        };
      }

      export function securityPanel(model) {
        const { node, body } = panel("Pairing", false);
        const text = el("textarea", { rows: 6, spellcheck: "false", "aria-label": "How the accessory pairs, as JSON" });
        const result = el("output", {});
        body.append(form(async () => {
          let json;
          try { json = JSON.parse(text.value); } catch { throw new Error(
              "Expected JSON, such as {\"pairing\": \"display\"}."); }
          text.value = JSON.stringify(await put(model.at("security"), json), null, 2);
          setText(result, "set");
        }, {}, text, el("div", { class: "row" }, el("button", { "aria-label": "Set how the accessory pairs" }, "Set"),
          button("Reload", async () => { text.value = JSON.stringify(await getIfAny(model.at("security")), null,
            2); }, { "aria-label": "Reload how the accessory pairs" }), result)));
        return {
          node,
          changed: (part) => {
            if (part !== "rest") return;
            node.hidden = !model.security;
            if (document.activeElement !== text) text.value = JSON.stringify(model.security, null, 2);
          },
        };
      }

      """##
    ),
    (
      "btsnoop.js",
      ##"""
      // A btsnoop file (version 1, data link 1002: HCI UART) of packets.

      import { octets } from "./format.js";

      // Microseconds from midnight, January 1st, 0 AD, to 1970.
      const epoch = 0x00DCDDB30F2F8000n;

      /** The octets of a file with these packets. */
      export function captureFile(packets) {
        const records = [...packets].map((packet) => ({ packet, data: octets(packet.octets) }));
        const file = new DataView(new ArrayBuffer(16 + records.reduce((sum, { data }) => sum + 24 + data.length, 0)));
        new TextEncoder().encodeInto("btsnoop\0", new Uint8Array(file.buffer));
        file.setUint32(8, 1);
        file.setUint32(12, 1002);
        let offset = 16;
        for (const { packet, data } of records) {
          file.setUint32(offset, data.length);
          file.setUint32(offset + 4, data.length);
          // Bit 0: received; bit 1: a command or an event.
          file.setUint32(offset + 8, (packet.sent ? 0 : 1) | (data[0] === 1 || data[0] === 4 ? 2 : 0));
          file.setUint32(offset + 12, 0);
          file.setBigInt64(offset + 16, BigInt(Math.round(packet.nanoseconds / 1000)) + epoch);
          new Uint8Array(file.buffer, offset + 24).set(data);
          offset += 24 + data.length;
        }
        return file.buffer;
      }

      """##
    ),
    (
      "buttons.js",
      ##"""
      // The buttons that the profile's rules know, and the state that they lead to.

      import { post } from "./api.js";
      import { button, el, fill, panel, setText } from "./dom.js";

      export function buttonsPanel(model) {
        const { node, body } = panel("Buttons", true);
        const state = el("p", { role: "status" }),
          list = el("div", { class: "row" });
        body.append(state, list);
        node.hidden = true;
        let known = null;
        return {
          node,
          changed: (part) => {
            if (part !== "buttons") return;
            const { buttons = [], state: present = null } = model.buttons ?? {};
            node.hidden = buttons.length === 0 && present === null;
            setText(state, present === null ? "" : `State: ${present}`);
            // A button that has the focus keeps it.
            if (known === buttons.join("\n")) return;
            known = buttons.join("\n");
            fill(list, buttons.map((name) => button(name, async () => {
              await post(model.at("buttons", name));
              model.want("buttons");
            }, { "aria-label": `Press ${name}` })));
          },
        };
      }

      """##
    ),
    (
      "channels.js",
      ##"""
      // L2CAP channels: what can be opened, what is open, its counters, and sending.

      import { post, put, remove } from "./api.js";
      import { button, definitions, el, field, fill, form, panel, select, setText } from "./dom.js";
      import { digits, handle } from "./format.js";

      const handlers = ["echo", "sink", "source", "manual"];

      export function channelsPanel(model) {
        const { node, heading, body } = panel("L2CAP channels", false);
        const none = el("p", { class: "empty" }, "No channel is open.");
        const list = el("ul", { class: "cards" }),
          published = el("ul", { class: "cards" });
        const cards = new Map();
        const id = el("input", { type: "text", required: true, autocomplete: "off" });
        const psm = el("input", { type: "text", value: "auto", required: true, autocomplete: "off" });
        const handler = select(handlers.slice(0, 3), "echo");
        const publish = form(async () => {
          await post(model.at("published"), { id: id.value, psm: /^\d+$/.test(psm.value) ? Number(psm.value) : psm
              .value, handler: handler.value });
          id.value = "";
          model.want("channels");
        }, { class: "row" }, field("Id", id), field("PSM", psm, "a number, auto or new"), field("Handler", handler), el(
          "button", {}, "Publish"));
        body.append(el("h4", {}, "Open"), none, list, el("h4", {}, "Published"), published, publish);
        return {
          node,
          changed: (part) => {
            if (part !== "channels") return;
            const open = new Map(model.channels.map((channel) => [`${channel.connection}/${channel.channel}`, channel]));
            none.hidden = open.size > 0;
            setText(heading, open.size ? `L2CAP channels (${open.size})` : "L2CAP channels");
            for (const [key, card] of cards)
              if (!open.has(key)) { card.node.remove();
                cards.delete(key); }
            for (const [key, channel] of open) {
              let card = cards.get(key);
              if (!card) {
                cards.set(key, card = channelCard(model, channel));
                list.append(card.node);
                node.open = true;
              }
              card.draw(channel);
            }
            fill(published, (model.published ?? []).map((one) => publicationItem(model, one)));
          },
          // Counters have no events of their own.
          tick: () => { if (cards.size) model.want("channels"); },
        };
      }

      function channelCard(model, { connection, channel }) {
        const facts = el("div", {}),
          title = el("b", {});
        const text = el("input", { type: "text", autocomplete: "off" });
        const kind = select([
          ["text", "text"],
          ["hex", "octets"]
        ], "text", { "aria-label": "Data to send" });
        const node = el("li", {}, title, facts,
          form(async () => {
            await post(model.at("channels", connection, channel, "send"), kind.value === "hex" ? { hex: digits(text
                .value) } : { text: text.value });
            model.want("channels");
          }, { class: "row" }, field("SDU", text), kind, el("button", { "aria-label": `Send over channel ${channel}` },
            "Send")),
          button("Close", () => post(model.at("channels", connection, channel,
          "close"), {}), { "aria-label": `Close channel ${channel}` }));
        return {
          node,
          draw: (one) => {
            setText(title, `${one.id ?? "channel"} ${handle(one.channel)} on connection ${one.connection}`);
            const count = (traffic) => `${traffic.sdus} SDUs, ${traffic.frames} frames, ${traffic.octets} octets`;
            fill(facts, definitions([
              ["PSM", one.psm],
              ["MTU", `${one.mtu}, peer ${one.peer_mtu}`],
              ["MPS", `${one.mps}, peer ${one.peer_mps}`],
              ["Credits", `${one.credits} given, ${one.peer_credits} to send`],
              ["Sent", count(one.sent)],
              ["Received", count(one.received)],
              ["Queued", `${one.queued} octets`],
              ["Sink", one.sink ? `${one.sink.sdus} SDUs, ${one.sink.octets} octets` : null],
              ["Line", one.bridge],
            ]));
          },
        };
      }

      function publicationItem(model, one) {
        const state = select(["", "ask", "granted", "denied"], "", { "aria-label": `Who may open ${one.id}` });
        state.options[0].textContent = "authorization …";
        state.addEventListener("change", () => { if (state.value) put(model.at("published", one.id,
          "authorization"), { state: state.value }).catch(() => {}); });
        return el("li", {}, el("b", {}, one.id),
          ` PSM ${one.psm}, ${typeof one.handler === "string" ? one.handler : JSON.stringify(one.handler)}, ${one.open ?? 0} open `,
          el("div", { class: "row" }, state, button("Withdraw", async () => {
            await remove(model.at("published", one.id));
            model.want("channels");
          }, { "aria-label": `Withdraw ${one.id}` })));
      }

      """##
    ),
    (
      "connections.js",
      ##"""
      // Connections: what was agreed on, traffic, and what can be asked of the central.

      import { get, post } from "./api.js";
      import { button, definitions, el, field, fill, form, panel, select, setText } from "./dom.js";
      import { number, rate } from "./format.js";
      import { Plot } from "./plot.js";
      import { Ring } from "./ring.js";

      const reasons = [
        ["0x13", "remote user terminated"],
        ["0x05", "authentication failure"],
        ["0x14", "low resources"],
        ["0x15", "power off"],
        ["0x1a", "unsupported remote feature"],
        ["0x29", "pairing with unit key not supported"],
        ["0x3b", "unacceptable connection parameters"]
      ];

      const listening = 2000,
        strengths = 150;

      export function connectionsPanel(model) {
        const { node, heading, body } = panel("Connections", true);
        const none = el("p", { class: "empty" }, "No central is connected.");
        const list = el("ul", { class: "cards" });
        const failures = el("p", {});
        failures.hidden = true;
        body.append(none, failures, list);
        const cards = new Map();
        // The controller is asked only while somebody looks.
        const timer = setInterval(() => {
          if (!node.open || document.hidden) return;
          for (const card of cards.values()) card.listen();
        }, listening);

        return {
          end: () => clearInterval(timer),
          node,
          changed: (part) => {
            if (part !== "state") return;
            const links = model.state.connections;
            setText(heading, links.length ? `Connections (${links.length})` : "Connections");
            none.hidden = links.length > 0;
            const { made, failed } = model.state.connection_counts;
            failures.hidden = failed === 0;
            setText(failures, `${failed} failed to be established (0x3E), ${made} made since the start`);
            const known = new Set(links.map((link) => link.connection));
            for (const [id, card] of cards) {
              if (known.has(id)) continue;
              card.node.remove();
              cards.delete(id);
              model.rates.delete(id);
            }
            for (const link of links) {
              let card = cards.get(link.connection);
              if (!card) {
                cards.set(link.connection, card = connectionCard(model, link.connection));
                list.append(card.node);
              }
              card.draw(link);
            }
          },
          tick: () => { for (const card of cards.values()) card.tick(); },
        };
      }

      function connectionCard(model, id) {
        const facts = el("div", {}),
          traffic = el("p", {});
        const plot = new Plot(`Octets sent per second over connection ${id}`);
        const strength = el("p", {}),
          heard = new Ring(strengths),
          heardPlot = new Plot(`RSSI of connection ${id}`);
        heardPlot.node.toggleAttribute("hidden", true);
        const title = el("b", {});
        const shortest = el("input", { type: "number", min: 7.5, max: 4000, step: 1.25, value: 15, required: true });
        const longest = el("input", { type: "number", min: 7.5, max: 4000, step: 1.25, value: 30, required: true });
        const latency = el("input", { type: "number", min: 0, max: 499, value: 0, required: true });
        const timeout = el("input", { type: "number", min: 100, max: 32000, step: 10, value: 4000, required: true });
        const reason = select(reasons, "0x13", { "aria-label": `Reason to disconnect ${id}` });
        const parameters = form(
          () => post(model.at("connections", id, "parameters"), {
            interval_ms: [Number(shortest.value), Number(longest.value)],
            latency: Number(latency.value),
            timeout_ms: Number(timeout.value),
          }), { class: "row" },
          field("Shortest interval (ms)", shortest), field("Longest interval (ms)", longest), field("Latency", latency),
          field("Supervision timeout (ms)", timeout), el("button", {}, "Request these parameters"));
        const node = el("li", {}, title, facts, strength, heardPlot.node, traffic, plot.node,
          el("div", { class: "row" },
            button("Request security", () => post(model.at("connections", id,
            "pair"), {}), { "aria-label": `Request security from connection ${id}` }),
            reason, button("Disconnect", () => post(model.at("connections", id, "disconnect"), { reason: reason
              .value }), { "aria-label": `Disconnect ${id}` })),
          el("details", {}, el("summary", {}, "Other parameters"), parameters), remoteServices(model, id));
        const listen = async () => {
          const answer = await get(model.at("connections", id, "rssi")).catch(() => null);
          if (!answer) return;
          setText(strength, answer.rssi === null ? "RSSI: not known to the controller" : `RSSI: ${answer.rssi} dBm`);
          if (answer.rssi === null) return;
          heard.push({ time: Date.now() / 1000, value: answer.rssi });
          heardPlot.node.toggleAttribute("hidden", heard.length < 2);
          if (heard.length > 1) heardPlot.draw(heard, "dBm");
        };
        listen();
        return {
          node,
          listen,
          draw: (link) => {
            setText(title, `${id}: ${link.peer} (${link.peer_type})`);
            const { protection, key_size: size, bonded } = link.security ?? {};
            fill(facts, definitions([
              ["Interval", `${number(link.interval_ms)} ms`],
              ["Latency", link.latency],
              ["Timeout", `${number(link.timeout_ms)} ms`],
              ["MTU", link.mtu],
              ["PHY", both(link.phy, "")],
              ["Data length", both(link.data_length, " octets")],
              ["Security", protection ?
                `${protection}${size ? `, key of ${size} octets` : ""}${bonded ? ", bonded" : ""}` : null
              ],
              ["Subscriptions", link.subscriptions.map((one) =>
                `${one.characteristic} (${[one.notify && "notify", one.indicate && "indicate"].filter(Boolean).join(", ")})`
                ).join(", ")],
            ]));
          },
          tick: () => {
            const { sent, received } = model.ratesOf(id);
            setText(traffic,
              `Values: sent ${rate(sent.at(model.now))}, ${sent.total} octets; received ${rate(received.at(model.now))}, ${received.total} octets`
              );
            plot.node.toggleAttribute("hidden", sent.buckets.length < 2);
            if (sent.buckets.length > 1) plot.draw(sent.buckets, "octets");
          },
        };
      }

      function both(pair, unit) {
        if (!pair || (pair.tx === null && pair.rx === null)) return "as at the beginning";
        return pair.tx === pair.rx ? `${pair.tx}${unit}` : `${pair.tx}${unit} sent, ${pair.rx}${unit} received`;
      }

      // What the central's own server has, found when somebody asks.
      function remoteServices(model, id) {
        const found = el("div", { role: "status" });
        const uuid = el("input", { type: "text", required: true, autocomplete: "off" });
        const show = (answer) => fill(found, el("pre", {}, JSON.stringify(answer, null, 2)));
        return el("details", {}, el("summary", {}, "The central's services"),
          button("Discover", async () => show(await post(model.at("connections", id, "remote",
          "discover"), {})), { "aria-label": `Discover the services of connection ${id}` }),
          form(async () => show(await post(model.at("connections", id, "remote", "read"), { uuid: uuid.value
            .trim() })), { class: "row" },
            field("UUID of a characteristic", uuid), el("button", {}, "Read")), found);
      }

      """##
    ),
    (
      "dashboard.css",
      ##"""
      /* Colours by their use; each pair of text and ground has a contrast of 4.5 : 1 or more. */
      :root {
        color-scheme: light dark;
        --ground: #f6f7f9; --surface: #fff; --text: #16191d; --quiet: #4d5661; --line: #c7cdd4;
        --accent: #0b57a8; --on-accent: #fff; --good: #17693b; --warn: #8a3a00; --bad: #a3151f; --marked: #ffe28a; --marked-text: #16191d;
      }
      @media (prefers-color-scheme: dark) {
        :root {
          --ground: #14171a; --surface: #1d2126; --text: #e9edf1; --quiet: #aab4bf; --line: #444d57;
          --accent: #8ab8ff; --on-accent: #10151c; --good: #7bd29d; --warn: #f2b482; --bad: #ff9a9a; --marked: #6b5200; --marked-text: #fff;
        }
      }
      * { box-sizing: border-box; }
      [hidden] { display: none !important; }
      body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
      code, pre, .hex, .packets, .layers, .log, .octets { font-family: ui-monospace, monospace; font-size: 13px; }
      header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; padding: .5rem 1rem; border-bottom: 1px solid var(--line); }
      h1 { font-size: 1.2rem; margin: 0; }
      h2 { font-size: 1.15rem; margin: 0; }
      h3 { font-size: 1rem; margin: 0; display: inline; }
      h4 { font-size: .95rem; margin: .75rem 0 .25rem; }
      p { margin: .25rem 0; }
      small, .empty, dt { color: var(--quiet); }
      small { font-weight: normal; }
      #stream { margin: 0; color: var(--quiet); }
      #stream[data-state="live"] { color: var(--good); }
      #stream[data-state="lost"] { color: var(--bad); }
      .skip { position: absolute; left: -100rem; }
      .skip:focus { left: .5rem; top: .5rem; background: var(--surface); padding: .5rem; z-index: 1; }
      .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
      :focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
      #alerts p { margin: .5rem 1rem; padding: .5rem; border: 2px solid var(--bad); background: var(--surface); }
      #token-form { margin: 1rem; padding: 1rem; background: var(--surface); border: 1px solid var(--line); max-width: 34rem; }
      nav ul, .cards, .tree, .log, .packets { list-style: none; margin: 0; padding: 0; }
      nav ul { display: flex; flex-wrap: wrap; gap: .5rem; padding: .5rem 1rem; max-height: 12rem; overflow-y: auto; }
      nav button { text-align: left; }
      nav button[aria-pressed="true"] small { color: inherit; }
      main:focus { outline: none; }
      #accessories { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1rem; padding: 1rem; align-items: start; }
      #radio { padding: 0 1rem 1rem; }
      article, #radio section { min-width: 0; }
      .title { display: flex; justify-content: space-between; gap: 1rem; align-items: center; }
      .identity { display: flex; flex-wrap: wrap; gap: 1rem; margin: .5rem 0; }
      .identity > div { flex: 1 1 12rem; min-width: 0; }
      .qr { width: 7rem; height: 7rem; flex: none; }
      .panel { background: var(--surface); border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; }
      summary { cursor: pointer; padding: .25rem 0; }
      .panel > summary { padding: .5rem .75rem; }
      .panel > .body { padding: 0 .75rem .75rem; }
      .cards > li { border-top: 1px solid var(--line); padding: .5rem 0; }
      .cards > li:first-child { border-top: 0; }
      .question { border-left: 4px solid var(--warn) !important; padding-left: .5rem !important; }
      .badge { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem; font-size: .85rem; color: var(--quiet); }
      .badge.on { color: var(--good); border-color: var(--good); }
      dl { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .25rem 0; }
      dl div { display: flex; gap: .35rem; min-width: 0; }
      dd { margin: 0; min-width: 0; }
      .row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: .35rem 0; }
      .field { display: flex; flex-direction: column; min-width: 0; }
      .field label { font-size: .85rem; color: var(--quiet); }
      .switch { display: inline-flex; gap: .35rem; align-items: center; margin-right: .75rem; }
      .number { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
      .member { display: flex; gap: .5rem; align-items: center; margin: .25rem 0; }
      .member > :last-child { flex: 1; min-width: 0; }
      fieldset { border: 1px solid var(--line); border-radius: 4px; margin: .35rem 0; padding: .35rem .6rem; min-width: 0; }
      input, select, textarea, button {
        font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--quiet); border-radius: 4px; padding: .3rem .5rem; max-width: 100%;
      }
      textarea { width: 100%; font-family: ui-monospace, monospace; }
      input[type="checkbox"] { width: 1.15rem; height: 1.15rem; accent-color: var(--accent); flex: none; }
      input[type="range"] { padding: 0; accent-color: var(--accent); flex: 1 1 8rem; min-height: 1.8rem; }
      button { cursor: pointer; min-height: 1.9rem; }
      button:hover { border-color: var(--accent); }
      button[aria-pressed="true"], form button:not([type]) { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
      .tree > li { border-left: 2px solid var(--line); padding-left: .5rem; }
      .live { color: var(--accent); }
      .plot { width: 100%; height: auto; max-width: 26rem; border: 1px solid var(--line); border-radius: 4px; }
      .plot .curve { stroke: var(--accent); stroke-width: 1.5; }
      .plot .scale { fill: var(--quiet); font-size: 10px; }
      figure { margin: .35rem 0; }
      figcaption { font-size: .85rem; color: var(--quiet); }
      .scroll { overflow-x: auto; max-height: 22rem; overflow-y: auto; }
      table { border-collapse: collapse; font-size: .9rem; }
      caption { text-align: left; color: var(--quiet); }
      th, td { text-align: left; border-bottom: 1px solid var(--line); padding: .15rem .6rem .15rem 0; vertical-align: top; overflow-wrap: normal; }
      pre { overflow-x: auto; white-space: pre-wrap; max-height: 20rem; overflow-y: auto; margin: .25rem 0; }
      .packets { max-height: 24rem; overflow-y: auto; border: 1px solid var(--line); border-radius: 4px; min-height: 3rem; }
      .packets li { padding: 0 .4rem; cursor: pointer; }
      .packets li[aria-selected="true"] { background: var(--accent); color: var(--on-accent); }
      .packets .fault { color: var(--bad); }
      .packets .layer-command, .packets .layer-event { color: var(--quiet); }
      .packets li.fault[aria-selected="true"], .packets li[aria-selected="true"] { color: var(--on-accent); }
      .layers ul { padding-left: 1.1rem; margin: .1rem 0; }
      .marked { background: var(--marked); color: var(--marked-text); }
      @media (max-width: 30rem) { #accessories, #radio { padding-left: .5rem; padding-right: .5rem; } .qr { width: 5.5rem; height: 5.5rem; } }
      @media (prefers-reduced-motion: no-preference) { button { transition: border-color .1s; } }

      /* The map of the radio and the player. */
      .map { display: block; width: 100%; max-width: 26rem; }
      .map .line, .map .head { fill: none; stroke: currentColor; }
      .map .head { stroke-width: 2; }
      .map .target { fill: none; stroke: transparent; stroke-width: 14; }
      .map .path { cursor: pointer; outline: none; opacity: .75; }
      .map .path.current, .map .path:hover { opacity: 1; color: var(--accent); }
      .map .path:focus-visible .target { stroke: var(--accent); stroke-opacity: .35; }
      .map .impaired .line { stroke-dasharray: 8 5; }
      .map .deaf { color: var(--bad); }
      .map circle { fill: var(--surface); stroke: currentColor; stroke-width: 2; }
      .map text { fill: currentColor; font-size: 14px; }
      .instructions { white-space: pre-line; }

      """##
    ),
    (
      "dashboard.js",
      ##"""
      // The page: which accessories there are, which of them are shown, and the stream of events that all of them share.

      import { AccessoryView } from "./accessory.js";
      import { followEvents, get, getIfAny, tokensFrom } from "./api.js";
      import { attempt, el, fill, setText } from "./dom.js";
      import { Model } from "./model.js";
      import { RadioView } from "./radio.js";

      const status = document.getElementById("stream");
      const overview = document.getElementById("overview");
      const place = document.getElementById("accessories");
      const views = new Map();
      let accessories = [];

      tokensFrom(() => new Promise((done) => {
        const form = document.getElementById("token-form"),
          input = document.getElementById("token");
        form.hidden = false;
        input.focus();
        form.onsubmit = (event) => {
          event.preventDefault();
          form.hidden = true;
          done(input.value.trim());
          input.value = "";
        };
      }));

      /** Several accessories are each below their name; a single one is where it always was. */
      const pathOf = (accessory) => accessories.length > 1 ? accessory.path : "/v1";

      async function show(accessory) {
        const model = new Model(pathOf(accessory), accessory.id);
        const view = new AccessoryView(model, accessories.length > 1 ? () => hide(accessory.id) : null);
        views.set(accessory.id, view);
        place.append(view.node);
        await view.begin();
        drawOverview();
      }

      function hide(id) {
        views.get(id)?.end();
        views.delete(id);
        drawOverview();
        overview.querySelector(`button[data-id="${CSS.escape(id)}"]`)?.focus();
      }

      function toggle(accessory) {
        if (views.has(accessory.id)) hide(accessory.id);
        else attempt(async () => {
          await show(accessory);
          views.get(accessory.id)?.node.querySelector("h2")?.focus();
        });
      }

      function drawOverview() {
        overview.parentElement.hidden = accessories.length < 2;
        const focused = document.activeElement?.dataset?.id;
        fill(overview, accessories.map((accessory) => {
          const count = accessory.connections?.length ?? 0;
          const words = [accessory.advertising.length ? "advertising" : "not advertising", count ?
            `${count} connected` : null
          ];
          return el("li", {}, el("button", {
            type: "button",
            "aria-pressed": String(views.has(accessory.id)),
            "data-id": accessory.id,
            on: { click: () => toggle(accessory) },
          }, el("b", {}, accessory.name), " ", el("small", {}, accessory.id), " ", el("small", {}, words.filter(
            Boolean).join(", "))));
        }));
        if (focused !== undefined) overview.querySelector(`button[data-id="${CSS.escape(focused)}"]`)?.focus();
      }

      let overviewTimer = null;

      function refreshOverview() {
        overviewTimer ??= setTimeout(async () => {
          overviewTimer = null;
          const list = await getIfAny("/v1/accessories").catch(() => null);
          if (list) accessories = list.accessories;
          drawOverview();
        }, 500);
      }

      function happened(event) {
        if (/^(connected|disconnected|advertising-|identity-changed)/.test(event.event) && accessories.length > 1)
          refreshOverview();
        if (/^(connected|disconnected)$/.test(event.event)) radio.want();
        if (event.accessory === undefined)
          for (const view of views.values()) view.model.take(event);
        else views.get(event.accessory)?.model.take(event);
      }

      let hasBeenLost = false;

      function streamChanged(state) {
        setText(status, { live: "Live", lost: "The program does not answer; trying again …",
          absent: "No accessories, the radio alone" } [state]);
        status.dataset.state = state;
        if (state === "live" && hasBeenLost) {
          refreshOverview();
          for (const view of views.values()) attempt(() => view.model.load());
        }
        hasBeenLost ||= state === "lost";
      }

      const radio = new RadioView(document.getElementById("radio"));
      // Before anything is asked for, so that nothing is missed between the answer and the first event.
      followEvents("/v1/events", new AbortController().signal, happened, streamChanged);
      await attempt(async () => {
        accessories = (await get("/v1/accessories")).accessories;
        drawOverview();
        const wanted = new URLSearchParams(location.hash.slice(1)).getAll("accessory");
        const first = accessories.filter((accessory) => wanted.includes(accessory.id));
        for (const accessory of first.length ? first : accessories.slice(0, 1)) await show(accessory);
      });
      await attempt(() => radio.begin());
      document.documentElement.dataset.ready = "true";

      """##
    ),
    (
      "database.js",
      ##"""
      // The database as a tree: services, characteristics with their live values, and what can be done with them.

      import { get, post, put } from "./api.js";
      import { control, hex } from "./form.js";
      import { button, definitions, el, fill, form, panel, scrolling, select, setText, table } from "./dom.js";
      import { clock, handle, valueText } from "./format.js";
      import { Plot } from "./plot.js";

      const mostText = 120;
      const short = (text) => text.length > mostText ? `${text.slice(0, mostText)}…` : text;

      export function databasePanel(model) {
        const { node, body } = panel("Services and characteristics", true);
        let rows = [];
        return {
          node,
          changed: (part) => {
            if (part === "state")
              for (const row of rows) row.connectionsChanged?.();
            if (part !== "database") return;
            const opened = new Set(rows.filter((row) => row.node.open).map((row) => row.id));
            const known = new Map(model.characteristics.map((one) => [one.id, one]));
            rows = [];
            fill(body, model.services.map((service) => serviceNode(model, service, known, rows, opened)));
          },
          tick: () => { for (const row of rows) row.tick(); },
        };
      }

      function serviceNode(model, service, known, rows, opened) {
        const items = service.characteristics.map((one) => {
          const row = characteristicRow(model, { ...one, ...known.get(one.id) });
          if (opened.has(one.id)) row.node.open = true;
          rows.push(row);
          return el("li", {}, row.node);
        });
        const range = `${handle(service.handle)}–${handle(service.end)}`;
        return el("section", { class: "service" },
          el("h4", {}, `${service.name ?? service.id} `, el("small", {},
            `${service.id}, ${service.uuid}, ${service.primary ? "primary" : "secondary"}, ${range}`)),
          el("ul", { class: "tree" }, items));
      }

      function characteristicRow(model, one) {
        const live = el("span", { class: "live" });
        const summary = el("summary", {}, el("b", {}, one.id), " ",
          el("small", {}, [one.name, one.uuid, handle(one.value_handle)].filter(Boolean).join(" · ")), " ", live);
        const node = el("details", { class: "characteristic" }, summary);
        let inside = null;
        if (!model.values.has(one.id)) setText(live, short(valueText(one.value)));
        node.addEventListener("toggle", () => {
          if (!node.open || inside) return;
          inside = characteristicBody(model, one);
          node.append(inside.node);
          inside.read();
        });
        let shown = 0;
        return {
          id: one.id,
          node,
          connectionsChanged: () => inside?.connectionsChanged(),
          tick: () => {
            const values = model.values.get(one.id);
            if (!values || values.count === shown) return;
            shown = values.count;
            setText(live, short(valueText(values.value)));
            if (node.open) inside?.draw(values);
          },
        };
      }

      function characteristicBody(model, one) {
        const path = (...parts) => model.at("characteristics", one.id, ...parts);
        const present = el("p", {}, "Value: "),
          latest = el("div", {}),
          plots = el("div", { class: "plots" });
        const curves = new Map();
        const body = el("div", { class: "body" }, definitions([
          ["Properties", one.properties.join(", ")],
          ["Descriptors", one.descriptors.map((each) => `${each.uuid} at ${handle(each.handle)}`).join(", ")],
        ]), one.behavior ? el("details", {}, el("summary", {}, "Behaviour"), el("pre", {}, JSON.stringify(one
          .behavior, null, 2))) : null, present);

        const read = async () => {
          const answer = await get(path("value"));
          show(answer);
          editor?.write(answer);
        };
        const show = ({ hex: digits, value }) => fill(present, "Value: ", el("code", { class: "value" }, short(valueText(
          value)) || "none"), " ", el("code", {}, digits ? `0x${digits}` : ""));
        const editor = one.form ? valueEditor(model, one, path, show) : null;
        body.append(el("div", { class: "row" }, button("Read", read, { "aria-label": `Read ${one.id}` })), editor ? editor
          .node : "", plots, latest);
        return {
          node: body,
          read: () => read().catch(() => {}),
          connectionsChanged: () => editor?.connectionsChanged(),
          draw: (values) => {
            show(values);
            for (const [name, curve] of values.curves) {
              if (curve.length < 2) continue;
              let plot = curves.get(name);
              if (!plot) {
                curves.set(name, plot = new Plot(name ? `${one.id} ${name}` : one.id));
                plots.append(el("figure", {}, el("figcaption", {}, name || one.id), plot.node));
              }
              plot.draw(curve, unitOf(one.form, name));
            }
            const rows = values.samples.newest(8).reverse().map((sample) => [clock(sample.time), sample.from, short(
              valueText(sample.value)), el("code", {}, short(sample.hex))]);
            fill(latest, scrolling(`Latest values of ${one.id}`, table("Latest values", ["Time", "By", "Value", "Octets"],
              rows)));
          },
        };
      }

      function unitOf(form, name) {
        if (!form || name === "") return form?.unit ?? "";
        const [first, ...rest] = name.split(".");
        const inner = form.fields?.find((member) => member.name === first)?.form ?? form.of;
        return inner ? unitOf(inner.kind === "list" ? inner.of : inner, rest.join(".")) : "";
      }

      // Sets, notifies and indicates values, as fields or as octets.
      function valueEditor(model, one, path, show) {
        const octets = hex(`Octets of ${one.id}`);
        const typed = one.form.kind === "hex" ? null : control(one.form, one.id, one.usual ?? {});
        const mode = typed ? select([
          ["fields", "as fields"],
          ["hex", "as octets"]
        ], "fields", { "aria-label": `How the value of ${one.id} is given` }) : null;
        octets.node.hidden = typed !== null;
        mode?.addEventListener("change", () => {
          typed.node.hidden = mode.value === "hex";
          octets.node.hidden = mode.value !== "hex";
        });
        const value = () => typed && mode.value === "fields" ? { value: typed.read() } : octets.read();
        const target = select([
          ["", "to all subscribers"]
        ], "", { "aria-label": `Who gets ${one.id}` });
        const result = el("output", {});
        const send = async (verb) => {
          const body = { ...value(), ...(target.value ? { connection: Number(target.value) } : {}) };
          const answer = await post(path(verb), body);
          setText(result, `sent to ${answer.sent}, queued for ${answer.queued}, dropped for ${answer.dropped}`);
          show(await get(path("value")));
        };
        const sends = [
          ["notify", "Notify"],
          ["indicate", "Indicate"]
        ].filter(([verb]) => one.properties.includes(verb));
        const connectionsChanged = () => {
          const chosen = target.value;
          fill(target, el("option", { value: "" }, "to all subscribers"),
            (model.state?.connections ?? []).map((link) => el("option", { value: link.connection },
              `to connection ${link.connection}`)));
          target.value = [...target.options].some((option) => option.value === chosen) ? chosen : "";
        };
        connectionsChanged();
        const node = form(async () => {
            const answer = await put(path("value"), value());
            show(answer);
            setText(result, "set");
          }, { class: "editor", "aria-label": `Value of ${one.id}` },
          mode, typed?.node, octets.node,
          el("div", { class: "row" }, el("button", { "aria-label": `Set ${one.id}` }, "Set"),
            sends.map(([verb, text]) => button(text, () => send(verb), { "aria-label": `${text} ${one.id}` })), sends
            .length ? target : null, result));
        return {
          node,
          connectionsChanged,
          write: (answer) => {
            octets.write(answer.hex);
            typed?.write(answer.value);
          },
        };
      }

      """##
    ),
    (
      "dom.js",
      ##"""
      // Elements. Whatever comes from a device or a profile becomes text, never markup.

      /** An element with attributes, listeners (`on`) and children: nodes or texts; what is null is left out. */
      export function el(tag, attributes = {}, ...children) {
        const element = document.createElement(tag);
        set(element, attributes);
        append(element, children);
        return element;
      }

      /** The same in SVG. */
      export function svg(tag, attributes = {}, ...children) {
        const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
        set(element, attributes);
        append(element, children);
        return element;
      }

      function set(element, attributes) {
        for (const [name, value] of Object.entries(attributes)) {
          if (value === null || value === undefined || value === false) continue;
          if (name === "on")
            for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
          else if (name === "value") element.value = value;
          else if (name === "checked" || name === "open" || name === "disabled" || name === "hidden") element[name] = value;
          else element.setAttribute(name, value === true ? "" : value);
        }
      }

      function append(element, children) {
        for (const child of children.flat(Infinity)) {
          if (child === null || child === undefined || child === false) continue;
          element.append(child instanceof Node ? child : String(child));
        }
      }

      /** Replaces what an element holds. */
      export function fill(element, ...children) {
        element.replaceChildren();
        append(element, children);
      }

      /** Sets a text only where it is another one, so that screen readers and selections are left alone. */
      export function setText(element, text) {
        if (element.textContent !== text) element.textContent = text;
      }

      let lastID = 0;
      /** A new id for an element. */
      export const newID = () => `e${++lastID}`;

      /** A control below its label. */
      export function field(label, control, hint) {
        control.id ||= newID();
        return el("div", { class: "field" }, el("label", { for: control.id }, label), control, hint ? el("small", {}, hint) :
          null);
      }

      /** A select of `[value, text]` pairs or texts. */
      export function select(options, value, attributes = {}) {
        const element = el("select", attributes,
          options.map((option) => Array.isArray(option) ? el("option", { value: option[0] }, option[1]) : el(
          "option", { value: option }, option)));
        if (value !== undefined) element.value = value;
        return element;
      }

      /** A button that does something, and says so when it fails. */
      export function button(text, action, attributes = {}) {
        return el("button", { type: "button", ...attributes, on: { click: (event) => attempt(() => action(event)) } }, text);
      }

      /** A form that does something when it is submitted. */
      export function form(action, attributes, ...children) {
        return el("form", { ...attributes, on: { submit: (event) => { event.preventDefault();
              attempt(action); } } }, ...children);
      }

      /** Does something and shows what goes wrong. */
      export async function attempt(action) {
        try {
          await action();
        } catch (error) {
          alertOf(error.message || String(error));
        }
      }

      const mostAlerts = 3;
      /** Shows a message until it is dismissed. */
      export function alertOf(text) {
        const list = document.getElementById("alerts");
        const line = el("p", {}, text, " ", el("button", { type: "button", on: { click: () => line.remove() } }, "Dismiss"));
        list.append(line);
        while (list.children.length > mostAlerts) list.firstChild.remove();
      }

      /** A part of an accessory's view that can be folded. */
      export function panel(title, open, ...children) {
        const heading = el("h3", {}, title);
        const body = el("div", { class: "body" }, ...children);
        const node = el("details", { class: "panel", open }, el("summary", {}, heading), body);
        return { node, heading, body };
      }

      /** Something wide that scrolls by itself. */
      export function scrolling(label, child) {
        return el("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, child);
      }

      /** A table; the first row of `rows` are its headings. */
      export function table(caption, headings, rows) {
        return el("table", {}, el("caption", {}, caption),
          el("thead", {}, el("tr", {}, headings.map((text) => el("th", { scope: "col" }, text)))),
          el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell))))));
      }

      /** Terms and what they are. */
      export function definitions(pairs) {
        return el("dl", {}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
          .map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))));
      }

      """##
    ),
    (
      "events.js",
      ##"""
      // Everything that happens, the newest first.

      import { el, field, fill, panel, scrolling } from "./dom.js";
      import { clock, valueText } from "./format.js";

      const shown = 60;
      const inside = new Set(["event", "time", "accessory"]);

      export function eventsPanel(model) {
        const { node, body } = panel("Events", false);
        const wanted = el("input", { type: "search", autocomplete: "off" });
        const list = el("ol", { class: "log" });
        wanted.addEventListener("input", draw);
        body.append(field("Filter events", wanted), scrolling("Events", list));
        node.addEventListener("toggle", () => { if (node.open) draw(); });

        function draw() {
          const text = wanted.value.toLowerCase();
          const lines = [];
          for (let index = model.events.length - 1; index >= 0 && lines.length < shown; index -= 1) {
            const event = model.events.at(index);
            const rest = Object.entries(event).filter(([key]) => !inside.has(key)).map(([key, value]) =>
              `${key} ${valueText(value)}`).join(", ");
            const line = `${clock(event.time ?? 0)} ${event.event} ${rest}`;
            if (!text || line.toLowerCase().includes(text)) lines.push(el("li", {}, line.slice(0, 400)));
          }
          fill(list, lines);
        }
        return { node, tick: draw };
      }

      """##
    ),
    (
      "faults.js",
      ##"""
      // Faults to arm, where the program has them: what goes wrong, on what, and how often it has.

      import { post, remove } from "./api.js";
      import { button, definitions, el, field, fill, form, panel, select, setText } from "./dom.js";
      import { valueText } from "./format.js";

      const occasions = [
        ["read", "a read of"],
        ["write", "a write to"],
        ["access", "a read or write of"],
        ["subscribe", "a subscription to"],
        ["notify", "a notification of"],
        ["indicate", "an indication of"],
        ["connected", "a connection"],
        ["encrypted", "encryption"],
      ];
      const deeds = [
        ["error", "answer with the error"],
        ["delay", "delay by"],
        ["ignore", "ignore"],
        ["drop", "drop"],
        ["duplicate", "duplicate"],
        ["truncate", "cut to so many octets"],
        ["corrupt", "corrupt"],
        ["value", "give the value"],
        ["disconnect", "disconnect, because of"],
        ["vanish", "vanish for"],
      ];
      // What a deed is about, as an example; those that are not here need nothing.
      const examples = { error: "0x80", delay: "5 s", truncate: "3", value: "hex:63", disconnect: "low-resources",
        vanish: "10 s" };

      export function faultsPanel(model) {
        const { node, heading, body } = panel("Faults", false);
        const none = el("p", { class: "empty" }, "There are no faults.");
        const list = el("ul", { class: "cards" });
        const occasion = select(occasions, "read"),
          characteristic = el("select", {}),
          deed = select(deeds, "error");
        const detail = el("input", { type: "text", value: "0x80", autocomplete: "off" });
        const times = el("input", { type: "number", min: 1, step: 1 });
        const own = el("textarea", { rows: 3, spellcheck: "false", "aria-label": "A fault as JSON" });
        occasion.addEventListener("change", () => { characteristic.disabled = ["connected", "encrypted"].includes(occasion
            .value); });
        deed.addEventListener("change", () => {
          detail.disabled = !(deed.value in examples);
          detail.value = examples[deed.value] ?? "";
        });
        const arm = async (fault) => {
          await post(model.at("faults"), fault);
          model.want("faults");
        };
        body.append(none, list,
          form(() => arm({
              on: characteristic.disabled ? occasion.value : {
                [occasion.value]: characteristic.value },
              do: detail.disabled ? deed.value : {
                [deed.value]: /^\d+$/.test(detail.value) ? Number(detail.value) : detail.value },
              ...(times.value ? { times: Number(times.value) } : {}),
            }), { class: "row" }, field("On", occasion), field("Characteristic", characteristic), field("Do", deed), field(
              "With", detail),
            field("Times at most", times), el("button", {}, "Arm fault")),
          el("details", {}, el("summary", {}, "With all keys"), form(() => {
            let fault;
            try { fault = JSON.parse(own.value); } catch { throw new Error(
                "Expected JSON, such as {\"on\": {\"read\": \"level\"}, \"do\": \"ignore\"}."); }
            return arm(fault);
          }, {}, own, el("button", { "aria-label": "Arm the fault given as JSON" }, "Arm"))),
          button("Disarm all", async () => { await remove(model.at("faults"));
            model.want("faults"); }, { "aria-label": "Disarm all faults" }));
        node.hidden = true;

        return {
          node,
          changed: (part) => {
            if (part === "database") {
              const chosen = characteristic.value || "any";
              fill(characteristic, el("option", { value: "any" }, "any"), model.characteristics.map((one) => el(
              "option", { value: one.id }, one.id)));
              characteristic.value = chosen;
            }
            if (part !== "faults") return;
            node.hidden = !model.faults;
            const faults = model.faults?.faults ?? [];
            none.hidden = faults.length > 0;
            setText(heading, faults.length ? `Faults (${faults.length})` : "Faults");
            fill(list, faults.map(({ id, on, do: what, seen, fired, ...rest }) => el("li", {}, el("b", {}, id), definitions(
              [
                ["On", valueText(on)],
                ["Do", valueText(what)],
                ["Occasions", seen],
                ["Happened", fired],
                ...Object.entries(rest).map(([key, value]) => [key, valueText(value)]),
              ]), button("Disarm", async () => { await remove(model.at("faults", id));
              model.want("faults"); }, { "aria-label": `Disarm fault ${id}` }))));
          },
        };
      }

      """##
    ),
    (
      "form.js",
      ##"""
      // Forms for values, made from what the format of a characteristic says (`form` in GET /v1/characteristics).

      import { el, field, newID, select } from "./dom.js";
      import { digits } from "./format.js";

      const mostSteps = 65_536;

      /**
       * A control for a value of a form. `node` is what is shown, `read()` gives the value or undefined where it is left out, `write(value)`
       * shows one. `usual` are numbers between which a generated value stays, by the name of the field, or "" for the value itself.
       */
      export function control(form, label, usual = {}, range = usual[""]) {
        switch (form?.kind) {
          case "boolean":
            return flag(label);
          case "number":
            return numeric(form, label, range);
          case "names":
            return named(form, label);
          case "flags":
            return flags(form, label);
          case "object":
            if (isColour(form)) return colour(form, label, usual);
            return structure(form, label, usual);
          case "list":
            return list(form, label);
          case "text":
            return line(label, { maxlength: form.length ?? 512 });
          case "date-time":
            return dateTime(label);
          case "uuid":
          case "time-zone":
            return line(label, {});
          default:
            return hex(label);
        }
      }

      function line(label, attributes) {
        const input = el("input", { type: "text", autocomplete: "off", ...attributes });
        return { node: field(label, input), read: () => input.value, write: (value) => { input.value = value ?? ""; } };
      }

      /** Octets as hexadecimal digits. */
      export function hex(label) {
        const input = el("input", { type: "text", class: "hex", autocomplete: "off", spellcheck: "false" });
        return {
          node: field(label, input, "hexadecimal digits"),
          input,
          read: () => ({ hex: digits(input.value) }),
          write: (value) => { input.value = typeof value === "string" ? value : value?.hex ?? ""; },
        };
      }

      function flag(label) {
        const input = el("input", { type: "checkbox", role: "switch" });
        const node = el("label", { class: "switch" }, input, " ", label);
        return { node, read: () => input.checked, write: (value) => { input.checked = value === true; } };
      }

      function numeric(form, label, usual) {
        const unit = form.unit ? ` (${form.unit})` : "";
        const input = el("input", { type: "number", step: form.step ?? "any", min: form.min, max: form.max,
          inputmode: "decimal" });
        const parts = [field(label + unit, input)];
        const [low, high] = sliderRange(form, usual);
        let slider = null;
        if (low !== null) {
          slider = el("input", { type: "range", min: low, max: high, step: form.step ??
            "any", "aria-label": `${label}${unit}, slider` });
          slider.addEventListener("input", () => { input.value = slider.value; if (special) special.value = ""; });
          input.addEventListener("input", () => { if (input.value !== "") slider.value = input.value; });
          parts.push(slider);
        }
        const special = form.special ? select([
          ["", "the number"], ...form.special
        ], "", { "aria-label": `${label}, instead of a number` }) : null;
        if (special) parts.push(special);
        return {
          node: el("div", { class: "number" }, parts),
          read: () => special?.value || (input.value === "" ? undefined : Number(input.value)),
          write: (value) => {
            if (special) special.value = typeof value === "string" && form.special.includes(value) ? value : "";
            input.value = typeof value === "number" ? value : "";
            if (slider && typeof value === "number") slider.value = value;
          },
        };
      }

      /** What a slider goes over: what is usual with some room around it, else the whole range, if it has not too many steps. */
      function sliderRange(form, usual) {
        const least = form.min ?? -Infinity,
          most = form.max ?? Infinity,
          step = form.step || 1;
        if (usual) {
          const room = (usual[1] - usual[0]) / 2;
          return [Math.max(least, Math.floor((usual[0] - room) / step) * step), Math.min(most, Math.ceil((usual[1] + room) /
            step) * step)];
        }
        return (most - least) / step <= mostSteps ? [least, most] : [null, null];
      }

      function named(form, label) {
        const other = el("input", { type: "number", min: 0, max: form.max, "aria-label": `${label}, as a number`,
          hidden: true });
        const input = select([...form.names, ["\u0000", "another number"]]);
        input.addEventListener("change", () => { other.hidden = input.value !== "\u0000"; });
        return {
          node: el("div", { class: "number" }, field(label, input), other),
          read: () => input.value === "\u0000" ? Number(other.value) : input.value,
          write: (value) => {
            const isNamed = form.names.includes(value);
            input.value = isNamed || value === undefined ? value ?? form.names[0] : "\u0000";
            other.hidden = input.value !== "\u0000";
            if (!isNamed && typeof value === "number") other.value = value;
          },
        };
      }

      function flags(form, label) {
        const boxes = form.names.map((name) => el("input", { type: "checkbox", value: name }));
        const node = el("fieldset", {}, el("legend", {}, label), boxes.map((box) => el("label", { class: "switch" }, box, " ",
          box.value)));
        return {
          node,
          read: () => boxes.filter((box) => box.checked).map((box) => box.value),
          write: (value) => { for (const box of boxes) box.checked = Array.isArray(value) && value.includes(box.value); },
        };
      }

      function dateTime(label) {
        const input = el("input", { type: "datetime-local", step: 1 });
        return {
          node: field(label, input, "empty: unknown"),
          read: () => input.value === "" ? "unknown" : input.value.length === 16 ? `${input.value}:00` : input.value,
          write: (value) => { input.value = value && value !== "unknown" ? value : ""; },
        };
      }

      function structure(form, label, usual) {
        const members = form.fields.map((member) => {
          const inner = control(member.form, member.name, {}, usual[member.name]);
          const given = member.optional ? el("input", { type: "checkbox", "aria-label": `${member.name} is given` }) :
            null;
          if (given) {
            inner.node.addEventListener("input", () => { given.checked = true; });
            inner.node.addEventListener("change", () => { given.checked = true; });
            inner.write(member.default);
          }
          return { name: member.name, inner, given };
        });
        const node = el("fieldset", {}, el("legend", {}, label),
          members.map(({ inner, given }) => el("div", { class: "member" }, given, inner.node)));
        return {
          node,
          read: () => {
            const value = {};
            for (const { name, inner, given } of members) {
              const part = given && !given.checked ? undefined : inner.read();
              if (part !== undefined) value[name] = part;
            }
            return value;
          },
          write: (value) => {
            for (const { name, inner, given } of members) {
              const part = value?.[name];
              if (given) given.checked = part !== undefined;
              if (part !== undefined) inner.write(part);
            }
          },
        };
      }

      const primaries = ["red", "green", "blue"];

      /** Whether a value is a colour: three octets called red, green and blue, and whatever else. */
      function isColour(form) {
        return primaries.every((name) => form.fields.some((member) => member.name === name && !member.optional && member
          .form.kind === "number" && member.form.min === 0 && member.form.max === 255));
      }

      /** A colour is chosen as a whole, or its parts one by one. */
      function colour(form, label, usual) {
        const parts = structure(form, label, usual);
        const input = el("input", { type: "color" });
        const two = (value) => Math.max(0, Math.min(255, Math.round(value ?? 0))).toString(16).padStart(2, "0");
        const show = () => {
          const value = parts.read();
          input.value = `#${primaries.map((name) => two(value[name])).join("")}`;
        };
        input.addEventListener("input", () => {
          const octets = primaries.map((name, index) => [name, parseInt(input.value.slice(1 + 2 * index, 3 + 2 * index), 16)]);
          parts.write({ ...parts.read(), ...Object.fromEntries(octets) });
        });
        parts.node.addEventListener("input", show);
        return {
          node: el("div", {}, field(`${label}, as a colour`, input), parts.node),
          read: parts.read,
          write: (value) => {
            parts.write(value);
            show();
          },
        };
      }

      function list(form, label) {
        const rows = el("ol", {});
        let members = [];
        const add = (value) => {
          const inner = control(form.of, `${label} ${members.length + 1}`);
          const row = el("li", {}, inner.node);
          const member = { inner, row };
          row.append(el("button", {
            type: "button",
            "aria-label": `Remove ${label} ${members.length + 1}`,
            on: {
              click: () => {
                members = members.filter((other) => other !== member);
                row.remove();
                node.dispatchEvent(new Event("change", { bubbles: true }));
              }
            }
          }, "Remove"));
          members.push(member);
          rows.append(row);
          if (value !== undefined) inner.write(value);
        };
        const id = newID();
        const node = el("fieldset", { id }, el("legend", {}, label), rows,
          form.length ? null : el("button", { type: "button", on: { click: () => { add();
                node.dispatchEvent(new Event("change", { bubbles: true })); } } }, `Add to ${label}`));
        return {
          node,
          read: () => members.map(({ inner }) => inner.read()),
          write: (value) => {
            members = [];
            rows.replaceChildren();
            for (const part of Array.isArray(value) ? value : []) add(part);
          },
        };
      }

      """##
    ),
    (
      "format.js",
      ##"""
      // Numbers, times and octets as text.

      /** A number with at most so many places. */
      export const number = (value, places = 2) =>
        typeof value === "number" && Number.isFinite(value) ? String(Number(value.toFixed(places))) : "–";

      /** Octets a second. */
      export function rate(octets) {
        if (octets < 1000) return `${number(octets, 0)} B/s`;
        return octets < 1e6 ? `${number(octets / 1000, 1)} kB/s` : `${number(octets / 1e6, 2)} MB/s`;
      }

      /** Seconds since 1970 as a time of day. */
      export function clock(seconds) {
        const date = new Date(seconds * 1000);
        const two = (value) => String(value).padStart(2, "0");
        return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
      }

      /** A number as a handle is written. */
      export const handle = (value) => "0x" + value.toString(16).toUpperCase().padStart(4, "0");

      /** A value of a characteristic in one line. */
      export function valueText(value) {
        if (value === null || value === undefined) return "";
        if (typeof value === "string") return value;
        if (typeof value !== "object") return String(value);
        if (Array.isArray(value)) return value.map(valueText).join(", ");
        const keys = Object.keys(value);
        if (keys.length === 1 && keys[0] === "hex") return value.hex ? `0x${value.hex}` : "no octets";
        return keys.map((key) => `${key} ${valueText(value[key])}`).join(" · ");
      }

      /** Octets of hexadecimal digits; throws what is wrong with them. */
      export function octets(text) {
        const digits = text.replace(/^0x/i, "").replace(/[\s:-]/g, "");
        if (digits.length % 2 || /[^0-9a-f]/i.test(digits)) throw new Error(
          `Expected pairs of hexadecimal digits, such as 0102, not “${text}”.`);
        return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
      }

      /** Hexadecimal digits without anything between them. */
      export const digits = (text) => [...octets(text)].map((octet) => octet.toString(16).padStart(2, "0")).join("");

      """##
    ),
    (
      "index.html",
      ##"""
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>Understudy</title>
      <link rel="stylesheet" href="/dashboard/dashboard.css">
      <link rel="icon" href="data:,">
      <script type="module" src="/dashboard/dashboard.js"></script>
      </head>
      <body>
      <a class="skip" href="#main">Skip to the accessories</a>
      <header>
      <h1>Understudy</h1>
      <p id="stream" role="status">Connecting …</p>
      </header>
      <div id="alerts" role="alert"></div>
      <form id="token-form" hidden>
      <h2>Token</h2>
      <p id="token-about">This address needs the token given to <code>--http-token</code>, or the one in the file that the program named. It is kept for this tab only.</p>
      <label>Token <input id="token" type="password" autocomplete="off" required aria-describedby="token-about"></label>
      <button>Enter</button>
      </form>
      <nav aria-label="Accessories"><ul id="overview"></ul></nav>
      <main id="main" tabindex="-1">
      <div id="accessories"></div>
      <div id="radio"></div>
      </main>
      <noscript>The dashboard needs JavaScript. The control API is under /v1.</noscript>
      </body>
      </html>

      """##
    ),
    (
      "model.js",
      ##"""
      // What is known of one accessory. All lists are bounded, however long the page is open.

      import { get, getIfAny, segment } from "./api.js";
      import { Rate, Ring } from "./ring.js";

      export const limits = { events: 500, history: 600, curves: 8, samples: 20, connections: 64, characteristics: 2000,
        seconds: 120 };

      // Which parts have to be asked for again after an event.
      const stale = [
        [/^(connected|disconnected|parameters|phy|mtu|data-length|security|paired|subscribed|unsubscribed|identity-changed|controller|ready)$/,
          "state"
        ],
        [/^advertising-/, "advertising"],
        [/^database-changed$/, "database"],
        [/^(channel-|sdu$|disconnected$|connected$)/, "channels"],
        [/^question/, "questions"],
        [/^(bond-|paired$|identity-changed$)/, "bonds"],
        [/^fault$/, "faults"],
        [/^state$/, "buttons"],
      ];
      const traffic = { notified: "sent", indicated: "sent", read: "sent", write: "received" };

      /** The numbers in a value, by their names: of the value itself "". */
      export function numbersIn(value, prefix = "", into = []) {
        if (into.length >= limits.curves) return into;
        if (typeof value === "number") into.push([prefix, value]);
        else if (typeof value === "boolean") into.push([prefix, value ? 1 : 0]);
        else if (Array.isArray(value)) { if (value.length) numbersIn(value[value.length - 1], prefix, into); } else if (
          value && typeof value === "object") {
          for (const key of Object.keys(value)) numbersIn(value[key], prefix ? `${prefix}.${key}` : key, into);
        }
        return into;
      }

      /** The present value of a characteristic, its latest ones, and the history of its numbers. */
      export class Values {
        constructor() {
          this.hex = null;
          this.value = undefined;
          this.time = 0;
          this.from = "";
          this.count = 0;
          this.samples = new Ring(limits.samples);
          this.curves = new Map();
        }

        take(time, hex, value, from) {
          [this.time, this.hex, this.value, this.from] = [time, hex, value, from];
          this.count += 1;
          this.samples.push({ time, hex, value, from });
          for (const [name, number] of numbersIn(value)) {
            let curve = this.curves.get(name);
            if (!curve && this.curves.size < limits.curves) this.curves.set(name, curve = new Ring(limits.history));
            curve?.push({ time, value: number });
          }
        }
      }

      /** An accessory: what the API says of it, and what has happened to it. */
      export class Model extends EventTarget {
        constructor(path, id) {
          super();
          this.path = path;
          this.id = id;
          this.events = new Ring(limits.events);
          this.values = new Map();
          this.rates = new Map();
          this.now = 0;
          this.lost = 0;
          this.isBusy = false;
          this.wanted = new Set();
        }

        at(...parts) { return [this.path, ...parts.map(segment)].join("/"); }

        /** Asks for everything. */
        async load() { await this.refresh(["state", "advertising", "database", "channels", "questions", "bonds", "faults",
            "buttons", "rest"
          ]); }

        valuesOf(id) {
          let values = this.values.get(id);
          if (!values && this.values.size < limits.characteristics) this.values.set(id, values = new Values());
          return values ?? new Values();
        }

        ratesOf(connection) {
          let rates = this.rates.get(connection);
          if (!rates) {
            rates = { sent: new Rate(limits.seconds), received: new Rate(limits.seconds) };
            if (this.rates.size >= limits.connections) this.rates.delete(this.rates.keys().next().value);
            this.rates.set(connection, rates);
          }
          return rates;
        }

        /** Takes in an event. */
        take(event) {
          const { event: name, time = 0 } = event;
          this.now = Math.max(this.now, time);
          if (name === "lost") this.lost += event.count;
          this.events.push(event);
          if (event.characteristic && typeof event.hex === "string" && !name.startsWith("question")) {
            this.valuesOf(event.characteristic).take(time, event.hex, event.value, name);
            if (event.connection !== undefined && traffic[name]) this.ratesOf(event.connection)[traffic[name]].add(time,
              event.hex.length / 2);
          }
          if (name === "sdu") this.ratesOf(event.connection).received.add(time, event.hex.length / 2);
          for (const [names, part] of stale)
            if (names.test(name) && !(part in this && this[part] === null)) this.want(part);
          // After a gap nothing is certain.
          if (name === "lost")
            for (const part of ["state", "channels", "questions"]) this.want(part);
          this.dispatchEvent(new CustomEvent("happened", { detail: event }));
        }

        /** Asks for a part again soon; what is wanted meanwhile comes with it. */
        want(part) {
          this.wanted.add(part);
          if (this.isBusy) return;
          this.isBusy = true;
          setTimeout(async () => {
            const parts = [...this.wanted];
            this.wanted.clear();
            await this.refresh(parts).catch(() => {});
            this.isBusy = false;
            if (this.wanted.size) this.want([...this.wanted][0]);
          }, 120);
        }

        async refresh(parts) {
          await Promise.all(parts.map((part) => this.#fetch(part)));
          for (const part of parts) this.dispatchEvent(new CustomEvent("changed", { detail: part }));
        }

        async #fetch(part) {
          switch (part) {
            case "state":
              this.state = await get(this.path === "/v1" ? "/v1/accessory" : this.path);
              break;
            case "advertising":
              this.advertising = (await get(this.at("advertising"))).advertising;
              break;
            case "database":
              this.characteristics = (await get(this.at("characteristics"))).characteristics;
              this.services = (await get(this.at("services"))).services;
              break;
            case "channels":
              this.channels = (await get(this.at("channels"))).channels;
              this.published = (await get(this.at("published"))).published;
              break;
            case "questions":
              this.questions = (await get(this.at("questions"))).questions;
              break;
            case "bonds":
              this.bonds = (await getIfAny(this.at("bonds")))?.bonds ?? null;
              break;
            case "faults":
              this.faults = await getIfAny(this.at("faults"));
              break;
            case "rest":
              this.security = await getIfAny(this.at("security"));
              this.notifications = (await getIfAny(this.at("notifications")))?.notifications ?? null;
              break;
            case "buttons":
              this.buttons = await getIfAny(this.at("buttons"));
              break;
            case "notifications":
              this.notifications = (await get(this.at("notifications"))).notifications;
              break;
          }
        }
      }

      """##
    ),
    (
      "notifications.js",
      ##"""
      // The notifications of a stand-in for the Apple Notification Center.

      import { post, put, remove } from "./api.js";
      import { button, el, field, fill, form, panel, select } from "./dom.js";

      const categories = ["other", "incoming-call", "missed-call", "voicemail", "social", "schedule", "email", "news",
        "health-and-fitness",
        "business-and-finance", "location", "entertainment"
      ];
      // The Apple Notification Center Service, and the twin that apps can see.
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

      """##
    ),
    (
      "packets.js",
      ##"""
      // The packets between host and controller: a list with a filter, the layers of one, and a capture of what is in the list. They are
      // decoded by the program, and only while somebody watches.

      import { readEvents } from "./api.js";
      import { captureFile } from "./btsnoop.js";
      import { alertOf, button, el, field, fill, panel, setText } from "./dom.js";
      import { clock } from "./format.js";
      import { Ring } from "./ring.js";

      const kept = 2000,
        shown = 300;

      export function packetsPanel(model) {
        const { node, body } = panel("Packets", false);
        const packets = new Ring(kept);
        const filter = el("input", { type: "text", autocomplete: "off", spellcheck: "false" });
        const state = el("output", {}),
          list = el("ol", { class: "packets", role: "listbox", tabindex: "0", "aria-label": "Packets" });
        const tree = el("div", { class: "layers", role: "region", "aria-label": "The packet's layers" });
        let watching = null,
          isPaused = false,
          drawn = -1,
          chosen = null,
          lost = 0;

        const watch = button("Watch", () => watching ? stop() : start(), { "aria-pressed": "false" });
        const pause = button("Pause", () => {
          isPaused = !isPaused;
          pause.setAttribute("aria-pressed", String(isPaused));
          drawn = -1;
          draw();
        }, { "aria-pressed": "false" });
        body.append(field("Filter", filter, "as in understudy capture: att.write && handle == 0x0040"),
          el("div", { class: "row" }, watch, pause, button("Clear", () => { packets.clear();
              drawn = -1;
              draw(); }),
            button("Save capture", () => save(packets, model.id), { "aria-label": "Save the packets of the list" }), state),
          list, tree);
        filter.addEventListener("change", () => { if (watching) { stop();
            start(); } });
        list.addEventListener("keydown", (event) => {
          const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity } [event.key];
          if (!step || !list.children.length) return;
          event.preventDefault();
          const items = [...list.children],
            place = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
          choose(items[Math.max(0, Math.min(items.length - 1, place + step))]);
        });
        list.addEventListener("click", (event) => { const item = event.target.closest("li"); if (item) choose(item); });

        function start() {
          const control = watching = new AbortController();
          watch.setAttribute("aria-pressed", "true");
          setText(watch, "Stop watching");
          const query = new URLSearchParams({ tree: "true", ...(filter.value.trim() ? { filter: filter.value.trim() } :
            {}) });
          readEvents(`${model.at("packets")}?${query}`, control.signal, (packet) => {
            if (packet.event === "lost") lost += packet.count;
            else if (!isPaused) packets.push(packet);
            schedule();
          }).catch((error) => { if (!control.signal.aborted) { alertOf(error.message); if (watching === control)
              stop(); } });
        }

        function stop() {
          watching?.abort();
          watching = null;
          watch.setAttribute("aria-pressed", "false");
          setText(watch, "Watch");
        }
        let timer = null;

        function schedule() { timer ??= setTimeout(() => { timer = null;
            requestAnimationFrame(draw); }, 200); }

        function draw() {
          setText(state, `${packets.length} of ${packets.total} packets${lost ? `, ${lost} lost` : ""}`);
          if (isPaused || packets.total === drawn || !node.open) return;
          drawn = packets.total;
          // Who looks at the list's end goes on seeing it.
          const follows = list.scrollTop + list.clientHeight >= list.scrollHeight - 20;
          const known = new Map([...list.children].map((item) => [item.packet, item]));
          list.replaceChildren(...packets.newest(shown).map((packet) => known.get(packet) ?? line(packet)));
          if (follows) list.scrollTop = list.scrollHeight;
        }

        function choose(item) {
          for (const other of list.querySelectorAll('[aria-selected="true"]')) other.setAttribute("aria-selected", "false");
          item.setAttribute("aria-selected", "true");
          item.id ||= `packet-${item.packet.number}-${model.id}`;
          list.setAttribute("aria-activedescendant", item.id);
          item.scrollIntoView({ block: "nearest" });
          chosen = item.packet;
          fill(tree, (chosen.layers ?? []).map(layerNode));
        }
        return { node, changed: () => {}, end: stop };
      }

      function line(packet) {
        const item = el("li", { role: "option", "aria-selected": "false", class: packet.fault ? "fault" :
              `layer-${packet.layer.replace(/[^a-z]/g, "")}` },
          `${clock(packet.nanoseconds / 1e9)} ${packet.sent ? "→" : "←"} ${packet.type}  ${packet.text}`);
        item.packet = packet;
        return item;
      }

      function layerNode(layer) {
        const octets = layer.octets.match(/../g) ?? [];
        const cells = octets.map((octet) => el("span", {}, octet, " "));
        const mark = (range, on) => { for (let place = range[0]; place < Math.min(range[1], cells.length); place += 1) cells[
            place].classList.toggle("marked", on); };
        const fieldNode = (one) => {
          const text = one.meaning ?
            `${one.name}: ${one.value === one.meaning ? one.meaning : `${one.value}, ${one.meaning}`}` :
            `${one.name}: ${one.value}`;
          const item = el("li", {
            tabindex: "0",
            on: {
              focus: () => mark(one.range, true),
              blur: () => mark(one.range, false),
              mouseenter: () => mark(one.range, true),
              mouseleave: () => mark(one.range, false),
            }
          }, text);
          return one.fields ? [item, el("li", {}, el("ul", {}, one.fields.map(fieldNode)))] : item;
        };
        return el("details", { open: true }, el("summary", {}, `${layer.name}: ${layer.title}`), el("ul", {}, layer.fields
          .map(fieldNode)), el("p", { class: "octets" }, cells));
      }

      function save(packets, name) {
        if (!packets.length) throw new Error("There are no packets in the list: watch some first.");
        const link = el("a", { href: URL.createObjectURL(new Blob([captureFile(
          packets)], { type: "application/octet-stream" })), download: `${name}.btsnoop` });
        document.body.append(link);
        link.click();
        link.remove();
        setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      }

      """##
    ),
    (
      "player.js",
      ##"""
      // The player of a phone that has the Apple Media Service, or of an accessory that shows and steers one.

      import { get, post } from "./api.js";
      import { button, definitions, el, fill, panel, setText } from "./dom.js";
      import { number } from "./format.js";

      // What profiles call what a player has, and the buttons that steer it (docs/dashboard.md).
      const titles = ["track-title", "track"];
      const verbs = [
        ["play", "Play"],
        ["pause", "Pause"],
        ["play-pause", "Play or pause"],
        ["previous", "Previous track"],
        ["next", "Next track"],
        ["volume-down", "Softer"],
        ["volume-up", "Louder"],
        ["repeat", "Repeat"],
        ["shuffle", "Shuffle"],
        ["skip-backward", "Back"],
        ["skip-forward", "Forward"],
        ["like", "Like"],
      ];
      const starters = ["play", "pause", "play-pause"];
      const modes = { 0: "off", 1: "one", 2: "all" };
      const pause = 1000;

      export function playerPanel(model) {
        const { node, body } = panel("Player (AMS)", true);
        const state = el("p", { role: "status" }),
          facts = el("div", {}),
          keys = el("div", { class: "row" });
        const progress = el("progress", { max: 1, value: 0, "aria-label": "Position in the track" });
        const volume = el("meter", { min: 0, max: 1, value: 0, "aria-label": "Volume" });
        const levels = el("div", { class: "row" }, progress, volume);
        body.append(state, facts, levels, keys);
        node.hidden = true;
        let values = new Map(),
          known = "";

        const buttons = () => model.buttons?.buttons ?? [];
        const isThere = () => buttons().some((name) => starters.includes(name)) && titles.some((id) => values.has(id));

        // What is computed when it is read is no event, so it is asked for while somebody looks.
        const timer = setInterval(() => { if (!node.hidden && node.open && !document.hidden) ask(); }, pause);
        async function ask() {
          const answer = await get(model.at("characteristics")).catch(() => null);
          if (answer) take(answer.characteristics);
        }

        function take(characteristics) {
          values = new Map(characteristics.map((one) => [one.id, one.value]));
          node.hidden = !isThere();
          if (!node.hidden) draw();
        }

        const text = (...ids) => {
          const value = values.get(ids.find((id) => values.has(id)));
          return typeof value === "string" || typeof value === "number" ? String(value) : "";
        };

        function draw() {
          const [playing, rate, position] = text("playback-info").split(",").map(Number);
          const duration = Number(text("track-duration")) || 0;
          const isKnown = values.has("playback-info");
          const title = text(...titles);
          setText(state, [isKnown ? playing === 1 ? "Playing" : "Paused" : "", title || "nothing"].filter(Boolean).join(": "));
          fill(facts, definitions([
            ["Artist", text("track-artist")],
            ["Album", text("track-album")],
            ["Player", text("player-name")],
            ["Position", isKnown && duration ? `${time(position)} of ${time(duration)}${playing && rate !== 1 ?
              `, ${number(rate)} times as fast` : ""}` : ""],
            ["Track", values.has("queue-count") ? `${Number(text("queue-index")) + 1} of ${text("queue-count")}` : ""],
            ["Shuffle", modes[text("shuffle-mode")]],
            ["Repeat", modes[text("repeat-mode")]],
          ]));
          progress.hidden = !isKnown || !duration;
          if (duration) progress.value = Math.max(0, Math.min(1, position / duration));
          volume.hidden = !values.has("volume");
          volume.value = Number(text("volume")) || 0;
          levels.hidden = progress.hidden && volume.hidden;
          const wanted = verbs.filter(([name]) => buttons().includes(name));
          const names = wanted.join("\n");
          // A key that has the focus keeps it.
          if (names === known) return;
          known = names;
          fill(keys, wanted.map(([name, words]) => button(words, async () => {
            await post(model.at("buttons", name));
            await ask();
          })));
        }

        return {
          node,
          changed: (part) => { if (part === "database" || part === "buttons") take(model.characteristics ?? []); },
          end: () => clearInterval(timer),
        };
      }

      const time = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

      """##
    ),
    (
      "plot.js",
      ##"""
      // Curves, drawn as SVG by hand.

      import { svg } from "./dom.js";
      import { number } from "./format.js";

      const width = 320,
        height = 72,
        margin = 4;

      /** A picture of points `{time, value}` in the order of their times, with the range in words. */
      export class Plot {
        constructor(label) {
          this.label = label;
          this.title = svg("title", {}, label);
          this.line = svg("polyline", { class: "curve", fill: "none", "vector-effect": "non-scaling-stroke" });
          this.top = svg("text", { x: margin, y: 12, class: "scale" });
          this.bottom = svg("text", { x: margin, y: height - 4, class: "scale" });
          this.node = svg("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
            this.title, this.line, this.top, this.bottom);
        }

        /** Draws the points; of more than the picture has columns, each column shows its first, lowest, highest and last. */
        draw(points, unit = "") {
          const list = [...points];
          if (list.length === 0) return;
          let low = Infinity,
            high = -Infinity;
          for (const { value } of list) { low = Math.min(low, value);
            high = Math.max(high, value); }
          const first = list[0].time,
            span = list[list.length - 1].time - first || 1,
            range = high - low || 1;
          const x = (time) => margin + (time - first) / span * (width - 2 * margin);
          const y = (value) => high === low ? height / 2 : height - margin - (value - low) / range * (height - 2 * margin);
          this.line.setAttribute("points", thinned(list, x).map(({ time, value }) =>
            `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(" "));
          const suffix = unit ? ` ${unit}` : "";
          this.top.textContent = number(high) + suffix;
          this.bottom.textContent = high === low ? "" : number(low) + suffix;
          const text =
            `${this.label}: ${list.length} values from ${number(low)} to ${number(high)}${suffix}, last ${number(list[list.length - 1].value)}`;
          this.node.setAttribute("aria-label", text);
          this.title.textContent = text;
        }
      }

      function thinned(list, x) {
        if (list.length <= 2 * width) return list;
        const result = [];
        for (let start = 0; start < list.length;) {
          const column = Math.floor(x(list[start].time));
          let end = start,
            low = start,
            high = start;
          while (end < list.length && Math.floor(x(list[end].time)) === column) {
            if (list[end].value < list[low].value) low = end;
            if (list[end].value > list[high].value) high = end;
            end += 1;
          }
          for (const index of [...new Set([start, low, high, end - 1])].sort((a, b) => a - b)) result.push(list[index]);
          start = end;
        }
        return result;
      }

      """##
    ),
    (
      "qr.js",
      ##"""
      // QR codes (ISO/IEC 18004), as far as a name and an address need them: octets, error correction M, versions 1 to 10, mask by penalty.

      import { svg } from "./dom.js";

      // Of each version at level M: error correction codewords of a block, and how many blocks with how many data codewords.
      const levels = [
        [10, [
          [1, 16]
        ]],
        [16, [
          [1, 28]
        ]],
        [26, [
          [1, 44]
        ]],
        [18, [
          [2, 32]
        ]],
        [24, [
          [2, 43]
        ]],
        [16, [
          [4, 27]
        ]],
        [18, [
          [4, 31]
        ]],
        [22, [
          [2, 38],
          [2, 39]
        ]],
        [22, [
          [3, 36],
          [2, 37]
        ]],
        [26, [
          [4, 43],
          [1, 44]
        ]],
      ];
      const alignments = [
        [],
        [6, 18],
        [6, 22],
        [6, 26],
        [6, 30],
        [6, 34],
        [6, 22, 38],
        [6, 24, 42],
        [6, 26, 46],
        [6, 28, 50]
      ];

      // Arithmetic in GF(256) with 0x11D.
      const powers = new Uint8Array(510),
        logs = new Uint8Array(256);
      for (let exponent = 0, value = 1; exponent < 255; exponent += 1) {
        powers[exponent] = powers[exponent + 255] = value;
        logs[value] = exponent;
        value = value << 1 ^ (value & 0x80 ? 0x11D : 0);
      }
      const product = (a, b) => a && b ? powers[logs[a] + logs[b]] : 0;

      function remainder(data, count) {
        let generator = [1];
        for (let root = 0; root < count; root += 1) {
          const next = new Array(generator.length + 1).fill(0);
          generator.forEach((factor, place) => {
            next[place] ^= factor;
            next[place + 1] ^= product(factor, powers[root]);
          });
          generator = next;
        }
        const rest = [...data, ...new Array(count).fill(0)];
        for (let place = 0; place < data.length; place += 1) {
          const factor = rest[place];
          if (factor)
            for (let index = 0; index <= count; index += 1) rest[place + index] ^= product(generator[index], factor);
        }
        return rest.slice(data.length);
      }

      function codewords(octets, version) {
        const [correction, groups] = levels[version - 1];
        const capacity = groups.reduce((sum, [count, size]) => sum + count * size, 0);
        const bits = [];
        const add = (value, width) => { for (let bit = width - 1; bit >= 0; bit -= 1) bits.push(value >> bit & 1); };
        add(4, 4);
        add(octets.length, version < 10 ? 8 : 16);
        for (const octet of octets) add(octet, 8);
        add(0, Math.min(4, capacity * 8 - bits.length));
        while (bits.length % 8) bits.push(0);
        const data = [];
        for (let start = 0; start < bits.length; start += 8) data.push(bits.slice(start, start + 8).reduce((value, bit) =>
          value << 1 | bit, 0));
        for (let pad = 0xEC; data.length < capacity; pad ^= 0xEC ^ 0x11) data.push(pad);
        const blocks = [];
        let start = 0;
        for (const [count, size] of groups) {
          for (let block = 0; block < count; block += 1, start += size) blocks.push(data.slice(start, start + size));
        }
        const corrections = blocks.map((block) => remainder(block, correction));
        const interleaved = (lists) => {
          const result = [];
          for (let place = 0; place < Math.max(...lists.map((list) => list.length)); place += 1) {
            for (const list of lists)
              if (place < list.length) result.push(list[place]);
          }
          return result;
        };
        return [...interleaved(blocks), ...interleaved(corrections)];
      }

      // What is neither data nor error correction: finders, timing, alignment, and the room of format and version.
      function frame(version) {
        const size = 17 + 4 * version;
        const modules = Array.from({ length: size }, () => new Array(size).fill(null));
        const set = (row, column, dark) => { if (row >= 0 && row < size && column >= 0 && column < size) modules[row][
            column] = dark; };
        for (const [top, left] of [
            [0, 0],
            [0, size - 7],
            [size - 7, 0]
          ]) {
          for (let row = -1; row <= 7; row += 1) {
            for (let column = -1; column <= 7; column += 1) {
              const ring = Math.max(Math.abs(row - 3), Math.abs(column - 3));
              set(top + row, left + column, ring !== 2 && ring < 4);
            }
          }
        }
        for (let place = 8; place < size - 8; place += 1) modules[6][place] = modules[place][6] = place % 2 === 0;
        const centers = alignments[version - 1];
        for (const row of centers) {
          for (const column of centers) {
            if (modules[row][column] !== null && !(row === 6 || column === 6)) continue;
            const isAtFinder = (row === 6 && (column === 6 || column === size - 7)) || (row === size - 7 && column === 6);
            if (isAtFinder) continue;
            for (let dy = -2; dy <= 2; dy += 1) {
              for (let dx = -2; dx <= 2; dx += 1) modules[row + dy][column + dx] = Math.max(Math.abs(dy), Math.abs(dx)) !== 1;
            }
          }
        }
        for (let place = 0; place < 9; place += 1) {
          if (modules[8][place] === null) modules[8][place] = false;
          if (modules[place][8] === null) modules[place][8] = false;
        }
        for (let place = 0; place < 8; place += 1) modules[8][size - 1 - place] = modules[size - 1 - place][8] = false;
        modules[size - 8][8] = true;
        if (version >= 7) writeVersion(modules, version);
        return modules;
      }

      function checked(value, width, polynomial, length) {
        let rest = value << length;
        for (let bit = width + length - 1; bit >= length; bit -= 1)
          if (rest >> bit & 1) rest ^= polynomial << (bit - length);
        return value << length | rest;
      }

      function writeVersion(modules, version) {
        const bits = checked(version, 6, 0x1F25, 12),
          size = modules.length;
        for (let place = 0; place < 18; place += 1) {
          const dark = (bits >> place & 1) === 1,
            row = Math.floor(place / 3),
            column = size - 11 + place % 3;
          modules[row][column] = modules[column][row] = dark;
        }
      }

      function writeFormat(modules, mask) {
        // Level M is 00.
        const bits = checked(mask, 5, 0x537, 10) ^ 0x5412,
          size = modules.length;
        for (let place = 0; place < 15; place += 1) {
          const dark = (bits >> place & 1) === 1;
          if (place < 6) modules[place][8] = dark;
          else if (place < 8) modules[place + 1][8] = dark;
          else modules[size - 15 + place][8] = dark;
          if (place < 8) modules[8][size - 1 - place] = dark;
          else modules[8][place === 8 ? 7 : 14 - place] = dark;
        }
      }

      const masks = [
        (row, column) => (row + column) % 2 === 0, (row) => row % 2 === 0, (row, column) => column % 3 === 0,
        (row, column) => (row + column) % 3 === 0, (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 ===
        0,
        (row, column) => row * column % 2 + row * column % 3 === 0, (row, column) => (row * column % 2 + row * column % 3) %
        2 === 0,
        (row, column) => ((row + column) % 2 + row * column % 3) % 2 === 0,
      ];

      function fillIn(modules, words, mask) {
        const size = modules.length,
          free = modules.map((row) => row.map((dark) => dark === null));
        let bit = 0;
        for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
          if (right === 6) right -= 1;
          for (let step = 0; step < size; step += 1) {
            const row = up ? size - 1 - step : step;
            for (const column of [right, right - 1]) {
              if (!free[row][column]) continue;
              const dark = bit < words.length * 8 && (words[bit >> 3] >> (7 - bit % 8) & 1) === 1;
              modules[row][column] = dark !== masks[mask](row, column);
              bit += 1;
            }
          }
        }
      }

      function penalty(modules) {
        const size = modules.length,
          turned = modules.map((_, column) => modules.map((row) => row[column]));
        let points = 0;
        for (const line of [...modules, ...turned]) {
          const text = line.map((dark) => dark ? "1" : "0").join("");
          for (const run of text.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
          for (const pattern of ["10111010000", "00001011101"]) {
            for (let place = text.indexOf(pattern); place >= 0; place = text.indexOf(pattern, place + 1)) points += 40;
          }
        }
        for (let row = 1; row < size; row += 1) {
          for (let column = 1; column < size; column += 1) {
            const dark = modules[row][column];
            if (dark === modules[row - 1][column] && dark === modules[row][column - 1] && dark === modules[row - 1][column -
                1]) points += 3;
          }
        }
        const share = modules.flat().filter(Boolean).length / (size * size);
        return points + Math.floor(Math.abs(share * 100 - 50) / 5) * 10;
      }

      /** The modules of a text, row by row: true is dark. Null where it is too long (213 octets are the most). */
      export function qrModules(text) {
        const octets = new TextEncoder().encode(text);
        const version = levels.findIndex(([, groups], index) =>
          octets.length + (index < 9 ? 2 : 3) <= groups.reduce((sum, [count, size]) => sum + count * size, 0)) + 1;
        if (version === 0) return null;
        const words = codewords(octets, version);
        let best = null,
          least = Infinity;
        for (let mask = 0; mask < 8; mask += 1) {
          const modules = frame(version);
          fillIn(modules, words, mask);
          writeFormat(modules, mask);
          const points = penalty(modules);
          if (points < least)[best, least] = [modules, points];
        }
        return best;
      }

      /** A picture of a text as a QR code, with the quiet zone of four modules. */
      export function qrPicture(text, label) {
        const modules = qrModules(text);
        if (!modules) return null;
        const size = modules.length + 8;
        const path = modules.flatMap((row, y) => row.map((dark, x) => dark ? `M${x + 4} ${y + 4}h1v1h-1z` : "")).join("");
        return svg("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label },
          svg("rect", { width: size, height: size, fill: "#fff" }), svg("path", { d: path, fill: "#000" }));
      }

      """##
    ),
    (
      "questions.js",
      ##"""
      // Questions that wait for somebody's answer: reads, writes, authorization, channels, and what pairing asks.

      import { post } from "./api.js";
      import { button, el, field, fill, form, panel, setText } from "./dom.js";
      import { digits, valueText } from "./format.js";

      export function questionsPanel(model) {
        const { node, heading, body } = panel("Questions", true);
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
            return `${who} wants to ${operation} ${characteristic}. May it?`;
          case "channels":
            return `${who} wants ${channels} channels to PSM ${psm}. May it?`;
          case "consent":
            return `${who} wants to pair. May it?`;
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

      """##
    ),
    (
      "radio.js",
      ##"""
      // The virtual radio: who is on it, who hears whom how well, and what is wrong with it.

      import { getIfAny, post, put, remove } from "./api.js";
      import { button, el, field, fill, form, panel, scrolling, select } from "./dom.js";
      import { number } from "./format.js";
      import { RadioMap } from "./radiomap.js";

      const most = 20;

      export class RadioView {
        constructor(place) {
          this.place = place;
          this.timer = null;
        }

        async begin() {
          this.state = await getIfAny("/v1/radio");
          if (!this.state) return;
          const { node, body } = panel("Virtual radio", false);
          this.map = el("div", {});
          this.controllers = el("ul", { class: "cards" });
          this.paths = el("div", {});
          this.picture = new RadioMap(pathText, (from, to, path) => this.choose(from, to, path));
          body.append(this.picture.node, this.map, el("h4", {}, "Paths"), this.paths, el("h4", {}, "Controllers"), this.controllers);
          this.place.append(el("section", { "aria-label": "Virtual radio" }, node));
          this.makePaths();
          this.draw();
          // Who joins and leaves is no event of an accessory.
          node.addEventListener("toggle", () => this.want());
          setInterval(() => { if (node.open && !document.hidden) this.want(); }, 2000);
        }

        /** Asks again, soon. */
        want() {
          if (!this.state) return;
          this.timer ??= setTimeout(async () => {
            this.timer = null;
            this.state = await getIfAny("/v1/radio").catch(() => this.state) ?? this.state;
            this.draw();
          }, 150);
        }

        get names() { return this.state.controllers.map((controller) => controller.name); }

        pathOf(from, to) { return this.state.paths.find((path) => path.from === from && path.to === to) ?? this.state
            .default; }

        /** Puts a path into the form, to be changed there. */
        choose(from, to, path) {
          [this.ends[0].value, this.ends[1].value] = [from, to];
          this.fields.loss.value = typeof path.loss === "number" ? number(path.loss * 100) : 0;
          this.fields.rssi.value = path.rssi;
          this.fields.errors.value = path.ber ?? 0;
          this.fields.heard.checked = path.reachable;
          this.fields.loss.focus();
        }

        draw() {
          this.picture.draw(this.names, (from, to) => this.pathOf(from, to));
          const names = this.names.slice(0, most);
          const rows = names.map((from) => el("tr", {}, el("th", { scope: "row" }, from), names.map((to) => el("td", {},
            from === to ? "–" : pathText(this.pathOf(from, to))))));
          const hidden = this.names.length - names.length;
          fill(this.map, scrolling("Who hears whom", el("table", {},
            el("caption", {},
              `Who hears whom: how strongly, and how much is lost, from the row to the column${hidden ? `; ${hidden} more are not shown` : ""}`
              ),
            el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "from"), names.map((name) => el(
            "th", { scope: "col" }, name)))), el("tbody", {}, rows))));
          this.drawEnds();
          if (!this.controllers.contains(document.activeElement)) fill(this.controllers, this.state.controllers.slice(0,
            most).map((one) => this.controllerItem(one)));
        }

        // A select that is open is left alone as long as it has all names.
        drawEnds() {
          const known = this.names.join("\n");
          if (known === this.known) return;
          this.known = known;
          for (const [place, end] of this.ends.entries()) {
            const chosen = end.options.length ? end.value : this.names[place] ?? "";
            fill(end, [
              ["", "all others"], ...this.names.map((name) => [name, name])
            ].map(([value, text]) => el("option", { value }, text)));
            end.value = this.names.includes(chosen) ? chosen : "";
          }
        }

        makePaths() {
          this.ends = [el("select", {}), el("select", {})];
          const [from, to] = this.ends;
          const loss = el("input", { type: "number", min: 0, max: 100, step: 1, value: 0 });
          const rssi = el("input", { type: "number", min: -127, max: 20, value: -50 });
          const errors = el("input", { type: "number", min: 0, max: 1, step: "any", value: 0 });
          const heard = el("input", { type: "checkbox", checked: true });
          this.fields = { loss, rssi, errors, heard };
          const path = () => {
            if (!from.value && !to.value) return "/v1/radio/default";
            if (!from.value || !to.value) throw new Error("Give both ends of a path, or neither for the default.");
            return `/v1/radio/paths/${encodeURIComponent(from.value)}/${encodeURIComponent(to.value)}`;
          };
          const again = () => this.want();
          fill(this.paths, form(async () => {
              await put(path(), { loss: Number(loss.value) / 100, rssi: Number(rssi.value), ber: Number(errors.value),
                reachable: heard.checked });
              again();
            }, { class: "row" }, field("From", from), field("To", to), field("Lost (%)", loss), field("RSSI (dBm)",
              rssi), field("Bit error rate", errors),
            el("label", { class: "switch" }, heard, " reachable"), el("button", {}, "Impair"),
            button("Reset", async () => { await remove(path());
              again(); }, { "aria-label": "Reset the path" })));
        }

        controllerItem(one) {
          const path = `/v1/radio/controllers/${encodeURIComponent(one.name)}`;
          const latency = el("input", { type: "number", min: 0, max: 60000, value: one.impairment.latency_ms });
          const hung = el("input", { type: "checkbox", checked: one.impairment.hung });
          const notice = select(["silent", "nop", "hardware-error", "assertion"],
          "silent", { "aria-label": `How ${one.name} restarts` });
          return el("li", {}, el("b", {}, one.name), ` ${one.preset}, ${one.place}${one.host ? "" : ", no host"}`,
            form(async () => { await put(path, { latency_ms: Number(latency.value), hung: hung.checked });
                this.want(); }, { class: "row" },
              field(`Latency of ${one.name} (ms)`, latency), el("label", { class: "switch" }, hung,
                ` ${one.name} hangs`), el("button", { "aria-label": `Impair ${one.name}` }, "Impair"),
              notice, button("Restart", async () => { await post(`${path}/restart`, { notice: notice.value });
                this.want(); }, { "aria-label": `Restart ${one.name}` })));
        }
      }

      function pathText(path) {
        if (!path.reachable) return "nothing";
        const loss = typeof path.loss === "string" ? path.loss : path.loss ? `${number(path.loss * 100)} % lost` : "";
        return [`${path.rssi} dBm`, loss, path.ber ? `BER ${path.ber}` : ""].filter(Boolean).join(", ");
      }

      """##
    ),
    (
      "radiomap.js",
      ##"""
      // The air as a picture: who hears whom, from each to each, and what is wrong between them.

      import { el, fill, setText, svg } from "./dom.js";

      const most = 8,
        size = 420,
        middle = size / 2,
        radius = 150;
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

      /**
       * A map of controllers, whose paths can be chosen with pointer and keyboard: one of them has the focus, the arrow keys go on to the
       * next. `choose(from, to)` is called for the one that is wanted; `wordsOf(path)` says what is known of one.
       */
      export class RadioMap {
        constructor(wordsOf, choose) {
          this.wordsOf = wordsOf;
          this.choose = choose;
          this.picture = svg("svg", { class: "map", viewBox: `0 0 ${size} ${size}`, role: "group",
            "aria-label": "Map of the radio: paths, chosen with the arrow keys and Enter" });
          this.about = el("p", { class: "map-about", role: "status" });
          this.legend = el("p", {}, el("small", {},
            "A line for each direction: broken where packets are lost or damaged, missing ends where nothing arrives."));
          this.node = el("figure", {}, this.picture, el("figcaption", {}, this.about, this.legend));
          this.current = "";
          this.picture.addEventListener("keydown", (event) => this.key(event));
          this.drawn = "";
        }

        /** Draws these controllers; `pathOf(from, to)` is how one hears another. */
        draw(all, pathOf) {
          const names = all.slice(0, most);
          const paths = names.flatMap((from) => names.filter((to) => to !== from).map((to) => ({ from, to,
            path: pathOf(from, to) })));
          const state = JSON.stringify([names, paths]);
          if (state === this.drawn) return;
          this.drawn = state;
          const hadFocus = this.picture.contains(document.activeElement);
          const places = new Map(names.map((name, index) => {
            const angle = 2 * Math.PI * index / Math.max(2, names.length) - Math.PI / 2;
            return [name, [middle + radius * Math.cos(angle), middle + radius * Math.sin(angle)]];
          }));
          this.edges = paths.map((one) => ({ ...one, id: `${one.from}\n${one.to}`, node: this.edge(one, places) }));
          if (!this.edges.some((edge) => edge.id === this.current)) this.current = this.edges[0]?.id ?? "";
          fill(this.picture, this.edges.map((edge) => edge.node), names.map((name) => node(name, places.get(name))));
          this.mark(hadFocus);
          if (all.length > most) setText(this.legend.firstChild,
            `${all.length - most} more controllers are in the table alone.`);
        }

        edge({ from, to, path }, places) {
          const [x1, y1] = places.get(from), [x2, y2] = places.get(to);
          const length = Math.hypot(x2 - x1, y2 - y1);
          const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
          // Both directions lie side by side, each on its right, and end before the circles.
          const side = 7,
            gap = 30;
          const start = [x1 + dx * gap - dy * side, y1 + dy * gap + dx * side];
          const end = [x2 - dx * gap - dy * side, y2 - dy * gap + dx * side];
          const reach = path.reachable ? 1 : 0.35;
          const tip = [start[0] + (end[0] - start[0]) * reach, start[1] + (end[1] - start[1]) * reach];
          const points = [start, tip].map((point) => point.map((value) => value.toFixed(1)).join(","));
          const head = [[-9, -4], [0, 0], [-9, 4]].map(([along, across]) =>
            `${(tip[0] + dx * along - dy * across).toFixed(1)},${(tip[1] + dy * along + dx * across).toFixed(1)}`).join(" ");
          const isImpaired = Boolean(path.loss || path.ber);
          const group = svg("g", { role: "button", tabindex: "-1",
              class: `path${path.reachable ? "" : " deaf"}${isImpaired ? " impaired" : ""}`,
              "aria-label": `From ${from} to ${to}: ${this.wordsOf(path)}` },
            svg("polyline", { class: "target", points: points.join(" ") }),
            svg("polyline", { class: "line", points: points.join(" "),
              "stroke-width": path.reachable ? width(path.rssi).toFixed(1) : "1.5" }),
            path.reachable ? svg("polyline", { class: "head", points: head }) : svg("path", { class: "head",
              d: `M${tip[0] - 5},${tip[1] - 5}l10,10m0,-10l-10,10` }));
          const id = `${from}\n${to}`;
          group.addEventListener("click", () => this.select(id));
          group.addEventListener("focus", () => { this.current = id;
            this.mark(false); });
          return group;
        }

        key(event) {
          const index = this.edges.findIndex((edge) => edge.id === this.current);
          const step = steps[event.key];
          if (step) {
            this.current = this.edges[(index + step + this.edges.length) % this.edges.length].id;
            this.mark(true);
          } else if (event.key === "Enter" || event.key === " ") this.select(this.current);
          else return;
          event.preventDefault();
        }

        select(id) {
          this.current = id;
          this.mark(true);
          const edge = this.edges.find((one) => one.id === id);
          if (edge) this.choose(edge.from, edge.to, edge.path);
        }

        // One path can be reached with the tab key, the others from it.
        mark(takesFocus) {
          for (const { id, node } of this.edges) {
            node.setAttribute("tabindex", id === this.current ? "0" : "-1");
            node.classList.toggle("current", id === this.current);
            if (takesFocus && id === this.current) node.focus();
          }
          const edge = this.edges.find((one) => one.id === this.current);
          setText(this.about, edge ? `${edge.from} → ${edge.to}: ${this.wordsOf(edge.path)}` :
            "Nobody hears anybody: there is one controller at most.");
        }
      }

      /** The stronger it is heard, the broader. */
      const width = (rssi) => 1.5 + Math.max(0, Math.min(1, (rssi + 100) / 70)) * 3;

      function node(name, [x, y]) {
        return svg("g", { class: "controller", "aria-hidden": "true" }, svg("circle", { cx: x, cy: y, r: 24 }),
          svg("text", { x, y: y + (y < middle ? -32 : 42), "text-anchor": "middle" }, name));
      }

      """##
    ),
    (
      "ring.js",
      ##"""
      // Lists that never grow beyond their limit.

      /** Keeps the newest `limit` elements; the oldest makes room. */
      export class Ring {
        #elements = [];
        #start = 0;

        constructor(limit) {
          this.limit = limit;
          /** How many were pushed, ever. */
          this.total = 0;
        }

        get length() { return this.#elements.length; }

        push(element) {
          this.total += 1;
          if (this.#elements.length < this.limit) this.#elements.push(element);
          else {
            this.#elements[this.#start] = element;
            this.#start = (this.#start + 1) % this.limit;
          }
        }

        /** The element at a place; 0 is the oldest. */
        at(index) { return this.#elements[(this.#start + index) % this.#elements.length]; }

        clear() { this.#elements = [];
          this.#start = 0; }

        *[Symbol.iterator]() { for (let index = 0; index < this.length; index += 1) yield this.at(index); }

        /** The newest so many, the oldest of them first. */
        newest(count) {
          const result = [];
          for (let index = Math.max(0, this.length - count); index < this.length; index += 1) result.push(this.at(index));
          return result;
        }
      }

      /** How much comes in a second: buckets of one second, by the time of what comes. */
      export class Rate {
        constructor(seconds = 60) {
          this.buckets = new Ring(seconds);
          this.total = 0;
        }

        add(time, amount) {
          const second = Math.floor(time);
          this.total += amount;
          const last = this.buckets.length ? this.buckets.at(this.buckets.length - 1) : null;
          if (last && last.time === second) last.value += amount;
          else {
            // Seconds in which nothing came are part of the picture, as far as they are shown.
            if (last)
              for (let gap = Math.max(last.time + 1, second - this.buckets.limit); gap < second; gap += 1) this.buckets
                .push({ time: gap, value: 0 });
            this.buckets.push({ time: second, value: amount });
          }
        }

        /** The last whole second before a time. */
        at(time) {
          const second = Math.floor(time) - 1;
          for (let index = this.buckets.length - 1; index >= 0; index -= 1) {
            const bucket = this.buckets.at(index);
            if (bucket.time <= second) return bucket.time === second ? bucket.value : 0;
          }
          return 0;
        }
      }

      """##
    ),
  ]
}
