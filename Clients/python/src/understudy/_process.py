"""The program as a child process: finds it, starts it, reads its output, and ends it when Python ends in any way."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path

from understudy._journal import Journal
from understudy.errors import ExecutableNotFound, StartFailed, UnderstudyError

# Tracebacks in pytest show the lines of a test, not those of the client.
__tracebackhide__ = True

NAME = "understudy"
# All live processes, to end them when this program ends.
_alive: weakref.WeakSet[Process] = weakref.WeakSet()


def find_executable(given: str | os.PathLike[str] | None = None) -> Path:
    """Finds the program: the given one, $UNDERSTUDY, the one in $PATH, or the newest build of this file's checkout."""
    named = given or os.environ.get("UNDERSTUDY")
    if named:
        path = Path(named)
        if not path.exists():
            raise ExecutableNotFound(f"there is no {path}" + ("" if given else ", which $UNDERSTUDY names"))
        return path.absolute()
    if found := shutil.which(NAME):
        return Path(found)
    for folder in Path(__file__).resolve().parents:
        builds = [folder / ".build" / build / NAME for build in ("release", "debug")]
        if (folder / "Package.swift").exists() and (there := [path for path in builds if path.exists()]):
            return max(there, key=lambda path: path.stat().st_mtime)
    raise ExecutableNotFound(
        f"there is no {NAME}: name it in $UNDERSTUDY, put it on $PATH, or build it with `make release` in its checkout"
    )


def guarded(command: Sequence[str]) -> list[str]:
    """Wraps a command so that the kernel kills it when the thread that starts it ends, if `setpriv` is installed."""
    guard = shutil.which("setpriv")
    return [guard, "--pdeathsig", "KILL", "--", *command] if guard else list(command)


class Process:
    """A running program. Its JSON lines become events of the journal; all other output is kept."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        executable: Path,
        environment: Mapping[str, str] | None = None,
        user: int | None = None,
        takes_input: bool = False,
    ) -> None:
        self.arguments = [str(executable), *arguments]
        self.journal = Journal()
        self.output: list[str] = []
        """The lines of the output that are not events."""
        self.errors = ""
        """The program's standard error output."""
        self._environment = {**os.environ, "NO_COLOR": "1", **(environment or {})}
        self._user = user
        self._input = subprocess.PIPE if takes_input else subprocess.DEVNULL
        self._child: subprocess.Popen[bytes] | None = None
        self._failure: OSError | None = None
        self._begun = threading.Event()
        # The kernel ends the child together with the thread that started it, so that thread lives as long as the child.
        threading.Thread(target=self._live, name=f"{NAME} output", daemon=True).start()
        self._begun.wait()
        if self._failure:
            raise StartFailed(f"cannot run {executable}: {self._failure}", None) from self._failure
        _alive.add(self)

    @property
    def pid(self) -> int:
        assert self._child
        return self._child.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, negative for a signal; None while the program runs."""
        assert self._child
        return self._child.returncode if self.journal.over else None

    def send_signal(self, number: int) -> None:
        """Sends a signal to the program, if it still runs."""
        assert self._child
        self._child.send_signal(number)

    def write(self, octets: bytes) -> None:
        """Writes to the program's standard input."""
        if not self._child or not self._child.stdin:
            raise UnderstudyError("the program was launched without takes_input")
        self._child.stdin.write(octets)
        self._child.stdin.flush()

    def close_input(self) -> None:
        """Ends the program's standard input."""
        if self._child and self._child.stdin:
            try:
                self._child.stdin.close()
            except BrokenPipeError:
                pass

    def kill(self) -> None:
        """Kills the program and all processes that it has started."""
        assert self._child
        # Only while the process is not reaped: afterwards its ID may belong to another process.
        if self._child.poll() is None:
            try:
                os.killpg(self._child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def _live(self) -> None:
        try:
            self._child = subprocess.Popen(
                guarded(self.arguments),
                stdin=self._input,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._environment,
                user=self._user,
                start_new_session=True,
            )
        except OSError as error:
            self._failure = error
            return
        finally:
            self._begun.set()
        errors = threading.Thread(target=self._read_errors, name=f"{NAME} errors", daemon=True)
        errors.start()
        self._read_output()
        errors.join()
        self._child.wait()
        self.close_input()
        self.journal.finish()

    def _read_output(self) -> None:
        assert self._child and self._child.stdout
        for line in self._child.stdout:
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            if isinstance(value, dict) and isinstance(value.get("event"), str):
                self.journal.add(value)
            else:
                self.output.append(line.decode(errors="replace"))
                self.journal.changed()
        self._child.stdout.close()

    def _read_errors(self) -> None:
        assert self._child and self._child.stderr
        while octets := os.read(self._child.stderr.fileno(), 65536):
            self.errors += octets.decode(errors="replace")
            self.journal.changed()
        self._child.stderr.close()


@atexit.register
def _end_all() -> None:
    for process in list(_alive):
        process.kill()
