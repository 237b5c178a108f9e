"""A real browser on a page of another origin: it is refused as a Bluetooth host and as a client of the control API."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from bumble import hci

from conftest import EVERYTHING, Launch, Stage
from support.browser import PATIENCE, visiting
from support.controllers import LOOPBACK
from support.web import Client

# The page tries everything that a page can do, and reports the results: text that it could read, or the name of an error.
PAGE = """<!doctype html><title>elsewhere</title><script>
const api = "http://127.0.0.1:API", radio = "http://127.0.0.1:RADIO", server = "http://127.0.0.1:SERVER";
const octets = new Uint8Array(OCTETS);
const found = {};
const patience = (promise) => Promise.race([promise, new Promise((done) => setTimeout(done, 8000, "nothing came"))]);
async function attempt(name, body) {
  try { found[name] = await patience(body()); } catch (error) { found[name] = "error " + error.name; }
}
const text = async (answer) => answer.type + " " + answer.status + " " + await answer.text();
const loaded = (element, parent) => new Promise((done) => {
  element.onload = () => done("loaded");
  element.onerror = () => done("error");
  parent.append(element);
});
const make = (kind, fields) => Object.assign(document.createElement(kind), fields);
addEventListener("load", async () => {
  for (const [name, place] of [["radio", radio], ["server", server]]) {
    await attempt(name + " fetch", async () => text(await fetch(place, { method: "POST", mode: "no-cors", body: octets })));
    await attempt(name + " beacon", async () => navigator.sendBeacon(place + "/", octets) ? "sent" : "not sent");
    await attempt(name + " socket", () => new Promise((done) => {
      const socket = new WebSocket(place.replace("http", "ws"));
      socket.onopen = () => { socket.send(octets); done("open"); };
      socket.onerror = () => done("error");
    }));
  }
  const body = JSON.stringify({ id: "page", psm: "auto", handler: "file:/etc/passwd" });
  await attempt("publish", async () => text(await fetch(api + "/v1/published", { method: "POST", body })));
  await attempt("publish blindly", async () => text(await fetch(api + "/v1/published", { method: "POST", mode: "no-cors", body })));
  await attempt("put", async () => text(await fetch(api + "/v1/characteristics/twenty/value", { method: "PUT", body: '{"hex": "00"}' })));
  await attempt("form", () => {
    const frame = make("iframe", { name: "target" });
    document.body.append(frame);
    const form = make("form", { action: api + "/v1/published", method: "POST", target: "target", enctype: "text/plain" });
    form.append(make("input", { name: body.slice(0, -1) + ',"about":"', value: '"}' }));
    document.body.append(form);
    return new Promise((done) => { frame.onload = () => done("sent"); form.submit(); });
  });
  for (const path of ["/v1/accessory", "/v1/characteristics/twenty/value", "/v1/services", "/v1/events"]) {
    await attempt("get " + path, async () => text(await fetch(api + path)));
    await attempt("get blindly " + path, async () => text(await fetch(api + path, { mode: "no-cors" })));
  }
  await attempt("script", () => loaded(make("script", { src: api + "/v1/accessory" }), document.head));
  await attempt("image", () => loaded(make("img", { src: api + "/v1/characteristics/twenty/value" }), document.body));
  await attempt("events", () => new Promise((done) => {
    const stream = new EventSource(api + "/v1/events");
    stream.onopen = () => done("open");
    stream.onmessage = () => done("message");
    stream.onerror = () => done("error");
  }));
  await attempt("api socket", () => new Promise((done) => {
    const socket = new WebSocket(api.replace("http", "ws") + "/v1/events");
    socket.onopen = () => done("open");
    socket.onerror = () => done("error");
  }));
  await fetch("/report", { method: "POST", body: JSON.stringify(found) });
});
</script>"""


async def test_page_of_another_origin_gets_nothing(virtual: Stage, launch: Launch, tmp_path: Path) -> None:
    program = await virtual.run(EVERYTHING, "--http", f"{LOOPBACK}:0")
    assert virtual.ready
    (radio,) = virtual.ready["ports"]
    api = (await program.event("http"))["port"]
    server = await launch("run", EVERYTHING, "--controller", f"tcp-server:{LOOPBACK}:0", "--json")
    place = int((await server.event("awaiting-controller"))["place"].split()[-1])
    client = Client(LOOPBACK, api)
    before = {path: (await client.get(path)).json for path in ("/v1/published", "/v1/characteristics/twenty/value")}
    scan = bytes(hci.HCI_Reset_Command()) * 50
    octets = json.dumps(list(scan + bytes.fromhex("040e0401030c00") * 50))
    page = PAGE
    for name, value in (("API", api), ("RADIO", radio), ("SERVER", place), ("OCTETS", octets)):
        page = page.replace(name, str(value))

    async with visiting(page, tmp_path) as site:
        found = await asyncio.wait_for(site.report, PATIENCE)

    # The browser lets the page read nothing.
    for name, answer in found.items():
        if "beacon" in name or name == "form":
            continue
        assert answer == "nothing came" or answer.startswith(("error", "opaque 0")), (name, answer)
    assert len(found) == 22, found
    # HTTP has reached the radio and the accessory, and was refused.
    await program.event("line-refused", where=lambda event: "HTTP" in event["reason"])
    await server.event("line-refused", where=lambda event: "HTTP" in event["reason"])
    assert not server.named("controller") and not program.named("connected")
    # Nothing was published, nothing was set, and the accessory works for permitted clients.
    for path, value in before.items():
        assert (await client.get(path)).json == value
    session = await virtual.connect()
    assert await session.read(await session.handle_of("2A00")) is not None
    await session.disconnect()
