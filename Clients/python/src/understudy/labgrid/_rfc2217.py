"""The client side of RFC 2217, a serial port over Telnet (RFC 854, RFC 855), without input or output."""

from __future__ import annotations

import re

SE, SB, WILL, WONT, DO, DONT, IAC = 240, 250, 251, 252, 253, 254, 255
# Options: RFC 856, RFC 858, RFC 2217.
BINARY, SUPPRESS_GO_AHEAD, COM_PORT = 0, 3, 44
# The commands of a client (RFC 2217, section 3). The codes of their answers are higher by 100.
SET_BAUDRATE, SET_DATASIZE, SET_PARITY, SET_STOPSIZE, SET_CONTROL = 1, 2, 3, 4, 5
ANSWER = 100
EIGHT_BITS, NO_PARITY, ONE_STOP_BIT = 8, 1, 1
NO_FLOW_CONTROL, HARDWARE_FLOW_CONTROL = 1, 3

OURS = {BINARY, SUPPRESS_GO_AHEAD, COM_PORT}
THEIRS = {BINARY, SUPPRESS_GO_AHEAD}
# Without these, Telnet would change octets, or the line settings could not be sent.
NEEDED = {(DO, BINARY), (WILL, BINARY), (DO, COM_PORT)}
TOKEN = re.compile(
    rb"(?P<data>[^\xff]+)|(?P<escaped>\xff\xff)|\xff(?P<verb>[\xfb-\xfe])(?P<option>.)"
    rb"|\xff\xfa(?P<sub>(?:[^\xff]|\xff\xff)*)\xff\xf0|\xff[^\xfa-\xff]",
    re.DOTALL,
)
LONGEST_COMMAND = 1024
"""The maximum number of octets of an incomplete command."""


class Refusal(OSError):
    """The server does not support what is needed."""


class PortClient:
    """Opens a serial port of a server with these settings, and parses what the server sends."""

    def __init__(self, speed: int, flow_control: bool) -> None:
        self.speed, self.flow_control = speed, flow_control
        self.is_open = False
        """Whether the server has agreed to everything, so that octets may pass."""
        self._outgoing = b"".join(
            [bytes((IAC, WILL, option)) for option in sorted(OURS)]
            + [bytes((IAC, DO, option)) for option in sorted(THEIRS)]
        )
        self._agreed: set[tuple[int, int]] = set()
        self._rest = b""

    def take_outgoing(self) -> bytes:
        """Returns the octets to send to the server now."""
        outgoing, self._outgoing = self._outgoing, b""
        return outgoing

    @staticmethod
    def escaped(octets: bytes) -> bytes:
        """Escapes octets for the serial port."""
        return octets.replace(b"\xff", b"\xff\xff")

    def receive(self, octets: bytes) -> bytes:
        """Parses octets from the server, and returns those from the serial port. Raises `Refusal`."""
        octets = self._rest + octets
        data, end = [], 0
        while token := TOKEN.match(octets, end):
            end = token.end()
            if token["data"]:
                data.append(token["data"])
            elif token["escaped"]:
                data.append(b"\xff")
            elif token["verb"]:
                self._negotiate(token["verb"][0], token["option"][0])
            elif token["sub"]:
                self._answered(token["sub"].replace(b"\xff\xff", b"\xff"))
        self._rest = octets[end:]
        if len(self._rest) > LONGEST_COMMAND:
            raise Refusal(f"it sent a Telnet command of over {LONGEST_COMMAND} octets")
        return b"".join(data)

    def _negotiate(self, verb: int, option: int) -> None:
        # An answer gets no answer, or confirmations would never end (RFC 854, "General Considerations").
        if option in {DO: OURS, WILL: THEIRS}.get(verb, ()):
            if NEEDED <= self._agreed:
                return
            self._agreed.add((verb, option))
            if NEEDED <= self._agreed:
                self._set_line()
        elif verb in (DO, WILL):
            self._outgoing += bytes((IAC, WONT if verb == DO else DONT, option))
        elif (DO if verb == DONT else WILL, option) in NEEDED:
            raise Refusal(f"it does not speak RFC 2217 (it refuses the Telnet option {option})")

    def _set_line(self) -> None:
        control = HARDWARE_FLOW_CONTROL if self.flow_control else NO_FLOW_CONTROL
        for code, value in (
            (SET_CONTROL, bytes((control,))),
            (SET_DATASIZE, bytes((EIGHT_BITS,))),
            (SET_PARITY, bytes((NO_PARITY,))),
            (SET_STOPSIZE, bytes((ONE_STOP_BIT,))),
            # Last, because its answer shows that the port is ready.
            (SET_BAUDRATE, self.speed.to_bytes(4)),
        ):
            self._outgoing += bytes((IAC, SB, COM_PORT, code)) + self.escaped(value) + bytes((IAC, SE))

    def _answered(self, answer: bytes) -> None:
        if answer[:2] == bytes((COM_PORT, ANSWER + SET_BAUDRATE)) and not self.is_open:
            if (speed := int.from_bytes(answer[2:])) != self.speed:
                raise Refusal(f"its serial port has {speed} bit/s, not {self.speed}")
            self.is_open = True
