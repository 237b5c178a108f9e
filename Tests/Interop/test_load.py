"""A connected central does not feel how many others watch the accessory."""

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


@pytest.fixture(autouse=True)
def descriptors() -> Iterator[None]:
    """Room for our ends of the connections. The program makes its own room."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = STREAMS + SOCKETS + 500
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"{hard} descriptors are too few for this")
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def reads(session: Session, handle: int) -> str:
    """Reads one after the other; median and 99th percentile in milliseconds."""
    times = []
    for _ in range(READS):
        began = time.monotonic()
        await session.read(handle)
        times.append((time.monotonic() - began) * 1000)
    cuts = statistics.quantiles(times, n=100)
    return f"median {cuts[49]:.1f} ms, p99 {cuts[98]:.1f} ms"


def resident(pid: int) -> int:
    """KiB of memory."""
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
            # They read their heads, and nothing more from then on.
            assert line.recv(12) == b"HTTP/1.1 200"
            await asyncio.sleep(0)
        figures.append(f"with {STREAMS} streams and {SOCKETS} sockets: {await reads(session, handle)}")
        grown = resident(program.pid) - before
        figures.append(f"{grown / (STREAMS + SOCKETS):.0f} KiB of memory for each connection")
        # Others are served meanwhile.
        answer = await Client(LOOPBACK, http["port"]).get("/v1/accessory")
        assert len(answer.json["connections"]) == 1
    print("\n".join(figures))
    assert await session.read(handle) == bytes(range(20))
    assert not program.named("disconnected")
    assert grown < STREAMS * 2048
