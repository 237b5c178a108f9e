"""A connection to a device: its attributes, subscriptions and pairing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from bumble import att, core, hci
from bumble.device import Connection
from bumble.transport.common import TransportLostError

from understudy.central._agent import Agent, Delegate
from understudy.central._errors import ATTFailure, CentralError, LinkLost, PairingFailed, RadioLost
from understudy.central._gatt import SERVICE_CHANGED, Characteristic, Service, database_hash, discover
from understudy.central._sighting import Sighting

if TYPE_CHECKING:
    from understudy.central._adapter import Adapter

T = TypeVar("T")
Listener = Callable[[bytes], None]

LARGEST_MTU = 517
# A user may take longer than 30 s. Then the other side ends the pairing, by its Security Manager timer.
PAIRING_WITHIN = 60.0
DISCONNECT_WITHIN = 5.0
NOTIFICATIONS, INDICATIONS = 0x0001, 0x0002
# Errors that pairing or encryption may resolve (Core 5.4 Vol 3 Part F 3.4.1.1).
INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION = 0x05, 0x0F
# The controller's reasons (Core 5.4 Vol 1 Part F).
AUTHENTICATION_FAILURE = 0x05


class Link:
    """A connection. Its future `ended` gets the reason when the connection ends."""

    def __init__(self, adapter: Adapter, connection: Connection, sighting: Sighting) -> None:
        self.adapter, self.connection, self.sighting = adapter, connection, sighting
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.on_end: list[Callable[[int], None]] = []
        """Called with the reason when the connection has ended."""
        self.on_services_changed: list[Callable[[], None]] = []
        """Called when the device reports that its services have changed."""
        self.on_bonded: list[Callable[[], None]] = []
        """Called when a pairing of either side has created keys."""
        self.services: tuple[Service, ...] = ()
        self.values: dict[int, bytes] = {}
        """The last known value of each handle."""
        self.agent: Agent | None = None
        self.delegate: Delegate | None = None
        self._listeners: dict[int, list[Listener]] = {}
        self._prepared: asyncio.Task[None] | None = None
        self._pairing: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._write_turn = asyncio.Lock()
        client = connection.gatt_client
        assert client
        self._client = client
        connection.on(Connection.EVENT_DISCONNECTION, self.end)
        connection.on(Connection.EVENT_SECURITY_REQUEST, self._security_requested)

    @property
    def address(self) -> str:
        """The address by which the adapter knows the device."""
        return self.sighting.address

    @property
    def mtu(self) -> int:
        """The ATT_MTU."""
        return self.connection.att_mtu

    @property
    def is_open(self) -> bool:
        return not self.ended.done()

    @property
    def is_encrypted(self) -> bool:
        return bool(self.connection.encryption)

    @property
    def is_bonded(self) -> bool:
        """Whether there are keys for the device."""
        return str(self.connection.peer_address) in self.adapter.memory.keys.all_keys

    def end(self, reason: int) -> None:
        """Records the end of the connection."""
        if self.ended.done():
            return
        self.adapter.links.pop(self.address, None)
        self.ended.set_result(reason)
        self._listeners.clear()
        for call in list(self.on_end):
            call(reason)

    async def disconnect(self) -> None:
        """Ends the connection, and waits for its end."""
        if self.ended.done():
            return
        task = asyncio.ensure_future(self.connection.disconnect())
        either: set[asyncio.Future[Any]] = {task, self.ended}
        await asyncio.wait(either, timeout=DISCONNECT_WITHIN, return_when=asyncio.FIRST_COMPLETED)
        if not self.ended.done():
            await asyncio.wait({self.ended}, timeout=DISCONNECT_WITHIN)
        if not task.done():
            task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            # The controller does not know the connection any more, or is gone; the connection has ended either way.
            task.exception()
        self.end(0x16)

    # Operations

    async def _during(self, operation: Coroutine[Any, Any, T]) -> T:
        """Awaits an operation as long as the connection lasts.

        If the caller is canceled, the operation continues, because its response may still arrive.
        """
        if self.ended.done():
            operation.close()
            raise LinkLost(self.ended.result())
        task = asyncio.ensure_future(operation)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        either: set[asyncio.Future[Any]] = {task, self.ended}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not task.done() or task.cancelled():
            task.cancel()
            raise LinkLost(self.ended.result() if self.ended.done() else 0)
        try:
            return task.result()
        except att.ATT_Error as error:
            raise ATTFailure(int(error.error_code)) from error
        except CentralError:
            raise
        except (TransportLostError, hci.HCI_Error, core.BaseBumbleError) as error:
            if self.adapter.lost.done():
                raise RadioLost("the radio has ended") from error
            raise CentralError(f"the device does not answer: {error or type(error).__name__}") from error

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()

    async def _request(self, request: att.ATT_PDU) -> att.ATT_PDU:
        answer: att.ATT_PDU = await self._client.send_request(request)
        return answer

    async def prepare(self) -> None:
        """Exchanges the MTU, encrypts if there is a bond, and discovers all services; once, for all callers."""
        if self._prepared is None or (self._prepared.done() and self._prepared.cancelled()):
            self._prepared = asyncio.ensure_future(self._prepare())
            self._prepared.add_done_callback(self._forget)
        await asyncio.shield(self._prepared)

    async def _prepare(self) -> None:
        try:
            await self._during(self._client.request_mtu(LARGEST_MTU))
        except ATTFailure:
            # A server may support only the smallest MTU (Core 5.4 Vol 3 Part G 4.3.1).
            pass
        if self.is_bonded:
            await self.encrypt()
        await self._discover()
        for characteristic in self.characteristics():
            if characteristic.uuid == SERVICE_CHANGED and characteristic.configuration:
                await self.subscribe(characteristic, self._services_changed)

    async def _discover(self) -> None:
        remembered = self.adapter.memory.services
        found = await self._during(database_hash(self._request))
        if found and (known := remembered.get(self.address)) and known[0] == found:
            self.services = known[1]
            return
        self.services = await self._during(discover(self._request))
        if found:
            remembered[self.address] = (found, self.services)

    def _services_changed(self, value: bytes) -> None:
        async def renew() -> None:
            await self._discover()
            for call in list(self.on_services_changed):
                call()

        self._spawn(renew())

    def _spawn(self, operation: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(operation)
        self._tasks.add(task)
        task.add_done_callback(self._forget)

    def characteristics(self) -> list[Characteristic]:
        """Returns the characteristics of all services."""
        return [one for service in self.services for one in service.characteristics]

    async def _securely(self, operation: Callable[[], Awaitable[T]]) -> T:
        """Runs an operation; if the device requires it, pairs or encrypts and runs the operation again."""
        try:
            return await operation()
        except ATTFailure as failure:
            if not await self._secure_for(failure.code):
                raise
        return await operation()

    async def _secure_for(self, code: int) -> bool:
        """Increases the link's security after that error; returns whether that has succeeded."""
        if code not in (INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION):
            return False
        try:
            if self.is_bonded and not self.is_encrypted:
                await self.encrypt()
            elif code == INSUFFICIENT_AUTHENTICATION or not self.is_encrypted:
                agent = self.agent or self.adapter.agent
                if self.is_encrypted and agent.capability == "just-works":
                    return False
                await self.pair()
            else:
                return False
        except (PairingFailed, CentralError):
            if self.ended.done():
                raise
            return False
        return True

    # Values

    async def read(self, handle: int, offset: int = 0) -> bytes:
        """Reads the whole value of an attribute, or the part after an offset."""

        async def read() -> bytes:
            return bytes(await self._client.read_value(handle))

        async def read_blob() -> bytes:
            answer = await self._request(att.ATT_Read_Blob_Request(attribute_handle=handle, value_offset=offset))
            if isinstance(answer, att.ATT_Error_Response):
                raise att.ATT_Error(error_code=answer.error_code)
            assert isinstance(answer, att.ATT_Read_Blob_Response)
            return bytes(answer.part_attribute_value)

        value = await self._securely(lambda: self._during(read_blob() if offset else read()))
        if not offset:
            self.values[handle] = value
        return value

    async def write(self, handle: int, value: bytes) -> None:
        """Writes with a response, in parts if it is long."""

        async def write() -> None:
            # The parts of one long write must not be mixed with those of another.
            async with self._write_turn:
                await self._client.write_value(handle, value, with_response=True)

        await self._securely(lambda: self._during(write()))

    async def command(self, handle: int, value: bytes) -> None:
        """Writes without a response."""
        if len(value) > self.mtu - 3:
            raise CentralError(f"{len(value)} octets do not fit in a write without response: {self.mtu - 3} do")
        await self._during(self._client.write_value(handle, value))

    async def subscribe(self, characteristic: Characteristic, listener: Listener) -> None:
        """Subscribes to notifications, or to indications if there are no notifications; passes each value to a function."""
        configuration = characteristic.configuration
        if configuration is None:
            raise CentralError(f"characteristic {characteristic.uuid} has no descriptor to subscribe with")
        handle = characteristic.value_handle
        first = handle not in self._listeners
        self._listeners.setdefault(handle, []).append(listener)
        if not first:
            return
        # Registered before the request, because a device may send a value before its response.
        subscribers = self._client.indication_subscribers
        if characteristic.bits & 0x10:
            subscribers, bits = self._client.notification_subscribers, NOTIFICATIONS
        else:
            bits = INDICATIONS
        subscribers[handle] = {lambda value: self._notified(handle, bytes(value))}
        try:
            await self.write(configuration.handle, bits.to_bytes(2, "little"))
        except BaseException:
            self._forget_listeners(handle)
            raise

    async def unsubscribe(self, characteristic: Characteristic, listener: Listener) -> None:
        """Removes a function; removing the last one ends the subscription."""
        handle = characteristic.value_handle
        left = self._listeners.get(handle, [])
        if listener not in left:
            return
        left.remove(listener)
        if not left:
            self._forget_listeners(handle)
            if characteristic.configuration and self.is_open:
                await self.write(characteristic.configuration.handle, bytes(2))

    def _forget_listeners(self, handle: int) -> None:
        self._listeners.pop(handle, None)
        self._client.notification_subscribers.pop(handle, None)
        self._client.indication_subscribers.pop(handle, None)

    def _notified(self, handle: int, value: bytes) -> None:
        self.values[handle] = value
        for listener in list(self._listeners.get(handle, [])):
            try:
                listener(value)
            except Exception as error:
                asyncio.get_running_loop().call_exception_handler(
                    {"message": f"a listener of {self.address} failed", "exception": error}
                )

    # Security

    async def encrypt(self) -> None:
        """Encrypts with the bond's key. Disconnects if the device has lost it, because the host must not continue."""
        try:
            await self._during(self.connection.encrypt())
        except LinkLost:
            raise
        except CentralError as error:
            await self.adapter.device.disconnect(self.connection, AUTHENTICATION_FAILURE)
            raise PairingFailed(None) from error

    async def pair(self, agent: Agent | None = None) -> None:
        """Pairs; `agent` answers for the user of the central. Raises `PairingFailed`."""
        if self._pairing and not self._pairing.done():
            await asyncio.shield(self._pairing)
            return
        self.agent = agent or self.agent
        self._pairing = asyncio.ensure_future(self._pair())
        self._pairing.add_done_callback(self._forget)
        await asyncio.shield(self._pairing)

    async def cancel_pairing(self) -> bool:
        """Cancels a pairing and ends its connection; returns whether there was a pairing."""
        if not self._pairing or self._pairing.done():
            return False
        await self.disconnect()
        return True

    async def _pair(self) -> None:
        agent = self.agent or self.adapter.agent
        try:
            async with asyncio.timeout(PAIRING_WITHIN):
                await self._during(self._pair_once())
        except TimeoutError as error:
            agent.cancelled()
            raise PairingFailed(None) from error
        except BaseException:
            agent.cancelled()
            raise
        self._adopt_identity()
        for call in list(self.on_bonded):
            call()

    def _adopt_identity(self) -> None:
        """Identifies a device with private addresses by its identity address, once the device has distributed it."""
        identity = self.connection.peer_address
        if not self.is_open or identity.to_string(False) == self.address:
            return
        memory, links = self.adapter.memory, self.adapter.links
        links.pop(self.address, None)
        memory.sightings.pop(self.address, None)
        kind = "public" if identity.is_public else "random"
        self.sighting = replace(self.sighting, address=identity.to_string(False), address_type=kind)
        links[self.address] = self
        memory.see(self.sighting)

    async def _pair_once(self) -> None:
        try:
            await self.connection.pair()
        except core.ProtocolError as error:
            raise PairingFailed(error.error_code) from error

    def _security_requested(self, requirements: int) -> None:
        """Handles a Security Request of the device (Core 5.4 Vol 3 Part H 2.4.6)."""
        if self.is_encrypted or (self._pairing and not self._pairing.done()):
            return
        self._spawn(self.encrypt() if self.is_bonded else self.pair())
