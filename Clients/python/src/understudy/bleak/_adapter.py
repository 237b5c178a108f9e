"""The adapter, which lists connected devices."""

from __future__ import annotations

from typing import Any, Self

from bleak.backends.adapter import BaseBleakAdapter
from bleak.backends.device import BLEDevice

from understudy.bleak._radio import Radio, current


class BleakAdapterUnderstudy(BaseBleakAdapter):
    """The central on Understudy's radio."""

    def __init__(self, radio: Radio) -> None:
        self._radio = radio

    @classmethod
    async def get(cls, **kwargs: Any) -> Self:
        return cls(current())

    async def get_connected_devices(self, service_uuids: frozenset[str]) -> list[BLEDevice]:
        """Returns the connected devices; if services are given, only devices with one of them."""
        adapter = await self._radio.acquire()
        try:
            return [
                BLEDevice(link.address, link.sighting.name, {"address_type": link.sighting.address_type})
                for link in adapter.links.values()
                if not service_uuids or not service_uuids.isdisjoint(service.uuid for service in link.services)
            ]
        finally:
            await self._radio.release(adapter)
