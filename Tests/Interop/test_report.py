"""The report of a run: `understudy test --html` and `understudy capture report`, in a browser that opens the file."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import pytest

from support.dashboard import violations
from support.page import Page
from support.program import EX_DATAERR, EX_IOERR, EX_OK, EX_USAGE, run

SCENARIO = """
understudy-scenario: 1
name: Belt
accessory: heart-rate
prepare: [ connect ]
cases:
  - name: beats
    steps: [ { subscribe: measurement }, { notified: measurement }, { wait: 5 s }, { read: location, gives: hex:05 } ]
  - { name: sits, steps: [ { read: location, gives: hex:01 } ] }
  - name: writes
    steps:
      - { air: { loss: 40% } }
      - { read: location }
      - { expect: { event: read, characteristic: control-point }, within: 2 s }
"""
HOSTILE = "</script><script>window.hurt=1</script><img src=x onerror=window.hurt=1>\u202egnp\u0007"


async def opened(page: Page, path: Path) -> None:
    await page.go(path.as_uri())


@pytest.fixture
async def report(tmp_path: Path) -> Path:
    (tmp_path / "belt.yaml").write_text(SCENARIO)
    ended = await run(
        "test", tmp_path / "belt.yaml", "--keep", tmp_path / "kept", "--html", tmp_path / "report.html"
    )
    assert ended.code == 1
    return tmp_path / "report.html"


async def choose(page: Page, text: str) -> None:
    """Chooses the first line in view with that text."""
    await page.until(
        "(() => { const line = [...document.querySelectorAll('.line')]"
        f".find((one) => one.innerText.includes({json.dumps(text)})); line?.click(); return Boolean(line); }})()"
    )


async def test_a_failed_case(report: Path, page: Page) -> None:
    """The report opens with the failure: what was expected, what came, and the lines that show it."""
    await opened(page, report)
    assert await page.evaluate("document.title") == "Belt"
    await page.sees("2 cases failed, 1 case passed")
    assert await page.evaluate("document.querySelector('main h2').textContent") == "✕ Belt: beats"
    boxes = await page.evaluate("[...document.querySelectorAll('.beside > div')].map((one) => one.innerText)")
    assert [re.sub(r"\s+", " ", box) for box in boxes] == ['Expected 05 ("ear-lobe")', 'Actual 01 ("chest")']
    assert await page.evaluate("[...document.querySelectorAll('.beside mark')].map((one) => one.textContent)") == ["05", "01"]
    excerpts = await page.evaluate("[...document.querySelectorAll('.excerpts mark')].map((one) => one.textContent)")
    assert "gives: hex:05" in excerpts[0] and "id: location" in excerpts[1]
    # The failure is chosen, and its packets are in view: those of the accessory, the air and the central.
    assert "not hex:05" in await page.evaluate("document.querySelector('.line[aria-selected=true]').innerText")
    assert await page.evaluate("[...document.querySelectorAll('.names li')].map((one) => one.textContent)") == [
        "steps", "accessory", "air", "phone",
    ]  # fmt: skip
    for lane in ("accessory", "air", "phone"):
        await page.until(
            f"[...document.querySelectorAll('.line')].some((one) => one.innerText.includes({json.dumps(lane)})"
            " && one.innerText.includes('Read Response'))"
        )
    # Nothing came from elsewhere.
    assert {url.split(":")[0] for url in page.requests} <= {"file", "data"}


async def test_an_event_that_did_not_occur(report: Path, page: Page) -> None:
    """The fields of the expected event beside those of the one that came, and packets that were lost."""
    await opened(page, report)
    await page.press("✕ Belt: writes")
    rows = await page.evaluate("[...document.querySelectorAll('.failure tr')].map((one) => one.innerText.split(/\\s*\\t/))")
    assert ["characteristic", "control-point", "location"] in rows and ["event", "read", "read"] in rows
    assert await page.evaluate("[...document.querySelectorAll('.failure td mark')].map((one) => one.textContent)") == [
        "control-point", "location",
    ]  # fmt: skip
    await page.set("Show", "alarms", "combobox")
    await page.until("[...document.querySelectorAll('.line.bad')].some((one) => one.innerText.includes('lost: '))")


async def test_a_packet_down_to_its_octets(report: Path, page: Page) -> None:
    await opened(page, report)
    await choose(page, "Read Response")
    layers = await page.evaluate("[...document.querySelectorAll('.layers summary')].map((one) => one.textContent)")
    assert layers == ["ACL: ACL Data", "L2CAP: L2CAP PDU", "ATT: Read Response"]
    fields = await page.evaluate("[...document.querySelectorAll('.layers li')].map((one) => one.textContent)")
    assert "Data Total Length: 0x0006, 6" in fields and 'Attribute Value: 01, "chest"' in fields
    assert await page.evaluate("document.querySelector('.layers .octets').innerText.trim()") == (
        "02 00 00 06 00 02 00 04 00 0b 01"
    )
    # One press leads to its request.
    await page.until("(document.querySelector('.layers button')?.click(), true)")
    assert "Read Request" in await page.evaluate("document.querySelector('.headline').innerText")


async def test_values_are_curves(report: Path, page: Page) -> None:
    await opened(page, report)
    labels = await page.evaluate("[...document.querySelectorAll('.plot')].map((one) => one.getAttribute('aria-label'))")
    assert any(re.match(r"Heart Rate Measurement\.bpm: [5-7] values from \d+ to \d+, last \d+", label) for label in labels)


async def test_by_keyboard(report: Path, page: Page) -> None:
    """Cases, list and time line without a pointer."""
    await opened(page, report)
    await page.press("✓ Belt: sits")
    assert await page.evaluate("document.querySelector('main h2').textContent") == "✓ Belt: sits"
    assert await page.evaluate("document.activeElement.id") == "main"
    await page.press("✕ Belt: beats")
    selected = "document.querySelector('.line[aria-selected=true]')"
    await page.call(await page.find("listbox", "What happened"), "function() { this.focus(); }")
    await page.key("Home", 36)
    assert (await page.evaluate(f"{selected}.innerText")).startswith("0.000000")
    await page.key("ArrowDown", 40)
    active = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))"
    assert await page.evaluate(f"{active} === {selected}")
    await page.key("End", 35)
    assert "not hex:05" in await page.evaluate(f"{selected}.innerText")
    slider = await page.find("slider", "Time")
    await page.call(slider, "function() { this.focus(); }")
    before = await page.call(slider, "function() { return this.ariaValueNow; }")
    await page.key("ArrowLeft", 37)
    assert float(await page.call(slider, "function() { return this.ariaValueNow; }")) <= float(before)
    view = "document.querySelector('.range').textContent"
    whole = await page.evaluate(view)
    await page.key("+", 187)
    assert await page.evaluate(view) != whole
    # The Tab key reaches everything.
    seen: list[str] = []
    await page.evaluate("document.activeElement.blur()")
    for _ in range(60):
        await page.key("Tab", 9)
        seen.append(await page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent.slice(0, 40)"))
    for name in ("Skip to the report", "Zoom in", "Time", "What happened", "Its fields and octets"):
        assert name in seen, (name, seen)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_accessibility_at_all_widths(report: Path, page: Page, scheme: str) -> None:
    """axe-core's rules of WCAG 2 A and AA, and nothing is wider than the window."""
    await opened(page, report)
    await page.command(
        "Emulation.setEmulatedMedia",
        features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ],
    )
    for case, line in (("✕ Belt: beats", "Read Response"), ("✕ Belt: writes", "lost: ")):
        await page.press(case)
        if line == "lost: ":
            await page.set("Show", "alarms", "combobox")
        await choose(page, line)
        for width in (320, 768, 1440, 2560):
            await page.resize(width, 900)
            assert await violations(page) == [], (case, width)
            assert await page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            ), (case, width)
    assert await page.evaluate("document.getAnimations().length") == 0


async def test_hostile_texts(tmp_path: Path, page: Page) -> None:
    """Names of scenarios, cases, accessories and values are shown as text, whatever they contain."""
    quoted = json.dumps(HOSTILE)
    (tmp_path / "hostile.yaml").write_text(
        f"""
understudy-scenario: 1
name: {quoted}
accessory:
  name: {json.dumps("</script><img src=x onerror=window.hurt=1>")}
  services:
    - uuid: FFF0
      characteristics: [ {{ id: text, uuid: FFF1, properties: [ read ], format: utf8, value: {quoted} }} ]
cases:
  - name: {quoted}
    steps: [ {{ connect: any, phone: {quoted} }}, {{ read: text, gives: {quoted}, phone: {quoted} }}, {{ value: text, is: "<b>" }} ]
"""
    )
    ended = await run("test", tmp_path / "hostile.yaml", "--keep", tmp_path, "--html", tmp_path / "report.html")
    assert ended.code == 1, ended.errors
    text = (tmp_path / "report.html").read_text()
    assert text.count("</script>") == 2 and "<img" not in text
    await opened(page, tmp_path / "report.html")
    await page.sees("</script><script>window.hurt=1</script><img")
    await choose(page, "Read Response")
    assert await page.evaluate("document.querySelectorAll('img, main script').length") == 0
    assert not set("\u202e\u0007") & set(await page.text())
    assert await page.evaluate("window.hurt") is None
    # Even markup that got into the page could not run.
    await page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=\"data:,x\" onerror=\"window.hurt = 2\">')"
    )
    assert await page.evaluate("new Promise((done) => setTimeout(() => done(window.hurt ?? null), 200))") is None
    page.complaints.clear()


def capture_of(count: int) -> bytes:
    """A btsnoop file with a connection that notifies a heart rate again and again."""
    octets = bytearray(b"btsnoop\0" + struct.pack(">II", 1, 1002))

    def add(packet: bytes, is_received: bool, microseconds: int) -> None:
        flags = (1 if is_received else 0) | (0 if packet[0] == 2 else 2)
        octets.extend(struct.pack(">IIIIq", len(packet), len(packet), flags, 0, 0x00E03AB44A676000 + microseconds))
        octets.extend(packet)

    complete = bytes.fromhex("043e13010040000100c464e300000118000000480000")
    add(complete, True, 0)
    # A read of the declaration, so that the type of the value is known.
    request, answer = "0100ffff0328", "070a00100b00372a"
    for packet, is_received in (("08" + request, True), ("09" + answer, False)):
        body = bytes.fromhex(packet)
        add(b"\x02\x40\x00" + struct.pack("<HHH", len(body) + 4, len(body), 4) + body, is_received, 100)
    for number in range(count - 3):
        body = bytes.fromhex("1b0b00") + bytes([0x06, 60 + number % 90])
        add(b"\x02\x40\x00" + struct.pack("<HHH", len(body) + 4, len(body), 4) + body, False, 1000 * (number + 1))
    return bytes(octets)


async def test_ten_thousand_packets(tmp_path: Path, page: Page, record_property: pytest.FixtureRequest) -> None:
    """The report takes less than 3 MB, and every packet can be reached. The browser's time is recorded."""
    (tmp_path / "long.btsnoop").write_bytes(capture_of(10_000))
    ended = await run("capture", "report", tmp_path / "long.btsnoop", "--output", tmp_path / "long.html")
    assert ended.code == EX_OK, ended.errors
    size = (tmp_path / "long.html").stat().st_size
    assert size < 3_000_000
    await opened(page, tmp_path / "long.html")
    await page.sees("10,000 lines")
    took = await page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
    record_property("octets", size)
    record_property("milliseconds", took)
    print(f"10,000 packets: {size} octets, open after {took:.0f} ms")
    assert await page.evaluate("document.querySelectorAll('.line').length") < 100
    await page.call(await page.find("listbox", "What happened"), "function() { this.focus(); }")
    await page.key("End", 35)
    assert "Handle Value Notification" in await page.evaluate(
        "document.querySelector('.line[aria-selected=true]').innerText"
    )
    await page.enter("Find", '"bpm":149', "searchbox")
    await page.until("/^11\\d lines/.test(document.querySelector('.count').textContent)")


async def test_more_packets_than_the_report_takes(tmp_path: Path, page: Page) -> None:
    (tmp_path / "long.btsnoop").write_bytes(capture_of(10_500))
    ended = await run("capture", "report", tmp_path / "long.btsnoop", "--output", tmp_path / "long.html")
    assert ended.code == EX_OK, ended.errors
    await opened(page, tmp_path / "long.html")
    await page.sees("500 more packets were left out of this report")


async def test_a_capture_of_the_air(report: Path, tmp_path: Path, page: Page) -> None:
    """Any capture can be opened: here the one that a failed case leaves."""
    ended = await run(
        "capture", "report", tmp_path / "kept" / "belt-beats.pcapng", "--output", tmp_path / "air.html",
        "--profile", "heart-rate",
    )  # fmt: skip
    assert ended.code == EX_OK, ended.errors
    await opened(page, tmp_path / "air.html")
    await page.sees("belt-beats.pcapng")
    await page.set("Show", "all", "combobox")
    await page.until("[...document.querySelectorAll('.line')].some((one) => one.innerText.includes('ADV_'))")
    assert await violations(page) == []


async def test_what_cannot_be_written_or_read(report: Path, tmp_path: Path) -> None:
    unwritable = await run("test", tmp_path / "belt.yaml", "--keep", tmp_path, "--html", tmp_path / "none" / "report.html")
    assert unwritable.code == EX_IOERR and "none/report.html" in unwritable.errors
    (tmp_path / "broken.btsnoop").write_bytes(b"nothing")
    broken = await run("capture", "report", tmp_path / "broken.btsnoop", "--output", tmp_path / "x.html")
    assert broken.code == EX_DATAERR and not (tmp_path / "x.html").exists()
    same = await run("capture", "report", report, "--output", report)
    assert same.code == EX_USAGE and "--output" in same.errors
    exploring = await run("test", "--explore", "1", "--html", tmp_path / "x.html", "heart-rate")
    assert exploring.code == EX_USAGE and "--html" in exploring.errors


async def test_a_run(tmp_path: Path, page: Page) -> None:
    ended = await run(
        "run", "heart-rate", "--ephemeral", "--speed", "fast", "--for", "5s", "--json", "--capture",
        tmp_path / "run.pcapng", "--report", tmp_path / "run.html",
    )  # fmt: skip
    assert ended.code == EX_OK, ended.errors
    await opened(page, tmp_path / "run.html")
    await page.set("Show", "steps", "combobox")
    await page.sees("advertising started")
    await page.set("Show", "all", "combobox")
    await page.enter("Find", "ADV_", "searchbox")
    await page.until("[...document.querySelectorAll('.line')].some((one) => one.innerText.includes('ADV_'))")
    assert await violations(page) == []
    for capture in ((), ("--capture", tmp_path / "run.btsnoop")):
        wrong = await run("run", "heart-rate", "--report", tmp_path / "x.html", *capture)
        assert wrong.code == EX_USAGE and "--capture" in wrong.errors


async def test_cases_of_another_framework(tmp_path: Path, page: Page) -> None:
    (tmp_path / "long.btsnoop").write_bytes(capture_of(50))
    (tmp_path / "test.py").write_text("def test():\n    assert 1 == 2\n")
    cases = [
        {"name": "good", "suite": "app"},
        {
            "name": "bad",
            "suite": "app",
            "failure": "1 is not 2",
            "file": str(tmp_path / "test.py"),
            "line": 2,
            "events": [{"event": "connected", "peer": "C4:64:E3:00:00:01", "time": 946684800.0}, {"event": "http"}],
            "capture": str(tmp_path / "long.btsnoop"),
        },
    ]
    listed = tmp_path / "cases.jsonl"
    listed.write_text("\n".join(map(json.dumps, cases)))
    ended = await run("capture", "report", listed, "--output", tmp_path / "x.html")
    assert ended.code == EX_OK, ended.errors
    await opened(page, tmp_path / "x.html")
    await page.sees("1 case failed, 1 case passed")
    assert await page.evaluate("document.querySelector('.failure h2').textContent") == "1 is not 2"
    assert "assert 1 == 2" in await page.evaluate("document.querySelector('.excerpts mark').textContent")
    await page.sees("50 packets")
    listed.write_text('{"name": "good"}\n{"suite": 7}\n')
    wrong = await run("capture", "report", listed, "--output", tmp_path / "x.html")
    assert wrong.code == EX_DATAERR and f"{listed}:2:" in wrong.errors


FAULTY = """
understudy-scenario: 1
name: Faulty
accessory: heart-rate
prepare: [ connect ]
cases:
  - name: refused
    faults: [ { id: refusal, on: { read: location }, do: { error: 0x80 } } ]
    steps: [ { wait: 2 s }, { read: location } ]
  - name: different
    faults: [ { on: { write: any }, do: { error: 0x80 } } ]
    steps: [ { read: location, gives: hex:05 } ]
"""


async def test_the_faults_of_a_failed_case(tmp_path: Path, page: Page) -> None:
    """When the case failed, and what was injected before."""
    scenario, report = tmp_path / "faulty.yaml", tmp_path / "report.html"
    scenario.write_text(FAULTY)
    assert (await run("test", scenario, "--keep", tmp_path / "kept", "--html", report)).code == 1
    await opened(page, report)
    card = await page.evaluate("document.querySelector('.failure').innerText")
    assert re.search(r"It failed 2\.\d{3} s after the beginning of the case\.", card)
    [fault] = await page.evaluate("[...document.querySelectorAll('.injected li')].map((one) => one.textContent)")
    assert fault.startswith("refusal at 2.") and fault.endswith(f"({scenario}:8)")
    await page.press("✕ Faulty: different")
    await page.until("document.querySelector('.failure').innerText.includes('No fault had been injected.')")
