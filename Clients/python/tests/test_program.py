"""The program as a process: found, started, and ended in every case."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import understudy
from understudy import Accessory, ExecutableNotFound, Program, ProgramEnded, Refused, StartFailed, Unreachable
from understudy._options import command_line, impairment

PERSISTENT = {"properties": ["read", "write"], "persistent": True}
REAL = understudy.find_executable()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # An orphan that has not been reaped is also dead.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def until_gone(pid: int) -> None:
    deadline = time.monotonic() + 10
    while alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_executable_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UNDERSTUDY", str(REAL))
    assert understudy.find_executable() == REAL
    monkeypatch.setenv("UNDERSTUDY", str(tmp_path / "absent"))
    with pytest.raises(ExecutableNotFound, match=r"absent, which \$UNDERSTUDY names"):
        understudy.find_executable()
    assert understudy.find_executable(REAL) == REAL
    monkeypatch.delenv("UNDERSTUDY")
    on_path = tmp_path / "understudy"
    on_path.symlink_to(REAL)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert understudy.find_executable() == on_path
    monkeypatch.setenv("PATH", "/nowhere")
    assert understudy.find_executable().match(".build/*/understudy")


def test_something_that_cannot_be_run(tmp_path: Path) -> None:
    script = tmp_path / "understudy"
    script.write_text("#!/bin/sh\necho 'no such luck' >&2\nexit 3\n")
    script.chmod(0o755)
    with pytest.raises(StartFailed, match="no such luck") as caught:
        Accessory.start("battery", executable=script)
    assert caught.value.code == 3
    script.write_text("#!/bin/sh\nexec sleep 600\n")
    with pytest.raises(StartFailed, match="not on the air within 0.2 s") as caught:
        Accessory.start("battery", executable=script, within=0.2)
    assert caught.value.code is None


@pytest.mark.parametrize(
    ("profile", "options", "code", "message"),
    [
        ("no-such-profile", {}, 66, "there is no profile no-such-profile"),
        ({"name": "A", "services": 3}, {}, 65, "services"),
        ("understudy: 1\nname: A\nnonsense: 1\n", {}, 65, "unknown key 'nonsense'"),
        ("battery", {"impair": "loss=120%"}, 64, "loss must be a fraction"),
        ("battery", {"controller": "unix:/nowhere/hci", "wait": False}, 69, "nowhere"),
    ],
)
def test_program_that_does_not_start(profile: object, options: dict[str, object], code: int, message: str) -> None:
    with pytest.raises(StartFailed, match=message) as caught:
        Accessory.start(profile, **options)  # type: ignore[arg-type]
    assert caught.value.code == code


def test_unknown_option() -> None:
    with pytest.raises(TypeError, match=r"unknown option colour \(known: "):
        Accessory.start("battery", colour="red")  # type: ignore[call-arg]


def test_options() -> None:
    line = command_line(
        "run",
        {
            "controller": ["virtual", "auto"],
            "seed": 3,
            "speed": "fast",
            "capture": Path("a.pcapng"),
            "impair": [{"loss": 0.2, "from_": "a", "to": "b"}, "ber=1e-5"],
            "allow_bridge": "tcp:a:1",
            "wait": False,
            "token": "0123456789abcdef",
            "arguments": ["--for", "3 s"],
        },
    )
    assert line == [
        *(
            "--json",
            "--http",
            "127.0.0.1:0",
            "--ephemeral",
            "--controller",
            "virtual",
            "--controller",
            "auto",
            "--seed",
            "3",
        ),
        *("--speed", "fast", "--capture", "a.pcapng", "--allow-bridge", "tcp:a:1"),
        *("--impair", "loss=0.2,from=a,to=b", "--impair", "ber=1e-5", "--no-wait", "--http-auth", "--for", "3 s"),
    ]
    assert command_line("run", {"state": "a"}) == ["--json", "--http", "127.0.0.1:0", "--state", "a"]
    assert command_line("radio", {}) == ["--json", "--http", "127.0.0.1:0"]
    assert impairment({"controller": "a", "latency_ms": 5, "hung": True}) == "controller=a,latency=5ms,hung"
    assert impairment({"reachable": False, "rssi": -80}) == "unreachable,rssi=-80"


def test_text_and_files(tmp_path: Path) -> None:
    text = "understudy: 1\nname: A\nservices:\n  - include: battery\n"
    with Accessory.start(text) as accessory:
        assert accessory.name == "A"
    path = tmp_path / "b.yaml"
    path.write_text(text.replace("A", "B"))
    with Accessory.start(path) as accessory:
        assert (accessory.name, accessory.id) == ("B", "b")


def test_state(tmp_path: Path) -> None:
    """Nothing is kept between tests, unless a folder for it is given."""
    profile = {
        "name": "A",
        "services": [
            {"uuid": "FFF0", "characteristics": [{"id": "a", "uuid": "FFF1", "format": "u8", "value": 1, **PERSISTENT}]}
        ],
    }
    for options, kept in (({}, 1), ({"state": tmp_path / "state"}, 9)):
        with Accessory.start(profile, **options) as accessory:  # type: ignore[arg-type]
            accessory["a"].value = 9
        with Accessory.start(profile, **options) as accessory:  # type: ignore[arg-type]
            assert accessory["a"].value == kept


def test_token() -> None:
    token = "a-secret-of-the-test"
    with Accessory.start("battery", token=token) as accessory:
        assert accessory["battery-level"].value == 100
        url = str(accessory.program.endpoint)
        assert token not in Path(f"/proc/{accessory.program.pid}/cmdline").read_text()
        with pytest.raises(Refused, match="Authorization") as caught:
            Program.attach(url)
        assert caught.value.status == 401
        with Program.attach(url, token=token) as other:
            assert other.accessory().name == "Battery"


def test_several_accessories() -> None:
    with Program.start("heart-rate", "battery", {"name": "Gate"}, seed=5) as program:
        belt, battery, gate = program.accessories
        assert [accessory.name for accessory in (belt, battery, gate)] == ["Heart Rate Belt", "Battery", "Gate"]
        assert len({belt.address, battery.address, gate.address}) == 3
        assert program.accessory("battery").id == battery.id
        battery["battery-level"].value = 7
        battery.stop_advertising("main")
        event = program.expect("advertising-stopped")
        assert event.accessory == "battery"
        assert [seen.kind for seen in gate.events_since(event)] == []
        assert all(seen.accessory in ("battery", None) for seen in battery.events)
        assert "battery: advertising-stopped" in program.transcript()


def test_end_of_the_program_is_told() -> None:
    with Accessory.start("battery") as accessory:
        accessory.program.kill()
        assert accessory.program.wait() == -signal.SIGKILL
        with pytest.raises(ProgramEnded, match="has ended with -9"):
            accessory["battery-level"].read()
        with pytest.raises(understudy.ExpectationFailed, match="has ended with -9"):
            accessory.expect("write", within=60)


@pytest.mark.accessory("battery")
def test_what_happened_before_is_told(accessory: Accessory) -> None:
    accessory.stop_advertising("main")
    stopped = accessory.expect("advertising-stopped")
    url = str(accessory.program.endpoint)
    with Accessory.attach(url, after=0) as late:
        seen = late.expect("advertising-stopped", since=0)
        assert seen.time == stopped.time and seen.sequence
        with Accessory.attach(url, after=seen.sequence) as later:
            later.expect_none("advertising-stopped", within=0.1, since=0)


def test_stream_that_breaks_goes_on() -> None:
    with Accessory.start("battery") as accessory, Accessory.attach(str(accessory.program.endpoint)) as attached:
        stream = attached.program._core._stream
        assert stream and stream._line
        accessory.stop_advertising("main")
        attached.expect("advertising-stopped")
        stream._line.shutdown(socket.SHUT_RDWR)
        accessory.start_advertising("main")
        attached.expect("advertising-started")


@pytest.mark.accessory("battery")
def test_reset(accessory: Accessory) -> None:
    accessory["battery-level"].value = 7
    accessory.stop_advertising("main")
    accessory.reset()
    assert accessory["battery-level"].value == 100
    assert [set.on for set in accessory.advertising()] == [True]
    accessory.expect_none("advertising-stopped", within=0.1)
    with pytest.raises(understudy.ExpectationFailed, match="what happened"):
        accessory.expect("connected", within=0.01)


@pytest.mark.accessory("battery")
def test_snapshot(accessory: Accessory) -> None:
    accessory["battery-level"].value = 7
    accessory.stop_advertising("main")
    low = accessory.snapshot("low")
    assert low.id == "low" and low.raw["values"]["battery-level"] == {"hex": "07", "value": 7}
    accessory.arm(on={"read": "battery-level"}, do="ignore")
    accessory.reset()
    assert accessory["battery-level"].value == 100
    accessory.restore(low)
    assert accessory["battery-level"].value == 7
    assert [set.on for set in accessory.advertising()] == [False]
    assert accessory.faults() == []
    assert accessory.snapshot().id != "low"
    with pytest.raises(understudy.NotFound, match="there is no snapshot other"):
        accessory.restore("other")


def test_end_of_the_stream_is_told() -> None:
    program = Program.start("battery")
    with Accessory.attach(str(program.endpoint)) as accessory:
        assert program.stop() == 0
        accessory.expect("stopped")
        with pytest.raises(understudy.ExpectationFailed, match="the connection to the program has ended"):
            accessory.expect("write", within=60)
    with pytest.raises(Unreachable, match="nothing answers at"):
        Program.attach(str(program.endpoint))


def test_program_that_does_not_want_to_end(tmp_path: Path) -> None:
    """It is first asked to end, then killed with all processes that it has started."""
    script = tmp_path / "understudy"
    script.write_text(
        '#!/bin/sh\ntrap "" TERM\nsleep 600 &\necho "{\\"event\\": \\"child\\", \\"pid\\": $!}"\nwait\nwait\n'
    )
    script.chmod(0o755)
    program = Program.launch(executable=script)
    child = program.expect("child", where=lambda event: "pid" in event.raw, within=10)["pid"]
    assert program.stop(within=0.1) == -signal.SIGKILL
    until_gone(child)


def test_standard_input(tmp_path: Path) -> None:
    script = tmp_path / "understudy"
    script.write_text('#!/bin/sh\nread word\necho "{\\"event\\": \\"heard\\", \\"word\\": \\"$word\\"}"\n')
    script.chmod(0o755)
    program = Program.launch(executable=script, takes_input=True)
    program.write(b"hello\n")
    program.expect("heard", where=lambda event: event["word"] == "hello", within=10)
    assert program.wait() == 0
    # Without it, the program reads the end of its input.
    program = Program.launch(executable=script)
    program.expect("heard", where=lambda event: event["word"] == "", within=10)
    with pytest.raises(understudy.UnderstudyError, match="takes_input"):
        program.write(b"hello\n")


@pytest.mark.parametrize(
    "end", ["sys.exit()", "raise RuntimeError", "os.kill(os.getpid(), signal.SIGKILL)", "os._exit(1)"]
)
def test_program_ends_with_who_started_it(end: str) -> None:
    code = (
        "import os, signal, sys, threading, understudy\n"
        "started = []\n"
        # Also if the thread that started it has ended.
        "thread = threading.Thread(target=lambda: started.append(understudy.Accessory.start('battery')))\n"
        "thread.start(); thread.join()\n"
        "assert started[0]['battery-level'].value == 100\n"
        "print(started[0].program.pid, flush=True)\n"
        f"{end}\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20)
    until_gone(int(ended.stdout))


def test_launched_with_any_arguments() -> None:
    program = Program.launch("describe", "battery", "--json")
    assert program.wait() == 0
    assert '"services"' in "".join(program.output)
    program = Program.launch("check", "no-such-profile")
    assert (program.wait(), "there is no profile" in program.errors) == (66, True)
    assert "stderr: " in program.report() and "arguments: check no-such-profile" in program.report()
    with pytest.raises(understudy.UnderstudyError, match="no control API"):
        program.exchange("GET", "/v1/accessory")
