"""The app under test: it shows a kettle's temperature, warns when it boils, and stays connected."""

from __future__ import annotations

import asyncio

from bumble_client import Adapter, Client, ClientError

NAME = "Kettle Thermometer"
TEMPERATURE = "2A6E"
INTERVAL = "6A4E1001-667B-11E3-949A-0800200C9A66"
BOILING = 99.0


class ThermometerApp:
    """The app. Run it as a task; it connects, and reconnects whenever the connection ends."""

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self.readings: list[float] = []
        self.warnings = 0
        self.status = "searching"
        self.changed = asyncio.Condition()
        self._client: Client | None = None

    async def run(self) -> None:
        address = None
        while True:
            try:
                address = address or await self.adapter.find_device_by_name(NAME)
                if address is not None:
                    await self._stay_connected(Client(self.adapter, address))
            except ClientError:
                pass
            await self._show("reconnecting")

    async def set_interval(self, seconds: int) -> bool:
        """Sets the interval, and returns whether the device accepts it."""
        assert self._client
        try:
            await self._client.write_gatt_char(INTERVAL, bytes([seconds]))
        except ClientError as error:
            if error.code is None:
                raise
            return False
        return True

    async def _stay_connected(self, client: Client) -> None:
        ended = asyncio.Event()
        client.disconnected_callback = lambda _: ended.set()
        async with client:
            self._client = client
            await client.start_notify(TEMPERATURE, self._measured)
            self._measured(TEMPERATURE, await client.read_gatt_char(TEMPERATURE))
            await self._show("connected")
            await ended.wait()

    def _measured(self, _: str, octets: bytearray) -> None:
        celsius = int.from_bytes(octets, "little", signed=True) / 100
        self.readings.append(celsius)
        if celsius >= BOILING:
            self.warnings += 1

    async def _show(self, status: str) -> None:
        async with self.changed:
            self.status = status
            self.changed.notify_all()

    async def until(self, status: str) -> None:
        """Waits until the app shows this status."""
        async with self.changed:
            await self.changed.wait_for(lambda: self.status == status)
