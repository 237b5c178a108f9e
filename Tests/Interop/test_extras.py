"""Each extra of the Python client installs from its wheel into an otherwise empty environment, and works there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.program import executable

ROOT = Path(__file__).resolve().parents[2]
# pip fetches what the extra needs.
pytestmark = pytest.mark.timeout(300)

SCAN = """
import asyncio
from bleak import BleakScanner

print(asyncio.run(BleakScanner.find_device_by_name("Battery", 10)).name)
"""


def call(*command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, "UNDERSTUDY": str(executable().resolve()), **environment},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def install(folder: Path, extra: str) -> Path:
    """Returns the folder of the programs of a new environment with the wheel."""
    call(ROOT / "scripts/make-wheel", folder / "wheel")
    (wheel,) = (folder / "wheel").glob("*.whl")
    call(sys.executable, "-m", "venv", folder / "venv")
    programs = folder / "venv/bin"
    call(programs / "pip", "install", "--quiet", f"understudy[{extra}] @ file://{wheel}")
    return programs


def test_bleak(tmp_path: Path) -> None:
    """A script that does not know Understudy, with the variable set."""
    programs = install(tmp_path, "bleak")
    script = tmp_path / "scan.py"
    script.write_text(SCAN)
    assert call(programs / "python", script, UNDERSTUDY_BLEAK="battery") == "Battery\n"


def test_bluez(tmp_path: Path) -> None:
    """Debian's bluetoothctl on it."""
    programs = install(tmp_path, "bluez")
    said = call(programs / "understudy-bluez", "run", "battery", "--", "bluetoothctl", "--timeout", "2", "scan", "on")
    assert " Battery" in said


def test_labgrid(tmp_path: Path) -> None:
    """labgrid knows the driver."""
    programs = install(tmp_path, "labgrid")
    script = "import understudy.labgrid; from labgrid.factory import target_factory; print(*target_factory.drivers)"
    assert "UnderstudyDriver" in call(programs / "python", "-c", script).split()


def test_pandora(tmp_path: Path) -> None:
    """The server starts, and says where it serves."""
    programs = install(tmp_path, "pandora")
    server = subprocess.Popen(
        [programs / "understudy-pandora", "battery"],
        env={**os.environ, "UNDERSTUDY": str(executable().resolve())},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout
        lines = [server.stdout.readline() for _ in range(3)]
    finally:
        server.terminate()
        server.wait()
    assert [line.split(":")[0] for line in lines] == ["DUT joins at serial", "DUT joins at tcp-client", "PandoraDevice"]


def test_netsim(tmp_path: Path) -> None:
    """The command gets as far as gRPC, where nothing answers."""
    programs = install(tmp_path, "netsim")
    command = [programs / "understudy-netsim", "--netsim", "127.0.0.1:1", "run", "battery"]
    environment = {**os.environ, "UNDERSTUDY": str(executable().resolve())}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 69
    assert done.stderr.startswith("error: netsim at 127.0.0.1:1 gives no controller: ")
