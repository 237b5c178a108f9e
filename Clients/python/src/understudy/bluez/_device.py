"""`org.bluez.Device1`: a device that was seen, connected or bonded."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, ClassVar

from dbus_fast import Variant

from understudy.bluez._errors import (
    BLUEZ,
    CallError,
    already_exists,
    does_not_exist,
    failed,
    in_progress,
    not_available,
    not_connected,
)
from understudy.bluez._gatt import CharacteristicObject, service_objects
from understudy.bluez._tree import Call, Interface, Method
from understudy.central import CentralError, Link, PairingFailed, Sighting

if TYPE_CHECKING:
    from understudy.bluez._adapter import AdapterObject

# How long a device without a connection or bond is kept after its last sighting, and how long a connection attempt lasts (s).
KEPT, CONNECT_WITHIN = 30.0, 20.0
# How long unchanged advertising data is not reported again (s).
DUPLICATES_FILTERED = 0.25
BATTERY_LEVEL = "00002a19-0000-1000-8000-00805f9b34fb"
PASSKEY_ENTRY_FAILED = 0x01
# Appearance categories (Assigned Numbers 2.6) and the icon names for them.
ICONS = {1: "phone", 2: "computer", 3: "watch", 4: "watch", 15: "input-keyboard"}


class Battery(Interface):
    """`org.bluez.Battery1`."""

    NAME = "org.bluez.Battery1"
    SIGNATURES: ClassVar[dict[str, str]] = {"Percentage": "y", "Source": "s"}


class DeviceObject(Interface):
    """A device as clients see it."""

    NAME = "org.bluez.Device1"
    METHODS: ClassVar[dict[str, Method]] = {
        "Connect": Method("", "", "connect"),
        "Disconnect": Method("", "", "disconnect"),
        "ConnectProfile": Method("s", "", "connect_profile"),
        "DisconnectProfile": Method("s", "", "disconnect_profile"),
        "Pair": Method("", "", "pair"),
        "CancelPairing": Method("", "", "cancel_pairing"),
    }
    SIGNATURES: ClassVar[dict[str, str]] = {
        "Address": "s",
        "AddressType": "s",
        "Name": "s",
        "Alias": "s",
        "Appearance": "q",
        "Icon": "s",
        "Paired": "b",
        "Bonded": "b",
        "Trusted": "b",
        "Blocked": "b",
        "LegacyPairing": "b",
        "RSSI": "n",
        "Connected": "b",
        "UUIDs": "as",
        "Adapter": "o",
        "ManufacturerData": "a{qv}",
        "ServiceData": "a{sv}",
        "TxPower": "n",
        "ServicesResolved": "b",
        "AdvertisingFlags": "ay",
    }
    WRITABLE = frozenset({"Alias", "Trusted", "Blocked"})

    def __init__(self, adapter: AdapterObject, sighting: Sighting) -> None:
        address = sighting.address
        self.adapter, self.tree, self.sighting = adapter, adapter.tree, sighting
        self.path = f"{adapter.path}/dev_{address.replace(':', '_')}"
        self.link: Link | None = None
        self._attributes: dict[str, Interface] = {}
        self._connecting: asyncio.Task[None] | None = None
        self._pairing: asyncio.Task[None] | None = None
        self._cancelled = False
        self._told = asyncio.get_running_loop().time()
        self._timer: asyncio.TimerHandle | None = None
        self._battery: Battery | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        bonded = adapter.central.is_bonded(address)
        super().__init__(
            Address=address,
            AddressType=sighting.address_type,
            Alias=(sighting.name or "").replace("\0", "") or address.replace(":", "-"),
            Paired=bonded,
            Bonded=bonded,
            Trusted=False,
            Blocked=False,
            LegacyPairing=False,
            Connected=False,
            UUIDs=[],
            Adapter=adapter.path,
            ServicesResolved=False,
        )
        self.values.update(self._advertised(sighting))
        self._keep()

    async def set(self, name: str, value: Any) -> None:
        if name == "Alias" and not value:
            value = self.values.get("Name") or self.values["Address"].replace(":", "-")
        self.tree.update(self.path, self, **{name: value})

    def spawn(self, operation: Coroutine[Any, Any, Any]) -> None:
        """Runs a coroutine in the background; ignores failures of the central, which the end of the connection reports."""

        async def run() -> None:
            try:
                await operation
            except CentralError:
                pass

        task = asyncio.ensure_future(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Advertising

    def _advertised(self, sighting: Sighting) -> dict[str, Any]:
        """Returns the properties from an advertisement; properties that it does not contain keep their values."""
        # A string on the bus cannot contain the character 0.
        name = None if sighting.name is None else sighting.name.replace("\0", "")
        appearance = sighting.appearance
        had_alias = self.values["Alias"] not in (self.values.get("Name"), self.values["Address"].replace(":", "-"))
        values: dict[str, Any] = {"RSSI": sighting.rssi}
        if name is not None:
            values["Name"] = name
            if not had_alias:
                values["Alias"] = name
        if appearance is not None:
            values["Appearance"] = appearance
            if icon := ICONS.get(appearance >> 6):
                values["Icon"] = icon
        if fresh := [uuid for uuid in sighting.service_uuids if uuid not in self.values["UUIDs"]]:
            values["UUIDs"] = [*self.values["UUIDs"], *fresh]
        if sighting.tx_power is not None:
            values["TxPower"] = sighting.tx_power
        if data := sighting.manufacturer_data:
            values["ManufacturerData"] = {company: Variant("ay", octets) for company, octets in data.items()}
        if services := sighting.service_data:
            values["ServiceData"] = {uuid: Variant("ay", octets) for uuid, octets in services.items()}
        if sighting.flags is not None:
            values["AdvertisingFlags"] = bytes([sighting.flags])
        return values

    def seen(self, sighting: Sighting, duplicates: bool) -> None:
        """Processes an advertisement, and signals its RSSI; with `duplicates`, also unchanged data.

        Ignores data that repeats within a moment, like a controller that filters duplicates.
        """
        now = asyncio.get_running_loop().time()
        is_same = sighting.structures == self.sighting.structures
        self.sighting = sighting
        if is_same and now < self._told + DUPLICATES_FILTERED:
            return
        self._told = now
        values = self._advertised(sighting)
        # On the air the RSSI always changes, so clients expect a signal for each advertisement, with or without duplicates.
        again = ("RSSI", "ManufacturerData", "ServiceData") if duplicates else ("RSSI",)
        self.tree.update(self.path, self, always=again, **values)
        self._keep()

    def unseen(self) -> None:
        """Removes the properties that only a scan provides, when the last scan ends."""
        self.tree.update(self.path, self, RSSI=None, TxPower=None)

    def _keep(self) -> None:
        """Keeps the device for a while, or for as long as it is connected or bonded."""
        if self._timer:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(KEPT, self._expire)

    def _expire(self) -> None:
        if self.link or self._connecting or self.values["Bonded"]:
            self._keep()
        else:
            self.adapter.drop(self)

    # Connecting

    async def connect(self, call: Call) -> None:
        if self._connecting or (self._pairing and not self.link):
            raise in_progress()
        await self._connect()

    async def _connect(self) -> None:
        if self.link:
            return
        self._connecting = asyncio.ensure_future(self._open())
        try:
            await self._connecting
        except asyncio.CancelledError:
            if not self._connecting.cancelled() or not self._cancelled:
                self._connecting.cancel()
                raise
            self._cancelled = False
            raise failed("le-connection-abort-by-local") from None
        except TimeoutError:
            raise failed("le-connection-timeout") from None
        finally:
            self._connecting = None

    async def _open(self) -> None:
        link = await self.adapter.central.connect(self.sighting, CONNECT_WITHIN)
        self.link = link
        link.on_end.append(self._ended)
        link.on_bonded.append(self._bonded)
        link.on_services_changed.append(self._renew)
        if agent := self.adapter.agents.agent_for(None):
            link.agent = agent.about(self.path)
        self.tree.update(self.path, self, Connected=True)
        self.spawn(self._resolve(link))

    async def _resolve(self, link: Link) -> None:
        await link.prepare()
        if link.is_open:
            self._show(link)
            await self._follow_battery(link)

    def _show(self, link: Link) -> None:
        self._attributes = service_objects(self, link.services)
        for path, interface in self._attributes.items():
            self.tree.add(path, interface)
        own = [service.uuid for service in link.services if service.primary]
        advertised = [uuid for uuid in self.values["UUIDs"] if uuid not in own]
        self.tree.update(self.path, self, UUIDs=sorted({*own, *advertised}), ServicesResolved=True)

    def _hide(self) -> None:
        for path, interface in reversed(self._attributes.items()):
            if isinstance(interface, CharacteristicObject):
                interface.close()
            self.tree.remove(path)
        self._attributes = {}
        if self._battery:
            self.tree.remove(self.path, Battery.NAME)
            self._battery = None

    def _renew(self) -> None:
        """Replaces the services of the device, which have changed."""
        if self.link:
            self._hide()
            self._show(self.link)

    async def _follow_battery(self, link: Link) -> None:
        level = next((one for one in link.characteristics() if one.uuid == BATTERY_LEVEL), None)
        if level is None or not level.bits & 0x02:
            return
        if level.bits & 0x10 and level.configuration:
            await link.subscribe(level, self._charged)
        self._charged(await link.read(level.value_handle))

    def _charged(self, value: bytes) -> None:
        if len(value) < 1 or value[0] > 100 or not self.link:
            return
        if self._battery is None:
            self._battery = Battery(Percentage=value[0], Source="GATT Battery Service")
            self.tree.add(self.path, self._battery)
        else:
            self.tree.update(self.path, self._battery, Percentage=value[0])

    def _ended(self, reason: int) -> None:
        self.link = None
        self._hide()
        self.tree.update(self.path, self, ServicesResolved=False, Connected=False)
        self._keep()

    async def disconnect(self, call: Call) -> None:
        if self._connecting:
            self._cancelled = True
            self._connecting.cancel()
            return
        if self.link is None:
            raise not_connected()
        await self.link.disconnect()

    async def connect_profile(self, call: Call, uuid: str) -> None:
        raise not_available()

    async def disconnect_profile(self, call: Call, uuid: str) -> None:
        raise not_available()

    # Pairing

    async def pair(self, call: Call) -> None:
        if self.values["Paired"]:
            raise already_exists()
        if self._pairing:
            raise in_progress()
        self._pairing = asyncio.ensure_future(self._pair(call.sender))
        try:
            await self._pairing
        except asyncio.CancelledError:
            # The client is gone, or the pairing was canceled.
            was_cancelled = self._cancelled
            self._cancelled = False
            self._pairing.cancel()
            if self.link:
                self.spawn(self.link.disconnect())
            if was_cancelled:
                raise CallError(BLUEZ + "AuthenticationCanceled", "Authentication Canceled") from None
            raise
        finally:
            self._pairing = None

    async def _pair(self, sender: str) -> None:
        try:
            await self._connect()
        except (CentralError, CallError) as error:
            raise CallError(BLUEZ + "ConnectionAttemptFailed", "Page Timeout") from error
        assert self.link
        link = self.link
        agent = self.adapter.agents.agent_for(sender)
        asked = agent.about(self.path) if agent else None
        try:
            await link.pair(asked)
        except PairingFailed as error:
            if link.delegate and link.delegate.rejected:
                raise CallError(BLUEZ + "AuthenticationRejected", "Authentication Rejected") from error
            raise
        except CentralError as error:
            raise CallError(BLUEZ + "AuthenticationFailed", "Authentication Failed") from error

    async def cancel_pairing(self, call: Call) -> None:
        if not self._pairing:
            raise does_not_exist()
        self._cancelled = True
        self._pairing.cancel()

    def _bonded(self) -> None:
        changes: dict[str, Any] = {"Paired": True, "Bonded": True}
        if self.link and self.link.address != self.sighting.address:
            # The object keeps its path, and gets the identity address.
            self.adapter.devices.pop(self.sighting.address, None)
            self.sighting = self.link.sighting
            self.adapter.devices[self.sighting.address] = self
            changes |= {"Address": self.sighting.address, "AddressType": self.sighting.address_type}
        self.tree.update(self.path, self, **changes)

    # The end

    async def forget_client(self, sender: str) -> None:
        """Ends everything of a client that has disconnected from the bus."""
        for interface in list(self._attributes.values()):
            if isinstance(interface, CharacteristicObject):
                try:
                    await interface.forget(sender)
                except CentralError:
                    pass

    def close(self) -> None:
        """Removes the object."""
        if self._timer:
            self._timer.cancel()
        for task in (self._connecting, self._pairing, *self._tasks):
            if task:
                task.cancel()
        self._hide()
        self.tree.remove(self.path)
