"""An `AdvertiseRequest` as an advertising set of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pandora.host_pb2 import (
    PRIMARY_1M,
    PUBLIC,
    RANDOM,
    RESOLVABLE_OR_RANDOM,
    SECONDARY_1M,
    SECONDARY_2M,
    SECONDARY_CODED,
    SECONDARY_NONE,
    AdvertiseRequest,
    DataTypes,
    OwnAddressType,
)

from understudy.pandora._calls import Invalid, Unimplemented
from understudy.pandora._data import NAMED_POWER, octets_of_data
from understudy.pandora._link import text_of

SET = "pandora"
DEFAULT_INTERVAL_MS = 100.0
LONGEST_LEGACY = 31
# Core 5.4 Vol 4 Part E 7.8.53.
SHORTEST_MS, LONGEST_MS, STEP_MS = 20.0, 10_240.0, 0.625
WEAKEST, STRONGEST = -127, 20
PHYS = {SECONDARY_NONE: "1M", SECONDARY_1M: "1M", SECONDARY_2M: "2M", SECONDARY_CODED: "coded"}
Identity = Literal["public", "static", "private"]
IDENTITIES: dict[OwnAddressType, Identity] = {PUBLIC: "public", RANDOM: "static", RESOLVABLE_OR_RANDOM: "private"}


@dataclass(frozen=True)
class Target:
    """The target of a directed set."""

    address: bytes
    type: Literal["public", "random"]


@dataclass(frozen=True)
class Settings:
    """The settings with which an accessory starts."""

    identity: Identity
    advertising: str
    """The key `advertising` of its profile, as for `--set`."""


IDLE = "[]"


def settings_of(request: AdvertiseRequest, name: str) -> Settings:
    """Returns the settings for a request. Raises `Invalid` or `Unimplemented` if an accessory cannot advertise it."""
    if request.own_address_type not in IDENTITIES:
        raise Unimplemented("an accessory with private addresses has a static identity: use RESOLVABLE_OR_RANDOM")
    definition: dict[str, Any] = {"id": SET, "interval": f"{_interval(request):g} ms", "start": "manual"}
    definition |= _legacy(request, name) if request.legacy else _extended(request, name)
    # The accessory writes the controller's actual power into the data.
    if (power := power_of(request.data)) is not None:
        definition["tx-power"] = power
    return Settings(IDENTITIES[request.own_address_type], flow([definition]))


def target_of(request: AdvertiseRequest) -> Target | None:
    """Returns the target; None for an undirected set."""
    variant = request.WhichOneof("target")
    if variant is None:
        return None
    address = bytes(getattr(request, variant))
    if len(address) != 6:
        raise Invalid(f"an address has 6 octets, not {len(address)}")
    return Target(address, "public" if variant == "public" else "random")


def power_of(data: DataTypes) -> int | None:
    """Returns the transmit power in the data, in dBm, if a set can have it."""
    if data.include_tx_power_level:
        return NAMED_POWER
    level = data.tx_power_level or 0
    power = level - 256 if 128 <= level <= 255 else level
    return power if power and WEAKEST <= power <= STRONGEST else None


def flow(value: Any) -> str:
    """Returns a value of a profile on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {flow(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(entry) for entry in value) + "]"
    if isinstance(value, bytes):
        return f"hex:{value.hex()}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _interval(request: AdvertiseRequest) -> float:
    """Returns the interval in ms: the shortest one of the requested range."""
    if not request.interval:
        return DEFAULT_INTERVAL_MS
    if not SHORTEST_MS <= request.interval <= LONGEST_MS or request.interval_range < 0:
        raise Invalid(f"an advertising interval is {SHORTEST_MS:g} to {LONGEST_MS:g} ms, not {request.interval:g}")
    return round(request.interval / STEP_MS) * STEP_MS


def _legacy(request: AdvertiseRequest, name: str) -> dict[str, Any]:
    if request.primary_phy or request.secondary_phy:
        raise Unimplemented("legacy advertising uses the PHY 1M: leave primary_phy and secondary_phy out")
    if target := target_of(request):
        return {"kind": "directed", "duty": "low", "to": text_of(target.address)}
    data = octets_of_data(request.data, name, _interval(request))
    response = octets_of_data(request.scan_response_data, name, _interval(request))
    if max(len(data), len(response)) > LONGEST_LEGACY:
        raise Invalid(f"legacy advertising holds {LONGEST_LEGACY} octets, not {max(len(data), len(response))}")
    definition: dict[str, Any] = {"kind": "legacy", "connectable": request.connectable, **_data(data, response)}
    # A connectable legacy set is always scannable (Core 5.4 Vol 4 Part E 7.8.5).
    if not request.connectable:
        definition["scannable"] = request.HasField("scan_response_data")
    return definition


def _extended(request: AdvertiseRequest, name: str) -> dict[str, Any]:
    if request.primary_phy != PRIMARY_1M:
        raise Unimplemented("the primary PHY of an accessory's advertising sets is 1M")
    data = octets_of_data(request.data, name, _interval(request))
    response = octets_of_data(request.scan_response_data, name, _interval(request))
    if response and (request.connectable or data):
        raise Invalid("an extended set with a scan response has no advertising data and is not connectable")
    target = target_of(request)
    return {
        "kind": "extended",
        "connectable": request.connectable,
        **({} if request.connectable else {"scannable": bool(response)}),
        "secondary-phy": PHYS[request.secondary_phy],
        **_data(data, response),
        **({"to": text_of(target.address)} if target else {}),
    }


def _data(data: bytes, response: bytes) -> dict[str, bytes]:
    return {**({"data": data} if data else {}), **({"scan-response": response} if response else {})}
