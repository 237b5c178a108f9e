"""Machine-readable output of commands: their JSON, field by field, and the last line of each."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from conftest import EVERYTHING, Stage
from support.program import EX_DATAERR, EX_NOINPUT, EX_OK, executable, run

DIAGNOSTIC = {"file": str, "line": int, "column": int, "severity": str, "message": str}


def has_shape(value: dict[str, object], shape: dict[str, type]) -> bool:
    return value.keys() == shape.keys() and all(type(value[name]) is kind for name, kind in shape.items())


async def test_check_json(tmp_path: Path) -> None:
    wrong, warned = tmp_path / "wrong.yaml", tmp_path / "warned.yaml"
    wrong.write_text("understudy: 1\nname: x\nabouts: y\nservices: 5\n")
    warned.write_text(
        "understudy: 1\nname: x\nservices: [{uuid: FFF0, characteristics: "
        '[{uuid: FFF1, properties: [read], value: "hex:2a"}]}]\n'
    )
    completed = await run("check", "--json", "battery", wrong, warned)
    assert completed.code == EX_DATAERR and not completed.errors
    valid, invalid, doubtful = json.loads(completed.output)
    assert has_shape(
        valid,
        {
            "file": str,
            "valid": bool,
            "name": str,
            "services": int,
            "characteristics": int,
            "advertising_sets": int,
            "diagnostics": list,
        },
    )
    assert (valid["valid"], valid["name"], valid["diagnostics"]) == (True, "Battery", [])
    assert has_shape(invalid, {"file": str, "valid": bool, "diagnostics": list, "omitted": int})
    assert (invalid["file"], invalid["valid"], invalid["omitted"]) == (str(wrong), False, 0)
    assert all(has_shape(entry, DIAGNOSTIC) for entry in invalid["diagnostics"])
    places = [(entry["line"], entry["column"], entry["severity"]) for entry in invalid["diagnostics"]]
    assert places == [(3, 1, "error"), (4, 11, "error")]
    assert doubtful["valid"] and [entry["severity"] for entry in doubtful["diagnostics"]] == ["warning"]
    assert (await run("check", "--json", "battery")).code == EX_OK


async def test_profiles_json() -> None:
    completed = await run("profiles", "--json")
    assert completed.code == EX_OK
    profiles = json.loads(completed.output)
    assert all(has_shape(entry, {"name": str, "path": str, "group": str, "about": str}) for entry in profiles)
    names = [entry["name"] for entry in profiles]
    assert names == sorted(names) and {"heart-rate", "battery", "throughput"} <= set(names)
    checked = await run("check", "--json", *names)
    assert [entry["valid"] for entry in json.loads(checked.output)] == [True] * len(names)


async def test_scenarios_json() -> None:
    completed = await run("scenarios", "--json")
    assert completed.code == EX_OK
    scenarios = json.loads(completed.output)
    shape = {"name": str, "path": str, "title": str, "about": str, "accessory": str, "cases": int}
    assert all(has_shape(entry, shape) and entry["cases"] > 0 for entry in scenarios)
    assert {"baseline", "faults", "ota"} <= {entry["name"] for entry in scenarios}


async def test_shipped_scenarios_run_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file or folder of that name takes precedence."""
    monkeypatch.chdir(tmp_path)
    completed = await run("test", "ota", "--list")
    assert completed.code == EX_OK and completed.output.splitlines()[0] == "OTA interruption: goes through"
    unknown = await run("test", "otaa", "--list")
    assert unknown.code == EX_NOINPUT and "did you mean 'ota'?" in unknown.errors
    (tmp_path / "ota").write_text("no scenario")
    assert (await run("test", "ota", "--list")).code == EX_DATAERR


async def test_describe_json() -> None:
    """It contains formats, values, periods and rules as in a profile."""
    completed = await run("describe", "heart-rate", "--json")
    services = json.loads(completed.output)["services"]
    found = {entry["id"]: entry.get("behavior") for service in services for entry in service["characteristics"]}
    assert found["measurement"]["notify"] == {"every": "1 s"}
    assert found["measurement"]["value"]["bpm"]["wave"] == "sine"
    assert found["battery-level"]["format"] == {"number": "u8", "unit": "%"}
    assert found["battery-level"]["notify"] == "on-change"
    assert found["control-point"]["on-write"][0] == {"when": {"hex": "01"}, "do": [{"reset": "measurement.energy"}]}
    # The host's own characteristics have no behaviour from a profile.
    assert found["device-name"] is None


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", EVERYTHING),
        ("check", EVERYTHING, "--json"),
        ("describe", EVERYTHING),
        ("profiles",),
        ("profiles", "battery"),
        ("scenarios",),
        ("scenarios", "ota"),
        ("schema",),
        ("schema", "--events"),
        ("schema", "--events", "--markdown"),
        ("doctor", "--controller", "virtual"),
        ("doctor", "--controller", "unix:/nonexistent/socket"),
    ],
    ids=lambda arguments: " ".join(map(str, arguments[:3])),
)
async def test_last_line_ends(arguments: tuple[str | Path, ...]) -> None:
    process = await asyncio.create_subprocess_exec(
        executable(), *map(str, arguments), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    output, errors = await asyncio.wait_for(process.communicate(), 60)
    assert output or errors
    for text in filter(None, (output, errors)):
        assert text.endswith(b"\n") and not text.endswith(b"\n\n")


async def test_events_carry_octets_and_values(virtual: Stage) -> None:
    program = await virtual.run("battery")
    session = await virtual.connect(mtu=100)
    handle = await session.handle_of("2A19")
    await session.read(handle)
    read = await program.event("read", characteristic="battery-level")
    assert read["value"] == int(read["hex"], 16)
    await session.subscribe(handle)
    await session.disconnect()
    ended = await program.event("unsubscribed", characteristic="battery-level")
    assert (ended["notify"], ended["indicate"]) == (False, False)
    await program.event("disconnected")
    assert [event.kind for event in program.events if event.kind.endswith(("subscribed", "disconnected"))] == [
        "subscribed",
        "unsubscribed",
        "disconnected",
    ]
