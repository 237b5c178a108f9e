"""The dashboard in a real browser: every control with a Bumble central, hostile texts, memory, accessibility."""

from __future__ import annotations

import asyncio
import struct
from pathlib import Path
from typing import Any

import pytest
from bumble import att

from conftest import Launch, Stage
from support import btsnoop
from support.attributes import handles_by_id
from support.central import Session
from support.channels import open_channel
from support.controllers import LOOPBACK
from support.dashboard import Shown, show, violations
from support.page import Page
from support.pairing import CAPABILITIES, Pairing, User
from support.program import PATIENCE, PROFILES, SHIPPED_PROFILES, Program, describe
from support.web import Client

PROFILE = PROFILES / "dashboard.yaml"
TOKEN = "a-token-for-the-dashboard"
pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def shown(virtual: Stage, page: Page) -> Shown:
    return await show(virtual, page, PROFILE)


@pytest.fixture
async def handles() -> dict[str, int]:
    return handles_by_id(await describe(PROFILE))


# Values


async def test_values_are_set_by_the_control_of_their_kind(shown: Shown) -> None:
    page = shown.page
    for id in ("level", "lamp", "mode", "alarms", "label", "raw"):
        await page.open(id)
    await page.enter("level", "200", "spinbutton")
    await page.press("Set level")
    await shown.holds("level", 200)
    await page.set("level, slider", "33", "slider")
    await page.press("Set level")
    await shown.holds("level", 33)

    switch = await page.find("switch", "lamp")
    await page.call(switch, "function() { this.focus(); }")
    await page.key(" ", 32)
    await page.press("Set lamp")
    await shown.holds("lamp", True)

    await page.set("mode", "busy", "combobox")
    await page.press("Set mode")
    await shown.holds("mode", "busy")

    for name in ("hot", "wet"):
        await page.call(await page.find("checkbox", name), "function() { this.focus(); }")
        await page.key(" ", 32)
    await page.press("Set alarms")
    await shown.holds("alarms", ["wet"])

    await page.enter("label", "Grüße")
    await page.press("Set label")
    await shown.holds("label", "Grüße")

    await page.enter("Octets of raw", "0a 0B")
    await page.press("Set raw")
    await shown.holds("raw", {"hex": "0a0b"})
    # An invalid value is reported, and changes nothing.
    await page.enter("Octets of raw", "xyz")
    await page.press("Set raw")
    await page.sees("Expected pairs of hexadecimal digits")
    await page.press("Dismiss")
    assert await shown.value("raw") == {"hex": "0a0b"}


async def test_values_are_notified_and_indicated(virtual: Stage, shown: Shown, handles: dict[str, int]) -> None:
    session = await virtual.connect()
    await session.subscribe(handles["level"], 3)
    page = shown.page
    await page.open("level")
    await page.sees("level (notify, indicate)")
    await page.enter("level", "99", "spinbutton")
    await page.press("Notify level")
    ((_, value),) = await session.arrivals(1, handles["level"])
    assert isinstance(value, att.ATT_Handle_Value_Notification) and value.attribute_value == b"\x63"
    await page.sees("sent to 1, queued for 0, dropped for 0")
    await page.set("How the value of level is given", "hex", "combobox")
    await page.enter("Octets of level", "64")
    connection = (await shown.client.get("/v1/accessory")).json["connections"][0]["connection"]
    await page.set("Who gets level", str(connection), "combobox")
    await page.press("Indicate level")
    _, (_, value) = await session.arrivals(2, handles["level"])
    assert isinstance(value, att.ATT_Handle_Value_Indication) and value.attribute_value == b"\x64"
    # A central's write is shown at once.
    await session.write(handles["label"], "from <u>afar</u>".encode())
    await page.sees("from <u>afar</u>")


async def test_history_is_plotted(virtual: Stage, shown: Shown, handles: dict[str, int]) -> None:
    session = await virtual.connect()
    await session.subscribe(handles["pulse"])
    await shown.page.open("pulse")
    plot = "document.querySelector('.characteristic[open] .plot')?.getAttribute('aria-label')"
    text = await shown.page.until(f"/bpm: [1-9][0-9]* values from .* beats per minute/.test({plot}) && {plot}")
    assert (
        await shown.page.evaluate(
            "document.querySelector('.characteristic[open] .plot .curve').getAttribute('points').split(' ').length"
        )
        >= 2
    )
    assert " last " in text


# The air and connections


async def test_advertising_is_stopped_and_started(shown: Shown) -> None:
    await shown.page.press("Stop advertising set main")
    await shown.program.event("advertising-stopped")
    await shown.page.press("Start advertising set main")
    await shown.page.find("button", "Stop advertising set main")
    sets = (await shown.client.get("/v1/advertising")).json["advertising"]
    assert [one["on"] for one in sets] == [True]


async def test_connections_are_shown_asked_and_ended(virtual: Stage, shown: Shown) -> None:
    page = shown.page
    session = await virtual.connect(mtu=185)
    await page.sees("Connections (1)")
    await page.sees("185")
    connection = (await shown.client.get("/v1/accessory")).json["connections"][0]["connection"]
    assert str(session.connection.device.random_address).split("/")[0] in await page.text()
    await page.open("Other parameters")
    for name, value in (
        ("Shortest interval (ms)", "50"),
        ("Longest interval (ms)", "50"),
        ("Supervision timeout (ms)", "3000"),
    ):
        await page.enter(name, value, "spinbutton")
    await page.press("Request these parameters")
    await shown.program.event("parameters", where=lambda event: event["interval_ms"] == 50)
    await page.until("/Interval\\s*50 ms/.test(document.body.innerText)")
    await page.set(f"Reason to disconnect {connection}", "0x15", "combobox")
    await page.press(f"Disconnect {connection}")
    assert await asyncio.wait_for(session.disconnected, 30) == 0x15
    await page.sees("No central is connected.")


async def test_channels_are_used(virtual: Stage, shown: Shown) -> None:
    page = shown.page
    session = await virtual.connect()
    channel = await open_channel(session, 0x80)
    await page.sees("L2CAP channels (1)")
    (state,) = (await shown.client.get("/v1/channels")).json["channels"]
    await page.enter("SDU", "hello")
    await page.press(f"Send over channel {state['channel']}")
    assert await channel.received(5) == b"hello"
    await page.sees("1 SDUs, 1 frames")
    await page.press(f"Close channel {state['channel']}")
    await channel.end()
    await page.sees("No channel is open.")
    await page.enter("Id", "more")
    await page.press("Publish")
    await page.find("button", "Withdraw more")
    assert {one["id"] for one in (await shown.client.get("/v1/published")).json["published"]} == {"echo", "more"}
    await page.press("Withdraw more")
    await page.until("document.querySelectorAll('[aria-label=\"Withdraw more\"]').length === 0")


async def test_central_services_are_discovered(virtual: Stage, shown: Shown) -> None:
    session = await virtual.connect()
    await shown.page.sees("Connections (1)")
    await shown.page.open("The central's services")
    connection = (await shown.client.get("/v1/accessory")).json["connections"][0]["connection"]
    await shown.page.press(f"Discover the services of connection {connection}")
    await shown.page.sees('"uuid": "1800"')
    await shown.page.enter("UUID of a characteristic", "2A00")
    await shown.page.press("Read")
    await shown.page.sees(session.connection.device.name.encode().hex())


# Questions and security


async def test_questions_are_answered(virtual: Stage, shown: Shown, handles: dict[str, int]) -> None:
    page = shown.page
    session = await virtual.connect()
    reading = asyncio.ensure_future(session.read(handles["code"]))
    await page.sees("reads code. Which value does it get?")
    await page.enter("Octets", "3412")
    await page.press("Answer")
    assert await asyncio.wait_for(reading, 30) == bytes.fromhex("3412")

    async def write(octets: bytes) -> att.ATT_PDU:
        return await session.request(att.ATT_Write_Request(attribute_handle=handles["lock"], attribute_value=octets))

    for verb, expected in (("Accept", att.ATT_Write_Response), ("Refuse", att.ATT_Error_Response)):
        writing = asyncio.ensure_future(write(b"\x2a"))
        await page.sees("0x2a) to lock. Is it accepted?")
        (question,) = (await shown.client.get("/v1/questions")).json["questions"]
        ticket = question["ticket"]
        await page.press(f"Accept, question {ticket}" if verb == "Accept" else f"Refuse question {ticket}")
        assert isinstance(await asyncio.wait_for(writing, 30), expected)
        await page.until("!document.body.innerText.includes('Is it accepted?')")


async def test_pairing_bonds_and_their_faults(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, PROFILES / "pairing.yaml")
    pairing = Pairing(shown.program, shown.client, await virtual.central(), virtual.address)
    await page.open("Pairing")
    await page.enter("How the accessory pairs, as JSON", '{"pairing": "compare", "mitm": true, "bonding": true}')
    await page.press("Set how the accessory pairs")
    await page.until("[...document.querySelectorAll('output')].some((one) => one.textContent === 'set')")
    assert (await shown.client.get("/v1/security")).json["mitm"] is True
    user = User(CAPABILITIES["compare"])
    pairing.configure(user)
    session = await pairing.connect()
    task = asyncio.ensure_future(session.connection.pair())
    await page.sees("Does it show")
    (question,) = (await shown.client.get("/v1/questions")).json["questions"]
    assert question["kind"] == "comparison" and question["digits"] in await page.text()
    user.seen.set_result(int(question["digits"]))
    await page.press(f"They are the same, question {question['ticket']}")
    await asyncio.wait_for(task, 30)
    await page.open("Bonds")
    await page.sees("Bonds (1)")
    (bond,) = (await shown.client.get("/v1/bonds")).json["bonds"]
    await page.set(f"How to damage the bond with {bond['peer']}", "without-ltk", "combobox")
    await page.press(f"Break the bond with {bond['peer']}")
    await page.until("!document.body.innerText.includes('key_as_peripheral')")
    await page.press(f"Forget the bond with {bond['peer']}")
    await page.sees("There are no bonds.")
    assert (await shown.client.get("/v1/bonds")).json["bonds"] == []


# Notifications and the radio


async def test_notifications_come_change_and_go(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, SHIPPED_PROFILES / "ancs.yaml")
    await page.sees("Ada Lovelace")
    before = {one["uid"] for one in (await shown.client.get("/v1/notifications")).json["notifications"]}
    await page.enter("Title", "<s>Hi</s>")
    await page.enter("Message", "from a browser")
    await page.press("Add notification")
    await page.sees("<s>Hi</s>")
    rows = {one["uid"]: one for one in (await shown.client.get("/v1/notifications")).json["notifications"]}
    (uid,) = set(rows) - before
    assert rows[uid]["message"] == "from a browser" and rows[uid]["category"] == "social"
    await page.enter(f"Title of notification {uid}", "Changed")
    await page.press(f"Change notification {uid}")
    await page.sees(f"{uid}: Changed")
    await page.press(f"Remove notification {uid}")
    await page.until(f"!document.body.innerText.includes('{uid}: Changed')")


async def test_radio_is_impaired_and_put_back(virtual: Stage, shown: Shown) -> None:
    page = shown.page
    session = await virtual.connect()
    names = [one["name"] for one in (await shown.client.get("/v1/radio")).json["controllers"]]
    own, other = names[0], names[-1]
    await page.open("Virtual radio")
    await page.until(f"[...document.querySelectorAll('#radio option')].some((one) => one.value === '{other}')")
    await page.set("From", own, "combobox")
    await page.set("To", other, "combobox")
    await page.enter("Lost (%)", "25", "spinbutton")
    await page.enter("RSSI (dBm)", "-81", "spinbutton")
    await page.press("Impair")
    await page.sees("-81 dBm, 25 % lost")
    (path,) = (await shown.client.get("/v1/radio")).json["paths"]
    assert (path["from"], path["to"], path["loss"], path["rssi"]) == (own, other, 0.25, -81)
    await page.press("Reset the path")
    await page.until("!document.body.innerText.includes('-81 dBm')")
    await page.call(await page.find("checkbox", f"{other} hangs"), "function() { this.focus(); }")
    await page.key(" ", 32)
    await page.press(f"Impair {other}")

    async def hangs() -> bool:
        return {one["name"]: one for one in (await shown.client.get("/v1/radio")).json["controllers"]}[other][
            "impairment"
        ]["hung"]

    async with asyncio.timeout(30):
        while not await hangs():
            await asyncio.sleep(0.02)
    await page.press(f"Restart {other}")
    async with asyncio.timeout(30):
        while await hangs():
            await asyncio.sleep(0.02)
    assert session


async def test_faults_are_armed_and_taken_back(virtual: Stage, shown: Shown, handles: dict[str, int]) -> None:
    page = shown.page
    assert (await shown.client.get("/v1/faults")).status == 200
    await page.open("Faults")
    await page.set("Characteristic", "level", "combobox")
    await page.press("Arm fault")
    await page.sees("Faults (1)")
    (fault,) = (await shown.client.get("/v1/faults")).json["faults"]
    session = await virtual.connect()
    assert await session.error(att.ATT_Read_Request(attribute_handle=handles["level"])) == 0x80
    await page.until("/Happened\\s*1/.test(document.body.innerText)")
    await page.press(f"Disarm fault {fault['id']}")
    await page.sees("There are no faults.")
    assert await session.read(handles["level"]) == b"\x07"
    await page.open("With all keys")
    await page.enter("A fault as JSON", '{"id": "mine", "on": {"read": "any"}, "do": {"error": "0x81"}}')
    await page.press("Arm the fault given as JSON")
    await page.find("button", "Disarm fault mine")
    assert await session.error(att.ATT_Read_Request(attribute_handle=handles["level"])) == 0x81
    await page.press("Disarm all faults")
    await page.sees("There are no faults.")


async def test_buttons_are_pressed(virtual: Stage, page: Page) -> None:
    shown = await show(virtual, page, SHIPPED_PROFILES / "smart-lock.yaml")
    answer = await shown.client.get("/v1/buttons")
    assert answer.status == 200
    before, button = answer.json["state"], answer.json["buttons"][0]
    await page.sees(f"State: {before}")
    await page.press(f"Press {button}")
    await page.until(f"/State: (?!{before}$)/m.test(document.body.innerText)")
    assert (await shown.client.get("/v1/buttons")).json["state"] != before


# Packets


async def test_packets_are_watched_filtered_and_saved(
    virtual: Stage, shown: Shown, handles: dict[str, int], tmp_path: Path
) -> None:
    page = shown.page
    await page.open("Packets")
    await page.press("Watch")
    await page.find("button", "Stop watching")
    session = await virtual.connect()
    await session.write(handles["level"], b"\x2a")
    assert await session.read(handles["level"]) == b"\x2a"
    await page.until(
        "[...document.querySelectorAll('.packets li')].some((one) => one.textContent.includes('Write Request'))"
    )
    # With only the keyboard: the newest packet and its layers.
    await page.evaluate("document.querySelector('.packets').focus()")
    await page.key("End", 35)
    await page.until("document.querySelectorAll('.layers details').length >= 1")
    await page.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path), eventsEnabled=False)
    await page.press("Save the packets of the list")
    place = tmp_path / "dashboard.btsnoop"
    async with asyncio.timeout(30):
        while not place.exists() or not place.stat().st_size:
            await asyncio.sleep(0.05)
    records = btsnoop.read(place)
    write = b"\x12" + struct.pack("<H", handles["level"]) + b"\x2a"
    assert any(record.received and record.octets.endswith(write) for record in records)
    await page.enter("Filter", "att and att.read")
    await page.call(await page.find("textbox", "Filter"), "function() { this.dispatchEvent(new Event('change')); }")
    await page.press("Clear")
    await session.write(handles["level"], b"\x2b")
    assert await session.read(handles["level"]) == b"\x2b"
    await page.until(
        "[...document.querySelectorAll('.packets li')].some((one) => one.textContent.includes('Read Request'))"
    )
    lines = await page.evaluate("[...document.querySelectorAll('.packets li')].map((one) => one.textContent)")
    assert all("Read" in line for line in lines), lines
    await page.press("Stop watching")


# Hostile, long and large inputs


async def test_hostile_texts_stay_text(virtual: Stage, shown: Shown) -> None:
    """The fixture checks whether anything was executed."""
    page = shown.page
    assert (
        await page.evaluate("document.querySelector('article h2').textContent") == "<img src=x onerror=window.hurt=1>"
    )
    await page.sees("</p><script>window.hurt = 2</script> & <b>bold</b>")
    assert (
        await page.evaluate("document.querySelectorAll('article img, article script, article b > b, article i').length")
        == 0
    )
    # Content inserted into the page from elsewhere cannot run either.
    await page.evaluate(
        "document.body.append("
        "Object.assign(document.createElement('div'), { innerHTML: '<img src=x onerror=\"window.hurt=3\">' }))"
    )
    await page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hurt = 4' }))"
    )
    await asyncio.sleep(0)
    assert await page.evaluate("window.hurt") is None
    page.complaints.clear()


# The page's own counts of packets: those that it keeps, and those that it has received.
PACKETS = (
    "(/([0-9]+) of ([0-9]+) packets/.exec(document.querySelector('.packets').parentElement.querySelector('output')"
    ".textContent) ?? [0, 0, 0]).slice(1).map(Number)"
)


async def taken(page: Page, session: Session, count: int) -> None:
    """Waits until the page has received that many packets. Fails if the link ends, or no more packets come."""
    now, last, since = asyncio.get_running_loop().time, -1, 0.0
    while (packets := (await page.evaluate(PACKETS))[1]) < count:
        if session.disconnected.done():
            reason = session.disconnected.result()
            raise AssertionError(f"the link has ended after {packets} packets of {count}: reason 0x{reason:02X}")
        if packets > last:
            last, since = packets, now()
        assert now() - since < PATIENCE, f"no packet for {PATIENCE} s, after {packets} of {count}"
        await asyncio.sleep(0.2)


@pytest.mark.timeout(300)
async def test_memory_is_bounded_under_notifications(virtual: Stage, page: Page) -> None:
    """Notifications of 244 octets, five per second of radio time, while the page shows packets.

    The test follows the page's own count, so a busy machine takes longer, but measures the same.
    """
    await show(virtual, page, PROFILES / "dashboard-stream.yaml", "--speed", "60")
    session = await virtual.connect(mtu=247)
    await session.subscribe(await session.handle_of("FFF1"))
    await page.open("stream")
    await page.open("Events")
    await page.open("Packets")
    await page.press("Watch")
    sizes = []
    counts = (3_000, 7_000, 11_000, 15_000)
    for count in counts:
        await taken(page, session, count)
        sizes.append(await page.heap())
    print("octets of the heap:", sizes, "after", len(session.received), "notifications")
    # At the first measurement every ring is full. After that, a leak of 200 octets per packet is found. Each notification
    # makes two packets: itself, and the controller's report that it was sent.
    assert (await page.evaluate(PACKETS))[0] == 2_000
    assert max(sizes[1:]) < sizes[0] + 200 * (counts[-1] - counts[0]), sizes
    nodes = (await page.command("Memory.getDOMCounters"))["nodes"]
    assert nodes < 60_000, nodes


@pytest.mark.timeout(300)
async def test_fifty_accessories(launch: Launch, page: Page) -> None:
    program = await launch("run", *[PROFILE] * 50, "--http", f"{LOOPBACK}:0", "--json")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    await page.go(client.url)
    assert await page.evaluate("document.querySelectorAll('#overview button').length") == 50
    # With so many accessories, the page starts with the wall.
    assert await page.evaluate("document.querySelectorAll('article').length") == 0
    ids = [one["id"] for one in (await client.get("/v1/accessories")).json["accessories"]]
    for id in ids[:3]:
        await page.evaluate(f"document.querySelector('#overview button[data-id=\"{id}\"]').click()")
    await page.until("document.querySelectorAll('[aria-label=\"Stop advertising set main\"]').length === 3")
    assert await page.evaluate("document.querySelectorAll('article').length") == 3
    await page.evaluate(f"document.querySelector('[aria-label=\"Stop advertising set main\"]').click()")
    await page.until("document.querySelectorAll('[aria-label=\"Start advertising set main\"]').length === 1")
    await page.press(f"Close {ids[1]}")
    await page.until("document.querySelectorAll('article').length === 2")


# Access


async def test_token_is_asked_for(virtual: Stage, page: Page) -> None:
    program = await virtual.run(PROFILE, "--http", f"{LOOPBACK}:0", "--http-token", TOKEN)
    client = Client(LOOPBACK, (await program.event("http"))["port"], TOKEN)
    await page.go(client.url)
    await page.enter("Token", "this-is-the-wrong-one")
    await page.press("Enter")
    await page.until("!document.getElementById('token-form').hidden && document.getElementById('token').value === ''")
    await page.enter("Token", TOKEN)
    await page.press("Enter")
    await page.sees("Live")
    await page.press("Stop advertising set main")
    await program.event("advertising-stopped")
    # The token is in no URL, and another tab has to ask for it again.
    assert not any(TOKEN in url for url in page.requests)
    assert await page.evaluate("document.cookie + JSON.stringify(localStorage)") == "{}"
    assert await page.evaluate("sessionStorage.getItem('understudy-token')") == TOKEN


async def test_qr_code_says_name_and_address(virtual: Stage, shown: Shown) -> None:
    zxingcpp = pytest.importorskip("zxingcpp")
    page = shown.page
    for text in (None, "a", "x" * 100, "Ü" * 60, "z" * 213):
        script = "import('/dashboard/qr.js').then((qr) => qr.qrModules(TEXT))"
        wanted = text or f"{(await shown.client.get('/v1/accessory')).json['name']}\n{virtual.ready['address']}"
        modules = await page.evaluate(script.replace("TEXT", repr(wanted)))
        scale, quiet = 4, 4
        size = (len(modules) + 2 * quiet) * scale
        octets = bytearray(b"\xff" * (size * size))
        for row, line in enumerate(modules):
            for column, dark in enumerate(line):
                if dark:
                    for y in range(scale):
                        start = ((row + quiet) * scale + y) * size + (column + quiet) * scale
                        octets[start : start + scale] = bytes(scale)
        (code,) = zxingcpp.read_barcodes(memoryview(octets).cast("B", (size, size)))
        assert code.text == wanted
    assert await page.evaluate("import('/dashboard/qr.js').then((qr) => qr.qrModules('z'.repeat(214)))") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_accessibility(virtual: Stage, shown: Shown, handles: dict[str, int], scheme: str) -> None:
    """axe-core's rules of WCAG 2 A and AA with everything unfolded, in both schemes, wide and narrow."""
    page = shown.page
    session = await virtual.connect()
    await session.subscribe(handles["pulse"])
    await open_channel(session, 0x80)
    reading = asyncio.ensure_future(session.read(handles["code"]))
    await page.sees("Which value does it get?")
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    await page.press("Watch")
    await page.until(
        "document.querySelectorAll('.packets li').length > 0 && document.querySelectorAll('.plot').length > 0"
    )
    await page.evaluate("document.querySelector('.packets').focus()")
    await page.key("End", 35)
    await page.scheme(scheme)
    for width in (1200, 320):
        await page.resize(width, 900)
        for area in ("Accessory", "Conversation", "Bench"):
            if width == 320:
                await page.press(area)
            assert await violations(page) == []
            # Nothing makes the page wider than the window.
            assert await page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            ), (width, area)
    # On a busy machine, the question may have timed out by now.
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
