"""Plans: operations written once, as steps, and carried out by blocking threads or by asyncio.

An operation of this package is a generator that yields steps and receives their results. There are two kinds of steps:
to send a request and get its response, and to wait for something in a journal. `run` and `run_async` carry a plan out;
`blocking` and `awaiting` make a method of a public class from the operation of the class behind it.
"""

from __future__ import annotations

import asyncio
import functools
import socket
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from understudy._journal import Check, Journal
from understudy._wire import Answer, AnswerReader, Endpoint
from understudy.errors import Unreachable

# Tracebacks in pytest show the lines of a test, not those of the client.
__tracebackhide__ = True

T = TypeVar("T")
P = ParamSpec("P")
V = TypeVar("V")


class Step:
    """A step that may take time."""

    def run(self) -> Any:
        raise NotImplementedError

    async def run_async(self) -> Any:
        raise NotImplementedError


Plan = Generator[Step, Any, T]


@dataclass
class Exchange(Step):
    """A request and its response, over a separate connection."""

    endpoint: Endpoint
    octets: bytes
    timeout: float

    def plan(self) -> Plan[Answer]:
        answer: Answer = yield self
        return answer

    def run(self) -> Answer:
        deadline, reader, body = time.monotonic() + self.timeout, AnswerReader(), bytearray()
        try:
            with socket.create_connection((self.endpoint.host, self.endpoint.port), self.timeout) as line:
                line.sendall(self.octets)
                while not reader.finished:
                    line.settimeout(max(deadline - time.monotonic(), 0.001))
                    body += reader.feed(line.recv(65536))
        except OSError as error:
            raise self._unreachable(error) from error
        return Answer(reader.status, reader.headers, bytes(body))

    async def run_async(self) -> Answer:
        reader, body = AnswerReader(), bytearray()
        try:
            async with asyncio.timeout(self.timeout):
                incoming, outgoing = await asyncio.open_connection(self.endpoint.host, self.endpoint.port)
                try:
                    outgoing.write(self.octets)
                    while not reader.finished:
                        body += reader.feed(await incoming.read(65536))
                finally:
                    outgoing.close()
        except OSError as error:
            raise self._unreachable(error) from error
        return Answer(reader.status, reader.headers, bytes(body))

    def _unreachable(self, error: OSError) -> Unreachable:
        if isinstance(error, TimeoutError):
            return Unreachable(f"no answer from {self.endpoint} within {self.timeout:g} s")
        return Unreachable(f"nothing answers at {self.endpoint}: {error}")


@dataclass
class Wait(Step, Generic[T]):
    """Waits until a check returns a result, until the deadline (`time.monotonic()`), or until the journal ends."""

    journal: Journal
    check: Check[T]
    deadline: float

    @staticmethod
    def plan(journal: Journal, check: Check[V], deadline: float) -> Plan[V | None]:
        found: V | None = yield Wait(journal, check, deadline)
        return found

    def run(self) -> T | None:
        return self.journal.wait(self.check, self.deadline)

    async def run_async(self) -> T | None:
        return await self.journal.wait_async(self.check, self.deadline)


def run(plan: Plan[T]) -> T:
    """Carries a plan out in this thread."""
    try:
        step = next(plan)
        while True:
            try:
                result = step.run()
            except BaseException as error:
                step = plan.throw(error)
            else:
                step = plan.send(result)
    except StopIteration as end:
        value: T = end.value
        return value


async def run_async(plan: Plan[T]) -> T:
    """Carries a plan out in this task."""
    try:
        step = next(plan)
        while True:
            try:
                result = await step.run_async()
            except BaseException as error:
                step = plan.throw(error)
            else:
                step = plan.send(result)
    except StopIteration as end:
        value: T = end.value
        return value


def blocking(verb: Callable[Concatenate[Any, P], Plan[T]]) -> Callable[Concatenate[Any, P], T]:
    """Returns a method that carries out the operation of its object's `_core` and returns the result."""

    @functools.wraps(verb)
    def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return run(verb(self._core, *args, **kwargs))

    result: Callable[Concatenate[Any, P], T] = method
    return result


def awaiting(verb: Callable[Concatenate[Any, P], Plan[T]]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """Returns the same method as a coroutine function."""

    @functools.wraps(verb)
    async def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await run_async(verb(self._core, *args, **kwargs))

    result: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]] = method
    return result


class _Stoppable(Protocol):
    async def stop(self) -> Any: ...


S = TypeVar("S", bound=_Stoppable)


class Opening(Generic[S]):
    """An object that is starting: `await` it, or use `async with`, which also ends it."""

    def __init__(self, begin: Callable[[], Awaitable[S]]) -> None:
        self._begin = begin

    def __await__(self) -> Generator[Any, Any, S]:
        return self._begin().__await__()

    async def __aenter__(self) -> S:
        self._opened = await self._begin()
        return self._opened

    async def __aexit__(self, *error: object) -> None:
        await self._opened.stop()
