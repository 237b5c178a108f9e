"""Invalid profiles, and the commands that inspect profiles."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conftest import EVERYTHING
from support.program import EX_DATAERR, EX_OK, EX_USAGE, PROFILES, SHIPPED_PROFILES, run

BROKEN = PROFILES / "broken.yaml"


def diagnostics(errors: str) -> dict[int, str]:
    """Returns the messages by line; each is FILE:LINE:COLUMN: error: message."""
    pattern = re.compile(rf"^{re.escape(str(BROKEN))}:(\d+):(\d+): error: (.+)$", re.MULTILINE)
    return {int(line): message for line, _, message in pattern.findall(errors)}


@pytest.mark.parametrize("command", [("run",), ("check",), ("describe",)], ids=lambda command: command[0])
async def test_every_mistake_is_reported_with_its_place(command: tuple[str, ...]) -> None:
    completed = await run(*command, BROKEN)
    assert completed.code == EX_DATAERR
    found = diagnostics(completed.errors)
    lines = BROKEN.read_text().splitlines()
    for mistake in ("charakteristics", "not-a-uuid", "fly", "id: same", "value: hex:0"):
        # The last line that contains it: the second of two equal ids is the mistake.
        line = max(number for number, text in enumerate(lines, 1) if mistake in text and not text.endswith("hex:00"))
        assert line in found, f"{mistake!r} in line {line} is not among {found}"
    assert '"ready"' not in completed.output


async def test_misspelt_key_names_the_known_ones() -> None:
    completed = await run("check", BROKEN)
    (message,) = [text for text in diagnostics(completed.errors).values() if "charakteristics" in text]
    assert "characteristics" in message.replace("charakteristics", "")


async def test_what_is_counted(tmp_path: Path) -> None:
    profile = tmp_path / "profile.yaml"
    profile.write_text("understudy: 1\nname: Gate\nservices: [{ include: battery }]\n")
    checked = await run("check", profile)
    assert checked.output == f"{profile}: Gate is valid: 1 service, 1 characteristic, 1 advertising set\n"


async def test_file_that_is_no_yaml(tmp_path: Path) -> None:
    (tmp_path / "profile.yaml").write_text("understudy: 1\nname: [\n")
    completed = await run("check", tmp_path / "profile.yaml")
    assert completed.code == EX_DATAERR
    assert re.search(rf"{re.escape(str(tmp_path))}/profile\.yaml:\d+:\d+: error: ", completed.errors)


async def test_profile_that_does_not_exist(tmp_path: Path) -> None:
    completed = await run("run", tmp_path / "absent.yaml")
    assert completed.code not in (EX_OK, EX_USAGE)
    assert "absent.yaml" in completed.errors


@pytest.mark.parametrize(
    "profile", [EVERYTHING, PROFILES / "extended.yaml", *sorted(SHIPPED_PROFILES.glob("*.yaml"))], ids=lambda p: p.stem
)
async def test_valid_profiles(profile: Path) -> None:
    completed = await run("check", profile)
    assert completed.code == EX_OK, completed.errors


async def test_describe_is_deterministic() -> None:
    first, second = await run("describe", EVERYTHING, "--json"), await run("describe", EVERYTHING, "--json")
    assert first.code == EX_OK
    assert first.output == second.output
    handles = [
        handle
        for service in json.loads(first.output)["services"]
        for handle in (service["handle"], *(entry["value_handle"] for entry in service["characteristics"]))
    ]
    assert handles == sorted(set(handles))


@pytest.mark.parametrize("arguments", [(), ("sing",), ("run",), ("run", EVERYTHING, "--colour", "red")])
async def test_usage(arguments: tuple[str | Path, ...]) -> None:
    completed = await run(*arguments)
    # Without a command the program shows its help, which is not an error.
    assert completed.code == (EX_USAGE if arguments else EX_OK)
