"""Accessories for the Android Emulator, through netsim. Needs the extra `understudy[netsim]`.

`understudy-netsim run heart-rate` plays an accessory for apps in the emulator; `Bridge` and `Server` are for
programs and tests.
"""

from understudy.netsim._bridge import Bridge
from understudy.netsim._discovery import NetsimError
from understudy.netsim._server import Server

__all__ = ["Bridge", "NetsimError", "Server"]
