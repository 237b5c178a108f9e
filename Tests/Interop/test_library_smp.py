"""The shipped device with the Simple Management Protocol: a whole update, an unconfirmed one, and every error."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from conftest import Stage
from support.smp import (
    ECHO,
    ERASE,
    IMAGE,
    OS,
    PARAMETERS,
    READ,
    RESET,
    STATE,
    UPLOAD,
    WRITE,
    Manager,
    decode,
    encode,
    hash_of,
    image,
)
from support.thing import play

OLD = hashlib.sha256(b"1.0.0").digest()


async def manage(stage: Stage, *, mtu: int = 247, version: int = 1) -> Manager:
    thing = await play(stage, "mcumgr-smp", mtu=mtu)
    await thing.subscribe("smp-data")
    return Manager(thing, version)


def flags(entry: dict[str, Any]) -> set[str]:
    assert entry["bootable"] is True
    return {name for name in ("pending", "confirmed", "active", "permanent") if entry[name]}


def summary(images: list[dict[str, Any]]) -> list[tuple[int, str, bytes, set[str]]]:
    return [(entry["slot"], entry["version"], entry["hash"], flags(entry)) for entry in images]


async def test_update(virtual: Stage) -> None:
    """Upload, test, reset, confirm."""
    manager = await manage(virtual)
    new = image((2, 1, 300), 5000)
    assert summary(await manager.images()) == [(0, "1.0.0", OLD, {"active", "confirmed"})]
    assert await manager.upload(new) == {"off": len(new), "match": True}
    assert summary(await manager.images())[1] == (1, "2.1.300", hash_of(new), set())
    tested = await manager.ask(WRITE, IMAGE, STATE, {"hash": hash_of(new)})
    assert summary(tested["images"])[1] == (1, "2.1.300", hash_of(new), {"pending"})
    await manager.reset()
    assert summary(await manager.images()) == [
        (0, "2.1.300", hash_of(new), {"active"}),
        (1, "1.0.0", OLD, {"confirmed"}),
    ]
    assert await manager.thing.read("firmware-revision") == b"2.1.300"
    confirmed = await manager.ask(WRITE, IMAGE, STATE, {"confirm": True})
    assert summary(confirmed["images"]) == [
        (0, "2.1.300", hash_of(new), {"active", "confirmed"}),
        (1, "1.0.0", OLD, set()),
    ]
    await manager.reset()
    assert summary(await manager.images())[0] == (0, "2.1.300", hash_of(new), {"active", "confirmed"})


async def test_image_that_is_not_confirmed_goes(virtual: Stage) -> None:
    manager = await manage(virtual)
    new = image((2, 0, 0), 700)
    await manager.upload(new)
    await manager.ask(WRITE, IMAGE, STATE, {"hash": hash_of(new), "confirm": False})
    await manager.reset()
    assert (await manager.images())[0]["version"] == "2.0.0"
    # During a test, no upload may overwrite the image to revert to.
    refused = await manager.ask(WRITE, IMAGE, UPLOAD, {"off": 0, "data": new, "len": len(new)})
    assert refused == {"err": {"group": 1, "rc": 9}}
    await manager.reset()
    assert summary(await manager.images()) == [
        (0, "1.0.0", OLD, {"active", "confirmed"}),
        (1, "2.0.0", hash_of(new), set()),
    ]


async def test_image_for_good(virtual: Stage) -> None:
    manager = await manage(virtual)
    new = image((3, 0, 1), 100)
    await manager.upload(new)
    answer = await manager.ask(WRITE, IMAGE, STATE, {"hash": hash_of(new), "confirm": True})
    assert flags(answer["images"][1]) == {"pending", "permanent"}
    assert await manager.ask(WRITE, IMAGE, ERASE) == {"err": {"group": 1, "rc": 9}}
    await manager.reset()
    assert summary(await manager.images())[0] == (0, "3.0.1", hash_of(new), {"active", "confirmed"})
    assert await manager.ask(WRITE, IMAGE, ERASE) == {}
    assert len(await manager.images()) == 1


async def test_upload_goes_on_where_it_was_broken_off(virtual: Stage) -> None:
    manager = await manage(virtual)
    new = image((2, 0, 0), 3000)
    assert await manager.upload(new, stop=1000) == {"off": 1200}
    # A part that is not the next one changes nothing.
    assert await manager.ask(WRITE, IMAGE, UPLOAD, {"off": 100, "data": b"?"}) == {"off": 1200}
    await manager.thing.session.disconnect()
    await manager.thing.again()
    await manager.thing.session.exchange_mtu(247)
    await manager.thing.subscribe("smp-data")
    manager.taken = 0
    # The first response contains the offset.
    assert await manager.upload(new, stop=300) == {"off": 1200}
    assert await manager.upload(new, start=1200) == {"off": len(new), "match": True}
    # A different image starts over.
    other = image((2, 0, 1), 2000)
    assert await manager.upload(other, stop=300) == {"off": 300}


@pytest.mark.parametrize("mtu", [23, 498])
async def test_echo(virtual: Stage, mtu: int) -> None:
    """Over as many writes and notifications as necessary."""
    manager = await manage(virtual, mtu=mtu)
    text = "Ångström " * 30
    assert await manager.ask(WRITE, OS, ECHO, {"d": text}) == {"r": text}
    assert await manager.ask(READ, OS, ECHO, {"d": ""}) == {"r": ""}
    assert await manager.ask(READ, OS, PARAMETERS) == {"buf_size": 2475, "buf_count": 4}


async def test_golden_packets(virtual: Stage) -> None:
    """Octet by octet: a header of version 0 and a map of indefinite length, as mcumgr's tools write it."""
    thing = await play(virtual, "mcumgr-smp", mtu=247)
    await thing.subscribe("smp-data")
    await thing.command("smp-data", bytes.fromhex("0200000a00000100 bf 6164 6568656c6c6f ff"))
    assert await thing.values("smp-data", 1) == [bytes.fromhex("0300000900000100 a1 6172 6568656c6c6f")]


ERRORS = [
    # Group errors are those of Zephyr's img_mgmt.h, next to their equivalents in the first version.
    (WRITE, IMAGE, STATE, {}, 24, 3),
    (WRITE, IMAGE, STATE, {"hash": b"short"}, 24, 3),
    (WRITE, IMAGE, STATE, {"hash": bytes(32)}, 8, 1),
    (WRITE, IMAGE, UPLOAD, {"off": 0}, 20, 3),
    (WRITE, IMAGE, UPLOAD, {"data": b""}, 20, 3),
    (WRITE, IMAGE, UPLOAD, {"off": 0, "data": image((1, 0, 0), 4)}, 21, 3),
    (WRITE, IMAGE, UPLOAD, {"off": 0, "data": b"short", "len": 5}, 22, 3),
    (WRITE, IMAGE, UPLOAD, {"off": 0, "data": bytes(32), "len": 32}, 23, 1),
    (WRITE, IMAGE, UPLOAD, {"off": 0, "data": image((1, 0, 0), 4), "len": 2_000_000}, 30, 1),
    (WRITE, IMAGE, UPLOAD, {"off": 0, "data": image((1, 0, 0), 4), "len": 33}, 31, 1),
]


@pytest.mark.parametrize("version", [0, 1])
async def test_errors(virtual: Stage, version: int) -> None:
    manager = await manage(virtual, version=version)
    for operation, group, command, fields, own, old in ERRORS:
        expected = {"err": {"group": IMAGE, "rc": own}} if version else {"rc": old}
        assert await manager.ask(operation, group, command, fields) == expected, fields
    # Those of the protocol itself: invalid, not supported.
    assert await manager.ask(WRITE, OS, ECHO, {"x": 1}) == {"rc": 3}
    for broken in (b"\xff", b"\xbf", b"\xa1\x61d", encode({"d": "x"}) + b"\x00"):
        assert decode(await manager.exchange(WRITE, OS, ECHO, broken)) == {"rc": 3}
    for group, command in [(OS, RESET), (OS, 99), (8, 0), (64, 0), (IMAGE, UPLOAD)]:
        assert await manager.ask(READ, group, command) == {"rc": 8}
    assert summary(await manager.images()) == [(0, "1.0.0", OLD, {"active", "confirmed"})]


async def test_version_that_is_too_new(virtual: Stage) -> None:
    manager = await manage(virtual, version=2)
    assert await manager.ask(READ, IMAGE, STATE) == {"rc": 12}
