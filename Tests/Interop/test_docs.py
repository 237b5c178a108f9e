"""The pages work as written: their blocks are run in order, in a separate folder for each page.

A comment before a block says how to treat it:

    <!-- run -->                      a script for bash; it must end with 0
    <!-- file NAME -->                written to that file
    <!-- start NAME until TEXT -->    a program that keeps running, awaited until it prints TEXT
    <!-- output -->                   the output of the last script, where … stands for anything
    <!-- not run: WHY -->             left out

`<!-- stop NAME -->` alone ends a program. Scripts that a reader does not need to see are in the comment:
`<!-- run: SCRIPT -->`, `<!-- start NAME until TEXT: SCRIPT -->`. Ports 7001 and 8080 stand for free ones, `$CHECKOUT` for this
repository.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from support.controllers import free_port
from support.program import executable, run

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    str(page.relative_to(ROOT))
    for pattern in ("*.md", "docs/*.md", "Hardware/*.md", "Clients/python/*.md")
    for page in ROOT.glob(pattern)
)
FENCE = re.compile(r"^```", re.MULTILINE)
STEP = re.compile(
    r"<!-- (?P<kind>not run|run|file|start|stop|output)(?P<rest>[: ][^\n]*?)? -->\n(?:```\w*\n(?P<text>.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)
# A command in a page: in a block, or in a sentence.
COMMAND = re.compile(r"(?<![\w/.-])understudy (?!import )[a-z-][^`\n|;&#]*")
PATIENCE = 60

pytestmark = pytest.mark.timeout(300)


class Reader:
    """A new user's environment: a folder, terminals, the program on the path."""

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
            "CHECKOUT": str(ROOT),
            "NO_COLOR": "1",
        }
        self.ports = {"7001": str(free_port()), "8080": str(free_port())}
        self.output = ""
        self.running: dict[str, subprocess.Popen[str]] = {}

    def follow(self, page: str) -> None:
        text = (ROOT / page).read_text()
        for usual, free in self.ports.items():
            text = re.sub(rf"\b{usual}\b", free, text)
        for step in STEP.finditer(text):
            kind, rest, text = step["kind"], (step["rest"] or "")[1:].strip(), step["text"] or ""
            match kind:
                case "run":
                    self.execute(rest or text)
                case "file":
                    (self.folder / rest).parent.mkdir(parents=True, exist_ok=True)
                    (self.folder / rest).write_text(text)
                case "start":
                    named, _, hidden = rest.partition(": ")
                    name, awaited = named.split(" until ")
                    self.start(name, hidden or text, awaited)
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


def is_done(page: str) -> bool:
    """Returns whether any of its blocks is run."""
    return any(step["kind"] in ("run", "start") for step in STEP.finditer((ROOT / page).read_text()))


@pytest.mark.parametrize("page", [page for page in PAGES if is_done(page)])
def test_page(page: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    try:
        reader.follow(page)
    finally:
        reader.end()


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_is_done_with_it(page: str) -> None:
    text = (ROOT / page).read_text()
    marked = {match.start("text") for match in STEP.finditer(text) if match["text"] is not None}
    unmarked = []
    for number, fence in enumerate(FENCE.finditer(text)):
        begin = text.index("\n", fence.start()) + 1
        if number % 2 == 0 and begin not in marked:
            unmarked.append(text[begin : begin + 60].splitlines()[0])
    assert unmarked == []


async def test_every_command_and_option_that_a_page_names_exists() -> None:
    options: dict[str, set[str]] = {}

    def collect(command: dict[str, Any], path: str) -> None:
        options[path] = {name["name"] for argument in command.get("arguments", []) for name in argument.get("names", [])}
        for part in command.get("subcommands", []):
            collect(part, f"{path} {part['commandName']}")

    collect(json.loads((await run("--experimental-dump-help")).output)["command"], "understudy")
    # `capture` without a subcommand is `capture show`.
    options["understudy capture"] |= options["understudy capture show"]
    wrong = []
    for page in PAGES:
        for command in COMMAND.findall((ROOT / page).read_text()):
            words = command.split()
            path = " ".join(words[:3]) if " ".join(words[:3]) in options else " ".join(words[:2])
            if path not in options and re.fullmatch(r"[a-z]+", words[1]):
                wrong.append(f"{page}: {command}")
            for option in re.findall(r"(?<= --)[a-z][a-z-]*", command):
                if option not in options.get(path, {option}):
                    wrong.append(f"{page}: {command}: --{option}")
    assert wrong == []


def counted(script: str) -> str:
    return subprocess.run([ROOT / "scripts" / script], capture_output=True, text=True, check=True).stdout


def test_counts_of_tests() -> None:
    """`docs/conformance.md` has the numbers of the scripts; for test functions it may have up to a tenth less."""
    page = (ROOT / "docs/conformance.md").read_text()
    functions = re.search(r"over ([\d,]+) in Swift .* over ([\d,]+) in Python", page, re.DOTALL)
    assert functions, "the page says how many"
    for count, said in zip(re.findall(r"^\d+", counted("count-tests"), re.MULTILINE), functions.groups(), strict=True):
        assert 0.9 * int(count) <= int(said.replace(",", "")) <= int(count)
    results = dict(re.findall(r"^(.*?) {2,}(\d+)", counted("conformance"), re.MULTILINE))
    assert f"lists the {results['test cases']} test cases" in page
    assert f"{results['passed']} pass, {results['not-applicable']} do not apply" in page


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
    """One file, copied to a folder without a checkout: profiles, formats and schema are inside."""
    program = tmp_path / "understudy"
    shutil.copy(executable(), program)
    for arguments in (["profiles"], ["run", "heart-rate", "--ephemeral", "--for", "100ms", "--json"], ["schema"]):
        done = subprocess.run([program, *arguments], cwd=tmp_path, env={}, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        assert done.stdout
