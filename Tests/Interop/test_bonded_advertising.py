"""Advertising directed to a bonded central, or only for bonded centrals, with Bumble as the centrals."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from bumble import hci
from bumble.pairing import PairingConfig

from conftest import Stage
from support.central import Central
from support.controllers import LOOPBACK
from support.program import PATIENCE
from support.web import Client

PROFILE = """
understudy: 1
name: Safe
identity: {{ address: static }}
advertising:
  - {{ id: main, data: {{ flags: [general], services: [FFF0] }}, interval: 20 ms }}
  - {{ id: bonded, start: manual, {set} }}
security: {{ pairing: just-works }}
services:
  - uuid: FFF0
    characteristics: [ {{ uuid: FFF1, properties: [read], value: hex:01 }} ]
"""


async def bond(central: Central, stage: Stage) -> None:
    """Pairs and disconnects."""
    assert stage.program
    central.device.pairing_config_factory = lambda _: PairingConfig(mitm=False)
    session = await central.connect(stage.address)
    await session.connection.pair()
    await stage.program.event("paired")
    await session.disconnect()
    await stage.program.event("disconnected")


async def comes(central: Central, address: hci.Address, within: float = PATIENCE) -> bool:
    """Returns whether the central gets a lasting connection."""
    try:
        session = await central.connect(address, timeout=within)
    except (TimeoutError, hci.HCI_Error, asyncio.CancelledError):
        return False
    try:
        return await asyncio.wait_for(session.read(3), within) is not None
    # Bumble cancels pending operations when a link ends.
    except (Exception, asyncio.CancelledError):
        return False
    finally:
        if not session.disconnected.done():
            await session.disconnect()


@pytest.mark.parametrize(
    "keys",
    [
        "kind: directed, duty: low, interval: 20 ms",
        "kind: extended, to: bonded, interval: 20 ms",
        "accept: bonded, interval: 20 ms",
    ],
    ids=["directed", "directed-extended", "accept-list"],
)
async def test_only_the_bonded_central_comes(virtual: Stage, tmp_path: Path, keys: str) -> None:
    profile = tmp_path / "safe.yaml"
    profile.write_text(PROFILE.format(set=keys))
    program = await virtual.run(profile, "--http", f"{LOOPBACK}:0")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    if "kind" in keys:
        refused = await client.post("/v1/advertising/bonded/start")
        assert refused.status == 409 and "bonded central" in refused.json["error"]
    phone, stranger = await virtual.central(), await virtual.central()
    await bond(phone, virtual)
    assert (await client.post("/v1/advertising/main/stop")).status == 202
    assert (await client.post("/v1/advertising/bonded/start")).status == 202
    await program.event("advertising-started", since=program.named("disconnected")[-1].index + 1)
    assert not await comes(stranger, virtual.address, within=2)
    assert await comes(phone, virtual.address)


async def test_the_central_that_left_is_called_for_a_moment(virtual: Stage, tmp_path: Path) -> None:
    profile = tmp_path / "safe.yaml"
    profile.write_text(PROFILE.format(set="kind: directed").replace("start: manual, ", ""))
    program = await virtual.run(profile)
    phone = await virtual.central()
    await bond(phone, virtual)
    left = program.named("disconnected")[-1].index
    while (await program.event("advertising-started", since=left))["set"] != "bonded":
        left += 1
    stopped = await program.event("advertising-stopped", since=left + 1)
    assert stopped["set"] == "bonded"
    assert await comes(phone, virtual.address)
