"""A virtual radio whose controllers have public addresses."""

from __future__ import annotations

import asyncio
import os
import select
import tempfile
import time
import tty
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from understudy import aio
from understudy.errors import UnderstudyError

# The virtual radio assigns no public addresses. A controller of this preset has Zephyr's command that sets one
# (hci_vs.h, Write BD_ADDR), and keeps the address if it is at a pseudoterminal.
PRESET = "zephyr-extended"
# Controllers with BR/EDR have public addresses.
DUAL = "dual"
WRITE_BD_ADDR = bytes.fromhex("0106FC06")
WRITTEN = bytes.fromhex("040E040106FC00")
ANSWER_WITHIN = 5.0
# RFC 7042 2.1.2: for documentation.
REFERENCE_ADDRESS, DUT_ADDRESS = bytes.fromhex("00005E005301"), bytes.fromhex("00005E005302")


@dataclass
class Radio:
    """A virtual radio with a place for the accessory, and others where devices under test join."""

    controller: str
    """The accessory's controller, as for `understudy run`."""
    joining: list[str]
    """Where devices under test join, as Bumble's transport names; the first place has a public address."""
    central: str
    """The place of the reference device's central, which has the accessory's address."""
    _air: aio.Air
    _folder: tempfile.TemporaryDirectory[str]

    @classmethod
    async def start(cls, *, classic: bool = False) -> Self:
        """Starts the radio's program, with BR/EDR or without. Raises `UnderstudyError`."""
        folder = tempfile.TemporaryDirectory(prefix="understudy-pandora-")
        reference, dut, central = (Path(folder.name, name) for name in ("reference", "dut", "central"))
        try:
            preset = DUAL if classic else PRESET
            places = [f"pty:{place}={preset}" for place in (reference, dut, central)]
            air = await aio.Air.start(join=[*places, f"tcp={preset}"])
        except BaseException:
            folder.cleanup()
            raise
        joining = [f"serial:{dut}", f"tcp-client:127.0.0.1:{air.ports[0]}"]
        radio = cls(f"serial:{reference}", joining, f"serial:{central}", air, folder)
        try:
            addresses = {reference: REFERENCE_ADDRESS, central: REFERENCE_ADDRESS, dut: DUT_ADDRESS}
            for place, address in addresses.items() if not classic else ():
                await asyncio.to_thread(set_public_address, place, address)
        except BaseException:
            await radio.stop()
            raise
        return radio

    async def stop(self) -> None:
        """Ends the program."""
        await self._air.stop()
        self._folder.cleanup()


def set_public_address(place: Path, address: bytes) -> None:
    """Sets the public address of the controller at a pseudoterminal, most significant octet first."""
    terminal = os.open(place, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        tty.setraw(terminal)
        os.write(terminal, WRITE_BD_ADDR + address[::-1])
        answer, deadline = b"", time.monotonic() + ANSWER_WITHIN
        while len(answer) < len(WRITTEN):
            if not select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))[0]:
                break
            answer += os.read(terminal, len(WRITTEN) - len(answer))
    finally:
        os.close(terminal)
    if answer != WRITTEN:
        raise UnderstudyError(f"the controller at {place} takes no public address: {answer.hex() or 'no answer'}")
