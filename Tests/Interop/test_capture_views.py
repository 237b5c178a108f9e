"""`understudy capture`: conversations, timelines, differences, comments, decryption."""

from __future__ import annotations

import csv
import io
import json
import signal
import struct
import xml.etree.ElementTree
from pathlib import Path

import pytest
from bumble import crypto
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

from conftest import Stage
from support.program import executable, run
from support.terminal import Terminal

EX_USAGE = 64
SVG = "{http://www.w3.org/2000/svg}"


async def recorded(virtual: Stage, path: Path, *, subscribes: bool) -> Path:
    program = await virtual.run_captured(path)
    session = await virtual.connect(mtu=517)
    assert await session.read(await session.handle_of("FFF6")) == bytes(range(20))
    if subscribes:
        await session.subscribe(await session.handle_of("FFF4"))
        await session.arrivals(3)
    program.send_signal(signal.SIGTERM)
    assert await program.wait(5) == 0
    return path


@pytest.fixture
async def captured(virtual: Stage, tmp_path: Path) -> Path:
    return await recorded(virtual, tmp_path / "run.btsnoop", subscribes=True)


async def test_an_attribute_as_a_conversation(captured: Path) -> None:
    completed = await run("capture", captured, "--follow", "FFF4")
    lines = completed.output.splitlines()
    assert lines[0].startswith("connection 0x")
    texts = [line.split("  ", 3)[-1] for line in lines[1:]]
    assert "Write Request" in texts[0] and "← " in lines[1].replace("←  ", "← ")
    assert "Write Response" in texts[1] and "answered after" in texts[1]
    assert sum("Handle Value Notification" in text for text in texts) >= 3
    assert not any("Read" in text for text in texts)


async def test_values_as_a_table(captured: Path) -> None:
    completed = await run("capture", captured, "--follow", "FFF6", "--csv")
    rows = list(csv.DictReader(io.StringIO(completed.output)))
    assert [(row["kind"], row["way"], row["hex"]) for row in rows] == [("read", "sent", bytes(range(20)).hex())]
    notified = await run("capture", captured, "--follow", "FFF4", "--csv")
    rows = list(csv.DictReader(io.StringIO(notified.output)))
    assert [row["kind"] for row in rows][:2] == ["write", "notification"]
    assert [float(row["seconds"]) for row in rows] == sorted(float(row["seconds"]) for row in rows)


async def test_one_point_of_view_of_several(virtual: Stage, tmp_path: Path) -> None:
    """The accessory, the joined central, and the air see the same packets."""
    path = await recorded(virtual, tmp_path / "run.pcapng", subscribes=False)
    completed = await run("capture", path, "--follow", "FFF6")
    lines = completed.output.splitlines()
    assert sum("Read Request" in line for line in lines) == 1
    assert sum(line.startswith("connection ") for line in lines) == 1
    assert "from other points of view are left out" in completed.errors
    chosen = await run("capture", path, "--follow", "FFF6", "--filter", "air || hci")
    assert sum("Read Request" in line for line in chosen.output.splitlines()) == 3
    assert chosen.errors == ""


async def test_nothing_that_matches(captured: Path) -> None:
    followed = await run("capture", captured, "--follow", "0x7777", "--filter", "att")
    assert (followed.code, followed.output) == (0, "")
    assert "packets matches --filter 'att' and --follow '0x7777'" in followed.errors


async def test_timeline_as_text_json_and_picture(captured: Path, tmp_path: Path) -> None:
    picture = tmp_path / "timeline.svg"
    completed = await run("capture", "timeline", captured, "--svg", picture)
    assert completed.code == 0
    lines = completed.output.splitlines()
    assert lines[0].startswith("connection 0x") and "begins, as peripheral" in lines[1]
    assert any("mtu" in line and "517 (client 517, server 517)" in line for line in lines)
    told = json.loads((await run("capture", "timeline", captured, "--json")).output)
    assert [entry["aspect"] for entry in told["entries"]][:2] == ["connection", "parameters"]
    assert told["role"] == "peripheral"
    texts = [element.text for element in xml.etree.ElementTree.parse(picture).iter(f"{SVG}text")]
    assert {"Parameters", "PHY", "MTU", "Encryption"} <= set(texts)


async def test_differences(virtual: Stage, captured: Path, tmp_path: Path) -> None:
    same = await run("capture", "diff", captured, captured)
    assert same.code == 0 and same.output.startswith("the captures are the same")
    other = tmp_path / "other.pcapng"
    left_out = "number > 0 && !(att.notification || name contains configuration)"
    assert (await run("capture", captured, "--filter", left_out, "--convert", other)).code == 0
    completed = await run("capture", "diff", captured, other, "--context", "1")
    assert completed.code == 1
    changed = [line for line in completed.output.splitlines() if line[:2] in ("- ", "+ ")]
    assert changed and all(line.startswith("- ") for line in changed)
    assert any("Write Request" in line and "Configuration" in line for line in changed)
    lines = [json.loads(line) for line in (await run("capture", "diff", captured, other, "--json")).output.splitlines()]
    assert {line["in"] for line in lines} == {"both", "first"}


@pytest.mark.parametrize("ending", ["pcapng", "pklg"])
async def test_comments_survive_conversions(ending: str, captured: Path, tmp_path: Path) -> None:
    remarked, again = tmp_path / f"remarked.{ending}", tmp_path / "again.pcapng"
    completed = await run(
        *("capture", captured, "--convert", remarked),
        *("--comment", "att.mtu && received=Why so much?", "--comment", "opcode == 0x03 && att=And this?"),
    )
    assert completed.code == 0, completed
    assert (await run("capture", remarked, "--convert", again)).code == 0
    for path in (remarked, again):
        shown = await run("capture", path, "--filter", "comment", "--json")
        comments = [json.loads(line)["comment"] for line in shown.output.splitlines()]
        assert comments == ["Why so much?", "And this?"]


def air(hexadecimal: str) -> bytes:
    """Returns a packet with its access address and an unknown sender."""
    return bytes.fromhex("274a6550" + hexadecimal) + b"\0\0\0"


async def test_what_was_encrypted_on_the_air(tmp_path: Path) -> None:
    """The sample data of Core 5.4 Vol 6 Part C 1."""
    packets = [
        "0317 03 9078563412EFCDAB 7424 1302F1E0DFCEBDAC 24ABDCBA",
        "0B0D 04 7968574635241302 BEBAAFDE",
        "0701 05",
        "0F05 9FCDA7F448",
        "0705 A34C13A415",
        "0E1F 7A70D66415226DF26B17839A060405596BD6564F796B5B9CE6FF32F75A6D33",
    ]
    path = tmp_path / "air.pcap"
    content = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 251)
    for number, packet in enumerate(packets):
        octets = air(packet)
        content += struct.pack("<IIII", number, 0, len(octets), len(octets)) + octets
    path.write_bytes(content)
    key = "4C68384139F574D836BCF34E9DFB01BF"
    lines = (await run("capture", path, "--ltk", key)).output.splitlines()
    assert "LL_START_ENC_RSP" in lines[3] and "LL_START_ENC_RSP" in lines[4]
    assert "Channel 0x6463 - 23 octets" in lines[5]
    bond = tmp_path / "info"
    bond.write_text(f"[LongTermKey]\nKey={key}\nAuthenticated=0\nEncSize=16\nEDiv=0\nRand=0\n")
    assert (await run("capture", path, "--bonds", bond)).output.splitlines() == lines
    without = await run("capture", path)
    assert "Encrypted" in without.output.splitlines()[5]
    converted = tmp_path / "plain.pcapng"
    assert (await run("capture", path, "--ltk", key, "--convert", converted)).code == 0
    assert "Channel 0x6463" in (await run("capture", converted)).output.splitlines()[5]


def legacy_pairing(passkey: int, key_size: int) -> list[str]:
    """Returns a connection that pairs and is encrypted with the Short Term Key; then the peripheral distributes a long-term key."""
    initiator, responder = bytes.fromhex("0100000000C0"), bytes.fromhex("0200000000D0")
    request, response = bytes([1, 4, 0, 1, 16, 0, 1]), bytes([2, 3, 0, 1, key_size, 0, 1])
    key = passkey.to_bytes(16, "little")
    randoms = bytes(range(16)), bytes(range(100, 116))
    confirms = [crypto.c1(key, random, request, response, 1, 1, initiator, responder) for random in randoms]
    short = crypto.s1(key, randoms[1], randoms[0])[:key_size].ljust(16, b"\0")
    skd, iv = bytes(range(50, 66)), bytes(range(8))
    session = AESCCM(crypto.e(short, skd)[::-1], tag_length=4)

    def smp(packet: bytes) -> str:
        return (bytes([2, len(packet) + 4, len(packet), 0, 6, 0]) + packet).hex()

    def encrypted(header: int, payload: bytes, counter: int, *, is_central: bool) -> str:
        nonce = (counter | is_central << 39).to_bytes(5, "little") + iv
        body = session.encrypt(nonce, payload, bytes([header & 0xE3]))
        return (bytes([header, len(body)]) + body).hex()

    return [
        *(smp(packet) for packet in (request, response)),
        *(smp(b"\x03" + confirm) for confirm in confirms),
        # The last two are retransmitted, because they were not acknowledged.
        *(smp(b"\x04" + random) for random in (randoms[0], randoms[0], randoms[1], randoms[1])),
        "031703" + bytes(10).hex() + skd[:8].hex() + iv[:4].hex(),
        "0b0d04" + skd[8:].hex() + iv[4:].hex(),
        "070105",
        encrypted(0x0F, b"\x06", 0, is_central=True),
        encrypted(0x07, b"\x06", 0, is_central=False),
        encrypted(0x06, bytes.fromhex("1100060006") + bytes(range(200, 216)), 1, is_central=False),
    ]


@pytest.mark.parametrize(("passkey", "key_size"), [(0, 16), (47, 16), (0, 7)])
async def test_keys_of_legacy_pairings_are_found(passkey: int, key_size: int, tmp_path: Path) -> None:
    """Core 5.4 Vol 3 Part H 2.3.5.5, against Bumble's functions and another implementation of CCM."""
    path = tmp_path / "air.pcap"
    content = paired_on_air(passkey, key_size)
    path.write_bytes(b"".join(content))
    completed = await run("capture", path, timeout=60)
    assert completed.code == 0
    lines = completed.output.splitlines()
    assert "LL_START_ENC_RSP" in lines[-3] and "LL_START_ENC_RSP" in lines[-2]
    assert "Encryption Information" in lines[-1]
    # Without the connection request the addresses are unknown, so the key is unknown, too.
    path.write_bytes(b"".join(content[:1] + content[2:]))
    assert "Encryption Information" not in (await run("capture", path)).output


async def test_the_screen_is_there_while_a_passkey_is_searched_for(tmp_path: Path) -> None:
    path = tmp_path / "air.pcap"
    path.write_bytes(b"".join(paired_on_air(999_999, 16)))
    terminal = Terminal([executable(), "capture", path, "-i"])
    try:
        await terminal.until(lambda screen: "the passkey of a pairing is searched for" in screen.lines[-1])
        terminal.type("g")
        screen = await terminal.until(lambda screen: ", 1 selected" in screen.lines[0])
        assert "the passkey of a pairing is searched for" in screen.lines[-1]
        terminal.type("q")
        assert await terminal.ended() == 0
    finally:
        terminal.close()


def paired_on_air(passkey: int, key_size: int) -> list[bytes]:
    """Returns the header of a pcap file, a connection request, and the packets of a pairing."""
    connect = "c522 0100000000C0 0200000000D0 274a6550 000000 02 0100 1800 0000 4800 ffffffff1f 05"
    octets = [bytes.fromhex("d6be898e" + connect) + bytes(3)]
    octets += [air(packet) for packet in legacy_pairing(passkey, key_size)]
    return [struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 251)] + [
        struct.pack("<IIII", number, 0, len(packet), len(packet)) + packet for number, packet in enumerate(octets)
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--follow", "pairing:0"], "cannot be followed: give a handle"),
        (["--filter", "error"], "`error` is not known, did you mean `att.error`?"),
        (["--csv"], "--csv needs --follow with an attribute"),
        (["--comment", "att=Why?"], "--comment needs --convert"),
        (["--comment", "att", "--convert", "a.pcapng"], "--comment takes FILTER=TEXT"),
        (["--comment", "wrote=x", "--convert", "a.pcapng"], "--comment, column 1: `wrote` is not known"),
        (["--ltk", "1234"], "a key has 32 hexadecimal digits"),
    ],
)
async def test_wrong_usage(arguments: list[str], message: str, tmp_path: Path) -> None:
    completed = await run("capture", tmp_path / "none", *arguments)
    assert completed.code == EX_USAGE
    assert message in " ".join(completed.errors.split())
