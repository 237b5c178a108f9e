"""Replaces the system's backends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bleak
from bleak.backends import adapter as adapters
from bleak.backends import client as clients
from bleak.backends import scanner as scanners

from understudy.bleak._adapter import BleakAdapterUnderstudy
from understudy.bleak._client import BleakClientUnderstudy
from understudy.bleak._radio import Radio, use
from understudy.bleak._scanner import BleakScannerUnderstudy
from understudy.central import Agent

BACKEND_ID = "understudy"

# bleak calls these functions to select the backend; its top module has its own names for them.
_CHOICES: dict[str, tuple[Any, type]] = {
    "get_platform_scanner_backend_type": (scanners, BleakScannerUnderstudy),
    "get_platform_client_backend_type": (clients, BleakClientUnderstudy),
    "get_platform_adapter_backend_type": (adapters, BleakAdapterUnderstudy),
}
_originals: dict[str, Any] = {}


def install() -> None:
    """Puts bleak on Understudy's radio from now on, except where `backend=` names another backend."""
    for name, (module, backend) in _CHOICES.items():
        _originals.setdefault(name, getattr(module, name))
        choice = _choice(backend)
        setattr(module, name, choice)
        setattr(bleak, name, choice)


def _choice(backend: type) -> Any:
    return lambda: (backend, BACKEND_ID)


def uninstall() -> None:
    """Restores the system's backends."""
    for name, original in _originals.items():
        setattr(_CHOICES[name][0], name, original)
        setattr(bleak, name, original)
    _originals.clear()


@contextmanager
def installed(radio: Radio | str | None = None, *, agent: Agent | None = None) -> Iterator[None]:
    """Installs the backends for a block, on that radio. A program that the radio started ends with the block."""
    chosen = Radio(radio, agent=agent) if isinstance(radio, str) else radio
    was_installed = bool(_originals)
    before = use(chosen)
    install()
    try:
        yield
    finally:
        use(before)
        if not was_installed:
            uninstall()
        if chosen is not None and chosen is not radio:
            chosen.close()
