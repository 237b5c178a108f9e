"""The tests use the package of this checkout and its pytest plugin; see the Makefile."""

from __future__ import annotations

pytest_plugins = ["pytester"]
