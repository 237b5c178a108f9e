"""`understudy init`, and what `check` prints for other programs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.program import EX_DATAERR, EX_OK, EX_USAGE, executable, run

ROOT = Path(__file__).resolve().parents[2]
EX_CANTCREAT = 73
EX_IOERR = 74


async def test_the_folder_has_a_test_that_passes(tmp_path: Path) -> None:
    folder = tmp_path / "lock-tests"
    begun = await run("init", folder)
    assert begun.code == EX_OK, begun.errors
    assert "pytest" in begun.output
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
    assert "3 passed" in tests.stdout


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
    # An entry keeps its fingerprint where it moves, so that it is not taken for a new one.
    mistaken.write_text("understudy: 1\n\nname: x\nservces: []\n")
    moved = json.loads((await run("check", "--format", "gitlab", mistaken)).output)
    assert entry["fingerprint"] in {other["fingerprint"] for other in moved}
    assert (await run("check", "--format", "gitlab", "--json", mistaken)).code == EX_USAGE


async def test_problem_matcher(mistaken: Path) -> None:
    matcher = json.loads((ROOT / "Integrations/github-problem-matcher.json").read_text())["problemMatcher"][0]
    pattern = matcher["pattern"][0]
    checked = await run("check", mistaken)
    found = [match for line in checked.errors.splitlines() if (match := re.match(pattern["regexp"], line))]
    assert found
    assert found[0][pattern["file"]] == str(mistaken)
    assert (found[0][pattern["line"]], found[0][pattern["severity"]]) == ("3", "error")


def test_hook_of_pre_commit() -> None:
    """The hook is as `understudy check` is called; pre-commit itself is not here."""
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert "entry: understudy check\n" in hook and "language: system\n" in hook
