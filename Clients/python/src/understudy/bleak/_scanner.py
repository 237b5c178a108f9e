"""The scanner."""

from __future__ import annotations

from typing import Any, Literal

from bleak.args.bluez import BlueZScannerArgs
from bleak.backends.scanner import AdvertisementData, AdvertisementDataCallback, BaseBleakScanner
from bleak.exc import BleakBluetoothNotAvailableError, BleakBluetoothNotAvailableReason, BleakError
from bleak.uuids import normalize_uuid_str

from understudy.bleak._radio import Radio, current
from understudy.central import Adapter, CentralError, Filter, Scan, Sighting, shows_pattern


class BleakScannerUnderstudy(BaseBleakScanner):
    """Scans on Understudy's radio.

    Of BlueZ's arguments it supports the filters `UUIDs`, `RSSI` and `Pattern`, and `or_patterns`; others have no effect.
    """

    def __init__(
        self,
        detection_callback: AdvertisementDataCallback | None = None,
        service_uuids: list[str] | None = None,
        scanning_mode: Literal["active", "passive"] = "active",
        *,
        bluez: BlueZScannerArgs | None = None,
        radio: Radio | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(detection_callback, service_uuids)
        arguments = bluez or {}
        filters = arguments.get("filters") or {}
        self._active = scanning_mode != "passive"
        self._filter = Filter(
            frozenset(normalize_uuid_str(uuid) for uuid in filters.get("UUIDs", [])),
            filters.get("RSSI"),
            filters.get("Pattern", ""),
        )
        self._patterns = [
            (start, int(kind), bytes(octets)) for start, kind, octets in arguments.get("or_patterns") or []
        ]
        self._given = radio
        self._radio: Radio | None = None
        self._adapter: Adapter | None = None
        self._scan: Scan | None = None

    async def start(self) -> None:
        """Starts scanning. Raises `BleakBluetoothNotAvailableError` if there is no radio."""
        if self._scan:
            raise BleakError("the scanner scans already")
        self.seen_devices = {}
        self._radio = self._given or current()
        self._adapter = await self._radio.acquire()
        try:
            self._scan = await self._adapter.scan(self._found, active=self._active)
        except BaseException as error:
            await self._radio.release(self._adapter)
            if isinstance(error, CentralError):
                raise BleakBluetoothNotAvailableError(
                    str(error), BleakBluetoothNotAvailableReason.NO_BLUETOOTH
                ) from error
            raise

    async def stop(self) -> None:
        """Stops scanning."""
        if not self._scan or not self._adapter or not self._radio:
            return
        scan, self._scan = self._scan, None
        try:
            await scan.stop()
        except CentralError as error:
            raise BleakError(str(error)) from error
        finally:
            await self._radio.release(self._adapter)

    def _found(self, sighting: Sighting) -> None:
        data = AdvertisementData(
            local_name=sighting.name,
            manufacturer_data=sighting.manufacturer_data,
            service_data=sighting.service_data,
            service_uuids=sighting.service_uuids,
            tx_power=sighting.tx_power,
            rssi=sighting.rssi,
            platform_data=(sighting.address, sighting),
        )
        if not self.is_allowed_uuid(data.service_uuids) or not self._filter.matches(sighting):
            return
        if self._patterns and not shows_pattern(sighting, self._patterns):
            return
        known = self.seen_devices.get(sighting.address)
        name = sighting.name if sighting.name is not None or known is None else known[0].name
        details = {"address_type": sighting.address_type}
        device = self.create_or_update_device(sighting.address, sighting.address, name, details, data)
        self.call_detection_callbacks(device, data)
