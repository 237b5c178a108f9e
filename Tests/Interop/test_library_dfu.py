"""The shipped device with Nordic's Secure DFU: a whole package as nrfutil sends it, a resumed upload, and refusals."""

from __future__ import annotations

import asyncio
import hashlib
import random
import struct
import zlib

import pytest
from bumble import att

from conftest import Stage
from support.dfu import (
    COMMAND,
    CREATE,
    DATA,
    EXECUTE,
    EXTENDED,
    INSUFFICIENT_RESOURCES,
    INVALID_INIT,
    INVALID_OBJECT,
    INVALID_PARAMETER,
    NO_SIGNATURE,
    NOT_PERMITTED,
    NOT_SUPPORTED,
    OLD_FIRMWARE,
    OTHER_HARDWARE,
    OTHER_HASH,
    OTHER_HASH_TYPE,
    SELECT,
    Device,
    Refused,
    Updater,
    init_packet,
)
from support.thing import play

BUTTONLESS_WITH_BONDS = "8EC90004-F315-4F60-9FB8-838830DAEA50"
IMAGE = random.Random(5).randbytes(9000)


async def device(stage: Stage, *options: str) -> Device:
    thing = Device(**vars(await play(stage, "nordic-dfu", *options, mtu=247)))
    await thing.discover()
    return thing


async def enter_boot_loader(thing: Device) -> None:
    assert "control" not in thing.handles
    await thing.session.subscribe(thing.handle("buttonless"), 2)
    await thing.write("buttonless", b"\x01")
    assert (await thing.values("buttonless", 1))[0] == bytes.fromhex("200101")
    await asyncio.wait_for(thing.session.disconnected, 10)
    await thing.again()
    await thing.discover()
    assert "buttonless" not in thing.handles


async def boot_loader(stage: Stage, *, packet: int = 244, receipts: int = 0) -> Updater:
    thing = await device(stage)
    await enter_boot_loader(thing)
    await thing.session.exchange_mtu(247)
    updater = Updater(thing, packet=packet, receipts=receipts)
    await updater.begin()
    return updater


async def finish(updater: Updater) -> tuple[int, bytes]:
    """Returns the version and the hash that run after the boot loader has started the application."""
    thing = updater.thing
    await asyncio.wait_for(thing.session.disconnected, 10)
    await thing.again()
    await thing.discover()
    assert "control" not in thing.handles
    installed = await thing.read("installed")
    return struct.unpack_from("<I", installed)[0], installed[4:]


@pytest.mark.parametrize(("packet", "receipts"), [(244, 0), (20, 12)])
async def test_package(virtual: Stage, packet: int, receipts: int) -> None:
    updater = await boot_loader(virtual, packet=packet, receipts=receipts)
    await updater.send_init(init_packet(IMAGE, version=300))
    await updater.send_image(IMAGE)
    assert await finish(updater) == (300, hashlib.sha256(IMAGE).digest()[::-1])


async def test_with_bonds(virtual: Stage) -> None:
    """Access without encryption is refused; the boot loader uses the same bond."""
    settings = [f"buttonless={BUTTONLESS_WITH_BONDS}", "access=encrypted", "pairing=just-works"]
    thing = await device(virtual, *(word for setting in settings for word in ("--set", setting)))
    assert await thing.error("buttonless", b"\x01") in (
        att.ErrorCode.INSUFFICIENT_AUTHENTICATION,
        att.ErrorCode.INSUFFICIENT_ENCRYPTION,
    )
    await asyncio.wait_for(thing.session.connection.pair(), 10)
    await enter_boot_loader(thing)


async def test_upload_goes_on(virtual: Stage) -> None:
    """The link is lost in the middle; init packet and objects are kept."""
    updater = await boot_loader(virtual)
    await updater.send_init(init_packet(IMAGE))
    await updater.send_image(IMAGE, until=4096)
    thing = updater.thing
    await thing.session.connection.disconnect()
    await thing.again()
    await thing.session.exchange_mtu(247)
    updater = Updater(thing)
    await updater.begin()
    assert await updater.select(DATA) == (4096, 4096, zlib.crc32(IMAGE[:4096]))
    await updater.send_image(IMAGE)
    assert (await finish(updater))[0] == 2


async def test_init_packets_are_refused(virtual: Stage) -> None:
    updater = await boot_loader(virtual)
    for packet, fault in [
        (init_packet(IMAGE, version=0), OLD_FIRMWARE),
        (init_packet(IMAGE, hardware=51), OTHER_HARDWARE),
        (init_packet(IMAGE, signed=False), NO_SIGNATURE),
        (init_packet(IMAGE, hash_type=1), OTHER_HASH_TYPE),
        (init_packet(IMAGE, size=0), INVALID_INIT),
        (bytes(40), INVALID_INIT),
        (b"\x12\xff", INVALID_INIT),
    ]:
        with pytest.raises(Refused) as refused:
            await updater.send_init(packet)
        assert (refused.value.result, refused.value.extended) == (EXTENDED, fault)
        with pytest.raises(Refused) as refused:
            await updater.create(DATA, 4096)
        assert refused.value.result == NOT_PERMITTED
    # A valid one is accepted afterwards, and an image that does not match it is not.
    await updater.send_init(init_packet(IMAGE))
    with pytest.raises(Refused) as refused:
        await updater.send_image(IMAGE[:-1] + bytes([IMAGE[-1] ^ 1]))
    assert (refused.value.result, refused.value.extended) == (EXTENDED, OTHER_HASH)


async def test_requests_are_refused(virtual: Stage) -> None:
    updater = await boot_loader(virtual)

    async def result(opcode: int, parameters: bytes = b"") -> int:
        with pytest.raises(Refused) as refused:
            await updater.ask(opcode, parameters)
        assert refused.value.extended is None
        return refused.value.result

    assert await result(0x07) == NOT_SUPPORTED
    assert await result(SELECT, b"\x03") == INVALID_OBJECT
    assert await result(SELECT) == INVALID_PARAMETER
    assert await result(CREATE, struct.pack("<BI", COMMAND, 0)) == INVALID_PARAMETER
    assert await result(CREATE, struct.pack("<BI", COMMAND, 513)) == INSUFFICIENT_RESOURCES
    assert await result(CREATE, struct.pack("<BI", DATA, 4096)) == NOT_PERMITTED
    # The init packet is incomplete.
    await updater.create(COMMAND, 100)
    assert await result(EXECUTE) == NOT_PERMITTED
    await updater.send_init(init_packet(IMAGE))
    assert await result(CREATE, struct.pack("<BI", DATA, 100)) == INVALID_PARAMETER
    assert await result(CREATE, struct.pack("<BI", DATA, 8192)) == INSUFFICIENT_RESOURCES
    assert await result(CREATE, struct.pack("<BI", DATA, 12288)) == INSUFFICIENT_RESOURCES
    await updater.create(DATA, 4096)
    await updater.stream(IMAGE[:4000])
    assert await result(EXECUTE) == NOT_PERMITTED
    # Data beyond the length of the object is dropped.
    await updater.stream(b"", before=IMAGE[:4000])
    await updater.thing.session.command(updater.thing.handle("packet"), bytes(97))
    await updater.stream(b"", before=IMAGE[:4000])
