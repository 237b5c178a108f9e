"""Accessories as the reference device of Google's Avatar: a Pandora server. Needs the extra `understudy[pandora]`.

`understudy-pandora heart-rate` runs one; `Pandora` is for programs.
"""

from understudy.pandora._server import Pandora

__all__ = ["Pandora"]
