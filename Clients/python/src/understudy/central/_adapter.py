"""A controller with Bumble's host: scans, connections, and stored data of devices."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from bumble import core, hci
from bumble.device import Connection, ConnectionParametersPreferences, Device, DeviceConfiguration
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig
from bumble.transport import open_transport
from bumble.transport.common import Transport, TransportLostError

from understudy.central._agent import Agent, Delegate
from understudy.central._errors import CentralError, ConnectFailed, RadioLost
from understudy.central._gatt import Service
from understudy.central._link import Link
from understudy.central._sighting import Report, Sighting, Tracker

OPEN_WITHIN = 10.0
# The shortest interval keeps tests fast. A device that is silent for 4 s counts as lost.
PARAMETERS = {
    hci.Phy.LE_1M: ConnectionParametersPreferences(
        connection_interval_min=7.5, connection_interval_max=7.5, supervision_timeout=4000
    )
}
# How long each connection attempt lasts while others wait for their turn (s).
TURN = 1.0
# When to cancel again (s): the first attempt has no effect on a command that still waits for its turn.
CANCEL_AGAIN_AFTER = 0.1
# The maximum number of devices with a stored sighting: devices nearby may keep changing their addresses.
MOST_DEVICES = 1000


@dataclass
class Memory:
    """The data that outlives an adapter: its own address, bonds, discovered services, and the devices that it has seen."""

    address: hci.Address = field(default_factory=hci.Address.generate_static_address)
    keys: MemoryKeyStore = field(default_factory=MemoryKeyStore)
    sightings: dict[str, Sighting] = field(default_factory=dict)
    """By address; the latest of each device."""
    services: dict[str, tuple[bytes, tuple[Service, ...]]] = field(default_factory=dict)
    """By address: the Database Hash, and the services that were discovered with it."""

    def see(self, sighting: Sighting) -> None:
        """Stores the latest sighting of a device, and drops the least recently seen device if there are too many."""
        self.sightings.pop(sighting.address, None)
        self.sightings[sighting.address] = sighting
        if len(self.sightings) > MOST_DEVICES:
            del self.sightings[next(iter(self.sightings))]


class CentralDevice(Device):
    """Bumble's device, without the parts that the adapter handles itself."""

    async def find_peer_by_identity_address(self, identity_address: hci.Address) -> hci.Address:
        """Finds nothing: the adapter connects only to addresses that it has heard."""
        return identity_address


class Scan:
    """A requested scan. The radio scans as long as there is at least one."""

    def __init__(self, adapter: Adapter, found: Callable[[Sighting], None], active: bool) -> None:
        self._adapter, self.active = adapter, active
        self.found = found

    async def stop(self) -> None:
        """Ends the scan; further calls do nothing."""
        await self._adapter._end_scan(self)


class Adapter:
    """A Bluetooth LE adapter in the central role."""

    def __init__(self, transport: Transport, memory: Memory) -> None:
        self.memory = memory
        self.agent = Agent()
        """Answers when a device asks for pairing by itself, or a value needs it."""
        self.on_lost: list[Callable[[], None]] = []
        self.links: dict[str, Link] = {}
        """By address."""
        self._transport = transport
        self._scans: list[Scan] = []
        self._tracker = Tracker()
        self._scanning: bool | None = None
        self._scan_turn = asyncio.Lock()
        self._adjusting: set[asyncio.Task[None]] = set()
        self._connect_turn = asyncio.Lock()
        self._waiting = 0
        configuration = DeviceConfiguration(
            name="Understudy", address=memory.address, le_simultaneous_enabled=False, gatt_service_enabled=False
        )
        self.device = CentralDevice(config=configuration, host=Host(transport.source, transport.sink))
        self.device.keystore = memory.keys
        self.device.pairing_config_factory = self._pairing
        # Replaces Bumble's own handler, which parses the data of every report.
        self.device.host.remove_listener("advertising_report", self.device.on_advertising_report)
        self.device.host.on("advertising_report", self._report)
        self.lost = transport.source.terminated
        """Done when the radio is gone."""
        self.lost.add_done_callback(self._end_all)

    @classmethod
    async def open(cls, transport: str, memory: Memory | None = None) -> Self:
        """Opens an adapter on a controller, by its Bumble transport name: `tcp-client:127.0.0.1:40123`."""
        try:
            async with asyncio.timeout(OPEN_WITHIN):
                opened = await open_transport(transport)
        except TimeoutError as error:
            raise RadioLost(f"{transport} does not answer within {OPEN_WITHIN:g} s") from error
        except Exception as error:
            raise RadioLost(f"cannot open {transport}: {error or type(error).__name__}") from error
        adapter = cls(opened, memory or Memory())
        try:
            async with asyncio.timeout(OPEN_WITHIN):
                await adapter.device.power_on()
        except BaseException as error:
            await opened.close()
            if isinstance(error, asyncio.CancelledError):
                raise
            raise RadioLost(f"the controller at {transport} does not start: {error or type(error).__name__}") from error
        return adapter

    @property
    def address(self) -> str:
        """Its own address."""
        return self.memory.address.to_string(False)

    async def close(self) -> None:
        """Ends its links and scans, and releases the controller."""
        for scan in list(self._scans):
            try:
                await scan.stop()
            except CentralError:
                break
        for link in list(self.links.values()):
            await link.disconnect()
        self.lost.remove_done_callback(self._end_all)
        await self._transport.close()
        for task in list(self._adjusting):
            task.cancel()

    def _end_all(self, lost: object) -> None:
        """Handles the loss of the radio: Bumble ends the connections, and no more reports arrive."""
        for link in list(self.links.values()):
            link.end(0)
        self._scans.clear()
        for call in list(self.on_lost):
            call()

    # Scanning

    async def scan(self, found: Callable[[Sighting], None], *, active: bool = True) -> Scan:
        """Scans until the scan is stopped, and passes each advertisement to a function."""
        scan = Scan(self, found, active)
        self._scans.append(scan)
        try:
            await self._adjust_scanning(begins=True)
        except BaseException:
            self._scans = [other for other in self._scans if other is not scan]
            self._begin_adjusting()
            raise
        return scan

    @property
    def is_scanning(self) -> bool:
        """Whether there is any scan."""
        return bool(self._scans)

    async def _end_scan(self, scan: Scan) -> None:
        if scan in self._scans:
            self._scans.remove(scan)
            await self._adjust_scanning()

    async def _adjust_scanning(self, *, begins: bool = False) -> None:
        """Makes the controller scan as requested: actively if any scan is active.

        This continues even if the caller is cancelled: a command whose answer nobody awaits leaves the controller in an unknown state.
        """
        await asyncio.shield(self._begin_adjusting(begins=begins))

    def _begin_adjusting(self, *, begins: bool = False) -> asyncio.Task[None]:
        task = asyncio.ensure_future(self._apply_scanning(begins))

        def done(task: asyncio.Task[None]) -> None:
            self._adjusting.discard(task)
            if not task.cancelled():
                # Marks the failure as seen: a cancelled caller does not read it.
                task.exception()

        self._adjusting.add(task)
        task.add_done_callback(done)
        return task

    async def _apply_scanning(self, begins: bool) -> None:
        async with self._scan_turn:
            wanted = any(scan.active for scan in self._scans) if self._scans else None
            if wanted == self._scanning and not begins:
                return
            try:
                if self._scanning is not None:
                    self._scanning = None
                    await self.device.stop_scanning()
                if wanted is not None:
                    self._tracker.forget()
                    self._tracker.active = wanted
                    await self.device.start_scanning(active=wanted)
                    self._scanning = wanted
            except (core.BaseBumbleError, TransportLostError, hci.HCI_Error) as error:
                if self.lost.done():
                    raise RadioLost("the radio has ended") from error
                raise CentralError(f"the controller does not scan: {error}") from error

    def _report(self, report: Report) -> None:
        self._tracker.resolver = self.device.address_resolver
        sighting = self._tracker.report(report)
        if sighting is None or not self._scans:
            return
        self.memory.see(sighting)
        for scan in list(self._scans):
            scan.found(sighting)

    # Connecting

    async def connect(
        self,
        device: Sighting,
        timeout: float | None = None,
        *,
        own_address_type: hci.OwnAddressType = hci.OwnAddressType.RANDOM,
    ) -> Link:
        """Connects, or shares the existing link.

        Raises `ConnectFailed`, or `TimeoutError` if the device does not answer.
        """
        if link := self.links.get(device.address):
            return link
        self._waiting += 1
        try:
            async with asyncio.timeout(timeout):
                if device.on_air.is_resolvable and device.address != device.on_air.to_string(False):
                    # A bonded device may have a new address by now.
                    device = await self._seen_again(device.address)
                while True:
                    async with self._connect_turn:
                        if link := self.links.get(device.address):
                            return link
                        if connection := await self._attempt(device, own_address_type):
                            break
        finally:
            self._waiting -= 1
        link = Link(self, connection, device)
        self.links[device.address] = link
        return link

    async def _seen_again(self, address: str) -> Sighting:
        """Scans until a device is seen."""
        found: asyncio.Future[Sighting] = asyncio.get_running_loop().create_future()

        def see(sighting: Sighting) -> None:
            if sighting.address == address and not found.done():
                found.set_result(sighting)

        scan = await self.scan(see)
        try:
            return await found
        finally:
            await scan.stop()

    async def _attempt(self, device: Sighting, own_address_type: hci.OwnAddressType) -> Connection | None:
        """Tries to connect, and gives up its turn if others wait.

        The controller makes one connection at a time.
        """
        task = asyncio.create_task(
            self.device.connect_le(
                device.on_air,
                connection_parameters_preferences=PARAMETERS,
                own_address_type=own_address_type,
                timeout=None,
            )
        )
        try:
            while not (await asyncio.wait({task}, timeout=TURN))[0]:
                if self._waiting > 1:
                    return await self._give_up(task)
            return task.result()
        except core.ConnectionError as error:
            raise ConnectFailed(error.error_code or 0) from error
        except asyncio.CancelledError:
            if task.cancelled():
                raise RadioLost("the radio has ended") from None
            await self._abandon(task)
            raise
        except hci.HCI_Error as error:
            raise ConnectFailed(error.error_code or 0) from error
        except (core.BaseBumbleError, TransportLostError) as error:
            raise (RadioLost("the radio has ended") if self.lost.done() else CentralError(str(error))) from error

    async def _abandon(self, task: asyncio.Task[Connection]) -> None:
        """Ends an attempt, or the connection if it was made first. Waits even if the caller is canceled again."""

        async def end() -> None:
            if connection := await self._give_up(task):
                await connection.disconnect()

        ending = asyncio.ensure_future(end())
        while not ending.done():
            try:
                await asyncio.wait({ending})
            except asyncio.CancelledError:
                pass
        if not ending.cancelled():
            # The radio may be gone, which also ends the attempt.
            ending.exception()

    async def _give_up(self, task: asyncio.Task[Connection]) -> Connection | None:
        """Cancels an attempt. Returns the connection if it was made first."""
        while not task.done():
            try:
                await self.device.send_sync_command(hci.HCI_LE_Create_Connection_Cancel_Command())
            except hci.HCI_Error:
                # There is nothing to cancel: the answer is on its way, or the command still waits for its turn.
                pass
            await asyncio.wait({task}, timeout=CANCEL_AGAIN_AFTER)
        if task.cancelled() or isinstance(failure := task.exception(), core.ConnectionError):
            return None
        if failure:
            raise failure
        return task.result()

    # Bonds

    def _pairing(self, connection: Connection) -> PairingConfig:
        link = next((link for link in self.links.values() if link.connection is connection), None)
        agent = (link.agent if link else None) or self.agent
        delegate = Delegate(agent)
        if link:
            link.delegate = delegate
        # Protection against a man in the middle needs a user; without one, the central does not request it.
        protects = agent.capability != "just-works"
        types = PairingConfig.AddressType
        # The device finds its bond by this address, so the next connection must have it, too.
        identity = types.PUBLIC if connection.self_address.is_public else types.RANDOM
        return PairingConfig(sc=True, mitm=protects, bonding=True, delegate=delegate, identity_address_type=identity)

    def is_bonded(self, address: str) -> bool:
        """Whether there are keys for a device."""
        return any(name in self.memory.keys.all_keys for name in (address, f"{address}/P"))

    async def forget(self, address: str) -> None:
        """Removes the bond with a device and its stored data, and ends the link to it."""
        if link := self.links.get(address):
            await link.disconnect()
        for name in (address, f"{address}/P"):
            await self.memory.keys.delete(name)
        await self.device.refresh_resolving_list()
        self.memory.sightings.pop(address, None)
        self.memory.services.pop(address, None)
