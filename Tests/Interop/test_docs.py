"""The documents for newcomers do what they say: their blocks are run in order, in a folder of each document's own.

A comment before a block says what is done with it:

    <!-- run -->                      a script for bash; it must end with 0
    <!-- file NAME -->                written to that file
    <!-- start NAME until TEXT -->    a program that goes on, awaited until it prints that
    <!-- output -->                   what the last script printed, where … stands for anything
    <!-- not run: WHY -->             left out

`<!-- stop NAME -->` alone ends a program. Port 7001 stands for one that is free.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from support.controllers import free_port
from support.program import executable, run

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "docs/tutorial.md", "docs/boards.md", "docs/cookbook.md"]
FENCE = re.compile(r"^```", re.MULTILINE)
STEP = re.compile(
    r"<!-- (?P<kind>run|file|start|stop|output|not run:)(?: (?P<rest>[^\n]*?))? -->\n(?:```\w*\n(?P<text>.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)
PATIENCE = 60

pytestmark = pytest.mark.timeout(300)


class Reader:
    """What a newcomer has at hand: a folder, terminals, the program on the path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        programs = folder / "bin"
        programs.mkdir()
        (programs / "understudy").symlink_to(executable().resolve())
        self.environment = {
            **os.environ,
            "PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "XDG_STATE_HOME": str(folder / "state"),
            "UNDERSTUDY": str(executable().resolve()),
            "NO_COLOR": "1",
        }
        self.port = str(free_port())
        self.output = ""
        self.running: dict[str, subprocess.Popen[str]] = {}

    def follow(self, document: str) -> None:
        for step in STEP.finditer((ROOT / document).read_text().replace("7001", self.port)):
            kind, rest, text = step["kind"], step["rest"] or "", step["text"] or ""
            match kind:
                case "run":
                    self.execute(text)
                case "file":
                    (self.folder / rest).parent.mkdir(parents=True, exist_ok=True)
                    (self.folder / rest).write_text(text)
                case "start":
                    name, awaited = rest.split(" until ")
                    self.start(name, text, awaited)
                case "stop":
                    self.stop(rest)
                case "output":
                    pattern = ".*".join(re.escape(part) for part in text.strip().split("…"))
                    assert re.search(pattern, self.output, re.DOTALL), f"{text}\nis not in\n{self.output}"

    def execute(self, script: str) -> None:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE * 2,
        )
        self.output = done.stdout
        assert done.returncode == 0, f"{script}\nended with {done.returncode}:\n{done.stdout}"

    def start(self, name: str, script: str, awaited: str) -> None:
        process = subprocess.Popen(
            ["bash", "-euc", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.running[name] = process
        seen: list[str] = []
        found = threading.Event()

        def read() -> None:
            assert process.stdout
            for line in process.stdout:
                seen.append(line)
                if awaited in line:
                    found.set()

        threading.Thread(target=read, daemon=True).start()
        assert found.wait(PATIENCE), f"{script}\nhas not said {awaited!r}:\n{''.join(seen)}"

    def stop(self, name: str) -> None:
        process = self.running.pop(name)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(PATIENCE)

    def end(self) -> None:
        for name in list(self.running):
            self.stop(name)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_document(document: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    try:
        reader.follow(document)
    finally:
        reader.end()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_says_what_is_done_with_it(document: str) -> None:
    text = (ROOT / document).read_text()
    marked = {match.start("text") for match in STEP.finditer(text) if match["text"] is not None}
    unmarked = []
    for number, fence in enumerate(FENCE.finditer(text)):
        begin = text.index("\n", fence.start()) + 1
        if number % 2 == 0 and begin not in marked:
            unmarked.append(text[begin : begin + 60].splitlines()[0])
    assert unmarked == []


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= 900


async def test_exit_codes_are_the_same_everywhere() -> None:
    table = re.findall(r"^\| (\d+) \| (.*) \|$", (ROOT / "docs/cli.md").read_text(), re.MULTILINE)
    assert table
    help = " ".join((await run("--help")).output.split())
    assert "; ".join(f"{code} {meaning}" for code, meaning in table).replace("`", "") in help


async def test_version_names_the_commit() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+( \([0-9a-f]{7,12}(\+changes)?\))?\n", (await run("--version")).output)


def test_the_program_alone_is_enough(tmp_path: Path) -> None:
    """One file, copied to a folder where there is no checkout: profiles, formats and schema are inside."""
    program = tmp_path / "understudy"
    shutil.copy(executable(), program)
    for arguments in (["profiles"], ["run", "heart-rate", "--ephemeral", "--for", "100ms", "--json"], ["schema"]):
        done = subprocess.run([program, *arguments], cwd=tmp_path, env={}, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        assert done.stdout
