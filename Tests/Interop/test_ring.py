"""The last packets, kept in memory and saved on request or when the accessory fails."""

from __future__ import annotations

import json
import os
import signal
import stat
from pathlib import Path

import pytest
from conftest import Launch, Stage
from support.controllers import LOOPBACK, BumbleTCPPath
from support.web import Client
from support.pairing import PATIENCE
from support.program import EX_UNAVAILABLE, EX_USAGE, executable, run
from support.terminal import Terminal


async def packets(path: Path) -> list[str]:
    completed = await run("capture", path, "--json")
    assert completed.code == 0, completed
    return [json.loads(line)["text"] for line in completed.output.splitlines()]


async def test_a_signal_saves_what_has_passed(virtual: Stage, tmp_path: Path) -> None:
    program = await virtual.run("heart-rate", "--ring-folder", tmp_path)
    session = await virtual.connect()
    await session.read(await session.handle_of("2A38"))
    program.send_signal(signal.SIGUSR1)
    saved = await program.event("ring-saved")
    assert saved["occasion"] == "wanted"
    path = Path(saved["path"])
    assert [path] == list(tmp_path.iterdir())
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    texts = await packets(path)
    assert len(texts) == saved["packets"]
    assert any(text.startswith("Read Response") for text in texts)
    # The program continues.
    assert await session.read(await session.handle_of("2A38")) == b"\x01"


async def test_a_key_in_the_terminal_saves_what_has_passed(tmp_path: Path) -> None:
    """Control-\\ sends SIGQUIT, which would end a program that does not handle it."""
    terminal = Terminal(
        [executable(), "run", "heart-rate", "--ephemeral", "--ring-folder", tmp_path], rows=50, columns=500, NO_COLOR="1"
    )
    try:
        await terminal.until(lambda screen: any("Stop it with Control-C" in line for line in screen.lines))
        for number in (1, 2):
            terminal.type("\x1c")
            await terminal.until(lambda screen: sum(str(tmp_path) in line for line in screen.lines) == number)
        saved = sorted(tmp_path.iterdir())
        assert len(saved) == 2
        for path in saved:
            assert any(text.startswith("LE Set") for text in await packets(path))
        terminal.type("\x03")
        assert await terminal.ended() == 0
    finally:
        terminal.close()


async def test_the_last_packets_over_http(virtual: Stage, tmp_path: Path) -> None:
    program = await virtual.run("heart-rate", "--http", f"{LOOPBACK}:0", "--ring-folder", tmp_path / "saved")
    await virtual.connect()
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    answer = await client.post("/v1/ring")
    assert answer.status == 200
    assert (await packets(Path(answer.json["path"])))[0].startswith("Reset")
    assert Path(answer.json["path"]).parent == tmp_path / "saved"
    got = await client.get("/v1/ring")
    downloaded = tmp_path / "got.pcapng"
    downloaded.write_bytes(got.body)
    assert len(await packets(downloaded)) >= answer.json["packets"]


async def test_an_accessory_that_fails_saves_them(launch: Launch, tmp_path: Path) -> None:
    stage = Stage(BumbleTCPPath(), launch)
    program = await stage.run("heart-rate", "--no-wait", "--ring-folder", tmp_path)
    await stage.connect()
    await stage.path.vanish()
    assert await program.wait(PATIENCE) == EX_UNAVAILABLE
    await stage.path.close()
    [saved] = program.named("ring-saved")
    assert saved["occasion"] == "failed"
    assert [Path(saved["path"])] == list(tmp_path.iterdir())
    assert any(text.startswith("LE - ") for text in await packets(Path(saved["path"])))


async def test_none_are_kept_where_none_are_wanted(virtual: Stage, tmp_path: Path) -> None:
    program = await virtual.run("heart-rate", "--http", f"{LOOPBACK}:0", "--ring", "0", "--ring-folder", tmp_path)
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    for answer in (await client.get("/v1/ring"), await client.post("/v1/ring")):
        assert answer.status == 409 and "--ring 16MB" in answer.json["error"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", ["16 apples", "-1", "2GB", "99999999999999999999"])
async def test_wrong_sizes(size: str) -> None:
    completed = await run("run", "heart-rate", f"--ring={size}")
    assert completed.code == EX_USAGE


async def test_whoever_asks_fills_no_disk(virtual: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run saves at most 64 files. The answer has the absolute path, even if the folder is a plain name."""
    monkeypatch.chdir(tmp_path)
    program = await virtual.run("heart-rate", "--http", f"{LOOPBACK}:0", "--ring", "64kB", "--ring-folder", "saved")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    for _ in range(64):
        answer = await client.post("/v1/ring")
        assert answer.status == 200
        path = Path(answer.json["path"])
        assert path.is_absolute() and path.parent == tmp_path / "saved" and path.is_file()
    refused = await client.post("/v1/ring")
    assert refused.status >= 400 and refused.json["code"] == "not-kept"
    assert "64 files" in (await program.event("capture-failed"))["reason"]
    assert len(list((tmp_path / "saved").iterdir())) <= 64
