"""A host that sends the commands that Linux 6.1 and 6.12 (BlueZ 5.66 and 5.82) send to an LE-only controller.

As in the kernel, the commands and their order depend on the controller's reported supported commands and
features. Every command must succeed.
"""

from __future__ import annotations

import asyncio
import struct

PATIENCE = 30
RANDOM = 0x01

# Bits of the LE features (Core 5.4 Vol 6 Part B 4.6).
ENCRYPTION, CONNECTION_PARAMETERS, PING, DATA_LENGTH, LL_PRIVACY, EXTENDED_FILTER = 0, 1, 4, 5, 6, 7
PHY_2M, PHY_CODED, EXTENDED_ADVERTISING, CHANNEL_SELECTION_2 = 8, 11, 12, 14


class KernelHost:
    """One host and its controller."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: bytes) -> None:
        self.reader, self.writer, self.address = reader, writer, address
        self.events: asyncio.Queue[tuple[int, bytes]] = asyncio.Queue()
        self.answers: asyncio.Queue[tuple[int, int, bytes]] = asyncio.Queue()
        self.sent: list[int] = []
        self.commands = bytes(64)
        self.features = 0
        self.reading = asyncio.create_task(self._read())

    @classmethod
    async def open(cls, port: int, address: bytes) -> KernelHost:
        return cls(*await asyncio.open_connection("127.0.0.1", port), address)

    async def close(self) -> None:
        self.writer.close()
        self.reading.cancel()
        await asyncio.gather(self.reading, return_exceptions=True)

    async def _read(self) -> None:
        while True:
            assert await self.reader.readexactly(1) == b"\x04", "only events are expected"
            code, length = await self.reader.readexactly(2)
            parameters = await self.reader.readexactly(length)
            if code == 0x0E:
                opcode = struct.unpack_from("<H", parameters, 1)[0]
                # An announcement is not an answer.
                if opcode:
                    await self.answers.put((opcode, parameters[3] if length > 3 else 0, parameters[4:]))
            elif code == 0x0F:
                status, _, opcode = struct.unpack("<BBH", parameters)
                await self.answers.put((opcode, status, b""))
            else:
                await self.events.put((code, parameters))

    async def command(self, opcode: int, parameters: bytes = b"") -> bytes:
        """Sends a command that must succeed; returns the return parameters after the status."""
        self.sent.append(opcode)
        self.writer.write(struct.pack("<BHB", 0x01, opcode, len(parameters)) + parameters)
        answered, status, rest = await asyncio.wait_for(self.answers.get(), PATIENCE)
        assert answered == opcode
        assert status == 0, f"command 0x{opcode:04X} ({parameters.hex()}) failed with 0x{status:02X}"
        return rest

    async def event(self, code: int, subevents: tuple[int, ...] = ()) -> bytes:
        """Waits for an event; drops earlier ones."""
        while True:
            found, parameters = await asyncio.wait_for(self.events.get(), PATIENCE)
            if found == code and (not subevents or parameters[0] in subevents):
                return parameters

    def has(self, octet: int, mask: int) -> bool:
        """Returns whether a command is supported (Core 5.4 Vol 4 Part E 6.27)."""
        return bool(self.commands[octet] & mask)

    def can(self, feature: int) -> bool:
        return bool(self.features >> feature & 1)

    @property
    def scans_extended(self) -> bool:
        return self.has(37, 0x20) and self.has(37, 0x40)

    # Bring-up

    async def bring_up(self) -> None:
        await self.command(0x0C03)
        features = await self.command(0x1003)
        assert features[4] & 0x40 and features[4] & 0x20, "LE, and no BR/EDR"
        await self.command(0x1001)
        await self.command(0x1009)
        self.commands = await self.command(0x1002)
        self.features = int.from_bytes(await self.command(0x2003), "little")
        await self.command(0x2002)
        await self.command(0x201C)
        await self.command(0x0C01, self._event_mask())
        await self.command(0x2001, self._le_event_mask())
        await self._read_capabilities()
        if self.has(22, 0x04) and self.can(PING):
            await self.command(0x0C63, (1 << 23).to_bytes(8, "little"))
        if self.can(DATA_LENGTH):
            await self.command(0x2024, self.longest)
        if self.has(35, 0x20):
            phys = 0x01 | 0x02 * self.can(PHY_2M) | 0x04 * self.can(PHY_CODED)
            await self.command(0x2031, bytes([0, phys, phys]))

    async def _read_capabilities(self) -> None:
        if self.has(25, 0x40) and not self.can(EXTENDED_ADVERTISING):
            await self.command(0x2007)
        if self.has(38, 0x80):
            await self.command(0x204B)
        if self.has(26, 0x40):
            await self.command(0x200F)
        if self.has(26, 0x80):
            await self.command(0x2010)
        if self.has(34, 0x40):
            await self.command(0x202A)
        if self.has(34, 0x20):
            await self.command(0x2029)
        if self.has(35, 0x04):
            await self.command(0x202E, struct.pack("<H", 900))
        if self.can(DATA_LENGTH):
            self.longest = (await self.command(0x202F))[:4]
            await self.command(0x2023)
        if self.can(EXTENDED_ADVERTISING):
            await self.command(0x203B)

    def _event_mask(self) -> bytes:
        mask = bytearray(8)
        mask[1] |= 0xE0
        if self.has(0, 0x20):
            mask[0] |= 0x10
            mask[2] |= 0x04
            mask[3] |= 0x02
        if self.has(2, 0x80):
            mask[1] |= 0x08
        if self.can(ENCRYPTION):
            mask[0] |= 0x80
            mask[5] |= 0x80
        mask[7] |= 0x20
        return bytes(mask)

    def _le_event_mask(self) -> bytes:
        bits = {
            0: self.has(26, 0x10),
            1: self.has(26, 0x08),
            2: self.has(27, 0x04),
            3: self.has(27, 0x20),
            4: self.can(ENCRYPTION),
            5: self.can(CONNECTION_PARAMETERS),
            6: self.can(DATA_LENGTH),
            7: self.has(34, 0x02),
            8: self.has(34, 0x04),
            9: self.can(LL_PRIVACY) or self.can(EXTENDED_ADVERTISING),
            10: self.can(EXTENDED_FILTER),
            11: self.has(35, 0x60),
            12: self.scans_extended,
            17: self.can(EXTENDED_ADVERTISING),
            19: self.can(CHANNEL_SELECTION_2),
        }
        return sum(1 << bit for bit, wanted in bits.items() if wanted).to_bytes(8, "little")

    # Advertising

    async def advertise(self, data: bytes) -> None:
        padded = bytes([len(data)]) + data.ljust(31, b"\0")
        if self.can(EXTENDED_ADVERTISING):
            interval = (0x20).to_bytes(3, "little")
            parameters = struct.pack("<BH", 1, 0x0013) + interval * 2 + bytes([7, RANDOM, 0]) + bytes(6)
            await self.command(0x2036, parameters + bytes([0, 0x7F, 1, 0, 1, 0, 0]))
            await self.command(0x2035, bytes([1]) + self.address)
            await self.command(0x2037, bytes([1, 3, 1, len(data)]) + data)
            await self.command(0x2038, bytes([1, 3, 1, 0]))
            await self.command(0x2039, bytes([1, 1, 1, 0, 0, 0]))
        else:
            await self.command(0x2005, self.address)
            parameters = struct.pack("<HHBBB", 0x20, 0x20, 0, RANDOM, 0) + bytes(6) + bytes([7, 0])
            await self.command(0x2006, parameters)
            await self.command(0x2008, padded)
            await self.command(0x2009, bytes(32))
            await self.command(0x200A, b"\x01")

    async def stop_advertising(self) -> None:
        if self.can(EXTENDED_ADVERTISING):
            await self.command(0x2039, bytes([0, 1, 1, 0, 0, 0]))
            await self.command(0x203C, bytes([1]))
        else:
            await self.command(0x200A, b"\0")

    # Scanning

    async def scan(self, *, active: bool, accepted_only: bool = False) -> None:
        policy = int(accepted_only)
        if self.scans_extended:
            phys = [0x01] + [0x04] * self.can(PHY_CODED)
            per_phy = struct.pack("<BHH", active, 0x60, 0x30) * len(phys)
            await self.command(0x2041, bytes([RANDOM, policy, sum(phys)]) + per_phy)
            await self.command(0x2042, bytes([1, 1]) + bytes(4))
        else:
            await self.command(0x200B, struct.pack("<BHHBB", active, 0x60, 0x30, RANDOM, policy))
            await self.command(0x200C, b"\x01\x01")

    async def stop_scanning(self) -> None:
        if self.scans_extended:
            await self.command(0x2042, bytes(6))
        else:
            await self.command(0x200C, b"\0\0")

    async def discover(self, address: bytes) -> None:
        """Scans actively until that device has been heard."""
        await self.command(0x2005, self.address)
        await self.scan(active=True)
        await self._heard(address)
        await self.stop_scanning()

    async def _heard(self, address: bytes) -> None:
        while address not in await self.event(0x3E, (0x0D,) if self.scans_extended else (0x02,)):
            pass

    # Connections

    async def connect(self, address: bytes) -> int:
        """Connects as Linux does for a device that should always be connected: by the filter accept list, then directly."""
        await self.command(0x2011, bytes([RANDOM]) + address)
        await self.scan(active=False, accepted_only=True)
        await self._heard(address)
        await self.stop_scanning()
        preferences = struct.pack("<HHHHHHHH", 0x60, 0x60, 0x18, 0x28, 0, 0x2A, 0, 0)
        if self.has(37, 0x80):
            count = 1 + self.can(PHY_2M) + self.can(PHY_CODED)
            phys = 0x01 | 0x02 * self.can(PHY_2M) | 0x04 * self.can(PHY_CODED)
            head = bytes([0, RANDOM, RANDOM]) + address + bytes([phys])
            await self.command(0x2043, head + preferences * count)
        else:
            interval, rest = preferences[:4], preferences[4:]
            await self.command(0x200D, interval + bytes([0, RANDOM]) + address + bytes([RANDOM]) + rest)
        handle = await self.connected()
        await self.command(0x2012, bytes([RANDOM]) + address)
        return handle

    async def connected(self) -> int:
        parameters = await self.event(0x3E, (0x01, 0x0A))
        assert parameters[1] == 0
        return struct.unpack_from("<H", parameters, 2)[0]

    async def read_remote_features(self, handle: int) -> None:
        await self.command(0x2016, struct.pack("<H", handle))
        assert (await self.event(0x3E, (0x04,)))[1] == 0

    async def read_remote_version(self, handle: int) -> None:
        await self.command(0x041D, struct.pack("<H", handle))
        assert (await self.event(0x0C))[0] == 0

    async def update_connection(self, handle: int) -> None:
        await self.command(0x2013, struct.pack("<HHHHHHH", handle, 0x10, 0x10, 0, 0xC8, 0, 0))
        assert (await self.event(0x3E, (0x03,)))[1] == 0

    async def encrypt(self, handle: int, key: bytes) -> None:
        await self.command(0x2019, struct.pack("<H", handle) + bytes(10) + key)
        assert (await self.event(0x08))[0] == 0
        await self._watch_payloads(handle)

    async def give_key(self, handle: int, key: bytes) -> None:
        assert struct.unpack_from("<H", await self.event(0x3E, (0x05,)), 1)[0] == handle
        await self.command(0x201A, struct.pack("<H", handle) + key)
        assert (await self.event(0x08))[0] == 0
        await self._watch_payloads(handle)

    async def _watch_payloads(self, handle: int) -> None:
        if self.can(PING):
            await self.command(0x0C7C, struct.pack("<HH", handle, 0x0BB8))

    async def read_connection_information(self, handle: int) -> None:
        await self.command(0x1405, struct.pack("<H", handle))
        await self.command(0x0C2D, struct.pack("<HB", handle, 0))
        await self.command(0x0C2D, struct.pack("<HB", handle, 1))

    async def disconnect(self, handle: int) -> None:
        await self.command(0x0406, struct.pack("<HB", handle, 0x13))
        assert (await self.event(0x05))[0] == 0
