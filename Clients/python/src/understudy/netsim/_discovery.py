"""Finds netsim, which writes the port of its gRPC server to a file, netsim.ini."""

from __future__ import annotations

import os
from pathlib import Path

from understudy.errors import UnderstudyError

FILE = "netsim.ini"
KEY = "grpc.port"
TO_DO = (
    "start the emulator (older than 33.1.10: with -packet-streamer-endpoint default),"
    " or name netsim: --netsim HOST:PORT"
)


class NetsimError(UnderstudyError):
    """netsim or the radio is missing, provides no controller, or has ended. The text says which."""


def folders() -> list[Path]:
    """The folders in which netsim looks for its file, in its order (`get_discovery_directory` in its `os_utils`)."""
    named = [os.environ.get(name) for name in ("TMPDIR", "XDG_RUNTIME_DIR")]
    return [Path(folder) for folder in dict.fromkeys([*named, "/tmp"]) if folder]


def find() -> str:
    """Returns HOST:PORT of the netsim that runs on this machine; raises `NetsimError` if there is none."""
    for folder in folders():
        try:
            text = (folder / FILE).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if address := address_in(text):
            return address
        raise NetsimError(f"{folder / FILE} has no {KEY}: remove the file, and {TO_DO}")
    places = ", ".join(str(folder / FILE) for folder in folders())
    raise NetsimError(f"netsim is not running: none of these files exists: {places}; {TO_DO}")


def address_in(text: str) -> str | None:
    """Returns HOST:PORT from the text of the file; its value is a port, or a host and a port."""
    for line in text.splitlines():
        key, _, value = (part.strip() for part in line.partition("="))
        if key == KEY and value:
            return value if not value.startswith(":") and ":" in value else f"localhost:{value.lstrip(':')}"
    return None
