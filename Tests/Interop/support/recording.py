"""Records a belt with a central that pairs and subscribes: `recording.py FILE`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from bumble.device import Device, Peer
from bumble.hci import Address
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport
from understudy import aio

BELT = {
    "understudy": 1,
    "name": "Belt",
    "security": {"pairing": "just-works"},
    "services": [{"include": "heart-rate", "measurement": {"notify": {"every": "50 ms"}}}],
}


async def record(file: Path) -> None:
    async with (
        aio.Accessory.start(BELT, capture=file) as belt,
        await open_transport(belt.air.joining[0]) as air,
    ):
        central = Device.with_hci("Central", Address("C4:12:34:56:78:9A"), air.source, air.sink)
        delegate = PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT)
        central.pairing_config_factory = lambda _: PairingConfig(mitm=False, delegate=delegate)
        await central.power_on()
        connection = await central.connect(belt.address)
        await connection.pair()
        peer = Peer(connection)
        await peer.discover_all()
        (measurement,) = peer.get_characteristics_by_uuid("2A37")
        await measurement.subscribe(lambda _: None)
        for _ in range(3):
            await belt.expect("notified", characteristic="heart-rate-measurement", within=10)
        await connection.disconnect()
        await belt.expect("disconnected", within=10)


if __name__ == "__main__":
    asyncio.run(record(Path(sys.argv[1])))
