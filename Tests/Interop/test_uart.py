"""The shipped serial port: lines from several writes, answers in several notifications, and the state of rules."""

from __future__ import annotations

import asyncio

from conftest import Stage

RX = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
TX = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"
LED = "A0000041-7C4D-4B0E-9E4B-1F6E2A1B9C00"
LINES = "A0000042-7C4D-4B0E-9E4B-1F6E2A1B9C00"


async def test_shell(virtual: Stage) -> None:
    await virtual.run("nordic-uart")
    session = await virtual.connect(mtu=23)
    rx, tx, led = await session.handle_of(RX), await session.handle_of(TX), await session.handle_of(LED)
    await session.subscribe(tx)

    async def said(answer: bytes) -> None:
        async with asyncio.timeout(30):
            while len(b"".join(session.values(tx))) < len(answer):
                await asyncio.sleep(0.01)
        assert b"".join(session.values(tx)) == answer

    await session.write(rx, b"led ")
    await session.write(rx, b"on\nlev")
    assert await session.read(led) == b"\x01"
    await session.write(rx, b"el\n")
    text = b"node: led is on\nnode: 87%\n"
    await said(text)
    await session.write(rx, b"sum 123456789\n")
    text += b"node: 29b1\n"
    await said(text)
    # Longer than one notification of the default MTU.
    for part in (b"echo ", b"a" * 20, b"b" * 20, b"\n"):
        await session.write(rx, part)
    text += b"node: " + b"a" * 20 + b"b" * 20 + b"\n"
    await said(text)
    assert max(len(value) for value in session.values(tx)) == 20
    assert await session.read(await session.handle_of(LINES)) == (4).to_bytes(4, "little")
