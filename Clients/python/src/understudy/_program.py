"""A program that runs accessories: started by this package, or attached to through its control API."""

from __future__ import annotations

import json
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from understudy._build import build
from understudy._expectation import Waiting, Witness
from understudy._journal import Journal
from understudy._options import Profile, StartOptions, command_line, environment, profile_argument
from understudy._process import Process, find_executable
from understudy._steps import Exchange, Plan, Wait
from understudy._wire import Answer, AnswerReader, Endpoint, MessageReader, request
from understudy.errors import NotFound, ProgramEnded, StartFailed, UnderstudyError, Unreachable
from understudy.state import AccessorySummary

# Tracebacks in pytest show the lines of a test, not those of the client.
__tracebackhide__ = True

START_WITHIN = 20.0
ANSWER_WITHIN = 35.0
"""A little longer than a central may take to answer (Core 5.4 Vol 3 Part F 3.3.3: 30 s)."""


def exchange(endpoint: Endpoint, method: str, path: str, body: Any, timeout: float) -> Plan[Answer]:
    """Sends a request with a JSON body, and returns the response, whatever its status."""
    octets = b"" if body is None else json.dumps(body).encode()
    return (yield from Exchange(endpoint, request(endpoint, method, path, octets), timeout).plan())


class ProgramCore(Waiting):
    """The operations of a program, as plans; the public classes carry them out."""

    def __init__(self, journal: Journal, process: Process | None = None, endpoint: Endpoint | None = None) -> None:
        self.journal, self.process, self.endpoint = journal, process, endpoint
        self.witness = Witness(journal, ending=self.ending)
        self.members: list[AccessorySummary] = []
        self.joining: list[str] = []
        """All places where hosts can join the virtual radio."""
        self.capture: Path | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._stream: EventStream | None = None

    # Starting

    @staticmethod
    def launch(
        *arguments: str,
        executable: Any = None,
        environment: Any = None,
        user: int | None = None,
        takes_input: bool = False,
    ) -> ProgramCore:
        """Runs the program with any command line."""
        process = Process(
            arguments,
            executable=find_executable(executable),
            environment=environment,
            user=user,
            takes_input=takes_input,
        )
        return ProgramCore(process.journal, process)

    @staticmethod
    def start(command: str, profiles: Sequence[Profile], options: StartOptions) -> Plan[ProgramCore]:
        """Starts `run` with these profiles, or `radio`, and waits until everything is on the air."""
        folder = tempfile.TemporaryDirectory(prefix="understudy-")
        try:
            arguments = [profile_argument(profile, Path(folder.name), n) for n, profile in enumerate(profiles, 1)]
            program = ProgramCore.launch(
                command,
                *command_line(command, options),
                *(["--", *arguments] if arguments else []),
                executable=options.get("executable"),
                environment=environment(options),
            )
        except BaseException:
            folder.cleanup()
            raise
        program._folder = folder
        program.capture = Path(options["capture"]) if options.get("capture") else None
        try:
            yield from program._await_start(max(1, len(profiles)), options.get("within", START_WITHIN))
            token, http = options.get("token"), next(e for e in program.journal.events if e.kind == "http")
            program.endpoint = Endpoint(http["host"], http["port"], token)
            program.joining = list(next(e for e in program.journal.events if e.kind == "ready")["joining"])
            if command == "run":
                yield from program._load_members()
        except BaseException:
            program.abandon()
            raise
        return program

    def _await_start(self, count: int, within: float) -> Plan[None]:
        def check() -> bool | None:
            kinds = [event.kind for event in self.journal.events]
            return True if kinds.count("ready") >= count and "http" in kinds else None

        if (yield from Wait.plan(self.journal, check, time.monotonic() + within)) is None:
            assert self.process
            # Its error output explains the failure best; without any, the report shows the events.
            said = self.process.errors.strip() or self.witness.transcript()
            if self.journal.over:
                code = self.process.exit_code
                raise StartFailed(said if self.process.errors.strip() else f"ended with {code}\n{said}", code)
            raise StartFailed(f"the program was not on the air within {within:g} s\n{said}", None)
        # Expectations start with later events.
        self.witness.position = len(self.journal.events)

    @staticmethod
    def attach(url: str, token: str | None, after: int | None = None) -> Plan[ProgramCore]:
        """Attaches to a running program and reads its event stream: from now on, or after that number."""
        endpoint = Endpoint.parse(url, token)
        stream = EventStream(endpoint, after)
        program = ProgramCore(stream.journal, endpoint=endpoint)
        program._stream = stream
        try:
            yield from program._load_members()
            yield from program._load_places()
            if not program.members:
                # A radio without accessories has no event stream.
                return program
            stream.begin()
            yield from Wait.plan(stream.journal, lambda: stream.state or None, time.monotonic() + ANSWER_WITHIN)
            if stream.failure:
                raise stream.failure
        except BaseException:
            stream.close()
            raise
        return program

    def _load_members(self) -> Plan[None]:
        answer = yield from self.call("GET", "/v1/accessories")
        self.members = [build(AccessorySummary, entry) for entry in answer["accessories"]]

    def _load_places(self) -> Plan[None]:
        try:
            self.joining = list((yield from self.call("GET", "/v1/radio"))["joining"])
        except NotFound:
            # It has no virtual radio.
            pass

    # Requests

    def exchange(self, method: str, path: str, body: Any = None, timeout: float = ANSWER_WITHIN) -> Plan[Answer]:
        """Sends a request to the control API, and returns the response, whatever its status."""
        if self.endpoint is None:
            raise UnderstudyError("the program has no control API")
        try:
            return (yield from exchange(self.endpoint, method, path, body, timeout))
        except Unreachable as error:
            # If the program has just ended, its end may not be known yet.
            grace = time.monotonic() + 0.5
            yield from Wait.plan(self.journal, lambda: None, grace if self.process else 0)
            raise (ProgramEnded(self.ending()) if self.journal.over else error) from error

    def call(self, method: str, path: str, body: Any = None) -> Plan[Any]:
        """Sends a request to the control API, and returns the JSON of the response. Raises `Refused`."""
        return (yield from self.exchange(method, path, body)).result()

    # The end

    def ending(self) -> str:
        """Describes how the program has ended."""
        if self.process is None:
            return "the connection to the program has ended"
        said = self.process.errors.strip()
        return f"the program has ended with {self.process.exit_code}" + (f"\n{said}" if said else "")

    def wait(self, within: float = START_WITHIN) -> Plan[int]:
        """Waits until the program ends, and returns its exit code."""
        yield from Wait.plan(self.journal, lambda: None, time.monotonic() + within)
        if not self.process or self.process.exit_code is None:
            raise UnderstudyError(f"the program still runs after {within:g} s\n{self.witness.transcript()}")
        return self.process.exit_code

    def stop(self, within: float = 5.0) -> Plan[int | None]:
        """Asks the program to end, and kills it if it has not ended after `within` seconds; returns its exit code.

        For a program that was attached to, only closes the connection.
        """
        if self.process and not self.journal.over:
            self.process.send_signal(signal.SIGTERM)
            yield from Wait.plan(self.journal, lambda: None, time.monotonic() + within)
        return (yield from self.kill())

    def kill(self) -> Plan[int | None]:
        """Kills the program, and returns its exit code."""
        self.abandon()
        if self.process:
            yield from Wait.plan(self.journal, lambda: None, time.monotonic() + START_WITHIN)
        return self.process.exit_code if self.process else None

    def abandon(self) -> None:
        """Kills the program without waiting for its end."""
        if self.process:
            self.process.kill()
        self.close()

    def close(self) -> None:
        if self._stream:
            self._stream.close()
        if self._folder:
            self._folder.cleanup()

    def report(self) -> str:
        """Reports on the run: the command line, the events, and the program's other output."""
        lines = ["arguments: " + " ".join(self.process.arguments[1:])] if self.process else []
        lines += [self.witness.transcript()]
        if self.process:
            lines += [f"stdout: {line.rstrip()}" for line in self.process.output[-20:]]
            lines += [f"stderr: {line}" for line in self.process.errors.splitlines()[-40:]]
        return "\n".join(lines)


def path_of(*segments: Any) -> str:
    """Returns a path of the control API."""
    return "/v1/" + "/".join(quote(str(segment), safe="") for segment in segments)


class EventStream:
    """The events of a running program, which a thread reads into a journal.

    If the connection breaks, it is opened again, and the stream continues after the last event.
    """

    def __init__(self, endpoint: Endpoint, after: int | None = None) -> None:
        self.journal, self.endpoint, self.after = Journal(), endpoint, after
        self.state = ""
        """`open` once the stream's head has come, `over` at its end."""
        self.failure: Exception | None = None
        self._line: socket.socket | None = None
        self._closed = False

    def begin(self) -> None:
        threading.Thread(target=self._read, name="understudy events", daemon=True).start()

    def close(self) -> None:
        self._closed = True
        if line := self._line:
            try:
                line.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _read(self) -> None:
        came = None
        while True:
            try:
                self._follow()
            except (OSError, UnderstudyError) as error:
                if self.state != "open":
                    self.failure = error if isinstance(error, UnderstudyError) else Unreachable(str(error))
                elif not self._closed and self.after != came:
                    # Reconnects only if the last connection has brought an event.
                    came = self.after
                    continue
            break
        self.state = "over"
        self.journal.finish()

    def _follow(self) -> None:
        reader, messages, refusal = AnswerReader(), MessageReader(), b""
        with socket.create_connection((self.endpoint.host, self.endpoint.port), ANSWER_WITHIN) as line:
            self._line = line
            path = "/v1/events" if self.after is None else f"/v1/events?after={self.after}"
            line.sendall(request(self.endpoint, "GET", path, b"", keep=True))
            while not reader.finished:
                body = reader.feed(line.recv(65536))
                if reader.status == 200 and not self.state:
                    self.state = "open"
                    # A comment comes at least every 15 s, so a timeout means that the other machine is gone.
                    line.settimeout(60)
                    self.journal.changed()
                if reader.status != 200:
                    refusal += body
                    continue
                for number, raw in messages.feed(body):
                    self.journal.add(raw, number)
                    self.after = self.after if number is None else number
        if reader.status != 200:
            Answer(reader.status, reader.headers, refusal).result()
