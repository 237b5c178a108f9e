"""The errors of calls, and the decorators that report them to the client."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Protocol, TypeVar, cast

import grpc

from understudy.errors import Refused, UnderstudyError

F = TypeVar("F", bound=Callable[..., Any])


class CallError(Exception):
    """The error that answers a call."""

    code = grpc.StatusCode.UNKNOWN


class Invalid(CallError):
    """The request is not valid."""

    code = grpc.StatusCode.INVALID_ARGUMENT


class Unimplemented(CallError):
    """The device does not support the call; the text says why."""

    code = grpc.StatusCode.UNIMPLEMENTED


class Aborted(CallError):
    """The call is not possible in the current state."""

    code = grpc.StatusCode.ABORTED


class Unavailable(CallError):
    """There is no accessory, because its program or its controller is gone."""

    code = grpc.StatusCode.UNAVAILABLE


class WasReset(CallError):
    """The device was reset during the call."""

    code = grpc.StatusCode.CANCELLED

    def __init__(self) -> None:
        super().__init__("the device was reset")


class Counting(Protocol):
    """Counts the calls in progress."""

    calls: int

    def ring(self) -> None: ...


class _Service(Protocol):
    @property
    def bell(self) -> Counting: ...


async def _answered(service: _Service, context: grpc.aio.ServicerContext[Any, Any], call: Awaitable[Any]) -> Any:
    service.bell.calls += 1
    service.bell.ring()
    try:
        return await call
    except CallError as error:
        await context.abort(error.code, str(error))
    except Refused as error:
        await context.abort(grpc.StatusCode.ABORTED, str(error))
    except UnderstudyError as error:
        await context.abort(grpc.StatusCode.UNAVAILABLE, str(error))
    finally:
        service.bell.calls -= 1
        service.bell.ring()


def unary(method: F) -> F:
    """Decorates a method with one reply."""

    @functools.wraps(method)
    async def handler(self: _Service, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        return await _answered(self, context, method(self, request, context))

    return cast(F, handler)


def streaming(method: F) -> F:
    """Decorates a method with a stream of replies. The method's `finally` runs before the call ends, in every case."""

    async def write(replies: AsyncIterator[Any], context: grpc.aio.ServicerContext[Any, Any]) -> None:
        async with aclosing(cast(Any, replies)) as open_replies:
            async for reply in open_replies:
                await context.write(reply)

    @functools.wraps(method)
    async def handler(self: _Service, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        await _answered(self, context, write(method(self, request, context), context))

    return cast(F, handler)
