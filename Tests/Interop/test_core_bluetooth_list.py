"""scripts/list-core-bluetooth reports differences between its table and the sources of the library CoreBluetoothUnderstudy."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.program import REPOSITORY

SCRIPT = "scripts/list-core-bluetooth"
SOURCES = "Sources/CoreBluetoothUnderstudy/API"
TABLE = "Tests/CoreBluetoothUnderstudyTests/CoreBluetooth.tsv"
PAGE = "docs/core-bluetooth-api.md"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the script and the files that it reads."""
    shutil.copytree(REPOSITORY / SOURCES, tmp_path / SOURCES)
    for file in (SCRIPT, TABLE, PAGE):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / file, tmp_path / file)
    return tmp_path


def test_every_behavior_names_tests_that_exist() -> None:
    rows = [line.split("|") for line in (REPOSITORY / "docs/core-bluetooth.md").read_text().splitlines() if line.count("|") == 4]
    names = [name for row in rows for name in re.findall(r"`(\w+Tests|test_\w+\.py)`", row[3])]
    assert len(names) > 20
    for name in names:
        folder, file = ("Interop", name) if name.endswith(".py") else ("CoreBluetoothUnderstudyTests", f"{name}.swift")
        assert (REPOSITORY / "Tests" / folder / file).exists(), name


def check(checkout: Path) -> tuple[int, str]:
    done = subprocess.run([checkout / SCRIPT, "--check"], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_the_table_is_what_the_sources_declare(checkout: Path) -> None:
    assert check(checkout) == (0, "")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (TABLE, "CBPeripheral\treadRSSI()\tyes\n", "", "CBPeripheral.readRSSI(): in the sources, but not in"),
        (TABLE, "CBUUID\tinit(cfuuid:)\tno", "CBUUID\tinit(cfuuid:)\tyes", "CBUUID.init(cfuuid:): yes in"),
        (TABLE, "CBPeripheral\treadRSSI()\tyes", "CBPeripheral\treadRSSI()\tno\tGone.", "CBPeripheral.readRSSI(): no in"),
        (TABLE, "CBPeer\t\tyes", "CBPeer\t\tperhaps", "the column `there` is yes or no"),
        (TABLE, "CBPeer\t\tyes", "CBPeer\t\tno", "needs a reason"),
        (f"{SOURCES}/CBPeripheral.swift", "open func readRSSI()", "func readRSSI()", "CBPeripheral.readRSSI(): yes in"),
        (f"{SOURCES}/CBManager.swift", "case resetting = 1", "", "CBManagerState.resetting: yes in"),
        (f"{SOURCES}/CBDelegates.swift", "didDiscoverServices error:", "didFindServices error:", "peripheral(_:didFindServices:): in the sources"),
        (PAGE, "| `readRSSI()` | yes |", "| `readRSSI()` | no |", "run `make generate`"),
    ],
)
def test_a_difference_is_told(checkout: Path, file: str, old: str, new: str, message: str) -> None:
    replace(checkout / file, old, new)
    code, errors = check(checkout)
    assert code == 1 and message in errors
