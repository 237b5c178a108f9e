"""The effects of a web page, a slow client, a full disk and a hostile text."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pty
import resource
import signal
import stat
import subprocess
from pathlib import Path

import pytest
from bumble import hci

from conftest import EVERYTHING, Launch, Stage
from support.controllers import LOOPBACK
from support.program import EX_DATAERR, EX_IOERR, EX_OK, EX_OSERR, EX_UNAVAILABLE, EX_USAGE, executable, run
from support.web import Client

HOSTILE = "understudy: 1\nname: \"Lamp\\u001b[31m\\u009b2J\\u202e\"\nabout: \"\\u001b]0;title\\u0007\"\n"

COMMANDS = [
    ("check", EVERYTHING),
    ("check", EVERYTHING, "--json"),
    ("describe", EVERYTHING),
    ("describe", EVERYTHING, "--json"),
    ("profiles",),
    ("profiles", "--json"),
    ("profiles", "battery"),
    ("scenarios",),
    ("scenarios", "--json"),
    ("scenarios", "ota"),
    ("schema",),
    ("controllers",),
    ("doctor", "--controller", "virtual"),
    ("run", EVERYTHING, "--json"),
    ("run", EVERYTHING),
    ("radio",),
    ("--help",),
    ("--version",),
]


def page(body: bytes) -> bytes:
    """Returns what a browser sends for `fetch(url, {method: "POST", mode: "no-cors", body})`."""
    head = f"POST / HTTP/1.1\r\nHost: {LOOPBACK}\r\nOrigin: http://evil.example\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def finished(reader: asyncio.StreamReader) -> bytes:
    """Returns everything up to the end of the connection."""
    try:
        return await asyncio.wait_for(reader.read(), 30)
    except ConnectionResetError:
        return b""


async def test_web_page_is_no_host(virtual: Stage) -> None:
    program = await virtual.run()
    assert virtual.ready
    (port,) = virtual.ready["ports"]
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    writer.write(page(bytes(hci.HCI_Reset_Command()) * 50))
    refused = await program.event("line-refused")
    assert "HTTP" in refused["reason"]
    assert await finished(reader) == b""
    writer.close()
    # A host is still accepted.
    session = await virtual.connect()
    await session.disconnect()


async def test_web_page_is_no_controller(launch: Launch) -> None:
    program = await launch("run", EVERYTHING, "--controller", f"tcp-server:{LOOPBACK}:0", "--json")
    place = (await program.event("awaiting-controller"))["place"]
    port = int(place.split()[-1])
    answer = bytes.fromhex("040e0401030c00")
    for octets in (page(answer), b"\x16\x03\x01\x02\x00" + answer):
        reader, writer = await asyncio.open_connection(LOOPBACK, port)
        writer.write(octets)
        await finished(reader)
        writer.close()
    await program.event("line-refused", where=lambda event: "TLS" in event["reason"])
    # The program waits for it again after each refusal.
    assert len(await program.count("awaiting-controller", 3)) == 3
    assert not program.named("controller")


async def test_get_of_another_page_is_refused(virtual: Stage) -> None:
    program = await virtual.run(EVERYTHING, "--http", f"{LOOPBACK}:0")
    port = (await program.event("http"))["port"]
    for site, status in (("cross-site", b"403"), ("same-site", b"403"), ("same-origin", b"200")):
        reader, writer = await asyncio.open_connection(LOOPBACK, port)
        writer.write(
            f"GET /v1/accessory HTTP/1.1\r\nHost: {LOOPBACK}\r\nSec-Fetch-Site: {site}\r\nConnection: close\r\n\r\n".encode()
        )
        assert (await finished(reader)).split()[1] == status
        writer.close()


async def test_token_is_in_a_file_of_the_owner(virtual: Stage, tmp_path: Path) -> None:
    program = await virtual.run(
        EVERYTHING, "--http", f"{LOOPBACK}:0", "--http-auth", environment={"XDG_RUNTIME_DIR": str(tmp_path)}
    )
    event = await program.event("http")
    file = Path(event["token_file"])
    assert file.is_relative_to(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    token = file.read_text().strip()
    assert len(token) == 32
    assert (await Client(LOOPBACK, event["port"]).get("/v1/accessory")).status == 401
    assert (await Client(LOOPBACK, event["port"], token).get("/v1/accessory")).status == 200
    program.send_signal(signal.SIGTERM)
    assert await program.wait() == EX_OK
    assert not file.exists()


async def test_short_tokens_are_refused() -> None:
    completed = await run("run", EVERYTHING, "--http", f"{LOOPBACK}:0", "--http-token", "0123456789abcde")
    assert completed.code == EX_USAGE
    assert "16 characters" in completed.errors


@pytest.mark.parametrize("limit", [12, 16, 64])
async def test_too_few_descriptors_are_an_error_at_the_start(limit: int) -> None:
    process = await asyncio.create_subprocess_exec(
        *(executable(), "run", str(EVERYTHING), "--ephemeral", "--http", f"{LOOPBACK}:0"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)),
    )
    _, errors = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == EX_UNAVAILABLE
    assert f"only {limit} files".encode() in errors and b"ulimit -n" in errors


async def test_connections_leave_descriptors(tmp_path: Path) -> None:
    """More idle connections than descriptors: the accessory has some left for a file, and later connections wait."""
    process = await asyncio.create_subprocess_exec(
        *(executable(), "run", str(EVERYTHING), "--ephemeral", "--json", "--http", f"{LOOPBACK}:0"),
        *("--ring-folder", str(tmp_path)),
        stdout=asyncio.subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300)),
    )
    assert process.stdout
    idle: list[asyncio.StreamWriter] = []
    try:
        while (event := json.loads(await asyncio.wait_for(process.stdout.readline(), 30)))["event"] != "http":
            pass
        reader, writer = await asyncio.open_connection(LOOPBACK, event["port"])
        for _ in range(350):
            idle.append((await asyncio.open_connection(LOOPBACK, event["port"]))[1])
        request = f"POST /v1/ring HTTP/1.1\r\nHost: {LOOPBACK}\r\nContent-Length: 0\r\n\r\n"
        writer.write(request.encode())
        assert (await asyncio.wait_for(reader.readline(), 30)).startswith(b"HTTP/1.1 200")
        assert list(tmp_path.iterdir())
        for other in [writer, *idle]:
            other.close()
        assert (await Client(LOOPBACK, event["port"]).get("/v1/accessory")).status == 200
    finally:
        process.kill()
        await process.communicate()


async def test_files_are_for_profiles(virtual: Stage, tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "data").write_bytes(b"fine")
    (tmp_path / "secret").write_bytes(b"secret")
    program = await virtual.run(EVERYTHING, "--http", f"{LOOPBACK}:0", "--allow-bridge", f"file:{tmp_path}/open")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    for place, status in (
        (f"file:{tmp_path}/open/data", 201),
        (f"file:{tmp_path}/open/../secret", 403),
        ("file:/etc/passwd", 403),
        (f"tcp:{LOOPBACK}:22", 403),
        ("unix:/run/x", 403),
        (f"pty:{tmp_path}/open/tty", 403),
    ):
        answer = await client.post("/v1/published", {"id": "extra", "psm": "auto", "handler": place})
        assert answer.status == status, (place, answer.body)


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(map(str, arguments[:1])))
async def test_full_device(arguments: tuple[str | Path, ...]) -> None:
    """Every command reports that its output is incomplete."""
    with open("/dev/full", "wb") as full:
        process = await asyncio.create_subprocess_exec(
            executable(), *map(str, arguments), stdout=full, stderr=asyncio.subprocess.PIPE
        )
        _, errors = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == EX_IOERR
    assert b"standard output" in errors


@pytest.mark.parametrize("arguments", [("run", EVERYTHING, "--json"), ("radio", "--join", "unix:SOCKET")], ids=["run", "radio"])
async def test_reader_that_leaves(arguments: tuple[str | Path, ...], tmp_path: Path) -> None:
    """The program ends as with SIGPIPE, and leaves nothing behind."""
    texts = [str(text).replace("SOCKET", str(tmp_path / "socket")) for text in arguments]
    reading, writing = os.pipe()
    process = await asyncio.create_subprocess_exec(executable(), *texts, stdout=writing)
    os.close(writing)
    os.close(reading)
    if texts[0] == "radio":
        # A program that prints nothing more detects nothing: a host has to join.
        while not (tmp_path / "socket").exists() and process.returncode is None:
            await asyncio.sleep(0.01)
    assert await asyncio.wait_for(process.wait(), 30) == -signal.SIGPIPE
    assert not (tmp_path / "socket").exists()


@pytest.mark.parametrize("arguments", [("run", "heart-rate", "--ephemeral"), ("radio",)], ids=["run", "radio"])
async def test_reader_that_leaves_when_nothing_is_printed(arguments: tuple[str, ...]) -> None:
    process = await asyncio.create_subprocess_exec(executable(), *arguments, stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    await process.stdout.readline()
    # The output of the start is complete: nothing more is printed.
    with contextlib.suppress(TimeoutError):
        while await asyncio.wait_for(process.stdout.readline(), 1):
            pass
    assert process.returncode is None
    process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]
    assert await asyncio.wait_for(process.wait(), 30) == -signal.SIGPIPE


@pytest.mark.skipif(os.geteuid() != 0, reason="to take /proc away needs root")
def test_without_proc() -> None:
    script = f"umount -l /proc && exec {executable()} check /nowhere.yaml"
    completed = subprocess.run(["unshare", "--mount", "sh", "-c", script], capture_output=True, timeout=30)
    assert completed.returncode == EX_OSERR
    assert b"/proc" in completed.stderr and not completed.stdout


async def test_capture_that_fails(virtual: Stage, tmp_path: Path) -> None:
    """A limit on the size of files stands for a disk that fills up."""
    for name in ("host.btsnoop", "radio.pcapng"):
        process = await asyncio.create_subprocess_exec(
            executable(),
            "run",
            str(EVERYTHING),
            "--json",
            "--capture",
            str(tmp_path / name),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            preexec_fn=lambda: (
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600)),
            ),
        )
        assert process.stdout and process.stderr
        async with asyncio.timeout(30):
            async for line in process.stdout:
                if b'"capture-failed"' in line:
                    break
        process.send_signal(signal.SIGINT)
        _, errors = await asyncio.wait_for(process.communicate(), 30)
        assert process.returncode == EX_IOERR, errors
        assert b"capture file" in errors


async def test_hang_up_cleans_up(launch: Launch, tmp_path: Path) -> None:
    # A program that was started to ignore SIGHUP does so, so these tests may run under nohup.
    inherited = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        program = await launch("run", EVERYTHING, "--json", "--join", f"pty:{tmp_path}/tty", "--join", f"unix:{tmp_path}/socket")
    finally:
        signal.signal(signal.SIGHUP, inherited)
    await program.ready()
    program.send_signal(signal.SIGHUP)
    assert await program.wait() == EX_OK
    assert program.named("stopped")
    assert not any((tmp_path / name).is_symlink() or (tmp_path / name).exists() for name in ("tty", "socket"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
async def test_second_signal_ends_at_once(virtual: Stage, tmp_path: Path, number: signal.Signals) -> None:
    """A program that ignores SIGTERM delays the orderly end; the second signal ends all processes that it has started."""
    profile = tmp_path / "stubborn.yaml"
    script = "trap '' TERM INT; sleep 600 & echo $! >&2; wait; while :; do sleep 600; done"
    profile.write_text(f"understudy: 1\nname: Stubborn\nprograms:\n  stubborn: [sh, -c, {json.dumps(script)}]\n")
    program = await virtual.run(profile, "--allow-programs")
    began = await program.event("program-started")
    child = int((await program.event("program-said"))["text"])
    program.send_signal(number)
    waiting = asyncio.create_task(program.wait())
    while not waiting.done():
        await asyncio.sleep(0.05)
        with contextlib.suppress(ProcessLookupError):
            program.send_signal(number)
    assert waiting.result() == -number
    for process in (began["process"], child):
        while is_running(process):
            await asyncio.sleep(0.01)


def is_running(process: int) -> bool:
    """Returns whether it has not ended; a zombie does not count as running."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def on_a_terminal(*arguments: str | Path, term: str) -> bytes:
    """Returns a command's output on a terminal."""
    master, slave = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"TERM": term}
    process = await asyncio.create_subprocess_exec(
        executable(), *map(str, arguments), stdout=slave, stderr=slave, env=environment
    )
    os.close(slave)
    output = b""
    loop = asyncio.get_running_loop()
    while True:
        try:
            octets = await loop.run_in_executor(None, os.read, master, 4096)
        except OSError:
            break
        if not octets:
            break
        output += octets
        if b"Control-C" in output and process.returncode is None:
            process.send_signal(signal.SIGINT)
    os.close(master)
    await process.wait()
    return output


@pytest.mark.parametrize("command", ["check", "describe", "run"])
async def test_texts_of_others_do_not_reach_the_terminal(command: str, tmp_path: Path) -> None:
    profile = tmp_path / "hostile.yaml"
    profile.write_text(HOSTILE)
    output = await on_a_terminal(command, profile, term="dumb")
    assert b"Lamp" in output
    assert b"\x1b" not in output
    for sequence in ("\u009b", "\u202e", "\x07"):
        assert sequence.encode() not in output
    coloured = await on_a_terminal(command, profile, term="xterm")
    # Our own control characters only change the appearance.
    assert b"\x1b[31m\\u{9B}" not in coloured and b"\x1b]" not in coloured
    if command == "run":
        assert b"\x1b[1m" in coloured


async def test_hostile_names_in_json(tmp_path: Path) -> None:
    profile = tmp_path / "hostile.yaml"
    profile.write_text(HOSTILE)
    completed = await run("describe", profile, "--json")
    assert completed.code == EX_OK
    assert "\u009b" not in completed.output and "\u202e" not in completed.output
    assert "\\u009b" in completed.output


async def test_descriptors_run_out(launch: Launch) -> None:
    """Listeners pause and report it, nothing spins, and hosts that have sent something keep their places."""
    process = await asyncio.create_subprocess_exec(
        executable(),
        "radio",
        "--join",
        "tcp",
        "--json",
        stdout=asyncio.subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
    )
    assert process.stdout
    lines: list[bytes] = []

    async def seen(text: bytes) -> bytes:
        assert process.stdout
        while True:
            line = await asyncio.wait_for(process.stdout.readline(), 30)
            assert line
            lines.append(line)
            if text in line:
                return line

    try:
        (port,) = json.loads(await seen(b'"ready"'))["ports"]
        streams = []
        # Hosts that have sent something are not dropped: finally the listener has to pause, and the last one waits for its answer.
        while len(streams) < 60:
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            writer.write(bytes(hci.HCI_Reset_Command()))
            streams.append((reader, writer))
            try:
                await asyncio.wait_for(reader.readexactly(7), 2)
            except TimeoutError:
                break
        await seen(b'"listening-paused"')
        before = cpu_seconds(process.pid)
        await asyncio.sleep(2)
        assert cpu_seconds(process.pid) - before < 0.5
        assert sum(b'"listening-paused"' in line for line in lines) == 1
        for _, writer in streams[:10]:
            writer.close()
        await seen(b'"listening-resumed"')
        await asyncio.wait_for(streams[-1][0].readexactly(7), 30)
        for _, writer in streams[10:]:
            writer.close()
    finally:
        process.kill()
        await process.wait()


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def test_profile_from_standard_input() -> None:
    for text, code, message in (
        (b"understudy: 1\nname: Piped\n", EX_OK, "Piped is valid"),
        (b"\xef\xbb\xbfunderstudy: 1\nname: Marked\n", EX_OK, "Marked is valid"),
        (b"", EX_DATAERR, "standard input:1:1: error: the file is empty"),
        ("understudy: 1\n".encode("utf-16"), EX_DATAERR, "UTF-16"),
        (b"\x7fELF\0\0", EX_DATAERR, "binary"),
    ):
        process = await asyncio.create_subprocess_exec(
            executable(),
            "check",
            "-",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        output, errors = await asyncio.wait_for(process.communicate(text), 30)
        assert process.returncode == code
        assert message in (output + errors).decode()


async def test_shipped_profiles_are_in_the_program(tmp_path: Path) -> None:
    """They are found wherever the program is."""
    completed = await run("check", "heart-rate", environment={"HOME": str(tmp_path)})
    assert completed.code == EX_OK
    absent = await run("check", "no-such-profile")
    assert os.getcwd() in absent.errors and "understudy profiles" in absent.errors


async def test_run_for_a_while(launch: Launch) -> None:
    """If time jumps, the duration is in radio time, from the moment when the accessory is ready. A busy machine
    detects the end a few jumps late.
    """
    program = await launch("run", "heart-rate", "--json", "--for", "1h", "--speed", "fast")
    assert await program.wait() == EX_OK
    (ready,), (stopped,) = program.named("ready"), program.named("stopped")
    assert 3599 < stopped["time"] - ready["time"] < 3660


async def test_run_for_a_while_without_a_controller(launch: Launch, tmp_path: Path) -> None:
    """The wait for a controller is not longer than that."""
    program = await launch(
        "run", "battery", "--json", "--controller", f"unix:{tmp_path}/absent", "--wait", "--for", "200ms"
    )
    await program.event("controller-missing")
    assert await program.wait() == EX_OK


async def test_events_that_are_not_wanted(launch: Launch) -> None:
    program = await launch("run", "battery", "--json", "--for", "100ms", "--without", "advertising,controller")
    assert await program.wait() == EX_OK
    names = {event.kind for event in program.events}
    assert names == {"restored", "ready", "stopped"}
    for option, name in (("--without", "nonsense"), ("--until", "nonsense")):
        refused = await run("run", "battery", option, name)
        assert refused.code == EX_USAGE and "nonsense" in refused.errors


async def test_run_until_an_event(launch: Launch) -> None:
    program = await launch("run", EVERYTHING, "--json", "--until", "ready")
    assert await program.wait() == EX_OK
    late = await launch("run", EVERYTHING, "--json", "--until", "connected", "--for", "100ms")
    assert await late.wait() == 1
    assert "connected has not occurred" in late.errors


async def test_values_of_a_fixed_length(virtual: Stage, tmp_path: Path) -> None:
    profile = tmp_path / "fixed.yaml"
    profile.write_text(
        "understudy: 1\nname: Fixed\nservices:\n  - uuid: FFF0\n    characteristics:\n"
        "      - { id: four, uuid: FFF1, format: u32, properties: [read, notify], value: 7 }\n"
    )
    program = await virtual.run(profile, "--http", f"{LOOPBACK}:0")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    answer = await client.put("/v1/characteristics/four/value", {"hex": "0102"})
    assert answer.status == 400
    assert "exactly 4" in answer.body.decode()
    assert (await client.get("/v1/characteristics/four/value")).json["hex"] == "07000000"
    # The request can also set the value, and the response contains the result.
    assert (await client.post("/v1/characteristics/four/notify", {"value": 8})).status == 409
    session = await virtual.connect()
    handle = await session.handle_of("FFF1")
    await session.subscribe(handle)
    answer = await client.post("/v1/characteristics/four/notify", {"value": 9})
    assert answer.status == 200
    assert {name: answer.json[name] for name in ("sent", "queued", "dropped")} == {"sent": 1, "queued": 0, "dropped": 0}
    ((_, pdu),) = await session.arrivals(1, handle)
    assert pdu.attribute_value == bytes([9, 0, 0, 0])
    assert (await client.post("/v1/characteristics/four/notify", {"values": 9})).status == 400


async def test_capture_without_advertising(virtual: Stage, tmp_path: Path) -> None:
    sizes = []
    for options in ((), ("--capture-filter", "no-advertising")):
        path = tmp_path / f"{len(options)}.pcapng"
        completed = await run("run", EVERYTHING, "--json", "--for", "10s", "--speed", "fast", "--capture", path, *options)
        assert completed.code == EX_OK, completed.errors
        sizes.append(path.stat().st_size)
    assert sizes[0] > 10 * sizes[1]
