"""Offers one of netsim's controllers at a Unix socket, for `understudy run --controller`."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import suppress
from pathlib import Path

from bumble.core import InvalidPacketError
from bumble.transport.common import AsyncPacketReader

from understudy.netsim._discovery import NetsimError, find
from understudy.netsim._stream import Stream

Host = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Bridge:
    """A controller on the radio of the Android Emulator, in H4 (Core 5.4 Vol 4 Part A 2) at a Unix socket.

    One program at a time uses it. When a program leaves, its controller leaves netsim's radio, and the next program
    gets a new one.
    """

    def __init__(self, netsim: str, name: str, stream: Stream) -> None:
        self.netsim, self.name = netsim, name
        self.controller = ""
        """The address for `--controller`: `unix:PATH`."""
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Fails with `NetsimError` when netsim ends the stream."""
        self._stream = stream
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._server: asyncio.Server | None = None
        self._program: Host | None = None
        self._arrived = asyncio.Event()
        self._carrying: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, netsim: str | None = None, *, name: str = "understudy", path: Path | None = None) -> Bridge:
        """Gets a controller from netsim at HOST:PORT, by default on this machine; raises `NetsimError`.

        `name` is that of the device in netsim; `path` is the Unix socket, by default in a new folder.
        """
        netsim = netsim or find()
        bridge = cls(netsim, name, await Stream.open(netsim, name))
        try:
            if path is None:
                bridge._folder = tempfile.TemporaryDirectory(prefix="understudy-netsim-")
                path = Path(bridge._folder.name) / "controller"
            bridge._server = await asyncio.start_unix_server(bridge._arrive, path)
        except OSError as error:
            await bridge.close()
            raise NetsimError(f"cannot listen at {path}: {error.strerror or error}") from error
        except BaseException:
            await bridge.close()
            raise
        bridge.controller = f"unix:{path}"
        bridge._carrying = asyncio.create_task(bridge._carry())
        return bridge

    async def __aenter__(self) -> Bridge:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Returns the controller to netsim and removes the socket."""
        if self._carrying:
            self._carrying.cancel()
            await asyncio.wait({self._carrying})
        if self._server:
            self._server.close()
        self._hang_up()
        await self._stream.close()
        if self.controller:
            Path(self.controller.removeprefix("unix:")).unlink(missing_ok=True)
        if self._folder:
            self._folder.cleanup()
        if not self.lost.done():
            self.lost.cancel()

    def _arrive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._program:
            writer.close()
        else:
            self._program = (reader, writer)
            self._arrived.set()

    def _hang_up(self) -> None:
        if self._program:
            self._program[1].close()
        self._program = None
        self._arrived.clear()

    async def _carry(self) -> None:
        """Serves one program after the other, until netsim ends the stream."""
        try:
            while True:
                await self._carry_one()
                self._stream = await Stream.open(self.netsim, self.name)
        except Exception as error:
            self.lost.set_exception(error)
            # Marks the error as seen: asyncio would log it if nobody waits for `lost`.
            self.lost.exception()
            self._hang_up()

    async def _carry_one(self) -> None:
        """Waits for a program, and carries packets until it leaves."""
        to_program = asyncio.create_task(self._to_program())
        to_controller = asyncio.create_task(self._to_controller())
        try:
            done, _ = await asyncio.wait({to_program, to_controller}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            # gRPC cancels a stream when a task that reads it is cancelled, so the stream closes first.
            to_controller.cancel()
            await self._stream.close()
            await asyncio.gather(to_program, to_controller, return_exceptions=True)
        for task in done:
            task.result()
        self._hang_up()

    async def _to_program(self) -> None:
        while True:
            packet = await self._stream.read()
            if self._program:
                writer = self._program[1]
                writer.write(packet)
                # `_to_controller` notices when the program leaves.
                with suppress(ConnectionError):
                    await writer.drain()

    async def _to_controller(self) -> None:
        await self._arrived.wait()
        assert self._program
        packets = AsyncPacketReader(self._program[0])
        with suppress(asyncio.IncompleteReadError, ConnectionError, InvalidPacketError):
            while True:
                await self._stream.write(await packets.next_packet())
