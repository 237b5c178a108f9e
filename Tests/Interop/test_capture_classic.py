"""`understudy capture` on a session over BR/EDR between two hosts of Bumble, and what tshark says of the same packets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.program import run
from support.tshark import TSHARK, difference, told_by_tshark

SESSION = Path(__file__).parent / "support" / "classic_session.py"
PEER = "C0:FF:EE:00:00:02"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("classic") / "session.btsnoop"
    subprocess.run([sys.executable, SESSION, path], check=True, timeout=60, capture_output=True)
    return path


async def lines(path: Path, *arguments: str) -> list[str]:
    """Returns the lines without the time, the type, the handle and the address."""
    completed = await run("capture", path, "--json", *arguments)
    assert completed.code == 0, completed
    return [json.loads(line)["text"] for line in completed.output.splitlines()]


async def test_a_connection_and_its_pairing(session: Path) -> None:
    texts = await lines(session, "--filter", f"hci && address == {PEER} && !acl")
    starts = [
        "Create Connection - BD ADDR: C0:FF:EE:00:00:02 - Packet Type: DM1, DH1, DM3, DH3, DM5, DH5",
        "Connection Complete - Status: Success (0x00) - Connection Handle: 0x0001",
        "Authentication Requested - Connection Handle: 0x0001",
        "IO Capability Request - BD ADDR",
        "IO Capability Request Reply - BD ADDR: C0:FF:EE:00:00:02 - IO Capability: DisplayYesNo (0x01)",
        "IO Capability Response - BD ADDR",
        "User Confirmation Request - BD ADDR: C0:FF:EE:00:00:02 - Numeric Value: ",
        "User Confirmation Request Reply - BD ADDR",
        "Simple Pairing Complete - Status: Success (0x00)",
        "Link Key Notification - BD ADDR",
        "Authentication Complete - Status: Success (0x00)",
        "Disconnection Complete - Status: Success (0x00)",
    ]
    remaining = iter(texts)
    for start in starts:
        assert any(text.startswith(start) for text in remaining), (start, texts)
    (number,) = [text for text in texts if "Numeric Value: " in text]
    assert len(number.rpartition(" ")[2]) == 6


async def test_the_protocols(session: Path) -> None:
    expected = {
        "sdp": [
            "Service Search Request - Service Search Pattern: [SerialPort (0x1101)] - Maximum Service Record Count",
            "Service Search Attribute Response - Attribute Lists Byte Count",
        ],
        "rfcomm": [
            "SABM - DLCI: 0",
            "UIH - Parameter Negotiation Command - DLCI: 10 - Convergence Layer: credit based, requested",
            'UIH - DLCI: 10 (server channel 5) - Credits: 25 - Data: "AT+BRSF=127\\r"',
            "DISC - DLCI: 10",
        ],
        "avdtp": [
            "Discover Command - Transaction: 0",
            "Discover Accept - Transaction: 0 - Stream Endpoint: 1, Audio sink",
            "Set Configuration Command - Transaction: 2 - ACP SEID: 1 - INT SEID: 1 - Media Transport: 0 octets",
            "Start Command - Transaction: 4 - ACP SEID: 1",
            "Media - Sequence Number: 2 - Timestamp: 1024 - Media Payload: 60 octets",
        ],
        "avctp": [
            "AVRCP Pass Through - Accepted - Transaction: 0 - Operation: Play pressed",
            "AVRCP Get Capabilities - Status - Transaction: 1",
        ],
        "hid": ["Set Protocol - Protocol: Report", "Data - Report Type: Input - Data: 010000040000000000"],
    }
    for layer, starts in expected.items():
        texts = await lines(session, "--filter", layer)
        for start in starts:
            assert any(text.startswith(start) for text in texts), (start, texts)


async def test_counters_and_transport(session: Path) -> None:
    statistics = json.loads((await run("capture", session, "--stats", "--json")).output)
    assert statistics["faults"] == statistics["counters"]["errors"] == 0
    layers, counters = statistics["layers"], statistics["counters"]
    assert counters["hci"] == layers["command"] + layers["event"]
    assert counters["total"] == counters["hci"] + counters["acl"] == statistics["packets"]
    assert {"signalling", "sdp", "rfcomm", "avdtp", "avctp", "hid"} <= layers.keys()
    (connection,) = statistics["connections"]
    assert connection["br-edr"] and connection["address"] == PEER
    output = (await run("capture", session, "--stats")).output
    assert f"connection 0x0001 {PEER}, BR/EDR, source 0" in output and " SCO / 0 Misc)" in output


async def test_a_record_is_a_tree(session: Path) -> None:
    output = (await run("capture", session, "--tree", "--filter", 'sdp && text contains "Attribute Response"')).output
    assert "ServiceClassIDList (0x0001) [3503191101]" in output
    assert "UUID: AudioSink (0x110B)" in output


async def test_the_conversation_of_a_channel(session: Path) -> None:
    completed = await run("capture", session, "--follow", "psm:0x3")
    assert "Connection Request - PSM: RFCOMM (0x0003)" in completed.output
    assert 'Data: "AT+BRSF=127\\r"' in completed.output and "AVDTP" not in completed.output


@TSHARK
async def test_layers_and_opcodes_are_as_tshark_says(session: Path) -> None:
    shown = (await run("capture", session, "--json")).output.splitlines()
    rows, packets = told_by_tshark(session), [json.loads(line) for line in shown]
    assert len(packets) == len(rows) > 200
    assert not [text for packet, row in zip(packets, rows, strict=True) if (text := difference(packet, row))]
