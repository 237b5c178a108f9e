"""Runs a script with bleak on Understudy's radio: `python -m understudy.bleak script.py …`, or `-m module …`."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from understudy.bleak._install import install


def main() -> None:
    arguments = sys.argv[1:]
    is_module = arguments[:1] == ["-m"]
    if len(arguments) < 1 + is_module:
        sys.exit("usage: UNDERSTUDY_BLEAK=heart-rate python -m understudy.bleak (script.py | -m module) [arguments]")
    install()
    target = arguments[int(is_module)]
    sys.argv = arguments[int(is_module) :]
    if is_module:
        runpy.run_module(target, run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(Path(target).resolve().parent)
        runpy.run_path(target, run_name="__main__")


if __name__ == "__main__":
    main()
