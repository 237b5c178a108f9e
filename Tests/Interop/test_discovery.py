"""The attribute database: discovered by a central, compared with the output of `describe`."""

from __future__ import annotations

import pytest
from bumble import att
from bumble.core import UUID

from conftest import EVERYTHING, Stage
from support.attributes import PRIMARY_SERVICE, described, discovered, flat
from support.program import SHIPPED_PROFILES, describe

SHIPPED = [SHIPPED_PROFILES / f"{name}.yaml" for name in ("heart-rate", "battery", "current-time")]


@pytest.mark.parametrize("mtu", [23, 517])
async def test_discovery_finds_what_describe_says(stage: Stage, mtu: int) -> None:
    expected = described(await describe(EVERYTHING))
    await stage.run()
    session = await stage.connect(mtu=mtu)
    assert await discovered(session) == [service for service in expected if service.primary]


@pytest.mark.parametrize("profile", [EVERYTHING, *SHIPPED], ids=lambda path: path.stem)
async def test_find_information_lists_every_attribute(virtual: Stage, profile) -> None:
    expected = described(await describe(profile))
    await virtual.run(profile)
    session = await virtual.connect(mtu=517)
    attributes = await session.peer.discover_attributes()
    assert [(attribute.handle, attribute.type) for attribute in attributes] == flat(expected)


@pytest.mark.parametrize("profile", SHIPPED, ids=lambda path: path.stem)
async def test_shipped_profiles_are_discovered(virtual: Stage, profile) -> None:
    expected = described(await describe(profile))
    await virtual.run(profile)
    session = await virtual.connect(mtu=517)
    assert await discovered(session) == [service for service in expected if service.primary]


async def test_shipped_profile_by_name(virtual: Stage) -> None:
    """A shipped profile is found by its name, wherever the program is started."""
    assert await describe("battery") == await describe(SHIPPED_PROFILES / "battery.yaml")
    await virtual.run("battery")
    session = await virtual.connect()
    assert await session.peer.discover_service(UUID("180F"))


async def test_primary_service_by_uuid(virtual: Stage) -> None:
    expected = {service.uuid: service for service in described(await describe(EVERYTHING))}
    await virtual.run()
    session = await virtual.connect()
    for uuid in (UUID("FFF0"), UUID("7a1f0000-0b5c-4d1e-9a3f-5c2d8e6b4f10")):
        (service,) = await session.peer.discover_service(uuid)
        assert (service.handle, service.end_group_handle) == (expected[uuid].handle, expected[uuid].end)


async def test_sixteen_bit_services_come_in_one_response(virtual: Stage) -> None:
    """Services are grouped by the size of their UUID, so that few round trips find them."""
    sizes = [len(service.uuid.to_pdu_bytes()) for service in described(await describe(EVERYTHING))]
    assert sizes == sorted(sizes)
    await virtual.run()
    session = await virtual.connect(mtu=517)
    response = await session.expect(
        att.ATT_Read_By_Group_Type_Request(
            starting_handle=0x0001, ending_handle=0xFFFF, attribute_group_type=PRIMARY_SERVICE
        )
    )
    assert isinstance(response, att.ATT_Read_By_Group_Type_Response)
    assert len(response.attributes) == sizes.count(2)


async def test_gap_service_carries_the_name(virtual: Stage) -> None:
    await virtual.run()
    session = await virtual.connect(mtu=517)
    assert (await session.read(await session.handle_of("2A00"))).decode() == "Everything"
    assert len(await session.read(await session.handle_of("2A01"))) == 2


async def test_user_description(virtual: Stage) -> None:
    await virtual.run()
    session = await virtual.connect(mtu=517)
    ledger = await session.handle_of("7a1f0001-0b5c-4d1e-9a3f-5c2d8e6b4f10")
    response = await session.expect(
        att.ATT_Read_By_Type_Request(
            starting_handle=ledger, ending_handle=0xFFFF, attribute_type=UUID.from_16_bits(0x2901)
        )
    )
    assert isinstance(response, att.ATT_Read_By_Type_Response)
    assert response.attributes[0][1] == b"Second value that can be written"


async def test_type_that_is_not_there(virtual: Stage) -> None:
    await virtual.run()
    session = await virtual.connect()
    absent = UUID("2ABC")
    by_type = att.ATT_Read_By_Type_Request(starting_handle=0x0001, ending_handle=0xFFFF, attribute_type=absent)
    assert await session.error(by_type) == att.ATT_ATTRIBUTE_NOT_FOUND_ERROR
    by_group = att.ATT_Read_By_Group_Type_Request(
        starting_handle=0x0001, ending_handle=0xFFFF, attribute_group_type=absent
    )
    assert await session.error(by_group) == att.ATT_UNSUPPORTED_GROUP_TYPE_ERROR


@pytest.mark.parametrize(("start", "end"), [(0, 5), (7, 6)])
async def test_bad_handle_range(virtual: Stage, start: int, end: int) -> None:
    await virtual.run()
    session = await virtual.connect()
    request = att.ATT_Find_Information_Request(starting_handle=start, ending_handle=end)
    assert await session.error(request) == att.ATT_INVALID_HANDLE_ERROR
