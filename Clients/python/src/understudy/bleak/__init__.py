"""bleak on Understudy's radio: backends for `backend=`, which can also replace the system's.

```python
from bleak import BleakClient, BleakScanner
from understudy import bleak as understudy_bleak

with understudy_bleak.installed("heart-rate"):
    ...  # BleakScanner and BleakClient find the belt, and nothing else
```

Needs the extra `understudy[bleak]`.
"""

from understudy.bleak._adapter import BleakAdapterUnderstudy
from understudy.bleak._client import BleakClientUnderstudy
from understudy.bleak._install import BACKEND_ID, install, installed, uninstall
from understudy.bleak._radio import Radio, use
from understudy.bleak._scanner import BleakScannerUnderstudy
from understudy.central import Agent, FixedAgent, Rejected, agent_of

__all__ = [
    "BACKEND_ID",
    "Agent",
    "BleakAdapterUnderstudy",
    "BleakClientUnderstudy",
    "BleakScannerUnderstudy",
    "FixedAgent",
    "Radio",
    "Rejected",
    "agent_of",
    "install",
    "installed",
    "uninstall",
    "use",
]
