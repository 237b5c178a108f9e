"""Raw requests to the control API, for tests of the responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from understudy import aio
from understudy.aio import Answer

from support.program import PATIENCE


@dataclass
class Client:
    host: str
    port: int
    token: str | None = None

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    async def request(self, method: str, path: str, value: Any = None, timeout: float = PATIENCE) -> Answer:
        return await aio.exchange(self.url, method, path, value, token=self.token, within=timeout)

    async def get(self, path: str) -> Answer:
        return await self.request("GET", path)

    async def delete(self, path: str) -> Answer:
        return await self.request("DELETE", path)

    async def put(self, path: str, value: Any) -> Answer:
        return await self.request("PUT", path, value)

    async def post(self, path: str, value: Any = None) -> Answer:
        return await self.request("POST", path, value)
