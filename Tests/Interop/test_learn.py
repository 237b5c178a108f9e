"""Profiles that are learnt from Bumble's peripherals, and from captures: what comes out looks the same to Bumble's central."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from bumble import hci
from bumble.core import AdvertisingData
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, Service
from bumble.host import Host
from bumble.transport.tcp_client import open_tcp_client_transport

from conftest import Launch
from support.program import command

PERIPHERAL = hci.Address("F0:00:00:00:00:0B", hci.Address.RANDOM_DEVICE_ADDRESS)
VALUE = "A0000301-7C4D-4B0E-9E4B-1F6E2A1B9C00"
CONTROL = "A0000302-7C4D-4B0E-9E4B-1F6E2A1B9C00"
SERVICE = "A0000300-7C4D-4B0E-9E4B-1F6E2A1B9C00"


async def foreign_peripheral(place: str) -> tuple[Device, Characteristic, object]:
    """Bumble's peripheral with a battery, and a service of its own that notifies a counter."""
    transport = await open_tcp_client_transport(place.removeprefix("tcp-client:"))
    device = Device(name="Foreign Scale", address=PERIPHERAL, host=Host(transport.source, transport.sink))
    await asyncio.wait_for(device.power_on(), 30)
    level = Characteristic("2A19", Characteristic.Properties.READ, Characteristic.READABLE, bytes([77]))
    counter = Characteristic(
        VALUE, Characteristic.Properties.READ | Characteristic.Properties.NOTIFY, Characteristic.READABLE, bytes([0]),
        [Descriptor("2901", Descriptor.READABLE, b"Counter")],
    )  # fmt: skip

    def refuse(_: object, value: bytes) -> None:
        if value != b"\x01":
            from bumble.att import ATT_Error

            raise ATT_Error(0x80)

    control = Characteristic(
        CONTROL, Characteristic.Properties.WRITE, Characteristic.WRITEABLE, CharacteristicValue(write=refuse)
    )
    locked = Characteristic(
        "2A3D", Characteristic.Properties.READ, Characteristic.READ_REQUIRES_ENCRYPTION, b"hidden"
    )
    device.add_services([Service("180F", [level]), Service(SERVICE, [counter, control, locked])])
    device.advertising_data = bytes(
        AdvertisingData(
            [(AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.COMPLETE_LOCAL_NAME, b"Foreign Scale")]
        )
    )
    await device.start_advertising(auto_restart=True, own_address_type=hci.OwnAddressType.RANDOM)
    return device, counter, transport


async def attributes(place: str, address: str) -> list[tuple[str, list[tuple[str, int, bytes | None]]]]:
    """Returns what Bumble's central sees of a server, without Generic Access and Generic Attribute."""
    transport = await open_tcp_client_transport(place.removeprefix("tcp-client:"))
    device = Device("Reader", address=hci.Address("F0:00:00:00:00:0C"), host=Host(transport.source, transport.sink))
    await asyncio.wait_for(device.power_on(), 30)
    connection = await asyncio.wait_for(device.connect(hci.Address(address)), 30)
    peer = Peer(connection)
    await peer.discover_services()
    found = []
    for service in peer.services:
        if str(service.uuid) in ("UUID-16:1800 (Generic Access)", "UUID-16:1801 (Generic Attribute)"):
            continue
        if service.uuid.to_hex_str() in ("1800", "1801"):
            continue
        await service.discover_characteristics()
        members = []
        for characteristic in service.characteristics:
            await peer.discover_descriptors(characteristic=characteristic)
            value: bytes | None = None
            if characteristic.properties & Characteristic.Properties.READ:
                try:
                    value = await peer.read_value(characteristic)
                except Exception as error:
                    value = str(getattr(error, "error_code", "")).encode()
            members.append(
                (characteristic.uuid.to_hex_str(), int(characteristic.properties), value)
            )
        found.append((service.uuid.to_hex_str(), members))
    await connection.disconnect()
    await transport.close()
    return found


@pytest.mark.timeout(180)
async def test_a_peripheral_of_bumble(launch: Launch, tmp_path: Path) -> None:
    radio = await launch("radio", "--json")
    places = (await radio.ready())["joining"]
    device, counter, transport = await foreign_peripheral(places[1])

    async def count() -> None:
        number = 0
        while True:
            await asyncio.sleep(0.5)
            number = (number + 1) % 256
            counter.value = bytes([number])
            await device.notify_subscribers(counter)

    counting = asyncio.create_task(count())
    profile = tmp_path / "scale.yaml"
    writes = tmp_path / "writes"
    writes.write_text(f"# What may be tried.\n{CONTROL} hex:01\n{CONTROL} hex:02\n")
    code, _, errors = await command(
        "learn", "Foreign Scale", "--controller", places[0], "--for", "8s", "--listen", "2s", "--output", profile,
        "--write", writes,
    )  # fmt: skip
    assert code == 0, errors
    counting.cancel()
    await transport.close()
    text = profile.read_text()
    assert "counter: { from:" in text and "every: 500 ms" in text
    assert "{ when: hex:02, error: 0x80 }" in text
    assert "read: encrypted" in text
    assert (await command("check", profile))[0] == 0
    assert profile.with_suffix(".pcapng").exists()
    # An existing file is not replaced.
    assert (await command("learn", "Foreign Scale", "--controller", places[0], "--output", profile))[0] == 73

    copy = await launch("run", profile, "--json")
    ready = await copy.ready()
    seen = await attributes(ready["joining"][0], ready["address"])
    assert [service for service, _ in seen] == ["180F", SERVICE.replace("-", "")]
    assert seen[0][1] == [("2A19", 2, bytes([77]))]
    assert [(uuid, properties) for uuid, properties, _ in seen[1][1]] == [
        (VALUE.replace("-", ""), 0x12), (CONTROL.replace("-", ""), 0x08), ("2A3D", 0x02),
    ]  # fmt: skip


async def test_captures(launch: Launch, tmp_path: Path) -> None:
    """A capture of the accessory's own run is enough, and so is a phone's; a scenario does what the central did."""
    capture = tmp_path / "run.pcapng"
    program = await launch("run", "heart-rate", "--json", "--capture", capture)
    ready = await program.ready()
    assert await attributes(ready["joining"][0], ready["address"])
    await program.stop()
    profile, scenario = tmp_path / "belt.yaml", tmp_path / "belt.scenario.yaml"
    code, _, errors = await command("learn", "--capture", capture, "--output", profile, "--scenario", scenario)
    assert code == 0, errors
    assert "chest" in profile.read_text()
    assert (await command("check", profile))[0] == 0
    assert (await command("test", scenario, "--keep", tmp_path / "kept"))[0] == 0
    # The central did not read Generic Access, so the profile fixes the handles, which are the original ones.
    copy = await launch("run", profile, "--json")
    ready = await copy.ready()
    assert len(await attributes(ready["joining"][0], ready["address"])) == 3
    await copy.stop()

    # A capture that is cut short anywhere gives an error that says what is missing, or a valid profile, but never an incomplete file.
    octets = capture.read_bytes()
    for length in range(0, len(octets), max(1, len(octets) // 12)):
        part, out = tmp_path / f"part-{length}.pcapng", tmp_path / f"part-{length}.yaml"
        part.write_bytes(octets[:length])
        code, _, errors = await command("learn", "--capture", part, "--output", out)
        assert code in (0, 65, 66), (length, code, errors)
        if code == 0:
            assert (await command("check", out))[0] == 0
    assert (await command("learn", "--capture", tmp_path / "none.pcapng"))[0] == 66


async def test_the_scenario_runs_on_the_device_and_on_the_profile(launch: Launch, tmp_path: Path) -> None:
    """One file, once with the accessory of the scenario in virtual time, and once with a device in real time."""
    scenario = tmp_path / "belt.yaml"
    scenario.write_text(
        """
understudy-scenario: 1
name: Belt
accessory: heart-rate
cases:
  - name: reads and subscribes
    steps:
      - connect
      - discover
      - { read: battery-level, gives: 100 }
      - { subscribe: measurement }
      - { notified: measurement, values: [any, any] }
      - { write: control-point, value: 2, fails: 0x80 }
      - disconnect
  - { name: sets, steps: [ { set: { battery-level: 5 } }, { value: battery-level, is: 5 } ] }
  - { name: is wrong, steps: [ connect, { read: location, gives: finger } ] }
"""
    )
    program = await launch("run", "heart-rate", "--json")
    place = (await program.ready())["joining"][0]
    code, output, _ = await command("test", scenario, "--controller", place, "--keep", tmp_path / "kept")
    assert code == 1
    assert "ok 1 - Belt: reads and subscribes" in output
    assert "ok 2 - Belt: sets # SKIP" in output
    assert "not ok 3 - Belt: is wrong" in output
    assert "# 1 passed, 1 failed, 1 skipped" in output
    # The central asked for more services on the device; what differs is what the case says.
    kept = tmp_path / "kept"
    assert {path.name for path in kept.iterdir()} == {
        f"belt-is-wrong.{suffix}" for suffix in ("txt", "device.pcapng", "pcapng", "diff.txt")
    }
    assert (await command("capture", kept / "belt-is-wrong.device.pcapng"))[0] == 0
    assert (await command("test", scenario, "--keep", tmp_path / "kept"))[1].count("\nok ") == 2


async def test_the_central_as_a_script(launch: Launch) -> None:
    program = await launch("run", "heart-rate", "--json")
    place = (await program.ready())["joining"][0]
    code, output, _ = await command(
        "central", "--controller", place, "--do", "connect Heart Rate Belt", "--do", "discover", "--do",
        "read battery-level", "--do", "disconnect",
    )  # fmt: skip
    assert code == 0 and "battery-level is 100" in output
    code, output, _ = await command(
        "central", "--controller", place, "--json", "--do", "connect Heart Rate Belt", "--do", "read 2A19"
    )
    assert code == 0
    assert [json.loads(line) for line in output.splitlines() if '"remote-ended"' in line][-1]["hex"] == "64"
    code, _, errors = await command("central", "--controller", place, "--do", "read battery-level")
    assert code == 1 and "there is no link" in errors
    assert (await command("central", "--controller", "tcp-client:127.0.0.1:1", "--do", "scan"))[0] == 69


async def test_a_profile_is_compared_with_a_device(launch: Launch, tmp_path: Path) -> None:
    program = await launch("run", "kitchen-scale", "--json")
    place = (await program.ready())["joining"][0]
    code, output, errors = await command(
        "compare", "kitchen-scale", "--with", place, "--with", "virtual:nimble", "--for", "5s"
    )
    assert (code, output) == (0, f"{place}: nothing differs\nvirtual:nimble: nothing differs\n"), errors
    other = tmp_path / "scale.yaml"
    other.write_text("understudy: 1\nname: Kitchen Scale\nservices: [ { include: battery } ]\n")
    code, output, _ = await command("compare", other, "--with", place, "--for", "5s", "--json")
    assert code == 1
    whats = [json.loads(line)["what"] for line in output.splitlines()]
    assert any(what.startswith("service at") for what in whats)
    assert (await command("compare", other, "--with", "tcp-client:127.0.0.1:1"))[0] == 69
    assert (await command("compare", other, "--with", "virtual:nothing"))[0] == 64
