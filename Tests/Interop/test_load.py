"""The number of clients that watch an accessory does not affect a connected central."""

from __future__ import annotations

import asyncio
import resource
import socket
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from conftest import EVERYTHING, Stage
from support.attributes import handles_by_id
from support.central import Session
from support.controllers import LOOPBACK
from support.program import describe
from support.web import Client

STREAMS, SOCKETS, READS = 500, 1000, 200
# More than the journal and both ends of a connection hold.
LINES, LENGTH, UNREAD = 8000, 1000, 8

TALKATIVE = f"""
import json, sys

for line in sys.stdin:
    if json.loads(line)["event"] == "connected":
        sys.stderr.write(("-" * {LENGTH} + "\\n") * {LINES} + "that is all\\n")
        sys.stderr.flush()
"""


@pytest.fixture(autouse=True)
def descriptors() -> Iterator[None]:
    """Skips the test if our ends of the connections need more descriptors than allowed. Restores the limit after it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = STREAMS + SOCKETS + 500
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"{hard} descriptors are too few for this")
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def reads(session: Session, handle: int) -> str:
    """Reads one value after another; returns median and 99th percentile in milliseconds."""
    times = []
    for _ in range(READS):
        began = time.monotonic()
        await session.read(handle)
        times.append((time.monotonic() - began) * 1000)
    cuts = statistics.quantiles(times, n=100)
    return f"median {cuts[49]:.1f} ms, p99 {cuts[98]:.1f} ms"


def resident(pid: int) -> int:
    """Returns the memory in KiB."""
    return next(
        int(line.split()[1]) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "VmRSS" in line
    )


async def test_many_watch(virtual: Stage) -> None:
    program = await virtual.run(EVERYTHING, "--http", f"{LOOPBACK}:0")
    http = await program.event("http")
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (STREAMS + SOCKETS + 500, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    )
    handle = handles_by_id(await describe(EVERYTHING))["twenty"]
    session = await virtual.connect(mtu=517)
    figures = [f"alone: {await reads(session, handle)}"]
    assert program.pid
    before = resident(program.pid)
    with ExitStack() as stack:
        request = f"GET /v1/events HTTP/1.1\r\nHost: {LOOPBACK}\r\n\r\n".encode()
        streams = []
        for number in range(STREAMS + SOCKETS):
            line = stack.enter_context(socket.create_connection((LOOPBACK, http["port"]), 10))
            if number < STREAMS:
                line.sendall(request)
                streams.append(line)
        for line in streams:
            # The clients read the response heads, and then nothing more.
            assert line.recv(12) == b"HTTP/1.1 200"
            await asyncio.sleep(0)
        figures.append(f"with {STREAMS} streams and {SOCKETS} sockets: {await reads(session, handle)}")
        grown = resident(program.pid) - before
        figures.append(f"{grown / (STREAMS + SOCKETS):.0f} KiB of memory for each connection")
        # Other clients are served meanwhile.
        answer = await Client(LOOPBACK, http["port"]).get("/v1/accessory")
        assert len(answer.json["connections"]) == 1
    print("\n".join(figures))
    assert await session.read(handle) == bytes(range(20))
    assert not program.named("disconnected")
    assert grown < STREAMS * 2048


async def test_streams_that_are_never_read(virtual: Stage, tmp_path: Path) -> None:
    (tmp_path / "talkative.py").write_text(TALKATIVE)
    profile = tmp_path / "talkative.yaml"
    profile.write_text("understudy: 1\nname: Talkative\nprograms: { talkative: [python3, talkative.py] }\n")
    program = await virtual.run(profile, "--http", f"{LOOPBACK}:0", "--allow-programs")
    http = await program.event("http")

    async def fill() -> int:
        """Fills the journal again; returns the memory in KiB after that."""
        begin = len(program.events)
        session = await virtual.connect()
        await program.event("program-said", text="that is all", since=begin)
        await session.disconnect()
        assert program.pid
        return resident(program.pid)

    def stream() -> socket.socket:
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(10)
        line.connect((LOOPBACK, http["port"]))
        line.sendall(f"GET /v1/events HTTP/1.1\r\nHost: {LOOPBACK}\r\n\r\n".encode())
        assert line.recv(12) == b"HTTP/1.1 200"
        return line

    # The first stream loads code into memory, and fills the journal.
    with stream():
        await fill()
    before = await fill()
    with ExitStack() as stack:
        lines = [stack.enter_context(stream()) for _ in range(UNREAD)]
        grown = (await fill() - before) / UNREAD
        print(f"{grown:.0f} KiB of memory for a stream that is not read")
        assert grown < 2048
        # A client that finally reads learns what it has missed.
        text = b""
        while b"event: lost" not in text:
            part = lines[0].recv(1 << 20)
            assert part, "the stream ended without the event lost"
            text = text[-20:] + part
