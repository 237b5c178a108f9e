"""An app for blocking tests: the example's Bumble client, with an event loop in a separate thread."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

from understudy import Accessory, aio

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
from bumble_client import Adapter, Client  # noqa: E402

T = TypeVar("T")


class App:
    """The actions of an app's user, as blocking calls."""

    def __init__(self, radio: str | None = None) -> None:
        """radio: the place where the app joins a radio, as a Bumble transport name; by default, the accessory's radio."""
        self._radio = radio
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._stack = AsyncExitStack()
        self.client: Client | None = None

    def do(self, action: Coroutine[Any, Any, T], within: float = 20) -> T:
        return asyncio.run_coroutine_threadsafe(action, self._loop).result(within)

    def connect(self, accessory: Accessory | aio.Accessory) -> None:
        async def connect() -> Client:
            adapter = await self._stack.enter_async_context(Adapter(self._radio or accessory.air.joining[0]))
            client = Client(adapter, accessory.address)
            # The stack disconnects at its end, so the accessory does not have to wait for the supervision timeout.
            return await self._stack.enter_async_context(client)

        self.client = self.do(connect())

    def read(self, uuid: str) -> bytes:
        assert self.client
        return bytes(self.do(self.client.read_gatt_char(uuid)))

    def write(self, uuid: str, value: bytes) -> None:
        assert self.client
        self.do(self.client.write_gatt_char(uuid, value))

    def subscribe(self, uuid: str) -> list[bytes]:
        """Subscribes, and returns the list to which received values are added."""
        assert self.client
        values: list[bytes] = []
        self.do(self.client.start_notify(uuid, lambda _, value: values.append(bytes(value))))
        return values

    def close(self) -> None:
        self.do(self._stack.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
