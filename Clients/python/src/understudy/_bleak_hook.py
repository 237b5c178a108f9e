"""Installs Understudy's backends as soon as a program imports bleak, if UNDERSTUDY_BLEAK is set.

`understudy-bleak.pth` imports this module when Python starts.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Finder(MetaPathFinder):
    """Removes itself once bleak has been imported."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "bleak":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec and spec.loader:
            spec.loader = _Installing(spec.loader)
        return spec


class _Installing(Loader):
    """Loads bleak, then installs the backends in it."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        from understudy.bleak import install

        install()


sys.meta_path.insert(0, _Finder())
