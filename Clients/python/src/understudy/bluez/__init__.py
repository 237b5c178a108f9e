"""Accessories through BlueZ's D-Bus API, on a private message bus. Needs the extra `understudy[bluez]`.

`understudy-bluez run heart-rate -- bluetoothctl` runs a command on it; `BlueZ` and `PrivateBus` are for programs.
"""

from understudy.bluez._service import BlueZ, PrivateBus

__all__ = ["BlueZ", "PrivateBus"]
