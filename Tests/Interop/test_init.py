"""First steps: `understudy init` and `new`, misspelled commands and names, and the output of `check` for other programs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.program import EX_DATAERR, EX_OK, EX_USAGE, SHIPPED_PROFILES, executable, run

ROOT = Path(__file__).resolve().parents[2]
EX_NOINPUT = 66
EX_CANTCREAT = 73
EX_IOERR = 74


async def test_the_folder_has_a_test_that_passes(tmp_path: Path) -> None:
    folder = tmp_path / "lock-tests"
    begun = await run("init", folder)
    assert begun.code == EX_OK, begun.errors
    client = ROOT / "Clients/python"
    assert f"pip install -r requirements.txt {client} && pytest" in begun.output
    assert f"pip install -r requirements.txt {client}" in (folder / "README.md").read_text()
    checked = await run("check", folder / "accessory.yaml")
    assert checked.code == EX_OK and "warning" not in checked.errors
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"],
        cwd=folder,
        env={"UNDERSTUDY": str(executable()), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert tests.returncode == 0, tests.stdout
    assert "3 passed" in tests.stdout and "warning" not in tests.stdout


async def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    begun = await run("init", tmp_path)
    assert begun.code == EX_CANTCREAT
    assert "README.md would be overwritten" in begun.errors
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


async def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    begun = await run("init", tmp_path / "absent" / "folder")
    assert begun.code == EX_IOERR
    assert "No such file" in begun.errors


async def test_init_for_programs(tmp_path: Path) -> None:
    begun = json.loads((await run("init", tmp_path / "new", "--json")).output)
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(begun["files"])


# understudy new


def new(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs `understudy new` in that folder."""
    return call(folder, "new", *arguments, **environment)


def call(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(executable()), *arguments]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=20
    )


@pytest.mark.parametrize("name", sorted(path.stem for path in SHIPPED_PROFILES.glob("*.yaml")))
def test_a_profile_of_ones_own(tmp_path: Path, name: str) -> None:
    begun = new(tmp_path, name)
    assert begun.returncode == EX_OK, begun.stderr
    assert f"understudy check {name}.yaml " in begun.stdout and f"understudy run {name}.yaml " in begun.stdout
    text = (tmp_path / f"{name}.yaml").read_text()
    shipped = (SHIPPED_PROFILES / f"{name}.yaml").read_text()
    if shipped.startswith("# yaml-language-server"):
        # The comment for editors names the schema that came with the program, because there is none beside the file.
        comment, text_of_profile = text.split("\n", 1)
        schema = Path(comment.removeprefix("# yaml-language-server: $schema="))
        assert schema.is_absolute() and json.loads(schema.read_text())["$id"] == "urn:understudy:profile:1"
        assert shipped.endswith(text_of_profile)
    else:
        assert text == shipped
    assert call(tmp_path, "check", f"{name}.yaml").returncode == EX_OK
    assert call(tmp_path, "profiles", name).stdout.strip() == text.strip()


def test_the_schema_is_named_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "accessories").mkdir()
    (tmp_path / "accessories/profile.schema.json").write_text("{}")
    begun = new(tmp_path, "battery", "accessories/mine.yaml", "--json")
    assert json.loads(begun.stdout) == {"profile": "battery", "file": "accessories/mine.yaml"}
    assert (tmp_path / "accessories/mine.yaml").read_text() == (SHIPPED_PROFILES / "battery.yaml").read_text()


def test_no_profile_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "battery.yaml").write_text("mine")
    begun = new(tmp_path, "battery")
    assert begun.returncode == EX_CANTCREAT and "battery.yaml exists, and is not overwritten" in begun.stderr
    assert (tmp_path / "battery.yaml").read_text() == "mine"
    assert new(tmp_path, "battery", "absent/mine.yaml").returncode == EX_IOERR
    assert new(tmp_path, "battery", "-").returncode == EX_USAGE
    assert r"understudy check 'my lock'\''s.yaml' " in new(tmp_path, "battery", "my lock's.yaml").stdout


def test_a_folder_of_profiles_instead_of_the_shipped_ones(tmp_path: Path) -> None:
    text = "# yaml-language-server: $schema=nowhere.json\nunderstudy: 1\nname: Gate\n"
    (tmp_path / "gate.yaml").write_text(text)
    begun = new(tmp_path, "gate", "mine.yaml", UNDERSTUDY_PROFILES=str(tmp_path))
    assert begun.returncode == EX_OK, begun.stderr
    assert (tmp_path / "mine.yaml").read_text() == "understudy: 1\nname: Gate\n"


DEPRECATED = """\
understudy: 1
name: Lamp   # a comment
services:
  - uuid: FFF0
    characteristics:
      - { id: state, uuid: FFF1, properties: [write], on-write: [ { when: any, do: log } ] }   # all writes
"""


def test_deprecated_spellings_are_reported_and_upgraded(tmp_path: Path) -> None:
    file = tmp_path / "lamp.yaml"
    file.write_text(DEPRECATED)
    warning = "lamp.yaml:6:75: warning: 'when: any' is deprecated"
    checked = call(tmp_path, "check", "lamp.yaml")
    assert checked.returncode == EX_OK and warning in checked.stdout + checked.stderr
    assert file.read_text() == DEPRECATED
    linted = call(tmp_path, "lint", "lamp.yaml")
    assert "'when: any' is deprecated" in linted.stdout + linted.stderr
    upgraded = call(tmp_path, "check", "--upgrade", "lamp.yaml")
    assert upgraded.returncode == EX_OK and "warning" not in upgraded.stdout + upgraded.stderr
    assert "lamp.yaml:6: replaced 'when: any' by 'otherwise' instead of 'do'" in upgraded.stderr
    assert file.read_text() == DEPRECATED.replace("when: any, do: log", "otherwise: log")
    again = call(tmp_path, "check", "--upgrade", "lamp.yaml")
    assert again.returncode == EX_OK and "replaced" not in again.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lamp.yaml"]
    assert call(tmp_path, "check", "--upgrade", "--set", "name=x", "lamp.yaml").returncode == EX_USAGE


def test_included_files_are_upgraded(tmp_path: Path) -> None:
    service = DEPRECATED.partition("services:\n")[2].replace("  - uuid", "uuid").replace("    c", "c")
    (tmp_path / "service.yaml").write_text(service)
    profile = "understudy: 1\nname: Lamp\nservices: [ { include: service.yaml } ]\n"
    (tmp_path / "lamp.yaml").write_text(profile)
    upgraded = call(tmp_path, "check", "--upgrade", "lamp.yaml")
    assert upgraded.returncode == EX_OK and "warning" not in upgraded.stdout + upgraded.stderr
    assert "service.yaml:3: replaced 'when: any' by 'otherwise' instead of 'do'" in upgraded.stderr
    assert (tmp_path / "service.yaml").read_text() == service.replace("when: any, do: log", "otherwise: log")
    assert (tmp_path / "lamp.yaml").read_text() == profile


@pytest.mark.parametrize("command", ["new", "profiles", "run", "check", "describe"])
async def test_name_of_a_profile_with_a_slip(command: str) -> None:
    completed = await run(command, "thermostatt")
    assert completed.code == EX_NOINPUT
    assert "did you mean 'thermostat'?" in completed.errors
    assert "`understudy profiles` lists" in (await run(command, "qqqqqq")).errors


# Commands that do not exist


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("runn heart-rate", "did you mean 'run'?"),
        ("nonsense --help", "known: run, new, init"),
        ("help chekc", "did you mean 'check'?"),
        ("bonds lst --help", "did you mean 'list'?"),
        ("bonds lst", "no command 'bonds lst'"),
        ("bench laddre", "did you mean 'ladder'?"),
        ("heart-rate", "did you mean `understudy run heart-rate`?"),
    ],
)
async def test_unknown_command(line: str, hint: str) -> None:
    completed = await run(*line.split())
    assert (completed.code, completed.output) == (EX_USAGE, "")
    assert "there is no command '" in completed.errors and hint in completed.errors


@pytest.mark.parametrize("line", ["", "--help", "help run", "bonds --help", "bonds list --help", "capture show --help", "help bench ladder"])
async def test_known_command(line: str) -> None:
    completed = await run(*line.split())
    assert (completed.code, completed.errors) == (EX_OK, "")
    assert "USAGE: understudy" in completed.output


# The output of `check` for other programs


@pytest.fixture
def mistaken(tmp_path: Path) -> Path:
    profile = tmp_path / "bad.yaml"
    profile.write_text("understudy: 1\nname: x\nservces: []\n")
    return profile


async def test_report_of_code_quality(mistaken: Path) -> None:
    checked = await run("check", "--format", "gitlab", mistaken, "heart-rate")
    assert checked.code == EX_DATAERR
    entries = [entry for entry in json.loads(checked.output) if entry["severity"] == "major"]
    (entry,) = [entry for entry in entries if "servces" in entry["description"]]
    assert entry["location"] == {"path": str(mistaken), "lines": {"begin": 3}}
    assert re.fullmatch("[0-9a-f]+", entry["fingerprint"])
    # An entry keeps its fingerprint when it moves, so that it does not count as a new one.
    mistaken.write_text("understudy: 1\n\nname: x\nservces: []\n")
    moved = json.loads((await run("check", "--format", "gitlab", mistaken)).output)
    assert entry["fingerprint"] in {other["fingerprint"] for other in moved}
    assert (await run("check", "--format", "gitlab", "--json", mistaken)).code == EX_USAGE


def test_hook_of_pre_commit() -> None:
    """The hook calls `understudy check` correctly; pre-commit itself is not run here."""
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert "entry: understudy check\n" in hook and "language: system\n" in hook
