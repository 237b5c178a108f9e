"""Follows a page of the documentation: runs its blocks in order, in a separate folder.

A comment before a block says what is done with it:

    <!-- run -->                      a script for bash; it must end with 0
    <!-- file NAME -->                written to that file
    <!-- start NAME until TEXT -->    a program that keeps running; the reader waits until it prints TEXT
    <!-- output -->                   the output of the last script contains this; … stands for any text
    <!-- not run: WHY -->             skipped

`<!-- stop NAME -->` ends a program, without a block. Scripts that readers need not see are in the comment:
`<!-- run: SCRIPT -->`, `<!-- start NAME until TEXT: SCRIPT -->`. Ports 7001 and 8080 stand for free ports, `$CHECKOUT`
for this repository.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

from support.controllers import free_port
from support.program import REPOSITORY as ROOT
from support.program import executable

STEP = re.compile(
    r"<!-- (?P<kind>not run|run|file|start|stop|output)(?P<rest>[: ][^\n]*?)? -->\n(?:```\w*\n(?P<text>.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)
PATIENCE = 60


class Reader:
    """A newcomer's surroundings: a folder, terminals, and the program on the path."""

    def __init__(self, folder: Path, substitutions: dict[str, str] | None = None) -> None:
        """substitutions: replacements for text of the page, in addition to free ports."""
        self.folder = folder / "work"
        self.folder.mkdir()
        programs = folder / "bin"
        programs.mkdir()
        (programs / "understudy").symlink_to(executable().resolve())
        # A separate folder, so that accessories of other tests are not found.
        runtime = folder / "runtime"
        runtime.mkdir(mode=0o700)
        self.environment = {
            **os.environ,
            "PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_RUNTIME_DIR": str(runtime),
            "UNDERSTUDY": str(executable().resolve()),
            "CHECKOUT": str(ROOT),
            "NO_COLOR": "1",
        }
        self.substitutions = {"7001": str(free_port()), "8080": str(free_port()), **(substitutions or {})}
        self.output = ""
        self.running: dict[str, subprocess.Popen[str]] = {}

    def substitute(self, text: str) -> str:
        for usual, here in self.substitutions.items():
            text = re.sub(rf"(?<!\w){re.escape(usual)}(?!\w)", here, text)
        return text

    def command(self, script: str, name: str | None = None) -> list[str]:
        """Returns the command that runs a script; name: that of a program to start."""
        return ["bash", "-euo", "pipefail", "-c", script]

    def follow(self, page: str) -> None:
        text = self.substitute((ROOT / page).read_text())
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
            self.command(script),
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
            self.command(script, name),
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
        looked = threading.Event()

        def read() -> None:
            assert process.stdout
            for line in process.stdout:
                seen.append(line)
                if awaited in line:
                    looked.set()
            looked.set()

        threading.Thread(target=read, daemon=True).start()
        looked.wait(PATIENCE)
        assert awaited in "".join(seen), f"{script}\nhas not said {awaited!r}:\n{''.join(seen)}"

    def stop(self, name: str) -> None:
        process = self.running.pop(name)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(PATIENCE)

    def end(self) -> None:
        # What was started last may need what was started first.
        for name in reversed(list(self.running)):
            self.stop(name)
