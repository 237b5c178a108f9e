"""An accessory that is off the air until something wakes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Stage
from support.controllers import LOOPBACK
from support.web import Client

PROFILE = """
understudy: 1
name: Sleeper
sleep: { start: asleep }
services: [ { uuid: FFF0, characteristics: [ { uuid: FFF1, properties: [read], value: hex:01 } ] } ]
"""


async def test_sleep_and_wake(virtual: Stage, tmp_path: Path) -> None:
    profile = tmp_path / "sleeper.yaml"
    profile.write_text(PROFILE)
    program = await virtual.run(profile, "--http", f"{LOOPBACK}:0")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    central = await virtual.central()
    with pytest.raises(TimeoutError):
        await central.find(virtual.address, timeout=0.5)
    assert (await client.get("/v1/accessory")).json["asleep"] is True
    assert (await client.post("/v1/wake")).status == 202
    await program.event("awake")
    await central.connect(virtual.address)
    assert (await client.post("/v1/sleep")).status == 202
    await program.event("asleep")
    await program.event("disconnected")
    with pytest.raises(TimeoutError):
        await central.find(virtual.address, timeout=0.5)
