"""Accessories for the Android Emulator, through netsim. Needs the extra `understudy[netsim]`.

`understudy-netsim run heart-rate` plays an accessory for the apps in the emulator; `Bridge` is for programs and tests.
"""

from understudy.netsim._bridge import Bridge
from understudy.netsim._discovery import NetsimError

__all__ = ["Bridge", "NetsimError"]
