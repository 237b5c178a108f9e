"""State that survives the program: kill -9 at any instant, a second run, and bonds that are added and removed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

from bumble.pairing import PairingConfig

from conftest import Launch, Stage
from support.central import Central
from support.controllers import LOOPBACK
from support.program import EX_CANTCREAT, Program, command, executable
from support.web import Client

PROFILE = """
understudy: 1
name: Lock
services:
  - id: lock
    uuid: FFF0
    characteristics:
      - { id: code, uuid: FFF1, format: u16, properties: [read, write], value: 1234, persistent: true }
"""
# The number of kills while the program saves: UNDERSTUDY_KILLS=1000 takes a minute on a quiet machine.
KILLS = int(os.environ.get("UNDERSTUDY_KILLS", "200"))
# The number of kills while a central pairs.
AIR_KILLS = int(os.environ.get("UNDERSTUDY_AIR_KILLS", "24"))
PAIRING_PROFILE = """
understudy: 1
name: Safe
identity: { address: static }
advertising: [ { id: main, data: { flags: [general], services: [FFF0] }, interval: 20 ms } ]
security: { pairing: just-works }
services:
  - uuid: FFF0
    characteristics: [ { uuid: FFF1, properties: [read], permissions: { read: encrypted }, value: hex:01 } ]
"""


def key(seed: int) -> str:
    return random.Random(seed).randbytes(16).hex()


def keystore(count: int, seed: int) -> str:
    """Returns that many bonds as Bumble's key store; all keys are drawn from the seed."""
    peers = {
        f"C4:00:00:00:00:{number:02X}": {
            "address_type": 1,
            "ltk": {"value": key(seed), "authenticated": True},
            "irk": {"value": key(seed), "authenticated": True},
        }
        for number in range(count)
    }
    return json.dumps({"F0:00:00:00:00:01": peers})


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "lock.yaml"
    path.write_text(PROFILE)
    return path


async def start(launch: Launch, profile: Path, state: Path) -> tuple[Program, Client]:
    program = await launch("run", profile, "--state", state, "--json", "--http", f"{LOOPBACK}:0")
    await program.ready()
    return program, Client(LOOPBACK, (await program.event("http"))["port"])


async def test_everything_is_there_after_kill_9(launch: Launch, profile: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    program, client = await start(launch, profile, state)
    store = {"format": "bumble", "text": keystore(3, seed=1)}
    answer = await client.post("/v1/bonds", store)
    assert answer.status == 201 and len(answer.json["bonds"]) == 3
    # A bond is on disk before its answer; the others follow soon.
    await program.kill()
    program, client = await start(launch, profile, state)
    assert (await program.event("restored"))["bonds"] == 3
    names = [event.kind for event in program.events if event.kind != "http"]
    assert names[:2] == ["restored", "controller"]
    address = (await program.event("ready"))["address"]
    await client.put("/v1/characteristics/code/value", {"value": 4321})
    await client.post("/v1/advertising/main/stop")
    service: dict[str, Any] = {"id": "log", "uuid": "FFD0", "characteristics": []}
    assert (await client.post("/v1/services", service)).status == 201
    runtime = next(state.glob("*")) / "runtime.json"
    while not runtime.exists() or "FFD0" not in runtime.read_text() or "e110" not in runtime.read_text():
        await asyncio.sleep(0.01)
    await program.kill()
    program = await launch("run", profile, "--state", state, "--json", "--http", f"{LOOPBACK}:0")
    restored = await program.event("restored")
    assert restored["bonds"] == 3 and restored["values"] == ["code"] and restored["services"] == ["log"]
    assert (await program.event("controller"))["address"] == address
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    assert (await client.get("/v1/characteristics/code/value")).json["value"] == 4321


async def test_second_run_and_commands_are_refused(launch: Launch, profile: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    program, client = await start(launch, profile, state)
    for arguments in (["run", profile], ["bonds", "list", profile], ["identity", "rotate", profile]):
        code, _, errors = await command(*arguments, "--state", state)
        assert code == EX_CANTCREAT and f"process {program.pid}" in errors and "/v1/bonds" in errors
    # A different seed gives a different accessory.
    code, _, _ = await command("run", profile, "--state", state, "--seed", "7", "--for", "100ms")
    assert code == 0
    assert (await client.get("/v1/bonds")).json["bonds"] == []


async def test_bonds_over_http(launch: Launch, profile: Path, tmp_path: Path) -> None:
    _, client = await start(launch, profile, tmp_path / "state")
    await client.post("/v1/bonds", {"format": "bumble", "text": keystore(1, seed=1)})
    (bond,) = (await client.get("/v1/bonds")).json["bonds"]
    path = f"/v1/bonds/{bond['id']}"
    assert key(1) not in (await client.get(path)).body.decode()
    exported = (await client.get(f"{path}/export?format=bumble")).json
    ((_, peers),) = exported.items()
    assert peers["C4:00:00:00:00:00"]["ltk"]["value"] == key(1)
    whole = (await client.get("/v1/bonds/export")).json
    answer = await client.post(f"{path}/alter", {"with": "short-key", "key_size": 8})
    assert answer.status == 200 and answer.json["key_size"] == 8
    assert key(1)[:16] + "00" * 8 in (await client.get(f"{path}/export?format=bluez")).body.decode().lower()
    assert (await client.post(f"{path}/alter", {"with": "nothing"})).status == 400
    assert (await client.post("/v1/bonds", whole)).status == 201
    assert (await client.get("/v1/bonds/export")).json == whole
    assert (await client.delete(path)).status == 200
    assert (await client.delete(path)).status == 404


async def test_commands(profile: Path, tmp_path: Path) -> None:
    place = ["--state", tmp_path / "state"]
    keys = tmp_path / "keys.json"
    keys.write_text(keystore(2, seed=1))
    assert (await command("bonds", "list", profile, *place))[1] == "There are no bonds.\n"
    assert not (tmp_path / "state").exists()
    assert (await command("bonds", "import", profile, keys, *place))[0] == 0
    code, listed, _ = await command("bonds", "list", profile, "--json", *place)
    assert code == 0 and len(json.loads(listed)) == 2 and key(1) not in listed
    assert key(1) in (await command("bonds", "list", profile, "--json", "--keys", *place))[1]
    for form in ("json", "bumble", "bluez"):
        exported = (await command("bonds", "export", profile, "--format", form, *place))[1]
        (tmp_path / form).write_text(exported)
        assert (await command("bonds", "remove", profile, "--all", *place))[0] == 0
        assert (await command("bonds", "import", profile, tmp_path / form, *place))[0] == 0
        assert (await command("bonds", "export", profile, "--format", "bumble", *place))[1].count(key(1)) == 4
    reversed_key = bytes.fromhex(key(1))[::-1].hex()
    assert f"0x{reversed_key}" in (await command("bonds", "export", profile, "--format", "wireshark", *place))[1]
    peer = "C4:00:00:00:00:00"
    altered = await command("bonds", "alter", profile, peer, "wrong-ltk", "--json", *place)
    assert altered[0] == 0 and json.loads(altered[1])[0]["id"] == f"{peer}-random"
    before = json.loads((await command("identity", "show", profile, "--json", *place))[1])
    after = json.loads((await command("identity", "rotate", profile, "--json", *place))[1])
    assert after["address"] != before["address"] and len(after["aside"]) == 2 and after["bonds"] == 0


def check(file: Path) -> dict[str, Any]:
    """Returns the content of a file of the store, and checks its checksum."""
    text = file.read_bytes()
    first, second, rest = text.split(b"\n", 2)
    assert first == b"{" and json.loads(b"{" + second.rstrip(b",") + b"}")["check"] == f"{zlib.crc32(rest):08x}", file
    return json.loads(text)


@pytest.mark.timeout(600)
async def test_killed_while_a_central_pairs(virtual: Stage, tmp_path: Path) -> None:
    """The bond exists once the accessory has reported it, whenever it is killed, and the next pairing works."""
    state = tmp_path / "state"
    profile = tmp_path / "safe.yaml"
    profile.write_text(PAIRING_PROFILE)
    draw = random.Random(2)
    told = 0
    duration = 0.0

    async def central(number: int) -> Central:
        return await Central.open(await virtual.path.host(), f"F0:00:00:00:{number >> 8:02X}:{number & 0xFF:02X}")

    for number in range(AIR_KILLS + 1):
        program = await virtual.run(profile, "--state", state)
        before = set(state.glob("*/bonds/*.json"))
        assert (await program.event("restored"))["bonds"] == len(before)
        for file in before:
            bond = check(file)
            assert bond["key_as_peripheral"]["key"] and bond["gatt"]
        peer = await central(number)
        peer.device.pairing_config_factory = lambda _: PairingConfig(mitm=False)
        session = await peer.connect(virtual.address)
        began = time.monotonic()
        pairing = asyncio.create_task(session.connection.pair())
        if number == 0:
            # A run without a kill shows how long it takes.
            await pairing
            await program.event("paired")
            duration = time.monotonic() - began
        else:
            await asyncio.sleep(draw.uniform(0, 1.3) * duration)
        was_told = bool(program.named("paired"))
        await program.kill()
        pairing.cancel()
        with contextlib.suppress(Exception, asyncio.CancelledError):
            await pairing
        # A new bond may have replaced the oldest one: an accessory keeps 16.
        added = len(set(state.glob("*/bonds/*.json")) - before)
        assert added == 1 if was_told else added in (0, 1)
        assert not list(state.glob("**/*.damaged-*"))
        told += was_told
    # Some kills must come before the bond and some after it, or the test means nothing.
    assert AIR_KILLS < 10 or 1 < told <= AIR_KILLS


@pytest.mark.timeout(300)
async def test_killed_while_it_saves_bonds(profile: Path, tmp_path: Path) -> None:
    """After every kill each file is the old one or the new one, and the program accepts all of them."""
    for seed in (1, 2):
        (tmp_path / f"keys-{seed}.json").write_text(keystore(30, seed))
    draw = random.Random(1)
    cut = 0

    async def worker(state: Path, kills: int) -> None:
        nonlocal cut
        # The duration determines the range of times for kills.
        began = time.monotonic()
        assert (await command("bonds", "import", profile, tmp_path / "keys-2.json", "--state", state))[0] == 0
        duration = time.monotonic() - began
        for number in range(kills):
            process = await asyncio.create_subprocess_exec(
                str(executable()), "bonds", "import", str(profile), str(tmp_path / f"keys-{number % 2 + 1}.json"),
                "--state", str(state), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            try:
                await asyncio.wait_for(process.wait(), draw.uniform(0.1, 1.1) * duration)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                cut += await process.wait() != 0
            assert process.stderr and not await process.stderr.read()
            for file in state.glob("*/bonds/*.json"):
                bond = check(file)
                assert bond["irk"] == bond["key_as_central"]["key"] == bond["key_as_peripheral"]["key"]
            for file in state.glob("*/identity.json"):
                check(file)
            assert not list(state.glob("**/*.damaged-*"))

    await asyncio.gather(*(worker(tmp_path / f"state-{number}", KILLS // 4) for number in range(4)))
    for number in range(4):
        code, listed, errors = await command("bonds", "list", profile, "--json", "--state", tmp_path / f"state-{number}")
        assert code == 0 and errors == "" and json.loads(listed)
    # Most must be killed before their end, or the test means nothing.
    assert cut > KILLS // 3
