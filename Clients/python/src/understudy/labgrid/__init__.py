"""Accessories on the boards of a labgrid lab. Needs the extra `understudy[labgrid]`.

`imports: [understudy.labgrid]` in an environment makes its driver known: `UnderstudyDriver: { profile: heart-rate }`.
"""

from understudy.labgrid._driver import UnderstudyDriver

__all__ = ["UnderstudyDriver"]
