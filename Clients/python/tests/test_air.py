"""The virtual radio, without accessories and with one."""

from __future__ import annotations

from pathlib import Path

import pytest
from bumble_client import Adapter

from understudy import Accessory, Air, NotFound, Program, Refused, aio


@pytest.mark.air(join=["tcp", "tcp"], seed=3)
def test_radio_alone(air: Air) -> None:
    assert len(air.ports) == len(air.joining) == 2
    assert air.joining == [f"tcp-client:127.0.0.1:{port}" for port in air.ports]
    state = air.state()
    assert (state.joining, state.controllers, state.time.speed) == (tuple(air.joining), (), "real")
    with Air.attach(str(air.program.endpoint)) as other:
        assert other.joining == air.joining
    with pytest.raises(NotFound, match="there are 0 accessories"):
        air.program.accessory()


async def test_hosts_join_and_leave(aio_air: aio.Air) -> None:
    async with Adapter(aio_air.joining[0]):
        joined = await aio_air.expect("joined")
        (controller,) = (await aio_air.state()).controllers
        assert (controller.name, controller.host, controller.preset) == (joined["controller"], True, "full")
    await aio_air.expect("left", controller=controller.name)


@pytest.mark.accessory("battery", impair=[{"loss": 0.1}, {"controller": "tcp-1", "latency_ms": 5}])
def test_impairments(accessory: Accessory, air: Air) -> None:
    assert air.joining == accessory.air.joining
    assert air.state().default.loss == 0.1
    assert air.impair(loss="LL...", rssi=-80).rssi == -80
    path = air.impair(ber=1e-5, reachable=False, from_="accessory", to="tcp-1")
    assert (path.ber, path.reachable, path.from_, path.to) == (1e-5, False, "accessory", "tcp-1")
    assert air.state().paths == (path,)
    air.clear(from_="accessory", to="tcp-1")
    air.clear()
    assert (air.state().paths, air.state().default.loss) == ((), 0)
    assert air.impair_controller("tcp-1", latency_ms=3, buffers=2).buffers == 2
    air.clear_controller("tcp-1")
    with pytest.raises(Refused, match="loss"):
        air.impair(loss=7)
    with pytest.raises(TypeError):
        air.impair(from_="accessory")


@pytest.mark.accessory("battery")
def test_restart(accessory: Accessory) -> None:
    """The accessory recovers from a restart of its controller."""
    accessory.air.restart("accessory", "hardware-error", code=0x42)
    accessory.expect("advertising-ready")
    with pytest.raises(NotFound):
        accessory.air.restart("tcp-9")


@pytest.mark.accessory("battery")
def test_time_jumps(accessory: Accessory, air: Air) -> None:
    """The battery of the shipped profile loses one percent every ten seconds."""
    before = accessory["battery-level"].value
    assert air.advance("5 min") >= 300
    assert accessory["battery-level"].value <= before - 30
    assert air.advance(0.5) < 400
    with pytest.raises(Refused, match="for must be"):
        air.advance("soon")


def test_program_without_a_radio(tmp_path: Path) -> None:
    """A host on another program's radio, over a socket."""
    with Air.start(join=f"unix:{tmp_path / 'hci'}") as air:
        with Program.start("battery", controller=f"unix:{tmp_path / 'hci'}") as program:
            assert program.accessory()["battery-level"].value == 100
            assert program.air.joining == []
            air.expect("joined")
            with Program.attach(str(program.endpoint)) as attached:
                assert attached.air.joining == []
                with pytest.raises(NotFound, match="no virtual radio"):
                    attached.air.advance(1)
