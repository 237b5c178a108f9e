"""Advertising as a scanner sees it."""

from __future__ import annotations

import asyncio

import pytest
from bumble import hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Advertisement

from conftest import Stage
from support.controllers import VirtualPath
from support.program import PROFILES, SHIPPED_PROFILES

LE_GENERAL_DISCOVERABLE = 0x02
BR_EDR_NOT_SUPPORTED = 0x04
EXTENDED = PROFILES / "extended.yaml"
EXTENDED_NAME = "Extended Advertising Needs More Than 31 Octets"


def flags(advertisement: Advertisement) -> int:
    value = advertisement.data.get(AdvertisingData.Type.FLAGS, raw=True)
    assert value is not None
    return value[0]


def services(advertisement: Advertisement) -> set[UUID]:
    found: set[UUID] = set()
    for kind, size in (
        (AdvertisingData.Type.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, 2),
        (AdvertisingData.Type.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, 2),
        (AdvertisingData.Type.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, 16),
        (AdvertisingData.Type.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, 16),
    ):
        for octets in advertisement.data.get_all(kind, raw=True):
            found |= {UUID.from_bytes(octets[at : at + size]) for at in range(0, len(octets), size)}
    return found


def name(advertisement: Advertisement) -> str | None:
    octets = advertisement.data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME, raw=True)
    return None if octets is None else octets.decode()


async def test_legacy_scan_shows_name_flags_and_services(stage: Stage) -> None:
    await stage.run()
    central = await stage.central()
    await central.forget_extended()
    advertisement = await central.find(stage.address, lambda found: name(found) is not None, legacy=True)
    assert name(advertisement) == "Everything"
    assert flags(advertisement) == LE_GENERAL_DISCOVERABLE | BR_EDR_NOT_SUPPORTED
    assert UUID("FFF0") in services(advertisement)
    assert advertisement.is_connectable
    assert advertisement.address.address_type == hci.Address.RANDOM_DEVICE_ADDRESS
    if isinstance(stage.path, VirtualPath):
        # Bumble's controller reports every advertisement as an extended one.
        assert advertisement.is_legacy


async def test_extended_scanner_sees_legacy_advertising(stage: Stage) -> None:
    await stage.run()
    central = await stage.central()
    advertisement = await central.find(stage.address, lambda found: name(found) is not None)
    assert name(advertisement) == "Everything"
    if isinstance(stage.path, VirtualPath):
        assert advertisement.is_legacy
        assert advertisement.is_scannable


async def test_passive_scan(virtual: Stage) -> None:
    await virtual.run()
    central = await virtual.central()
    advertisement = await central.find(virtual.address, active=False)
    assert not advertisement.is_scan_response
    assert flags(advertisement) & LE_GENERAL_DISCOVERABLE


async def test_extended_advertising_data(stage: Stage) -> None:
    stage.path.offer_extended_advertising()
    await stage.run(EXTENDED)
    central = await stage.central()
    advertisement = await central.find(stage.address, lambda found: found.is_complete and name(found) is not None)
    assert name(advertisement) == EXTENDED_NAME
    assert UUID("7a1f0000-0b5c-4d1e-9a3f-5c2d8e6b4f10") in services(advertisement)
    assert flags(advertisement) & LE_GENERAL_DISCOVERABLE
    assert len(advertisement.data_bytes) > 31
    assert advertisement.is_connectable
    assert not advertisement.is_legacy
    if isinstance(stage.path, VirtualPath):
        # A connectable extended set cannot be scannable (Core 5.4 Vol 4 Part E 7.8.53).
        assert not advertisement.is_scannable


async def test_legacy_scanner_does_not_see_extended_advertising(virtual: Stage) -> None:
    await virtual.run(EXTENDED)
    older, newer = await virtual.central(), await virtual.central()
    await older.forget_extended()
    unseen = asyncio.create_task(older.find(virtual.address, legacy=True, timeout=3))
    # Several advertising events reach the newer scanner while the older one listens.
    for _ in range(3):
        await newer.find(virtual.address)
    assert not unseen.done()
    unseen.cancel()
    with pytest.raises(asyncio.CancelledError):
        await unseen


async def test_connects_to_an_extended_set(stage: Stage) -> None:
    stage.path.offer_extended_advertising()
    await stage.run(EXTENDED)
    session = await stage.connect(mtu=517)
    handle = await session.handle_of("7a1f0001-0b5c-4d1e-9a3f-5c2d8e6b4f10")
    assert await session.read(handle) == b"hello"


async def test_legacy_set_by_extended_commands(stage: Stage) -> None:
    """On a controller with both families, the legacy set stays on the air while centrals connect and disconnect."""
    stage.path.offer_extended_advertising()
    await stage.run()
    central = await stage.central()
    for _ in range(3):
        session = await central.connect(stage.address)
        assert await session.read(await session.handle_of("FFF6")) == bytes(range(20))
        await session.disconnect()


@pytest.mark.parametrize("profile", ["heart-rate", "battery", "current-time"])
async def test_shipped_profiles_advertise_their_service(virtual: Stage, profile: str) -> None:
    uuid = {"heart-rate": "180D", "battery": "180F", "current-time": "1805"}[profile]
    await virtual.run(SHIPPED_PROFILES / f"{profile}.yaml")
    central = await virtual.central()
    advertisement = await central.find(virtual.address, lambda found: UUID(uuid) in services(found))
    assert advertisement.is_connectable


async def test_address_is_the_same_in_every_run(virtual: Stage) -> None:
    first = await virtual.run()
    address = virtual.address
    await first.kill()
    await virtual.run()
    assert virtual.address == address
    assert address.is_static
