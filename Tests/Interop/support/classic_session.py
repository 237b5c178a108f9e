"""Records two hosts of Bumble that talk over BR/EDR, from the first one's side: `classic_session.py FILE`.

They pair by Secure Simple Pairing, and use SDP, RFCOMM, AVDTP, AVRCP and HID. The octets are all Bumble's.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from bumble import a2dp, avc, avdtp, avrcp, hid, rfcomm, sdp
from bumble.controller import Controller
from bumble.core import BT_L2CAP_PROTOCOL_ID, UUID, PhysicalTransport
from bumble.device import Connection, Device
from bumble.hci import Address
from bumble.host import Host
from bumble.l2cap import ClassicChannelSpec
from bumble.link import LocalLink
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.snoop import BtSnooper
from bumble.transport.common import AsyncPipeSink

PHONE, HEADSET = "C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"
SERIAL_PORT = UUID.from_16_bits(0x1101)
CODEC = a2dp.SbcMediaCodecInformation(
    sampling_frequency=a2dp.SbcMediaCodecInformation.SamplingFrequency.SF_44100,
    channel_mode=a2dp.SbcMediaCodecInformation.ChannelMode.JOINT_STEREO,
    block_length=a2dp.SbcMediaCodecInformation.BlockLength.BL_16,
    subbands=a2dp.SbcMediaCodecInformation.Subbands.S_8,
    allocation_method=a2dp.SbcMediaCodecInformation.AllocationMethod.LOUDNESS,
    minimum_bitpool_value=2,
    maximum_bitpool_value=53,
)
CAPABILITIES = avdtp.MediaCodecCapabilities(
    media_type=avdtp.AVDTP_AUDIO_MEDIA_TYPE, media_codec_type=a2dp.CodecType.SBC, media_codec_information=CODEC
)


def device(name: str, address: str, link: LocalLink) -> Device:
    made = Device(name=name, address=Address(address))
    made.host = Host()
    controller = Controller(name, link=link, public_address=address)
    made.host.set_packet_sink(controller)
    controller.host = AsyncPipeSink(made.host)
    made.classic_enabled = True
    delegate = PairingDelegate(PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT)
    made.pairing_config_factory = lambda _: PairingConfig(mitm=True, delegate=delegate)
    return made


async def find_services(connection: Connection) -> int:
    """Asks for all records, and returns the number of RFCOMM's server channel."""
    async with sdp.Client(connection) as client:
        await client.search_services([SERIAL_PORT])
        await client.search_attributes([BT_L2CAP_PROTOCOL_ID], [(0, 0xFFFF)])
    return (await rfcomm.find_rfcomm_channel_with_uuid(connection, SERIAL_PORT)) or 0


async def talk_serially(connection: Connection, channel: int) -> None:
    client = rfcomm.Client(connection)
    multiplexer = await client.start()
    session = await multiplexer.open_dlc(channel)
    answer: asyncio.Queue[bytes] = asyncio.Queue()
    session.sink = answer.put_nowait
    session.write(b"AT+BRSF=127\r")
    await answer.get()
    await session.disconnect()
    await client.shutdown()


async def stream(connection: Connection) -> None:
    protocol = await avdtp.Protocol.connect(connection, (1, 3))
    (sink,) = await protocol.discover_remote_endpoints()

    async def packets() -> AsyncIterator[avdtp.MediaPacket]:
        for number in range(3):
            yield avdtp.MediaPacket(2, 0, 0, 0, number, number * 512, 0, [], 96, bytes(60))

    pump = avdtp.MediaPacketPump(packets())
    source = protocol.add_source(CAPABILITIES, pump)
    stream = await protocol.create_stream(source, sink)
    await stream.start()
    await asyncio.sleep(0.2)
    await stream.stop()
    await stream.close()


async def control(connection: Connection) -> None:
    protocol = avrcp.Protocol()
    await protocol.connect(connection)
    await protocol.send_key_event(avc.PassThroughFrame.OperationId.PLAY, True)
    await protocol.get_supported_events()


async def type_keys(connection: Connection) -> None:
    control = await connection.create_l2cap_channel(ClassicChannelSpec(psm=hid.HID_CONTROL_PSM))
    control.write(bytes([0x71]))  # SET_PROTOCOL, report
    interrupt = await connection.create_l2cap_channel(ClassicChannelSpec(psm=hid.HID_INTERRUPT_PSM))
    interrupt.write(bytes([0xA1, 1, 0, 0, 4, 0, 0, 0, 0, 0]))
    await interrupt.disconnect()
    await control.disconnect()


def serve(headset: Device) -> None:
    server = rfcomm.Server(headset)

    def accept(session: rfcomm.DLC) -> None:
        session.sink = lambda _: session.write(b"\r\nOK\r\n")

    channel = server.listen(accept, 5)
    headset.sdp_service_records = {
        0x00010001: rfcomm.make_service_sdp_records(0x00010001, channel, SERIAL_PORT),
        0x00010002: a2dp.make_audio_sink_service_sdp_records(0x00010002),
    }
    listener = avdtp.Listener.for_device(headset)
    listener.on("connection", lambda protocol: protocol.add_sink(CAPABILITIES))
    avrcp.Protocol().listen(headset)
    for psm in (hid.HID_CONTROL_PSM, hid.HID_INTERRUPT_PSM):
        headset.create_l2cap_server(ClassicChannelSpec(psm=psm), handler=lambda _: None)


async def record(file: Path) -> None:
    link = LocalLink()
    phone, headset = device("Phone", PHONE, link), device("Headset", HEADSET, link)
    with file.open("wb") as output:
        phone.host.snooper = BtSnooper(output)
        await phone.power_on()
        await headset.power_on()
        serve(headset)
        connection = await phone.connect(Address(HEADSET, Address.PUBLIC_DEVICE_ADDRESS), transport=PhysicalTransport.BR_EDR)
        await connection.authenticate()
        await talk_serially(connection, await find_services(connection))
        await stream(connection)
        await control(connection)
        await type_keys(connection)
        await connection.disconnect()
        phone.host.snooper = None


if __name__ == "__main__":
    asyncio.run(record(Path(sys.argv[1])))
