"""A serial port that another machine exports over RFC 2217, as a Unix socket: the program does not speak Telnet."""

from __future__ import annotations

import logging
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from understudy.labgrid._rfc2217 import PortClient, Refusal

OPEN_WITHIN = 5
"""How many seconds the other machine may be silent while the port is being opened."""
MOST = 1 << 16


class Bridge:
    """Passes octets between the port and the one program that connects to `controller`, until `close`."""

    def __init__(self, host: str, port: int, *, speed: int, flow_control: bool, logger: logging.Logger) -> None:
        """Opens the port. Raises `OSError` if that fails."""
        self._place, self._logger, self._closing = f"{host}:{port}", logger, False
        self._client, self._sending = PortClient(speed, flow_control), threading.Lock()
        self._remote = socket.create_connection((host, port), OPEN_WITHIN)
        try:
            self._remote.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            early = self._negotiate()
            # No timeout from here on: a serial port can be silent for hours.
            self._remote.settimeout(None)
        except BaseException:
            self._remote.close()
            raise
        self._folder = tempfile.TemporaryDirectory(prefix="understudy-")
        path = Path(self._folder.name) / "port"
        self.controller = f"unix:{path}"
        """The port, as the value of `--controller`."""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(1)
        self._program: socket.socket | None = None
        self._threads = [self._begin(lambda: self._serve(early))]

    def close(self) -> None:
        """Closes the port, and the connection of a program."""
        self._closing = True
        ends = [self._listener, self._remote]
        for end in ends:
            _shut(end)
        while self._threads:
            self._threads.pop().join()
        for end in ends + [self._program] if self._program else ends:
            end.close()
        self._folder.cleanup()

    def _negotiate(self) -> bytes:
        """Negotiates until the port is open; returns what the serial port has already sent."""
        data = b""
        while not self._client.is_open:
            try:
                self._send(self._client.take_outgoing())
                octets = self._remote.recv(MOST)
            except ConnectionError:
                octets = b""
            if not octets:
                raise Refusal("it closed the connection: is the board plugged in there?")
            data += self._client.receive(octets)
        return data

    def _begin(self, target: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=target, name=f"understudy {self._place}", daemon=True)
        thread.start()
        return thread

    def _serve(self, early: bytes) -> None:
        """Waits for the program, then passes its octets to the port."""
        try:
            self._program, _ = self._listener.accept()
        except OSError:
            return
        self._tell_program(early)
        self._threads.append(self._begin(self._read_remote))
        while octets := self._hear_program():
            try:
                self._send(PortClient.escaped(octets))
            except OSError as error:
                return self._lost(error)

    def _read_remote(self) -> None:
        """Passes octets from the port to the program."""
        try:
            while octets := self._remote.recv(MOST):
                # ser2net holds a small segment until the last one is acknowledged (RFC 896). The kernel would delay the acknowledgement.
                self._remote.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
                data = self._client.receive(octets)
                self._send(self._client.take_outgoing())
                self._tell_program(data)
            self._lost("the other machine closed it")
        except OSError as error:
            self._lost(error)

    def _send(self, octets: bytes) -> None:
        # The octets of two threads must not be mixed.
        with self._sending:
            self._remote.sendall(octets)

    def _hear_program(self) -> bytes:
        """Returns the program's next octets; none when it has ended."""
        assert self._program
        try:
            return self._program.recv(MOST)
        except ConnectionError:
            return b""

    def _tell_program(self, octets: bytes) -> None:
        assert self._program
        try:
            self._program.sendall(octets)
        except ConnectionError:
            # The program has ended, and its exit code says more than this error.
            pass

    def _lost(self, why: object) -> None:
        """Ends the program's connection, and logs the place, which only the bridge knows. The program reports the loss."""
        if not self._closing:
            self._logger.error("the connection to the serial port at %s has ended: %s", self._place, why)
        if self._program:
            _shut(self._program)


def _shut(end: socket.socket) -> None:
    """Wakes the threads that wait for a socket; `close` alone does not."""
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        # It is no longer connected.
        pass
