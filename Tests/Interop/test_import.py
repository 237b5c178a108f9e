"""`understudy import` and `export`: files, exit codes, and Bumble with an exported configuration."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from bumble.controller import Controller
from bumble.core import UUID
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink

from support.program import EX_CANTCREAT, EX_DATAERR, EX_IOERR, EX_NOINPUT, EX_OK, EX_USAGE, PATIENCE, executable, run

EXAMPLES = Path(__file__).resolve().parents[1] / "ImportingTests" / "Examples"


@pytest.mark.parametrize("example", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
async def test_an_imported_profile_is_valid(example: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.yaml"
    imported = await run("import", example, "--output", profile)
    assert imported.code == EX_OK, imported.errors
    assert str(profile) in imported.output
    checked = await run("check", profile)
    assert checked.code == EX_OK, checked.errors
    assert [path.name for path in tmp_path.iterdir()] == ["profile.yaml"]


async def test_standard_input_and_output(tmp_path: Path) -> None:
    text = (EXAMPLES / "btstack.gatt").read_text()
    printed = subprocess.run(
        [executable(), "import", "-", "--name", "Other Name"], input=text, capture_output=True, text=True, timeout=PATIENCE
    )
    assert printed.returncode == EX_OK, printed.stderr
    profile = tmp_path / "profile.yaml"
    profile.write_text(printed.stdout)
    assert "name: Other Name" in printed.stdout
    assert (await run("check", profile)).code == EX_OK


async def test_files_that_a_file_imports_are_beside_it(tmp_path: Path) -> None:
    (tmp_path / "main.gatt").write_text('PRIMARY_SERVICE, FFF0\n#import "part.gatt"\n')
    (tmp_path / "part.gatt").write_text("PRIMARY_SERVICE, FFE0\nCHARACTERISTIC, FFE1, READ, 01\n")
    imported = await run("import", tmp_path / "main.gatt")
    assert imported.code == EX_OK and "uuid: FFE1" in imported.output


async def test_an_existing_file_is_only_overwritten_by_force(tmp_path: Path) -> None:
    profile = tmp_path / "profile.yaml"
    profile.write_text("mine")
    refused = await run("import", EXAMPLES / "bumble.json", "--output", profile)
    assert refused.code == EX_CANTCREAT and "is not overwritten" in refused.errors
    assert profile.read_text() == "mine"
    assert (await run("export", "battery", "--to", "bumble", "--output", profile)).code == EX_CANTCREAT
    assert profile.read_text() == "mine"
    forced = await run("import", EXAMPLES / "bumble.json", "--output", profile, "--force")
    assert forced.code == EX_OK and profile.read_text().startswith("# Imported from")
    assert [path.name for path in tmp_path.iterdir()] == ["profile.yaml"]


async def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    imported = await run("import", EXAMPLES / "bumble.json", "--output", tmp_path / "absent" / "profile.yaml")
    assert imported.code == EX_IOERR and "No such file" in imported.errors


async def test_a_damaged_file_writes_nothing(tmp_path: Path) -> None:
    text = (EXAMPLES / "nrf-connect.xml").read_text()
    damaged = tmp_path / "damaged.xml"
    damaged.write_text(text[: len(text) // 2])
    imported = await run("import", damaged, "--output", tmp_path / "profile.yaml")
    assert imported.code == EX_DATAERR
    assert f"{damaged}:" in imported.errors and "error: " in imported.errors
    assert [path.name for path in tmp_path.iterdir()] == ["damaged.xml"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\x00\x01", "it is binary"),
        (b"hello", "the format is not recognized"),
        (b'<!DOCTYPE g [<!ENTITY a "aa">]><gatt>&a;</gatt>', "document type declarations are refused"),
        (b"<gatt>" + b" " * (16 * 1024 * 1024), "more than 16 MB"),
    ],
    ids=["empty", "binary", "unknown", "entities", "large"],
)
async def test_content_that_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    imported = await run("import", file)
    assert imported.code == EX_DATAERR
    assert f"{file}:1:1: error: " in imported.errors and message in imported.errors
    assert imported.output == ""


async def test_wrong_usage() -> None:
    assert (await run("import", "no-such-file")).code == EX_NOINPUT
    assert (await run("import", EXAMPLES / "bumble.json", "--from", "gsd")).code == EX_USAGE
    assert (await run("export", "battery", "--to", "gsd")).code == EX_USAGE
    assert (await run("export", "no-such-profile", "--to", "bumble")).code == EX_NOINPUT


# Bumble


def database(services: list[dict[str, Any]]) -> list[tuple[str, list[tuple[str, set[str]]]]]:
    """Returns the services that `describe` lists, without those that every device has, as UUIDs and properties."""
    return [
        (
            service["uuid"],
            [(each["uuid"], set(each["properties"]) - EXTENDED) for each in service["characteristics"]],
        )
        for service in services
        if service["uuid"] not in ("1800", "1801")
    ]


# The extended properties are in a descriptor.
EXTENDED = {"reliable-write", "writable-auxiliaries"}
NAMES = {
    "BROADCAST": "broadcast",
    "READ": "read",
    "WRITE_WITHOUT_RESPONSE": "write-without-response",
    "WRITE": "write",
    "NOTIFY": "notify",
    "INDICATE": "indicate",
    "AUTHENTICATED_SIGNED_WRITES": "signed-write",
    "EXTENDED_PROPERTIES": "extended",
}


def digits(uuid: UUID) -> str:
    return uuid.to_hex_str("-").upper()


async def device(link: LocalLink, configuration: DeviceConfiguration) -> Device:
    controller = Controller(configuration.name, link=link)
    opened = Device(config=configuration, host=Host(controller, AsyncPipeSink(controller)))
    await asyncio.wait_for(opened.power_on(), PATIENCE)
    return opened


@pytest.mark.parametrize("profile", ["heart-rate", "smart-lock", "hid-keyboard", "environmental-sensing", "toy-drone"])
async def test_bumble_serves_what_was_exported(profile: str, tmp_path: Path) -> None:
    file = tmp_path / "device.json"
    exported = await run("export", profile, "--to", "bumble", "--output", file)
    assert exported.code == EX_OK, exported.errors
    configuration = DeviceConfiguration.from_file(str(file))
    configuration.address = Address("F0:00:00:00:00:02")
    link = LocalLink()
    peripheral = await device(link, configuration)
    await peripheral.start_advertising(auto_restart=False)
    central = await device(link, DeviceConfiguration(name="central", address=Address("F0:00:00:00:00:01")))
    connection = await asyncio.wait_for(central.connect(configuration.address), PATIENCE)
    peer = Peer(connection)
    seen = []
    for service in await peer.discover_services():
        if digits(service.uuid) in ("1800", "1801"):
            continue
        characteristics = await peer.discover_characteristics(service=service)
        seen.append(
            (
                digits(service.uuid),
                [
                    (digits(each.uuid), {NAMES[flag.name] for flag in type(each.properties) if flag & each.properties})
                    for each in characteristics
                ],
            )
        )
    described = json.loads((await run("describe", profile, "--json")).output)
    assert seen == database(described["services"])
    await connection.disconnect()
