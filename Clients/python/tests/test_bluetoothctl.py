"""Debian's bluetoothctl with an accessory and a simulated user."""

from __future__ import annotations

import asyncio
import re

import pytest
from bus import ACCESSORY as ACCESSORY
from bus import bluez as bluez
from person import PATIENCE, person_at
from test_bleak import COUNT, PASSKEY, TEXT

from understudy import Accessory
from understudy.bluez import BlueZ


class Bluetoothctl:
    """Debian's bluetoothctl with a simulated user."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.said = ""
        self._place = 0

    @classmethod
    async def start(cls, *arguments: str) -> Bluetoothctl:
        pipe = asyncio.subprocess.PIPE
        return cls(
            await asyncio.create_subprocess_exec(
                "bluetoothctl", *arguments, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.STDOUT
            )
        )

    def type(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n".encode())

    async def types_until(self, line: str, pattern: str) -> None:
        """Types a line repeatedly: bluetoothctl may read it before the reports from the bus."""
        async with asyncio.timeout(PATIENCE):
            while True:
                self.type(line)
                try:
                    await self.sees(pattern, within=0.3)
                    return
                except TimeoutError:
                    pass

    async def sees(self, pattern: str, within: float = PATIENCE) -> re.Match[str]:
        """Waits for a text after the last one that was seen."""
        assert self._process.stdout
        async with asyncio.timeout(within):
            while not (found := re.search(pattern, self.said[self._place :])):
                octets = await self._process.stdout.read(4096)
                assert octets, f"bluetoothctl has ended without {pattern!r}:\n{self.said}"
                self.said += re.sub(r"\x1b\[[0-9;]*\w|\r|\x01|\x02", "", octets.decode(errors="replace"))
        self._place += found.end()
        return found

    async def close(self) -> None:
        self.type("quit")
        await asyncio.wait_for(self._process.communicate(), PATIENCE)


async def test_bluetoothctl(accessory: Accessory, bluez: BlueZ) -> None:
    """Scan, connect, list, read, notify, disconnect, remove."""
    address = accessory.address
    shell = await Bluetoothctl.start()
    await shell.sees("Agent registered")
    shell.type("show")
    await shell.sees("Powered: yes")
    shell.type("scan on")
    await shell.sees(f"Device {address} Vault")
    shell.type("scan off")
    await shell.sees("Discovery stopped")
    shell.type(f"connect {address}")
    await shell.sees("Connection successful")
    await shell.sees("ServicesResolved: yes")
    await shell.types_until(f"info {address}", r"Connected: yes[\s\S]*Battery Percentage: 0x57 \(87\)")
    shell.type("menu gatt")
    shell.type(f"list-attributes {address}")
    await shell.sees(f"Characteristic[^\n]*\n[^\n]*\n[^\n]*{TEXT}")
    shell.type(f"select-attribute {COUNT}")
    shell.type("read")
    await shell.sees("Attempting to read")
    await shell.sees("  00 ")
    shell.type("notify on")
    await shell.sees("Notify started")
    accessory["count"].notify(0x2A)
    await shell.sees("  2a ")
    shell.type("notify off")
    await shell.sees("Notify stopped")
    shell.type(f"select-attribute {TEXT}")
    shell.type('write "0x68 0x69"')
    await accessory.aio.expect("write", characteristic="text", value="hi")
    shell.type("back")
    shell.type(f"disconnect {address}")
    await shell.sees("Successful disconnected")
    shell.type(f"remove {address}")
    await shell.sees("Device has been removed")
    await shell.close()


@pytest.mark.parametrize(
    ("pairing", "capability", "prompt", "typed"),
    [
        ("display", "KeyboardOnly", "Enter passkey", str(PASSKEY)),
        ("display", "KeyboardDisplay", "Enter passkey", str(PASSKEY)),
        ("compare", "DisplayYesNo", "Confirm passkey", "yes"),
        ("keyboard", "DisplayOnly", r"Passkey: .*?(\d{6})", None),
        ("just-works", "NoInputNoOutput", None, None),
    ],
)
async def test_bluetoothctl_pairs(
    accessory: Accessory, bluez: BlueZ, pairing: str, capability: str, prompt: str | None, typed: str | None
) -> None:
    accessory.set_security({"pairing": pairing, **({"passkey": PASSKEY} if pairing == "display" else {})})
    shown: list[int] = []
    shell = await Bluetoothctl.start("--agent", capability)
    await shell.sees("Agent registered")
    shell.type("scan on")
    await shell.sees(f"Device {accessory.address} Vault")
    shell.type("scan off")
    await shell.sees("Discovery stopped")
    async with person_at(accessory, shown):
        shell.type(f"pair {accessory.address}")
        if prompt:
            found = await shell.sees(prompt)
            shown.extend(int(digits) for digits in found.groups())
        if typed:
            shell.type(typed)
        await shell.sees("Pairing successful")
    shell.type(f"remove {accessory.address}")
    await shell.sees("Device has been removed")
    await shell.close()
