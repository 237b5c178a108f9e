"""`org.bluez.Adapter1`: discovery, and the devices that it finds."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, ClassVar

from dbus_fast import Variant

from understudy.bluez._agents import AgentManager
from understudy.bluez._device import DeviceObject
from understudy.bluez._errors import does_not_exist, failed, in_progress, invalid_arguments, not_ready
from understudy.bluez._monitors import MonitorManager
from understudy.bluez._tree import Call, Interface, Method, Tree
from understudy.central import Adapter, CentralError, Filter, Scan, Sighting

# The keys of a discovery filter and their signatures.
FILTERS = {
    "UUIDs": "as",
    "RSSI": "n",
    "Pathloss": "q",
    "Transport": "s",
    "DuplicateData": "b",
    "Discoverable": "b",
    "Pattern": "s",
}
TRANSPORTS = ("auto", "le", "bredr")


class AdapterObject(Interface):
    """The adapter `hci0`."""

    NAME = "org.bluez.Adapter1"
    METHODS: ClassVar[dict[str, Method]] = {
        "StartDiscovery": Method("", "", "start_discovery"),
        "StopDiscovery": Method("", "", "stop_discovery"),
        "SetDiscoveryFilter": Method("a{sv}", "", "set_filter"),
        "GetDiscoveryFilters": Method("", "as", "filters"),
        "RemoveDevice": Method("o", "", "remove_device"),
    }
    SIGNATURES: ClassVar[dict[str, str]] = {
        "Address": "s",
        "AddressType": "s",
        "Name": "s",
        "Alias": "s",
        "Class": "u",
        "Powered": "b",
        "Discoverable": "b",
        "DiscoverableTimeout": "u",
        "Pairable": "b",
        "PairableTimeout": "u",
        "Discovering": "b",
        "UUIDs": "as",
        "Modalias": "s",
        "Roles": "as",
    }
    WRITABLE = frozenset({"Alias", "Powered", "Discoverable", "DiscoverableTimeout", "Pairable", "PairableTimeout"})

    def __init__(self, tree: Tree, central: Adapter, agents: AgentManager, name: str = "hci0") -> None:
        super().__init__(
            Address=central.address,
            AddressType="random",
            Name="Understudy",
            Alias="Understudy",
            Class=0,
            Powered=True,
            Discoverable=False,
            DiscoverableTimeout=180,
            Pairable=True,
            PairableTimeout=0,
            Discovering=False,
            UUIDs=[],
            Modalias="usb:v1D6Bp0246d0542",
            Roles=["central"],
        )
        self.tree, self.central, self.agents = tree, central, agents
        self.path = f"/org/bluez/{name}"
        self.devices: dict[str, DeviceObject] = {}
        """By address."""
        self.monitors = MonitorManager(self)
        self._filters: dict[str, dict[str, Any]] = {}
        self._discoverers: set[str] = set()
        self._scan: Scan | None = None
        self._early: dict[str, Sighting] = {}
        """By address: sightings from a scan that is still starting."""
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        central.on_lost.append(self._lost)

    def spawn(self, operation: Coroutine[Any, Any, Any]) -> None:
        """Runs a coroutine in the background."""

        async def run() -> None:
            try:
                await operation
            except CentralError:
                pass

        task = asyncio.ensure_future(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def set(self, name: str, value: Any) -> None:
        if name == "Alias":
            value = value or self.values["Name"]
        if name == "Powered" and not value:
            self._discoverers.clear()
            await self._adjust()
            for link in list(self.central.links.values()):
                await link.disconnect()
        self.tree.update(self.path, self, **{name: value})

    def _ready(self) -> None:
        if not self.values["Powered"] or self.central.lost.done():
            raise not_ready()

    # Discovery

    async def set_filter(self, call: Call, given: dict[str, Variant]) -> None:
        self._ready()
        for name, value in given.items():
            if FILTERS.get(name) != value.signature:
                raise invalid_arguments()
        values = {name: value.value for name, value in given.items()}
        if values.get("Transport", "auto") not in TRANSPORTS or {"RSSI", "Pathloss"} <= set(values):
            raise invalid_arguments()
        values["Filter"] = Filter(
            frozenset(_long(uuid) for uuid in values.get("UUIDs", [])), values.get("RSSI"), values.get("Pattern", "")
        )
        self._filters[call.sender] = values
        if not given:
            self._filters.pop(call.sender)

    async def filters(self, call: Call) -> list[Any]:
        return [list(FILTERS)]

    async def start_discovery(self, call: Call) -> None:
        self._ready()
        if call.sender in self._discoverers:
            raise in_progress()
        self._discoverers.add(call.sender)
        try:
            await self._adjust()
        except BaseException:
            self._discoverers.discard(call.sender)
            raise

    async def stop_discovery(self, call: Call) -> None:
        self._ready()
        if call.sender not in self._discoverers:
            raise failed("No discovery started")
        self._discoverers.discard(call.sender)
        await self._adjust()

    async def _adjust(self) -> None:
        """Scans as long as a client has requested it."""
        async with self._turn:
            if self._discoverers and self._scan is None:
                self._early.clear()
                self._scan = await self.central.scan(self._sighted)
                self.tree.update(self.path, self, Discovering=True)
                # As with BlueZ, the answer to StartDiscovery comes before the first device.
                asyncio.get_running_loop().call_soon(self._show_early)
            elif not self._discoverers and self._scan:
                scan, self._scan = self._scan, None
                try:
                    await scan.stop()
                finally:
                    for device in self.devices.values():
                        device.unseen()
                    self.tree.update(self.path, self, Discovering=False)

    def _show_early(self) -> None:
        early, self._early = list(self._early.values()), {}
        for sighting in early:
            self._sighted(sighting)

    def _sighted(self, sighting: Sighting) -> None:
        """Shows a device that passes the filter of any client."""
        if self._scan is None:
            self._early[sighting.address] = sighting
            return
        chosen = [self._filters.get(sender, {}) for sender in self._discoverers]
        passing = [
            one for one in chosen if one.get("Transport") != "bredr" and one.get("Filter", Filter()).matches(sighting)
        ]
        if passing:
            self.show(sighting, duplicates=any(one.get("DuplicateData", True) for one in passing))

    def show(self, sighting: Sighting, *, duplicates: bool) -> DeviceObject:
        """Returns the object of a device that was seen, and creates it if it is new."""
        device = self.devices.get(sighting.address)
        if device:
            device.seen(sighting, duplicates)
            return device
        device = self.devices[sighting.address] = DeviceObject(self, sighting)
        self.tree.add(device.path, device)
        return device

    # Devices

    async def remove_device(self, call: Call, path: str) -> None:
        self._ready()
        device = next((device for device in self.devices.values() if device.path == path), None)
        if device is None:
            raise does_not_exist()
        await self.central.forget(device.sighting.address)
        self.drop(device)

    def drop(self, device: DeviceObject) -> None:
        """Removes a device's object."""
        if self.devices.pop(device.sighting.address, None):
            device.close()
            self.monitors.lost(device.path)

    # The end

    async def forget_client(self, sender: str) -> None:
        """Releases everything of a client that has disconnected from the bus."""
        self._filters.pop(sender, None)
        self._discoverers.discard(sender)
        try:
            await self._adjust()
            await self.monitors.forget(sender)
        except CentralError:
            pass
        for device in list(self.devices.values()):
            await device.forget_client(sender)

    def _lost(self) -> None:
        """Handles the end of the radio: the adapter is off, and no device is in range."""
        self._scan = None
        self._discoverers.clear()
        self.tree.update(self.path, self, Discovering=False, Powered=False)

    def close(self) -> None:
        for device in list(self.devices.values()):
            self.drop(device)
        for task in list(self._tasks):
            task.cancel()


def _long(uuid: str) -> str:
    """Returns the long form of a UUID from a client. Raises `CallError`."""
    text = uuid.lower().removeprefix("0x")
    if len(text) <= 8 and text and all(digit in "0123456789abcdef" for digit in text):
        return f"{text:0>8}-0000-1000-8000-00805f9b34fb"
    if len(text) == 36 and text.count("-") == 4:
        return text
    raise invalid_arguments()
