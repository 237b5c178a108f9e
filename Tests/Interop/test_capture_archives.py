"""Captures in the archives that come from phones: Apple's sysdiagnose, and Android's bug report."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from support.program import EX_DATAERR, EX_OK, SUITE, executable, run

PACKETLOGGER = "sysdiagnose_2026.11.01/logs/Bluetooth/bluetoothd-hci-latest.pklg"
SNOOP = "FS/data/misc/bluetooth/logs/btsnoop_hci.log"


@pytest.fixture(scope="session")
def snoop(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A recording of an accessory and a central."""
    file = tmp_path_factory.mktemp("recording") / "run.btsnoop"
    environment = os.environ | {"UNDERSTUDY": str(executable())}
    subprocess.run([sys.executable, SUITE / "support" / "recording.py", file], check=True, env=environment)
    return file.read_bytes()


@pytest.fixture
async def packetlogger(snoop: bytes, tmp_path: Path) -> bytes:
    (tmp_path / "in.btsnoop").write_bytes(snoop)
    assert (await run("capture", tmp_path / "in.btsnoop", "--convert", tmp_path / "in.pklg")).code == EX_OK
    return (tmp_path / "in.pklg").read_bytes()


def tar(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


async def statistics(path: Path | str) -> str:
    done = await run("capture", path, "--stats")
    assert done.code == EX_OK, done.errors
    return done.output


async def test_a_sysdiagnose_is_opened_as_it_is(packetlogger: bytes, tmp_path: Path) -> None:
    plain = tmp_path / "plain.pklg"
    plain.write_bytes(packetlogger)
    archive = tar(tmp_path / "sysdiagnose.tar.gz", {"sysdiagnose_2026.11.01/README": b"-", PACKETLOGGER: packetlogger})
    assert await statistics(archive) == await statistics(plain)
    # The name does not matter: without the suffix it is still an archive, and a colon does not mean another machine.
    assert await statistics(archive.rename(tmp_path / "phone:2026-11-01")) == await statistics(plain)


async def test_a_bug_report_is_opened_as_it_is(snoop: bytes, tmp_path: Path) -> None:
    plain = tmp_path / "plain.btsnoop"
    plain.write_bytes(snoop)
    report = zipped(tmp_path / "bugreport.zip", {"main_entry.txt": b"-", SNOOP: snoop})
    assert await statistics(report) == await statistics(plain)
    compressed = tmp_path / "run.btsnoop.gz"
    compressed.write_bytes(gzip.compress(snoop))
    assert await statistics(compressed) == await statistics(plain)


@pytest.mark.parametrize("make", [tar, zipped])
async def test_one_of_several_is_named_by_its_path(
    make: Callable[[Path, dict[str, bytes]], Path], snoop: bytes, tmp_path: Path
) -> None:
    # The older one has an odd name, which tar and unzip must not take for a pattern.
    older = SNOOP + ".[old] *.last"
    archive = make(tmp_path / "archive", {SNOOP: snoop, older: snoop[:16]})
    done = await run("capture", archive, "--stats")
    assert done.code == EX_DATAERR
    assert f"has 2 captures; name one:\n  {archive}/{SNOOP}\n  {archive}/{older}\n" in done.errors
    assert not (await statistics(f"{archive}/{SNOOP}")).startswith("0 packets")
    assert (await statistics(f"{archive}/{older}")).startswith("0 packets")
    done = await run("capture", f"{archive}/other.pklg", "--stats")
    assert (done.code, "has no capture other.pklg, but:" in done.errors) == (EX_DATAERR, True)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (lambda whole: whole[: len(whole) // 2], "it ends inside the record"),
        (lambda whole: whole[:60], "is damaged"),
        (lambda whole: b"\x1f\x8b" + bytes(100), "is damaged"),
        (lambda whole: b"PK\x03\x04" + bytes(100), "is damaged"),
    ],
)
async def test_damaged_archives(
    content: Callable[[bytes], bytes], reason: str, packetlogger: bytes, tmp_path: Path
) -> None:
    whole = tar(tmp_path / "whole", {PACKETLOGGER: packetlogger}).read_bytes()
    damaged = tmp_path / "damaged"
    damaged.write_bytes(content(whole))
    done = await run("capture", damaged, "--stats")
    assert done.code == EX_DATAERR, done
    assert reason in done.errors


async def test_without_a_capture(tmp_path: Path) -> None:
    done = await run("capture", tar(tmp_path / "sysdiagnose.tar.gz", {"logs/system.log": b"-"}))
    assert done.code == EX_DATAERR
    assert "switch on the phone's Bluetooth logging" in done.errors


async def test_a_profile_is_learnt_from_an_archive(snoop: bytes, tmp_path: Path) -> None:
    report = zipped(tmp_path / "bugreport.zip", {SNOOP: snoop})
    done = await run("learn", "--capture", report, "--output", tmp_path / "learnt.yaml")
    assert done.code == EX_OK, done.errors
    assert (await run("check", tmp_path / "learnt.yaml")).code == EX_OK
