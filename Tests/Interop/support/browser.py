"""A real headless browser, and pages of another origin for it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
# The time that a browser on a busy machine may need to start (seconds).
PATIENCE = 90


def executable() -> str:
    """Returns the browser of this machine; fails the test if there is none."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    pytest.fail(f"there is no {', '.join(NAMES)} on the PATH: `make test` installs Debian's package chromium")


class Site:
    """Serves one page, and receives the results of its script."""

    def __init__(self, page: str) -> None:
        self.page = page.encode()
        self.report: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.port = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode(errors="replace")
            body = b""
            for line in head.split("\r\n"):
                if line.lower().startswith("content-length:"):
                    body = await reader.readexactly(int(line.split(":")[1]))
            is_report = head.startswith("POST /report ")
            if is_report and not self.report.done():
                self.report.set_result(json.loads(body))
            content = b"" if is_report or not head.startswith("GET / ") else self.page
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n"
                + f"Content-Length: {len(content)}\r\n\r\n".encode()
                + content
            )
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def running(profile: Path, *arguments: str) -> AsyncIterator[None]:
    """Runs a browser with its own profile, and these arguments."""
    options = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    # The sandbox is not tested here, and does not work as root.
    if os.geteuid() == 0:
        options.append("--no-sandbox")
    process = await asyncio.create_subprocess_exec(
        executable(),
        *options,
        f"--user-data-dir={profile}",
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        # All of its processes are in the session that was started for it.
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass
        await process.wait()


@asynccontextmanager
async def visiting(page: str, profile: Path) -> AsyncIterator[Site]:
    """Runs a browser that has opened the page, which has another origin, because it has its own port."""
    site = Site(page)
    server = await asyncio.start_server(site.answer, "127.0.0.1", 0)
    site.port = server.sockets[0].getsockname()[1]
    # A name like that of any public site, as far as the browser is concerned.
    rules = "--host-resolver-rules=MAP evil.example 127.0.0.1"
    async with running(profile, rules, f"http://evil.example:{site.port}/"):
        try:
            yield site
        finally:
            server.close()
