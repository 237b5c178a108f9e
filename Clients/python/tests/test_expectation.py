"""Expectations with a journal that the test fills."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from understudy import ExpectationFailed, Match
from understudy._event import Event
from understudy._expectation import Waiting, Witness
from understudy._journal import Journal
from understudy._steps import run, run_async


class Bench(Waiting):
    """A journal and its witness."""

    def __init__(self, accessory: str | None = None) -> None:
        self.journal = Journal()
        self.witness = Witness(self.journal, accessory, ending=lambda: "the program has ended with 1")

    def happens(self, kind: str, /, **fields: Any) -> Event:
        return self.journal.add({"event": kind, **fields})


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_what_has_happened_is_found_in_order(bench: Bench) -> None:
    first, _, second = bench.happens("write", value=1), bench.happens("read"), bench.happens("write", value=1)
    assert run(bench.expect("write", value=1)) is first
    assert run(bench.expect("write", value=1)) is second
    with pytest.raises(ExpectationFailed):
        run(bench.expect("read", within=0))
    assert run(bench.expect("read", since=first)).index == 1
    assert run(bench.expect("write", since=0)) is first
    # Searching earlier events does not change the position.
    with pytest.raises(ExpectationFailed):
        run(bench.expect("write", within=0))


def test_several_in_any_order(bench: Bench) -> None:
    bench.happens("write", value=2)
    bench.happens("write", value=1)
    events = run(bench.expect_all(Match("write", value=1), Match("write"), within=0))
    assert [event.index for event in events] == [1, 0]
    with pytest.raises(ExpectationFailed, match="expected 'write' within 0 s"):
        run(bench.expect_all(Match("write", value=1), Match("write"), Match("write"), within=0, since=0))


def test_nothing(bench: Bench) -> None:
    bench.happens("write", value=1)
    run(bench.expect("write"))
    run(bench.expect_none("write", within=0))
    bench.happens("write", value=2)
    run(bench.expect_none("write", value=3, within=0))
    with pytest.raises(ExpectationFailed, match="expected no 'write', and it came"):
        run(bench.expect_none("write", within=10))


@pytest.mark.parametrize(
    ("wanted", "has", "fits"),
    [
        (1, 1, True),
        (1, 1.0, True),
        (1, True, False),
        (0.1 + 0.2, 0.3, True),
        ({"bpm": 60}, {"bpm": 60, "contact": "detected"}, True),
        ({"bpm": 60}, {"bpm": 61}, False),
        ({"rr": [1.0]}, {"rr": [1]}, True),
        ([1], [1, 2], False),
        (lambda value: value > 5, 6, True),
        (lambda value: value > 5, 4, False),
    ],
)
def test_values(bench: Bench, wanted: Any, has: Any, fits: bool) -> None:
    assert Match("write", value=wanted)(bench.happens("write", value=has)) is fits


def test_octets_and_more(bench: Bench) -> None:
    event = bench.happens("write", hex="0102", value=513, connection=1, characteristic="lock")
    assert Match("write", value=b"\x01\x02")(event)
    assert not Match("write", value=b"\x01")(event)
    assert Match("write", hex="0102", connection=1, where=lambda event: event.value > 500)(event)
    assert not Match("write", where=lambda event: event.value > 600)(event)
    with pytest.raises(TypeError, match=r"'write' has no valeu \(known: accessory, characteristic, "):
        Match("write", valeu=1)
    with pytest.raises(ValueError, match="there is no event 'wirte', did you mean 'write'?"):
        Match("wirte", value=1)
    # A newer program may have others.
    assert Match("of-tomorrow", lambda event: True, valeu=1)(bench.happens("of-tomorrow", valeu=1))
    assert Match("write", characteristic=type("Handle", (), {"id": "lock"})())(event)
    assert Match("question", kind="read")(bench.happens("question", kind="read"))


def test_failure_tells_what_happened(bench: Bench) -> None:
    bench.happens("connected", connection=1)
    bench.happens("write", connection=1, value=6)
    with pytest.raises(ExpectationFailed) as caught:
        run(bench.expect("write", value=7, within=0))
    lines = str(caught.value).splitlines()
    assert lines[0] == "expected 'write' with value=7 within 0 s, and it did not come"
    assert lines[1] == "  not this 'write': value is 6"
    assert lines[2] == "what happened (2 events):"
    assert lines[3].endswith("s  connected              connection=1")
    assert lines[4].endswith("s  write                  connection=1, value=6")
    assert caught.value.transcript == "\n".join(lines[2:])


def test_failure_marks_what_did_come(bench: Bench) -> None:
    bench.happens("connected")
    bench.happens("mtu")
    with pytest.raises(ExpectationFailed) as caught:
        run(bench.expect_all(Match("connected"), Match("phy"), within=0))
    assert [line[0] for line in caught.value.transcript.splitlines()[1:]] == [">", " "]


def test_end_of_the_program_is_not_waited_out(bench: Bench) -> None:
    begin = time.monotonic()
    bench.happens("write")
    bench.journal.finish()
    run(bench.expect("write", within=60))
    with pytest.raises(ExpectationFailed, match="expected 'write'; the program has ended with 1"):
        run(bench.expect("write", within=60))
    run(bench.expect_none("write", within=60))
    assert time.monotonic() - begin < 30


def test_one_of_several_accessories() -> None:
    bench = Bench("belt")
    bench.happens("write", accessory="scale")
    bench.happens("joined")
    mine = bench.happens("write", accessory="belt")
    assert run(bench.expect("write")) is mine
    assert [event.kind for event in bench.witness.events()] == ["joined", "write"]


def later(action: Callable[[], object]) -> None:
    """Runs it when the caller has begun to wait, or before: both must work."""
    threading.Timer(0.01, action).start()


def test_thread_waits(bench: Bench) -> None:
    later(lambda: bench.happens("write"))
    assert run(bench.expect("write", within=20)).kind == "write"


async def test_task_waits(bench: Bench) -> None:
    later(lambda: bench.happens("write"))
    assert (await run_async(bench.expect("write", within=20))).kind == "write"


async def test_many_wait_at_once(bench: Bench) -> None:
    tasks = [asyncio.create_task(run_async(bench.expect("write", value=n, since=0, within=20))) for n in range(50)]
    threads = [threading.Thread(target=lambda: [bench.happens("write", value=n) for n in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert [event.value for event in await asyncio.gather(*tasks)] == list(range(50))
    for thread in threads:
        thread.join()


async def test_cancelled_task_leaves_nothing(bench: Bench) -> None:
    task = asyncio.create_task(run_async(bench.expect("write", within=20)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not bench.journal._listeners


@pytest.mark.parametrize("turns", range(6))
async def test_cancelled_at_the_moment_of_an_event(turns: int) -> None:
    """A cancelled wait ends with the cancellation, unless it was over before."""
    journal = Journal()
    waiting = asyncio.ensure_future(journal.wait_async(lambda: journal.events or None, math.inf))
    await asyncio.sleep(0.01)
    journal.add({"event": "ready"})
    for _ in range(turns):
        await asyncio.sleep(0)
    was_over = waiting.done()
    waiting.cancel()
    await asyncio.wait({waiting})
    assert waiting.cancelled() or was_over
