"""A Bluetooth LE central on Bumble: the common base of the interfaces for bleak and for BlueZ's D-Bus API.

It needs the packages of the extra `understudy[bleak]` or `understudy[bluez]`.
"""

from understudy.central._adapter import Adapter, Memory, Scan
from understudy.central._agent import Agent, Capability, FixedAgent, Rejected, agent_of
from understudy.central._errors import (
    ATTFailure,
    CentralError,
    ConnectFailed,
    LinkLost,
    PairingFailed,
    RadioLost,
)
from understudy.central._filter import Filter, shows_pattern
from understudy.central._gatt import PROPERTIES, Characteristic, Descriptor, Service
from understudy.central._link import Link
from understudy.central._sighting import Sighting

__all__ = [
    "PROPERTIES",
    "ATTFailure",
    "Adapter",
    "Agent",
    "Capability",
    "CentralError",
    "Characteristic",
    "ConnectFailed",
    "Descriptor",
    "Filter",
    "FixedAgent",
    "Link",
    "LinkLost",
    "Memory",
    "PairingFailed",
    "RadioLost",
    "Rejected",
    "Scan",
    "Service",
    "Sighting",
    "agent_of",
    "shows_pattern",
]
