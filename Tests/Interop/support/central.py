"""A central based on Bumble's host, and a connection that shows every PDU."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bumble import att, hci
from bumble.core import UUID
from bumble.device import Advertisement, Connection, Device, Peer
from bumble.host import Host

from support.program import PATIENCE

# The LE commands that Bumble prefers if the controller has them; a central of Bluetooth 4 does not use them.
EXTENDED_COMMANDS = (
    hci.HCI_LE_EXTENDED_CREATE_CONNECTION_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_ENABLE_COMMAND,
    hci.HCI_LE_READ_NUMBER_OF_SUPPORTED_ADVERTISING_SETS_COMMAND,
    hci.HCI_LE_READ_MAXIMUM_ADVERTISING_DATA_LENGTH_COMMAND,
)


# The PDUs that a server sends by itself.
ServerValue = att.ATT_Handle_Value_Notification | att.ATT_Handle_Value_Indication


class ATTFailure(AssertionError):
    """An unexpected ATT Error Response."""

    def __init__(self, response: att.ATT_Error_Response) -> None:
        super().__init__(
            f"request 0x{response.request_opcode_in_error:02X} on handle 0x{response.attribute_handle_in_error:04X}"
            f" failed with 0x{response.error_code:02X}"
        )
        self.code = int(response.error_code)


@dataclass
class Session:
    """A connection from a central's view: raw requests, and everything that the server sends by itself."""

    connection: Connection
    peer: Peer
    # (monotonic seconds, PDU) of every notification and indication.
    received: list[tuple[float, ServerValue]] = field(default_factory=list)
    # Everything else from the server, in order.
    responses: list[att.ATT_PDU] = field(default_factory=list)
    # Set to False to leave indications unconfirmed until `confirm` is called.
    confirms: bool = True
    # Set to True to pass notifications to Bumble's own client, too.
    shares: bool = False

    def __post_init__(self) -> None:
        self._arrival = asyncio.Event()
        self._raw_answer: asyncio.Future[att.ATT_PDU] | None = None
        self.disconnected: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.connection.on(Connection.EVENT_DISCONNECTION, self._on_disconnection)
        client = self.connection.gatt_client
        assert client
        handle_pdu = client.on_gatt_pdu

        # Bumble's client shows only values with a subscriber, and confirms them itself, so this comes before it.
        def on_gatt_pdu(pdu: att.ATT_PDU) -> None:
            if isinstance(pdu, (att.ATT_Handle_Value_Notification, att.ATT_Handle_Value_Indication)):
                self.received.append((time.monotonic(), pdu))
                self._arrival.set()
                if isinstance(pdu, att.ATT_Handle_Value_Indication) and self.confirms:
                    self.confirm()
                if isinstance(pdu, att.ATT_Handle_Value_Notification) and self.shares:
                    handle_pdu(pdu)
            else:
                self.responses.append(pdu)
                if self._raw_answer and not self._raw_answer.done():
                    self._raw_answer.set_result(pdu)
                else:
                    handle_pdu(pdu)

        client.on_gatt_pdu = on_gatt_pdu  # type: ignore[method-assign, assignment]
        self.client = client

    def _on_disconnection(self, reason: int) -> None:
        if not self.disconnected.done():
            self.disconnected.set_result(reason)

    # Requests

    async def request(self, pdu: att.ATT_PDU) -> att.ATT_PDU:
        """Sends a request and returns its response, including an Error Response."""
        response = await asyncio.wait_for(self.client.send_request(pdu), 30)
        assert response is not None
        return response

    async def expect(self, pdu: att.ATT_PDU) -> att.ATT_PDU:
        """Sends a request that must succeed."""
        response = await self.request(pdu)
        if isinstance(response, att.ATT_Error_Response):
            raise ATTFailure(response)
        return response

    async def error(self, pdu: att.ATT_PDU) -> int:
        """Sends a request that must fail and returns the error code; checks the rest of the response."""
        response = await self.request(pdu)
        assert isinstance(response, att.ATT_Error_Response), f"expected an error, got {response}"
        assert response.request_opcode_in_error == pdu.op_code
        return int(response.error_code)

    async def raw(self, octets: bytes) -> att.ATT_PDU:
        """Sends octets that Bumble would not send as a request, and returns the response."""
        self._raw_answer = asyncio.get_running_loop().create_future()
        self.connection.send_l2cap_pdu(att.ATT_CID, octets)
        return await asyncio.wait_for(self._raw_answer, 30)

    def confirm(self) -> None:
        self.client.send_confirmation(att.ATT_Handle_Value_Confirmation())

    async def exchange_mtu(self, mtu: int = 517) -> int:
        return await self.peer.request_mtu(mtu)

    async def read(self, handle: int) -> bytes:
        """Reads the whole value, with Read Blob Requests if one response cannot hold it."""
        return await asyncio.wait_for(self.client.read_value(handle), 30)

    async def write(self, handle: int, value: bytes) -> None:
        await self.expect(att.ATT_Write_Request(attribute_handle=handle, attribute_value=value))

    async def command(self, handle: int, value: bytes) -> None:
        await self.client.send_command(att.ATT_Write_Command(attribute_handle=handle, attribute_value=value))

    async def prepare(self, handle: int, offset: int, part: bytes) -> None:
        """Sends a Prepare Write, and checks the echo as a reliable write requires."""
        response = await self.expect(
            att.ATT_Prepare_Write_Request(attribute_handle=handle, value_offset=offset, part_attribute_value=part)
        )
        assert isinstance(response, att.ATT_Prepare_Write_Response)
        assert (response.attribute_handle, response.value_offset, response.part_attribute_value) == (
            handle,
            offset,
            part,
        )

    async def disconnect(self) -> None:
        await asyncio.wait_for(self.connection.disconnect(), 30)
        await asyncio.wait_for(self.disconnected, 30)

    # PDUs that the server sends by itself

    def values(self, handle: int, kind: type[ServerValue] | None = None) -> list[bytes]:
        return [
            pdu.attribute_value
            for _, pdu in self.received
            if pdu.attribute_handle == handle and (kind is None or isinstance(pdu, kind))
        ]

    async def arrivals(
        self, count: int, handle: int | None = None, timeout: float = PATIENCE
    ) -> list[tuple[float, ServerValue]]:
        """Returns the first `count` notifications and indications (of one handle)."""

        def matching() -> list[tuple[float, ServerValue]]:
            return [entry for entry in self.received if handle is None or entry[1].attribute_handle == handle]

        async with asyncio.timeout(timeout):
            while len(matching()) < count:
                self._arrival.clear()
                await self._arrival.wait()
        return matching()[:count]

    async def handle_of(self, uuid: str) -> int:
        """Returns the value handle of the only characteristic with this UUID, found by Read By Type."""
        wanted = UUID(uuid)
        start = 0x0001
        while True:
            response = await self.expect(
                att.ATT_Read_By_Type_Request(
                    starting_handle=start, ending_handle=0xFFFF, attribute_type=UUID.from_16_bits(0x2803)
                )
            )
            assert isinstance(response, att.ATT_Read_By_Type_Response)
            for declaration, value in response.attributes:
                if UUID.from_bytes(value[3:]) == wanted:
                    return int.from_bytes(value[1:3], "little")
                start = declaration + 1

    async def configuration_of(self, value_handle: int) -> int:
        """Returns the handle of the Client Characteristic Configuration descriptor that follows a value."""
        response = await self.expect(
            att.ATT_Read_By_Type_Request(
                starting_handle=value_handle, ending_handle=0xFFFF, attribute_type=UUID.from_16_bits(0x2902)
            )
        )
        assert isinstance(response, att.ATT_Read_By_Type_Response)
        return response.attributes[0][0]

    async def subscribe(self, value_handle: int, bits: int = 0x0001) -> int:
        """Writes the configuration (1: notifications, 2: indications) and returns its handle."""
        configuration = await self.configuration_of(value_handle)
        await self.write(configuration, bits.to_bytes(2, "little"))
        return configuration


@dataclass
class Central:
    """Bumble's host in the central role."""

    device: Device

    @classmethod
    async def open(cls, host: Host, address: str) -> Central:
        device = Device(name="Central", address=hci.Address(address), host=host)
        await asyncio.wait_for(device.power_on(), 30)
        return cls(device)

    async def forget_extended(self) -> None:
        """Makes this a central of Bluetooth 4: from now on it scans and connects only with legacy commands.

        A controller that has received one extended command refuses the legacy ones until it is reset
        (Core 5.4 Vol 4 Part E 3.1.1), and Bumble sends such commands when it starts.
        """
        host = self.device.host
        await host.send_sync_command(hci.HCI_Reset_Command())
        for opcode in EXTENDED_COMMANDS:
            host.local_supported_commands &= ~hci.HCI_SUPPORTED_COMMANDS_MASKS.get(opcode, 0)
        host.local_le_features &= ~hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
        await host.send_sync_command(
            hci.HCI_Set_Event_Mask_Command(
                event_mask=hci.HCI_Set_Event_Mask_Command.mask(
                    [
                        hci.HCI_DISCONNECTION_COMPLETE_EVENT,
                        hci.HCI_NUMBER_OF_COMPLETED_PACKETS_EVENT,
                        hci.HCI_LE_META_EVENT,
                    ]
                )
            )
        )
        await host.send_sync_command(
            hci.HCI_LE_Set_Event_Mask_Command(
                le_event_mask=hci.HCI_LE_Set_Event_Mask_Command.mask(
                    [hci.HCI_LE_CONNECTION_COMPLETE_EVENT, hci.HCI_LE_ADVERTISING_REPORT_EVENT]
                )
            )
        )
        await host.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=self.device.random_address))

    async def find(
        self,
        address: hci.Address,
        accept: Callable[[Advertisement], bool] = lambda advertisement: True,
        *,
        legacy: bool = False,
        active: bool = True,
        timeout: float = PATIENCE,
    ) -> Advertisement:
        """Scans until an advertisement of that address is accepted."""
        found: asyncio.Future[Advertisement] = asyncio.get_running_loop().create_future()

        def on_advertisement(advertisement: Advertisement) -> None:
            if advertisement.address == address and accept(advertisement) and not found.done():
                found.set_result(advertisement)

        self.device.on(Device.EVENT_ADVERTISEMENT, on_advertisement)
        try:
            await self.device.start_scanning(legacy=legacy, active=active)
            return await asyncio.wait_for(found, timeout)
        finally:
            self.device.remove_listener(Device.EVENT_ADVERTISEMENT, on_advertisement)
            await self.device.stop_scanning(legacy=legacy)

    async def connect(self, address: hci.Address, timeout: float = PATIENCE) -> Session:
        connection = await asyncio.wait_for(self.device.connect(address), timeout)
        return Session(connection, Peer(connection))
