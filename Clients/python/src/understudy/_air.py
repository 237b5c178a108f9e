"""The operations of a virtual radio, as plans."""

from __future__ import annotations

from typing import Literal

from understudy._accessory import given
from understudy._build import build
from understudy._expectation import Waiting
from understudy._program import ProgramCore, path_of
from understudy._steps import Plan
from understudy.state import ControllerImpairment, PathImpairment, RadioState

# Tracebacks in pytest show the lines of a test, not those of the client.
__tracebackhide__ = True

Notice = Literal["silent", "nop", "hardware-error", "assertion"]


class AirCore(Waiting):
    """The virtual radio of a program."""

    def __init__(self, program: ProgramCore) -> None:
        self.program, self.witness = program, program.witness

    def state(self) -> Plan[RadioState]:
        """The current state of the radio: where hosts can join, the controllers, and the impairments."""
        return build(RadioState, (yield from self.program.call("GET", "/v1/radio")))

    def impair(
        self,
        *,
        loss: float | str | None = None,
        ber: float | None = None,
        rssi: int | None = None,
        reachable: bool | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> Plan[PathImpairment]:
        """Impairs all paths, or the path from one controller to another; settings that are not given are unimpaired.

        loss: the share of lost packets, or a pattern such as `"LL..."`. ber: bit error rate. rssi: dBm.
        """
        body = given(loss=loss, ber=ber, rssi=rssi, reachable=reachable)
        return build(PathImpairment, (yield from self.program.call("PUT", self._path(from_, to), body)))

    def clear(self, *, from_: str | None = None, to: str | None = None) -> Plan[None]:
        """Clears the impairment of all paths, or the settings of one path."""
        yield from self.program.call("DELETE", self._path(from_, to))

    def impair_controller(
        self, name: str, *, latency_ms: float | None = None, hung: bool | None = None, buffers: int | None = None
    ) -> Plan[ControllerImpairment]:
        """Impairs a controller; settings that are not given are unimpaired."""
        body = given(latency_ms=latency_ms, hung=hung, buffers=buffers)
        path = path_of("radio", "controllers", name)
        return build(ControllerImpairment, (yield from self.program.call("PUT", path, body)))

    def clear_controller(self, name: str) -> Plan[None]:
        """Clears the impairment of a controller."""
        yield from self.program.call("DELETE", path_of("radio", "controllers", name))

    def restart(
        self,
        name: str,
        notice: Notice = "silent",
        *,
        code: int | None = None,
        file: str | None = None,
        line: int | None = None,
    ) -> Plan[None]:
        """Restarts a controller: silently, with a NOP event, a Hardware Error of a `code`, or a Zephyr assertion."""
        body = given(notice=notice, code=code, file=file, line=line)
        yield from self.program.call("POST", path_of("radio", "controllers", name, "restart"), body)

    def advance(self, duration: float | str, *, within: float = 600.0) -> Plan[float]:
        """Advances the time of the radio and of its accessories; returns the radio's time in seconds.

        duration: seconds, or a text as in a profile: `"5 min"`. within: how long that may take, in real seconds.
        """
        text = duration if isinstance(duration, str) else f"{round(duration * 1000)} ms"
        path = path_of("radio", "advance")
        answer = (yield from self.program.exchange("POST", path, {"for": text}, within)).result()
        return float(answer["elapsed_ms"]) / 1000

    @staticmethod
    def _path(from_: str | None, to: str | None) -> str:
        if (from_ is None) != (to is None):
            raise TypeError("a path has two ends: from_ and to")
        return path_of("radio", "default") if from_ is None else path_of("radio", "paths", from_, to)
