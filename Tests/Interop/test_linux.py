"""Linux and BlueZ as the peer: an unmodified kernel in a virtual machine, whose adapters are on the virtual radio with the accessory.

`hci0` has LE and BR/EDR, with a public address; `hci1` has LE alone, with extended advertising and a static random address.
"""

from __future__ import annotations

import asyncio
import json
import re
import struct
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from understudy import Air

from conftest import Launch
from support.controllers import LOOPBACK
from support.linux_bluez import ADAPTER, BATTERY, Adapter, BlueZ, BlueZError, Device, User
from support.linux_guest import Guest, missing
from support.program import PATIENCE, PROFILES, Program, executable
from support.web import Client

reason = missing()
pytestmark = [
    pytest.mark.timeout(120),
    # All tests share one machine, so one worker runs them.
    pytest.mark.xdist_group("linux"),
    pytest.mark.skipif(reason is not None, reason=str(reason)),
]


def full(number: int) -> str:
    """Returns an assigned UUID as BlueZ writes it."""
    return f"{number:08x}-0000-1000-8000-00805f9b34fb"


# Whether the kernel may open enhanced credit-based channels; by default not.
ENHANCED_CHANNELS = "/sys/module/bluetooth/parameters/enable_ecred"


@dataclass
class Linux:
    """The virtual machine on its radio."""

    guest: Guest
    air: Air

    def place(self, adapter: str) -> str:
        """Returns where an accessory gets a controller of the kind that the adapter has."""
        return f"tcp-client:{self.air.joining[2 if adapter == 'hci0' else 3].removeprefix('tcp-client:')}"


@contextmanager
def machine(folder: Path) -> Iterator[Linux]:
    """Runs a machine and its radio, with their files in that folder."""
    sockets = [folder / "hci0", folder / "hci1"]
    joining = [f"unix:{sockets[0]}=dual", f"unix:{sockets[1]}=full", "tcp=dual", "tcp=full"]
    with Air.start(join=joining, executable=executable(), capture=str(folder / "linux.pcapng")) as air:
        guest = Guest.start(folder, sockets)
        try:
            yield Linux(guest, air)
        finally:
            guest.stop()


@pytest.fixture(scope="module")
def linux(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Linux]:
    with machine(tmp_path_factory.mktemp("linux")) as linux:
        yield linux


@dataclass
class Stage:
    """BlueZ, one adapter of it, and accessories on the same air."""

    linux: Linux
    bluez: BlueZ
    adapter: Adapter
    launch: Launch

    @property
    def guest(self) -> Guest:
        return self.linux.guest

    async def run(self, profile: str | Path, *options: str | Path) -> Program:
        name = self.adapter.path.rsplit("/", 1)[1]
        self.program = await self.launch(
            "run", profile, "--controller", self.linux.place(name), "--json", "--http", f"{LOOPBACK}:0", *options
        )
        self.ready = await self.program.ready()
        self.client = Client(LOOPBACK, (await self.program.event("http"))["port"])
        return self.program

    @property
    def address(self) -> str:
        return str(self.ready["address"])

    async def find(self, transport: str = "le") -> Device:
        return await self.adapter.find(self.address, transport)

    async def disconnect(self, device: Device, connection: int = 1) -> None:
        """Disconnects from the accessory's side, because BlueZ takes two seconds."""
        answer = await self.client.post(f"/v1/connections/{connection}/disconnect")
        assert answer.status == 202, answer.body
        await self.ended(device)

    async def ended(self, device: Device) -> None:
        """Waits until the kernel has ended its sockets, too: BlueZ cannot connect before it has heard of that."""
        await device.is_("Connected", False)
        await self.guest.shell(f"while hcitool con | grep -q {device.get('Address')}; do usleep 10000; done")

    async def set(self, characteristic: str, value: Any) -> None:
        answer = await self.client.put(f"/v1/characteristics/{characteristic}/value", value)
        assert answer.status == 200, answer.body

    async def answer(self, user: User, kind: str) -> None:
        """Answers the accessory's question as a user who looks at both devices."""
        question = await self.program.event("question")
        assert question["kind"] == kind
        body: dict[str, Any] = {"accept": True}
        if kind == "comparison":
            (number,) = await user.heard("RequestConfirmation")
            assert number == int(question["digits"])
        elif kind == "passkey":
            body = {"value": (await user.heard("DisplayPasskey"))[0]}
        else:
            user.passkey.set_result(int(question["digits"]))
            return
        answer = await self.client.post(f"/v1/questions/{question['ticket']}/answer", body)
        assert answer.status == 200, answer.body


async def staged(linux: Linux, name: str, launch: Launch) -> AsyncIterator[Stage]:
    bluez = await BlueZ.open(linux.guest.bus)
    adapter = Adapter(bluez, f"/org/bluez/{name}")
    await bluez.until(lambda: adapter.path in bluez.objects)
    # Undoes what a test may have left.
    await linux.guest.shell(f"echo N >{ENHANCED_CHANNELS}; btmgmt --index {name} privacy off <>/tmp/never")
    await adapter.power(True)
    stage = Stage(linux, bluez, adapter, launch)
    yield stage
    # pytest shows this if the test has failed.
    print(await linux.guest.shell("dmesg | tail -n 20; tail -n 200 /tmp/bluetoothd; : >/tmp/bluetoothd"))
    # Without power the links end at once; BlueZ's own way takes two seconds.
    await adapter.power(False)
    await adapter.power(True)
    await adapter.forget_all()
    await adapter.power(False)
    bluez.close()


@pytest.fixture
async def stage(linux: Linux, launch: Launch) -> AsyncIterator[Stage]:
    """The adapter with both transports."""
    async for stage in staged(linux, "hci0", launch):
        yield stage


@pytest.fixture(params=["hci0", "hci1"])
async def either(request: pytest.FixtureRequest, linux: Linux, launch: Launch) -> AsyncIterator[Stage]:
    """Each of the adapters."""
    async for stage in staged(linux, request.param, launch):
        yield stage


HEART_RATE, BATTERY_LEVEL, MEASUREMENT, LOCATION, CONTROL_POINT = (
    full(n) for n in (0x180D, 0x2A19, 0x2A37, 0x2A38, 0x2A39)
)


async def test_a_heart_rate_belt(either: Stage) -> None:
    """Discovery, connection, services, reads, writes, notifications, and the same after another connection."""
    program = await either.run("heart-rate")
    belt = await either.find()
    await belt.is_("Name", "Heart Rate Belt")
    assert belt.get("UUIDs") == [HEART_RATE]
    assert belt.get("Appearance") == 833
    for number in range(2):
        await belt.connect()
        # Generic Access has no object.
        assert belt.services() == [full(n) for n in (0x1801, 0x180D, 0x180F, 0x180A)]
        assert await belt.characteristic(LOCATION).read() == b"\x01"
        await either.bluez.until(lambda: either.bluez.get(belt.path, BATTERY, "Percentage") == 100)
        values = await belt.characteristic(MEASUREMENT).subscribe()
        await either.set("measurement", {"value": {"bpm": 61}})
        async with asyncio.timeout(PATIENCE):
            while (await values.get())[1] != 61:
                pass
        await belt.characteristic(CONTROL_POINT).write(b"\x01")
        await program.event("write", where=lambda event: event["hex"] == "01")
        await belt.call("Disconnect")
        await either.ended(belt)
        assert (await program.count("disconnected", number + 1))[-1]["code"] == 0x13
    assert program.named("fault") == []


async def test_long_values(stage: Stage) -> None:
    """Values that take several requests, commands, and indications."""
    program = await stage.run(PROFILES / "everything.yaml")
    device = await stage.find()
    await device.connect()
    assert len(await device.characteristic(full(0xFFF1)).read()) == 512
    storage = device.characteristic(full(0xFFF2))
    data = bytes(number % 251 for number in range(512))
    await storage.write(data)
    assert await storage.read() == data
    await storage.write(b"\x01\x02", "command")
    await program.event("write", where=lambda event: event["hex"] == "0102")
    with pytest.raises(BlueZError) as refusal:
        await device.characteristic(full(0xFFF3)).read()
    assert refusal.value.name == "NotPermitted"
    indications = await device.characteristic(full(0xFFF5)).subscribe()
    for _ in range(3):
        assert await asyncio.wait_for(indications.get(), PATIENCE) == b"\xbe\x11"
    ticks = await device.characteristic(full(0xFFF4)).subscribe()
    numbers = [int.from_bytes(await asyncio.wait_for(ticks.get(), PATIENCE), "little") for _ in range(20)]
    assert numbers == list(range(numbers[0], numbers[0] + 20))
    assert program.named("fault") == []


PLAIN, ENCRYPTED, AUTHENTICATED, SECURE = (full(n) for n in (0xFFF1, 0xFFF2, 0xFFF3, 0xFFF4))

# The accessory's capability, that of BlueZ's agent, the kind of question to the accessory's user, and what follows.
MODELS: dict[str, tuple[str, str, str | None, str]] = {
    "just-works": ("just-works", "NoInputNoOutput", None, "encrypted"),
    "compares": ("compare", "DisplayYesNo", "comparison", "secure-connections"),
    "types-there": ("display", "KeyboardOnly", "display", "secure-connections"),
    "types-here": ("keyboard", "KeyboardDisplay", "passkey", "secure-connections"),
}


async def paired(stage: Stage, device: Device, agent: str, question: str | None) -> None:
    """Pairs from the side of BlueZ."""
    user = await stage.bluez.register(agent)
    answering = asyncio.create_task(stage.answer(user, question)) if question else None
    await device.pair()
    if answering:
        await answering
    await device.is_("Bonded")


# Legacy pairing has no comparison.
PAIRINGS = [(model, "offered") for model in MODELS] + [(model, "none") for model in MODELS if model != "compares"]


@pytest.mark.parametrize(("model", "secure"), PAIRINGS)
async def test_pairs(stage: Stage, model: str, secure: str) -> None:
    """Each association model, with and without Secure Connections; what may be read then; the bond in the next connection."""
    own, agent, question, protection = MODELS[model]
    if secure == "none":
        protection = protection.replace("secure-connections", "authenticated")
    program = await stage.run(
        PROFILES / "pairing.yaml", "--set", f"security.pairing={own}", "--set", f"security.secure-connections={secure}"
    )
    device = await stage.find()
    await paired(stage, device, agent, question)
    assert (await program.event("paired"))["bonded"] is True
    await program.event("security", where=lambda event: event["protection"] == protection)
    await device.is_("ServicesResolved")
    for number in range(2):
        assert await device.characteristic(ENCRYPTED).read() == b"\x02"
        if question:
            assert await device.characteristic(AUTHENTICATED).read() == b"\x03"
        if number == 0:
            await stage.disconnect(device)
            await device.connect()
    assert len(program.named("paired")) == 1
    assert program.named("fault") == []


async def test_an_access_starts_pairing(stage: Stage) -> None:
    """The kernel pairs when a read is refused, and the read succeeds then."""
    program = await stage.run(PROFILES / "pairing.yaml", "--set", "security.pairing=just-works")
    await stage.bluez.register("NoInputNoOutput")
    device = await stage.find()
    await device.connect()
    assert await device.characteristic(PLAIN).read() == b"\x01"
    assert program.named("paired") == []
    assert await device.characteristic(ENCRYPTED).read() == b"\x02"
    await program.event("paired")


async def test_a_security_request_starts_pairing(stage: Stage) -> None:
    program = await stage.run(
        PROFILES / "pairing.yaml", "--set", "security.pairing=just-works", "--set", "security.request=on-connection"
    )
    await stage.bluez.register("NoInputNoOutput")
    device = await stage.find()
    await device.connect()
    await program.event("paired")
    await stage.disconnect(device)
    await device.connect()
    await program.event("security", where=lambda event: event["protection"] == "encrypted")
    assert len(program.named("paired")) == 1


async def test_a_killed_accessory_keeps_its_bond(stage: Stage, tmp_path: Path) -> None:
    """After kill -9 in a connection, BlueZ notices the loss, and connects to the next process with the same keys."""
    options = ("--set", "security.pairing=just-works", "--state", tmp_path / "state")
    program = await stage.run(PROFILES / "pairing.yaml", *options)
    device = await stage.find()
    await paired(stage, device, "NoInputNoOutput", None)
    await device.is_("ServicesResolved")
    notified = await device.characteristic(ENCRYPTED).subscribe()
    await program.event("subscribed", where=lambda event: event["characteristic"] == "encrypted")
    await program.kill()
    await device.is_("Connected", False)
    program = await stage.run(PROFILES / "pairing.yaml", *options)
    assert (await program.event("restored"))["bonds"] == 1
    await device.connect()
    # BlueZ has kept the subscription for its client, and the accessory the one of the bond.
    await program.event("security", where=lambda event: event["protection"] == "encrypted")
    await stage.client.post("/v1/characteristics/encrypted/notify", {"hex": "AA"})
    assert await asyncio.wait_for(notified.get(), PATIENCE) == b"\xaa"
    assert program.named("paired") == []


async def test_bluez_has_lost_the_bond(stage: Stage) -> None:
    """It pairs again, and the new keys replace the old ones."""
    program = await stage.run(PROFILES / "pairing.yaml", "--set", "security.pairing=just-works")
    device = await stage.find()
    await paired(stage, device, "NoInputNoOutput", None)
    await device.remove()
    device = await stage.find()
    await paired(stage, device, "NoInputNoOutput", None)
    assert len(await program.count("paired", 2)) == 2
    assert len((await stage.client.get("/v1/bonds")).json["bonds"]) == 1


DUAL = PROFILES / "dual-mode.yaml"


async def test_inquiry(stage: Stage) -> None:
    """Inquiry finds the class, the name, and the services; the records say the same without security."""
    await stage.run(DUAL)
    device = await stage.find("bredr")
    assert device.get("Name") == "Dual"
    assert device.get("Class") == 0x240418
    assert device.get("UUIDs") == [full(0x180D), full(0xFFF0)]
    # For sdptool, the specification in the record of the device's identification is a group to browse, so it complains.
    records = await stage.guest.shell(f"sdptool browse {stage.address}")
    assert re.findall(r"\(0x([0-9a-f]{4})\)\nProtocol", records) == ["1800", "1801", "180d", "fff0"]
    assert records.count("PSM: 31") == 4
    assert "3 received, 0% loss" in await stage.guest.shell(f"l2ping -c 3 -d 0 {stage.address}")


# Over BR/EDR, Linux has no capability of keyboard and display.
CLASSIC_MODELS = {**MODELS, "types-there": ("display", "KeyboardOnly", "display", "secure-connections")}


@pytest.mark.parametrize("model", CLASSIC_MODELS)
async def test_pairs_over_br_edr(stage: Stage, model: str) -> None:
    """Each association model of Secure Simple Pairing; the Attribute Protocol then; the bond in the next connection.

    BlueZ reads service records over BR/EDR, and has no client of GATT there, so gatttool is one.
    """
    own, agent, question, protection = CLASSIC_MODELS[model]
    program = await stage.run(DUAL, "--set", f"security.pairing={own}")
    device = await stage.find("bredr")
    await paired(stage, device, agent, question)
    event = await program.event("paired", bonded=True)
    assert event["authenticated"] is (question is not None)
    await program.event("security", where=lambda event: event["protection"] == protection)
    await device.is_("ServicesResolved")
    assert device.get("UUIDs") == [full(n) for n in (0x1000, 0x1200, 0x1800, 0x1801, 0x180D, 0xFFF0)]
    assert device.get("Modalias") == "bluetooth:v004Cp1234d0123"
    await stage.disconnect(device, event["connection"])
    gatttool = f"gatttool --device={stage.address} --psm=31 --sec-level=medium"
    # A read that needs more than the bond has would start another pairing.
    uuid, value = ("fff2", "02") if question else ("fff1", "01")
    output = await stage.guest.shell(f"{gatttool} --primary; {gatttool} --char-read --uuid={uuid}")
    assert re.findall(r"uuid: 0000(....)-", output) == ["1800", "1801", "180d", "fff0"]
    assert re.findall(r"value: (\S+)", output) == [value]
    assert len(program.named("paired")) == 2
    assert program.named("fault") == []


async def test_keys_of_br_edr_serve_le(stage: Stage) -> None:
    """Both sides derive the key of LE from the new link key, and LE is encrypted with it."""
    program = await stage.run(DUAL)
    device = await stage.find("bredr")
    await paired(stage, device, "DisplayYesNo", "comparison")
    *_, event = await program.count("paired", 2)
    (bond,) = (await stage.client.get("/v1/bonds")).json["bonds"]
    assert bond["keys"] == ["key_as_central", "key_as_peripheral", "link_key"]
    await stage.disconnect(device, event["connection"])
    gatttool = f"gatttool --device={stage.address} --addr-type=public --sec-level=high"
    assert "value: 02" in await stage.guest.shell(f"{gatttool} --char-read --uuid=fff2")
    assert [event["transport"] for event in program.named("connected")] == ["br-edr", "le"]
    assert len(program.named("paired")) == 2
    assert program.named("fault") == []


async def test_keys_of_le_serve_br_edr(stage: Stage) -> None:
    """Both sides derive the link key from a pairing over LE. BlueZ itself would pair over BR/EDR, so btmgmt asks for LE."""
    program = await stage.run(DUAL)
    device = await stage.find("le")
    user = await stage.bluez.register("DisplayYesNo")
    answering = asyncio.create_task(stage.answer(user, "comparison"))
    bondable = "btmgmt --index 0 bondable on <>/tmp/never"
    output = await stage.guest.shell(f"{bondable}; btmgmt --index 0 pair -c 1 -t 1 {stage.address} <>/tmp/never")
    await answering
    assert f"Paired with {stage.address} (LE Public)" in output
    # An authenticated key of P-256.
    assert f"new_link_key {stage.address} type 0x08" in output
    await device.is_("Bonded")
    (bond,) = (await stage.client.get("/v1/bonds")).json["bonds"]
    assert bond["keys"] == ["key_as_central", "key_as_peripheral", "link_key"]
    gatttool = f"gatttool --device={stage.address} --psm=31 --sec-level=high"
    assert "value: 02" in await stage.guest.shell(f"{gatttool} --char-read --uuid=fff2")
    assert [event["transport"] for event in program.named("connected")] == ["le", "br-edr"]
    assert len(program.named("paired")) == 1
    assert program.named("fault") == []


async def test_our_central_over_br_edr(stage: Stage) -> None:
    """Our central finds the machine, reads its service records, pairs, derives the keys of LE, and reads a value on its channel."""
    path = stage.adapter.path
    for name in ("Discoverable", "Pairable"):
        await stage.bluez.set(path, ADAPTER, name, "b", True)
    user = await stage.bluez.register("DisplayYesNo")
    central = await stage.launch(
        "central", "--br-edr", "--json", "--controller", stage.linux.place("hci0"), takes_input=True
    )

    async def order(verb: str, event: str, **fields: Any) -> Any:
        since = len(central.events)
        central.write(json.dumps({"do": verb, **fields}).encode() + b"\n")
        return await central.event(event, since=since)

    address, name = (stage.bluez.get(path, ADAPTER, key) for key in ("Address", "Name"))
    found = await order("inquire", "found")
    assert (found["address"], found["name"]) == (address, name)
    await order("page", "connected", peer=address)
    records = (await order("records", "service-records"))["records"]
    assert {"classes": ["generic-access"], "name": "Generic Access Profile", "psm": 31} in records
    central.write(b'{"do": "security", "pairing": "compare"}\n')
    question = await order("pair", "pairing-question")
    (number,) = await user.heard("RequestConfirmation")
    assert number == int(question["digits"])
    assert (await order("answer", "paired", accept=True))["authenticated"] is True
    await central.count("paired", 2)
    value = await order("read", "remote-ended", attribute="device-name")
    while value.get("hex") is None:
        value = await central.event("remote-ended", since=value.index + 1)
    assert bytes.fromhex(value["hex"]).decode() == name


async def test_channels(stage: Stage) -> None:
    """The kernel opens a credit-based channel, and gets back SDUs of several frames."""
    program = await stage.run(PROFILES / "channels.yaml")
    await stage.find()
    l2test = f"l2test -y -V le_random -P 128 -b 600 -N 20 {stage.address}"
    async with stage.guest.running(f"{l2test} >/dev/null") as output, asyncio.timeout(PATIENCE):
        for _ in range(20):
            while b"Received 600 bytes" not in await output.readline():
                pass
    await program.event("channel-opened", psm=128)
    await stage.guest.shell("kill $(pidof l2test)")
    await program.event("channel-closed", psm=128)
    assert program.named("fault") == []


async def test_enhanced_bearers(stage: Stage) -> None:
    """BlueZ opens an enhanced bearer, if the kernel may have enhanced credit-based channels, and uses it beside the other one."""
    program = await stage.run(PROFILES / "bearers.yaml")
    await stage.guest.shell(f"echo Y >{ENHANCED_CHANNELS}")
    device = await stage.find()
    await paired(stage, device, "NoInputNoOutput", None)
    await program.event("channel-opened", psm=0x27)
    await program.event("client-features", features=7)
    await device.is_("ServicesResolved")
    for number, uuid in enumerate((0xFFF1, 0xFFF2, 0xFFF3), 1):
        assert await device.characteristic(full(uuid)).read() == bytes([number])
    ticks = await device.characteristic(full(0xFFF4)).subscribe()
    numbers = [int.from_bytes(await asyncio.wait_for(ticks.get(), PATIENCE), "little") for _ in range(20)]
    assert numbers == list(range(numbers[0], numbers[0] + 20))
    assert program.named("fault") == []


async def test_a_keyboard(stage: Stage) -> None:
    """BlueZ makes an input device of the keyboard, and the kernel gets the keys."""
    program = await stage.run("hid-keyboard", "--set", "text=abc")
    device = await stage.find()
    await paired(stage, device, "NoInputNoOutput", None)
    devices = "/proc/bus/input/devices"
    script = f"""
        until grep -q '"HID Keyboard"' {devices}; do usleep 10000; done
        exec 3</dev/input/$(grep -A 4 '"HID Keyboard"' {devices} | grep -o 'event[0-9]*')
        echo open
        # Three for each key that is pressed or released: its code, the key, and the end.
        dd bs=24 count=18 <&3 2>/dev/null | xxd -p -c 24
    """
    async with stage.guest.running(script) as output, asyncio.timeout(PATIENCE):
        assert await output.readline() == b"open\n"
        assert (await stage.client.post("/v1/buttons/type")).status == 202
        lines = [bytes.fromhex((await output.readline()).decode()) for _ in range(18)]
    events = [struct.unpack("<16x2Hi", line) for line in lines]
    # KEY_A, KEY_B, KEY_C of Linux's input-event-codes.h.
    assert [(code, value) for kind, code, value in events if kind == 1] == [
        (key, value) for key in (30, 48, 46) for value in (1, 0)
    ]
    assert program.named("fault") == []


LAST = "a0000020-7c4d-4b0e-9e4b-1f6e2a1b9c00"


async def test_services_change(stage: Stage) -> None:
    """BlueZ takes Service Changed: it discovers the service that was added, and forgets it when it is removed."""
    program = await stage.run(PROFILES / "changing.yaml")
    device = await stage.find()
    await device.connect()
    # Before, BlueZ would not learn of changes. It has no objects for its subscription.
    await program.event("subscribed", where=lambda event: event["characteristic"] == "service-changed")
    entry = {"id": "entry", "uuid": "FFE1", "properties": ["read"], "value": "hex:07"}
    added = await stage.client.post("/v1/services", {"id": "log", "uuid": "FFE0", "characteristics": [entry]})
    assert added.status == 201
    await stage.bluez.until(lambda: device.characteristics(full(0xFFE1)))
    assert await device.characteristic(full(0xFFE1)).read() == b"\x07"
    # Without the one that was added, the hash would be that of the beginning, and BlueZ would believe that nothing has changed.
    assert (await stage.client.delete("/v1/services/last")).status == 200
    await stage.bluez.until(lambda: LAST not in device.services())
    assert await device.characteristic(full(0xFFF1)).read() == b"\x01"
    assert program.named("fault") == []


async def test_other_services_after_a_restart(stage: Stage, tmp_path: Path) -> None:
    """BlueZ keeps what it knows of a bonded device, and notices by the database's hash that its services are others."""
    options = ("--set", "security.pairing=just-works", "--state", tmp_path / "state")
    profile = tmp_path / "pairing.yaml"
    profile.write_text((PROFILES / "pairing.yaml").read_text())
    program = await stage.run(profile, *options)
    device = await stage.find()
    await paired(stage, device, "NoInputNoOutput", None)
    await device.is_("ServicesResolved")
    await program.event("subscribed", where=lambda event: event["characteristic"] == "service-changed")
    await program.kill()
    await device.is_("Connected", False)
    # Only the service: BlueZ takes characteristics for the same as long as services and handles are.
    profile.write_text(profile.read_text().replace("uuid: FFF0", "uuid: FFE0"))
    program = await stage.run(profile, *options)
    await device.connect()
    await stage.bluez.until(lambda: full(0xFFE0) in device.services())
    assert full(0xFFF0) not in device.services()
    assert await device.characteristic(ENCRYPTED).read() == b"\x02"
    assert program.named("paired") == []


async def test_an_accessory_with_private_addresses(stage: Stage, tmp_path: Path) -> None:
    """After a restart it has another address, and BlueZ recognizes it by its key."""
    options = (
        "--set",
        "security.pairing=just-works",
        "--set",
        "identity.address=private",
        "--state",
        tmp_path / "state",
    )
    program = await stage.run(PROFILES / "pairing.yaml", *options)
    device = await stage.adapter.find_service(full(0xFFF0))
    private = device.get("Address")
    assert private != stage.address
    await paired(stage, device, "NoInputNoOutput", None)
    await device.is_("Address", stage.address)
    await program.kill()
    await device.is_("Connected", False)
    program = await stage.run(PROFILES / "pairing.yaml", *options)
    await device.connect()
    assert await device.characteristic(ENCRYPTED).read() == b"\x02"
    assert program.named("paired") == []


async def test_linux_with_private_addresses(stage: Stage) -> None:
    """The accessory recognizes Linux by its key after its address has changed."""
    await stage.adapter.power(False)
    assert "privacy" in await stage.guest.shell("btmgmt --index 0 privacy on <>/tmp/never")
    await stage.adapter.power(True)
    program = await stage.run(PROFILES / "pairing.yaml", "--set", "security.pairing=just-works")
    device = await stage.find()
    await paired(stage, device, "NoInputNoOutput", None)
    await stage.adapter.power(False)
    await stage.adapter.power(True)
    await device.connect()
    assert await device.characteristic(ENCRYPTED).read() == b"\x02"
    first, second = program.named("connected")
    assert first["peer_type"] == second["peer_type"] == "random"
    assert first["peer"] != second["peer"]
    assert len(program.named("paired")) == 1


async def test_a_lossy_radio(stage: Stage) -> None:
    """A connection works when a tenth of all packets is lost.

    It is made before, because Linux 6.1 may stop with an error in `hci_chan_del` when the accessory does not hear that it was connected to.
    """
    program = await stage.run(PROFILES / "everything.yaml")
    device = await stage.find()
    await device.connect()
    await stage.linux.air.aio.impair(loss=0.1)
    try:
        assert len(await device.characteristic(full(0xFFF1)).read()) == 512
        ticks = await device.characteristic(full(0xFFF4)).subscribe()
        numbers = [int.from_bytes(await asyncio.wait_for(ticks.get(), PATIENCE), "little") for _ in range(20)]
        assert numbers == list(range(numbers[0], numbers[0] + 20))
        assert program.named("fault") == []
    finally:
        await stage.linux.air.aio.clear()


async def test_the_accessory_has_lost_the_bond(launch: Launch, tmp_path: Path) -> None:
    """The accessory has no key, says so, and Linux ends the link.

    This is on a machine of its own, because Linux 6.1.192 frees a channel twice then, which ends bluetoothd.
    """
    with machine(tmp_path) as linux:
        async for stage in staged(linux, "hci0", launch):
            program = await stage.run(PROFILES / "pairing.yaml", "--set", "security.pairing=just-works")
            device = await stage.find()
            await paired(stage, device, "NoInputNoOutput", None)
            await stage.disconnect(device)
            (bond,) = (await stage.client.get("/v1/bonds")).json["bonds"]
            assert (await stage.client.delete(f"/v1/bonds/{bond['id']}")).status == 200
            connecting = asyncio.create_task(device.call("Connect"))
            # PIN or Key Missing, Authentication Failure.
            await program.event("encryption-failed", code=0x06)
            await program.event("disconnected", code=0x05)
            connecting.cancel()
            break
