"""Bluetooth LE accessories for tests, emulated by Understudy.

```python
from understudy import Accessory

with Accessory.start("heart-rate") as belt:
    ...  # a central connects to belt.address through belt.air.joining[0]
    belt.expect("subscribed", characteristic="measurement", within=5)
    belt["measurement"].notify({"bpm": 190})
```

`understudy.aio` is the same for asyncio. `understudy.events` has a class for each kind of event, `understudy.state` the
classes for the state of an accessory, and the pytest plugin the fixtures `accessory`, `aio_accessory`, `air` and `aio_air`.
"""

from understudy import aio, events, state
from understudy._event import Event
from understudy._expectation import Match
from understudy._process import find_executable
from understudy.blocking import Accessory, Air, Channel, Characteristic, Connection, Program, exchange
from understudy.errors import (
    Conflict,
    ExecutableNotFound,
    ExpectationFailed,
    NotFound,
    ProgramEnded,
    Refused,
    StartFailed,
    UnderstudyError,
    Unreachable,
)

__all__ = [
    "Accessory",
    "Air",
    "Channel",
    "Characteristic",
    "Conflict",
    "Connection",
    "Event",
    "ExecutableNotFound",
    "ExpectationFailed",
    "Match",
    "NotFound",
    "Program",
    "ProgramEnded",
    "Refused",
    "StartFailed",
    "UnderstudyError",
    "Unreachable",
    "aio",
    "events",
    "exchange",
    "find_executable",
    "state",
]
