"""The shipped profiles of health, sport and environment: discovery, values, subscriptions, and control points with every error.

Octets are computed by hand from the services' specifications; `..` stands for an octet that depends on the time of day or on
chance. Tests/AccessoryProfileTests/ShippedValueTests.swift compares the generators' values over time with golden values.
"""

from __future__ import annotations

import asyncio
import re
import struct
import zlib
from dataclasses import dataclass, field

import pytest
from bumble import att
from bumble.l2cap import LeCreditBasedChannelSpec

from conftest import Stage
from support.attributes import PROPERTY_BITS, characteristics, described, discovered
from support.central import Session
from support.program import describe

# The errors of services older than the common codes (3.4.1 of each): a command is in progress, there is no subscription.
OLD = (0x80, 0x81)
# Core Specification Supplement part B 1.2.
COMMON = (0xFE, 0xFD)
# A time of day, and all of a Date Time.
TIME = "e[0-9a-f]07" + ".." * 5

PROFILES = (
    "battery-status",
    "blood-pressure",
    "continuous-glucose",
    "current-time",
    "cycling",
    "cycling-power",
    "device-information",
    "environmental-sensing",
    "fitness-machine",
    "glucose",
    "health-thermometer",
    "location-navigation",
    "object-transfer",
    "pulse-oximeter",
    "running-speed",
    "user-data",
    "weight-scale",
)
# Profiles whose values can be read only on encrypted links.
PAIRED = ("continuous-glucose", "object-transfer", "user-data")


@dataclass
class Remote:
    """A central that knows the accessory's characteristics by their ids."""

    session: Session
    handles: dict[str, int]
    properties: dict[str, int]

    @classmethod
    async def open(cls, virtual: Stage, profile: str, *options: str, pairs: bool = True) -> Remote:
        entries = {entry.id: entry for entry in characteristics(described(await describe(profile))) if entry.id}
        await virtual.run(profile, *options)
        session = await virtual.connect(mtu=185)
        if profile in PAIRED and pairs:
            await asyncio.wait_for(session.connection.pair(), 30)
        return cls(
            session,
            {name: entry.value_handle for name, entry in entries.items()},
            {name: entry.properties for name, entry in entries.items()},
        )

    async def read(self, name: str) -> str:
        return (await self.session.read(self.handles[name])).hex()

    async def write(self, name: str, octets: str) -> int | None:
        """Writes a value; returns the error code of the response, or nothing."""
        response = await self.session.request(
            att.ATT_Write_Request(attribute_handle=self.handles[name], attribute_value=bytes.fromhex(octets))
        )
        return int(response.error_code) if isinstance(response, att.ATT_Error_Response) else None

    async def refusal(self, name: str) -> int:
        """Returns the error code of a read."""
        return await self.session.error(att.ATT_Read_Request(attribute_handle=self.handles[name]))

    async def subscribe(self, name: str) -> None:
        """Subscribes to notifications, or to indications if there are no notifications."""
        await self.session.subscribe(self.handles[name], 1 if self.properties[name] & PROPERTY_BITS["notify"] else 2)

    def values(self, name: str) -> list[str]:
        return [value.hex() for value in self.session.values(self.handles[name])]

    async def value(self, name: str, number: int = 1) -> str:
        """Returns a value that the accessory has sent, by its number."""
        await self.session.arrivals(number, self.handles[name])
        return self.values(name)[number - 1]

    async def ask(self, name: str, command: str) -> str | int:
        """Sends a command; returns its response, or the error code of the write."""
        number = len(self.values(name)) + 1
        if (code := await self.write(name, command)) is not None:
            return code
        return await self.value(name, number)


@dataclass(frozen=True)
class Point:
    """A control point and the results of its commands, in order."""

    profile: str
    name: str
    # The error codes while a command is in progress, and without a subscription.
    codes: tuple[int, int]
    commands: list[tuple[str, str | int]]
    # The characteristics that commands send or change.
    others: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return f"{self.profile}-{self.name}"


POINTS = [
    # Glucose Service 1.0.1 3.4: results of the Record Access Control Point.
    Point(
        "glucose",
        "control-point",
        OLD,
        [
            ("0401", "05000500"),
            ("0101", "06000101"),
            ("0901", "06000902"),
            ("0100", "06000103"),
            ("0107", "06000104"),
            ("010401030002 00", "06000105"),
            ("0103010900", "06000106"),
            ("0103020900", "06000109"),
            ("0300", "06000301"),
            ("0205", "06000201"),
            ("0401", "05000400"),
        ],
        ("measurement",),
    ),
    # Continuous Glucose Monitoring Service 1.0.1 3.8, filter type 1: time offset.
    Point(
        "continuous-glucose",
        "records-point",
        COMMON,
        [
            ("0401", "05000500"),
            ("0403011d00", "05000200"),
            ("0101", "06000101"),
            ("0901", "06000902"),
            ("0100", "06000103"),
            ("0107", "06000104"),
            ("010101", "06000105"),
            ("010301ff00", "06000106"),
            ("0103021d00", "06000109"),
            ("0300", "06000301"),
            ("0301", "06000303"),
            ("0202011b00", "06000201"),
            ("0401", "05000300"),
        ],
        ("measurement",),
    ),
    # 3.9: the CGM Specific Ops Control Point; SFLOAT 150 is 96 00, 3000 is too high.
    Point(
        "continuous-glucose",
        "operations",
        COMMON,
        [
            ("02", "0301"),
            ("0105", "1c0101"),
            ("02", "0305"),
            ("01ff", "1c0101"),
            ("02", "0301"),
            ("0100", "1c0101"),
            ("02", "0300"),
            ("63", "1c6302"),
            ("01", "1c0103"),
            ("08", "09b400"),
            ("079600", "1c0701"),
            ("08", "099600"),
            ("072c11", "1c0705"),
            ("07ff07", "1c0705"),
            ("0b", "0c4600"),
            ("0a5000", "1c0a01"),
            ("0b", "0c5000"),
            ("0e", "0f3700"),
            ("0d3200", "1c0d01"),
            ("0e", "0f3200"),
            ("11", "12fa00"),
            ("102c01", "1c1001"),
            ("11", "122c01"),
            ("14", "15fd0f"),
            ("13fe0f", "1c1301"),
            ("14", "15fe0f"),
            ("17", "180300"),
            ("160200", "1c1601"),
            ("17", "180200"),
            ("050100", "06760005001 1d002010000"),
            ("050200", "1c0505"),
            ("0478001e0011d002000000", "1c0401"),
            ("050200", "0678001e0011d002020000"),
            ("0405001e0011d002000000", "1c0405"),
            ("19", "1c1901"),
            ("1a", "1c1a04"),
            ("1b", "1c1b01"),
            ("1b", "1c1b04"),
            ("0478001e0011d002000000", "1c0404"),
            ("1a", "1c1a01"),
        ],
    ),
    # Pulse Oximeter Service 1.0.1 3.4: all records, and no other operator.
    Point(
        "pulse-oximeter",
        "control-point",
        COMMON,
        [
            ("0401", "05000200"),
            ("0101", "06000101"),
            ("0901", "06000902"),
            ("0100", "06000103"),
            ("0105", "06000104"),
            ("0107", "06000104"),
            ("010101", "06000105"),
            ("0300", "06000301"),
            ("0301", "06000303"),
            ("0201", "06000201"),
            ("0101", "06000106"),
            ("0401", "05000000"),
        ],
        ("spot-check",),
    ),
    # Cycling Speed and Cadence Service 1.0 3.4.
    Point(
        "cycling",
        "control-point",
        OLD,
        [
            ("04", "100401040c"),
            ("0304", "100301"),
            ("0305", "100303"),
            ("0164000000", "100101"),
            ("0164", "100103"),
            ("02", "100202"),
        ],
    ),
    # Running Speed and Cadence Service 1.0 3.4.
    Point(
        "running-speed",
        "control-point",
        OLD,
        [
            ("04", "100401010203"),
            ("0302", "100301"),
            ("030c", "100303"),
            ("0100000000", "100101"),
            ("01", "100103"),
            ("02", "100201"),
            ("05", "100502"),
        ],
    ),
    # Cycling Power Service 1.1 3.7: lengths in 1/2 mm, 172.5 mm is 0x0159.
    Point(
        "cycling-power",
        "control-point",
        COMMON,
        [
            ("03", "20030105060f"),
            ("0206", "200201"),
            ("0204", "200203"),
            ("05", "2005015901"),
            ("045401", "200401"),
            ("05", "2005015401"),
            ("041000", "200403"),
            ("07", "2007016405"),
            ("065005", "200601"),
            ("07", "2007015005"),
            ("060000", "200603"),
            ("09", "2009010001"),
            ("080401", "200801"),
            ("09", "2009010401"),
            ("08ffff", "200803"),
            ("0b", "200b016800"),
            ("0a6e00", "200a01"),
            ("0b", "200b016e00"),
            ("0affff", "200a03"),
            ("0c", "200c01f4ff"),
            ("10", "201001f4ffffff00"),
            ("0e", "200e0140"),
            ("0f", "200f01e807021d081e00"),
            ("0100000000", "200101"),
            ("01", "200103"),
            # Masking is not among the features.
            ("0d0000", "200d02"),
        ],
    ),
    # Fitness Machine Service 1.0 4.16: everything but the first needs control (5).
    Point(
        "fitness-machine",
        "control-point",
        COMMON,
        [
            ("05c800", "800505"),
            ("07", "800705"),
            ("11000000000000", "801105"),
            ("00", "800001"),
            ("05c800", "800501"),
            ("05ffff", "800503"),
            ("05", "800503"),
            ("0432", "800401"),
            ("04c8", "800403"),
            ("03ceff", "800301"),
            ("03f401", "800303"),
            ("021027", "800202"),
            ("0802", "800804"),
            ("07", "800701"),
            ("07", "800704"),
            ("0803", "800803"),
            ("0802", "800801"),
            ("11000064002833", "801101"),
            ("110000a00f2833", "801101"),
            ("110000a10f2833", "801103"),
            ("123408", "801201"),
            ("1301", "8013019808800c"),
            ("1303", "801303"),
            ("14b400", "801401"),
            ("14ffff", "801403"),
            ("01", "800101"),
            ("01", "800105"),
        ],
        ("status",),
    ),
    # Location and Navigation Service 1.0 3.5.
    Point(
        "location-navigation",
        "control-point",
        COMMON,
        [
            ("04", "2004010200"),
            ("050000", "200501" + b"Along the river".hex()),
            ("050200", "200503"),
            ("060100", "200601"),
            ("06ffff", "200603"),
            ("0302", "200304"),
            ("0301", "200301"),
            ("0302", "200301"),
            ("0303", "200301"),
            ("0306", "200303"),
            ("0705", "200701"),
            ("0700", "200703"),
            ("08e80300", "200801"),
            ("01000000", "200101"),
            ("01", "200103"),
            ("020000", "200202"),
        ],
    ),
    # Object Transfer Service 1.0 3.4: the first of three objects, 0x100.
    Point(
        "object-transfer",
        "list",
        COMMON,
        [
            ("07", "70070103000000"),
            ("03", "700304"),
            ("04", "700404"),
            ("01", "700101"),
            ("03", "700305"),
            ("04", "700401"),
            ("02", "700201"),
            ("04", "700405"),
            ("05010100000000", "700501"),
            ("05ff0000000000", "700508"),
            ("0501", "700503"),
            ("0601", "700602"),
        ],
    ),
    # 3.3: no object is selected (5); creating is not among the features.
    Point(
        "object-transfer",
        "actions",
        COMMON,
        [("050000000001000000", "600505"), ("030000000001000000", "600305"), ("05", "600503"), ("01", "600102")],
    ),
    # User Data Service 1.0 3.2.3.
    Point(
        "user-data",
        "control-point",
        COMMON,
        [
            ("03", "200305"),
            ("0200ffff", "200203"),
            ("02000000", "200205"),
            ("0201d204", "200205"),
            ("0200d204", "200201"),
            ("01d30a", "20010101"),
            ("01d30a", "200104"),
            ("011027", "200103"),
            ("0201d30a", "200201"),
            ("03", "200301"),
            ("0201d30a", "200205"),
            ("02000000", "200205"),
            ("02000000", "200205"),
            # At most three wrong codes are accepted.
            ("0200d204", "200204"),
            ("05", "200502"),
        ],
    ),
]

# The readable values, by profile and id.
READS = {
    "battery-status": {
        # Battery Service 1.1 3.2: flags, power state (0 charge discharging 2 << 5, level good 1 << 7, present 1), identifier, level.
        "battery-level-status": "07c1000601..00",
        "battery-critical-status": "00",
        "battery-health-status": "0f5dd4001b0400",
        "battery-health-information": "03e803f62d",
        # 0.037 kWh is 37e-3, 0.0074 is 74e-4, 0.003 is 3e-3, 3.7 V is 37e-1.
        "battery-information": "7f0002464d0069540025d04ac003d00525f0",
        "battery-time-status": "03" + ".." * 9,
        "estimated-service-date": "695400",
    },
    "blood-pressure": {"feature": "0100"},
    "continuous-glucose": {
        # Bits 0 to 5, 14, 15 and 16; interstitial fluid (9) below the skin (5); no CRC.
        "feature": "3fc00159ffff",
        "status": "1e00000000",
        "start-time": "0000000000000080ff",
        "run-time": "a800",
    },
    "current-time": {
        "reference-time-information": "01080001",
        "time-with-dst": "e9070a1a01000000",
        "time-update-state": "0005",
    },
    "cycling": {"feature": "0700", "location": "0c"},
    "cycling-power": {
        # Bits 0 to 3, 7, 9, 11 to 15, 17 to 19, and 1 in bits 20 and 21.
        "feature": "8ffa1e00",
        "location": "05",
    },
    "device-information": {
        "manufacturer-name": b"Understudy".hex(),
        "model-number": b"Model 7".hex(),
        "serial-number": b"000042".hex(),
        "hardware-revision": b"B2".hex(),
        "firmware-revision": b"1.4.2".hex(),
        "software-revision": b"2024.02".hex(),
        "system-id": "bc9a78feff563412",
        "ieee-11073-20601-regulatory-certification-data-list": "00020012020100080105000100028008020200020000",
        "pnp-id": "02151942004201",
        "udi": "0f"
        + b"(01)00844588003288(17)141120(10)7654321D\0".hex()
        + b"00844588003288\0".hex()
        + b"2.16.840.1.113883.3.3719\0".hex()
        + b"2.16.840.1.113883.3.24\0".hex(),
    },
    "environmental-sensing": {
        "elevation": "480d00",
        "gust-factor": "0e",
        "trend": "02",
        "declination": "b001",
        # 10^-7 T: 189, 13, 456.
        "field": "bd000d00c801",
    },
    "fitness-machine": {
        # Bits 0 to 2, 7, 9, 12 and 14; bits 1, 2, 3, 13 to 16.
        "feature": "875200000ee00100",
        "training": "0001",
        "inclinations": "9cffc8000500",
        "resistances": "000064000100",
        "powers": "000020030100",
    },
    "glucose": {"feature": "2000"},
    "health-thermometer": {"type": "03", "interval": "0500"},
    "location-navigation": {
        # Bits 0 to 4, 6, 7, 10, 11, 13, 18 to 20.
        "feature": "df2c1c00",
        "quality": "8b00" + "..0c" + "." * 8,
    },
    # Checksum (0x04) and read (0x10); go to (1) and the number of objects (4).
    "object-transfer": {"feature": "1400000005000000"},
    "pulse-oximeter": {
        # Measurement status, storage, time, amplitude, and the device status: bits 0 to 3 and 6.
        "features": "4f002083000800",
    },
    "running-speed": {"feature": "1f00", "location": "01"},
    "user-data": {"user-index": "ff"},
    # Time, users, body mass index, 0.05 kg (4), 0.01 m (1); and of body composition bits 0 to 8 and 0.05 kg.
    "weight-scale": {"feature": "a7000000", "body-composition-feature": "ff210000"},
}

# The values that subscribers get, by profile and id; faster than real time if it would take longer than a few seconds.
SENT = {
    "battery-status": {
        "battery-level": "..",
        "battery-level-status": "07c1000601..00",
        "battery-time-status": "03" + ".." * 9,
    },
    "blood-pressure": {
        # Unit, no time, no pulse, a user, no status; diastolic and mean are NaN.
        "cuff": "08....ff07ff07..",
        # Unit, time, pulse, user and status.
        "measurement": "1e" + ".." * 6 + TIME + "....010000",
    },
    "continuous-glucose": {
        # Ten octets, trend and quality: 132 mg/dL in minute 31 after 2 more.
        "measurement": "0a0384001f0002006200",
    },
    "cycling": {"measurement": "03" + ".." * 10},
    "cycling-power": {
        # Balance with a reference, torque of the crank, wheel, crank and energy: bits 0 to 5 and 11.
        "measurement": "3f08" + ".." * 17,
        # Crank, first angle, forces, tangential.
        "vector": "17" + ".." * 4 + "0000" + "2800b4002201d2003c00f6ffe7fffbff",
    },
    "environmental-sensing": {"inside": "....", "humidity": "...."},
    "fitness-machine": {
        # Nothing moves: 0 km/h, average 0, cadence 0, distance 0, resistance 2, 0 W, no energy, 0 s.
        "bike": "7609000000000000000000020000000000ffffff0000",
    },
    "health-thermometer": {
        # FLOAT with one decimal (FF), time and the ear (3); the intermediate one without a time.
        "measurement": "06......ff" + TIME + "03",
        "intermediate": "04" + ".{6}(ff|00)" + "03",
    },
    "location-navigation": {
        # Speed, distance, location, elevation, heading and time, position ok, three dimensions, barometer.
        "location": "df06f401" + ".." * 11 + "480d00...." + TIME,
    },
    "pulse-oximeter": {
        # Measurement status and amplitude; ongoing is bit 5.
        "continuous": "14" + ".." * 4 + "2000....",
        # Time, status and amplitude; fully qualified is bit 8.
        "spot-check": "0b" + ".." * 4 + TIME + "0001....",
    },
    "running-speed": {
        # Stride, distance and running: 3 m/s is 768/256, 170 steps, 212 cm.
        "measurement": "070003aad400" + ".." * 4,
    },
    "weight-scale": {
        # Time, user 1, body mass index and height of 1.82 m.
        "measurement": "0e...." + TIME + "01....1c07",
        # Time, user and bits 3 to 9; 18.4 % fat, and 512.5 ohm in tenths.
        "composition": "fe03b800" + TIME + "01" + ".." * 12 + "0514",
    },
}
# The speed relative to real time.
SPEEDS = {
    "battery-status": 4,
    "blood-pressure": 20,
    "continuous-glucose": 30,
    "environmental-sensing": 10,
    "health-thermometer": 4,
    "pulse-oximeter": 20,
    "weight-scale": 10,
}


@pytest.mark.parametrize("profile", PROFILES)
async def test_discovery_and_reads(virtual: Stage, profile: str) -> None:
    remote = await Remote.open(virtual, profile)
    services = described(await describe(profile))
    # Bumble finds primary services; secondary ones are included.
    assert await discovered(remote.session) == [entry for entry in services if entry.primary]
    for entry in characteristics(services):
        if entry.id and entry.properties & PROPERTY_BITS["read"] and entry.value is not None:
            assert await remote.read(entry.id) == entry.value.hex(), entry.id
    for name, expected in READS[profile].items():
        assert re.fullmatch(expected, found := await remote.read(name)), f"{name}: {found}"


@pytest.mark.parametrize("profile", SENT)
async def test_subscriptions(virtual: Stage, profile: str) -> None:
    speed = SPEEDS.get(profile)
    remote = await Remote.open(virtual, profile, *(["--speed", f"{speed}"] if speed else []))
    for name in SENT[profile]:
        await remote.subscribe(name)
    for name, expected in SENT[profile].items():
        assert re.fullmatch(expected, found := await remote.value(name)), f"{name}: {found}"


@pytest.mark.parametrize("point", POINTS, ids=str)
async def test_control_points(virtual: Stage, point: Point) -> None:
    remote = await Remote.open(virtual, point.profile)
    busy, unsubscribed = point.codes
    command = point.commands[0][0]
    # Without a subscription to the responses there is an error, and no effect.
    assert await remote.ask(point.name, command) == unsubscribed
    for name in (point.name, *point.others):
        await remote.subscribe(name)
    for number, (octets, expected) in enumerate(point.commands):
        answer = await remote.ask(point.name, octets)
        wanted = expected.replace(" ", "") if isinstance(expected, str) else expected
        assert answer == wanted, f"command {number}: {octets}"
    # A command is in progress until its response is confirmed.
    remote.session.confirms = False
    await remote.ask(point.name, command)
    assert await remote.write(point.name, command) == busy
    remote.session.confirm()
    remote.session.confirms = True
    assert isinstance(await remote.ask(point.name, command), str)


async def test_thermometer_interval(virtual: Stage) -> None:
    """The interval is for paired clients (0x05), and values outside its range are refused with 0x80."""
    remote = await Remote.open(virtual, "health-thermometer")
    assert await remote.write("interval", "0100") == 0x05
    await asyncio.wait_for(remote.session.connection.pair(), 30)
    await remote.subscribe("interval")
    await remote.subscribe("measurement")
    assert await remote.write("interval", "110e") == 0x80
    assert await remote.write("interval", "01") == 0x0D
    assert await remote.write("interval", "0100") is None
    assert await remote.value("interval") == "0100"
    first = await remote.session.arrivals(2, remote.handles["measurement"])
    assert first[1][0] - first[0][0] < 3
    # Valid Range, 1 s to one hour.
    response = await remote.session.expect(
        att.ATT_Read_By_Type_Request(
            starting_handle=remote.handles["interval"], ending_handle=0xFFFF, attribute_type=att.UUID.from_16_bits(0x2906)
        )
    )
    assert isinstance(response, att.ATT_Read_By_Type_Response)
    assert response.attributes[0][1].hex() == "0100100e"


async def test_glucose_records_of_the_sensor(virtual: Stage) -> None:
    """Records are the measurements: the stored ones, then later ones."""
    remote = await Remote.open(virtual, "continuous-glucose", "--speed", "60")
    await remote.subscribe("measurement")
    await remote.subscribe("records-point")
    live = await remote.value("measurement", 2)
    assert await remote.ask("records-point", "0101") == "06000101"
    reported = remote.values("measurement")
    # 122 mg/dL in minute 26, rising by 2 mg/dL a minute, of a quality of 98 %.
    assert "0a037a001a0002006200" in reported
    assert reported.count(live) == 2


async def test_glucose_alerts_of_the_sensor(virtual: Stage) -> None:
    """A measurement above the patient's level, 100 mg/dL here, has an octet of warnings."""
    remote = await Remote.open(virtual, "continuous-glucose", "--speed", "60")
    await remote.subscribe("operations")
    assert await remote.ask("operations", "076400") == "1c0701"
    await remote.subscribe("measurement")
    # Flags: trend, quality and warning; the warning is "above the patient's high level".
    assert await remote.value("measurement") == "0b2384001f000202006200"


async def test_oximeter_reports_by_indications(virtual: Stage) -> None:
    remote = await Remote.open(virtual, "pulse-oximeter")
    await remote.subscribe("spot-check")
    await remote.subscribe("control-point")
    assert await remote.ask("control-point", "0101") == "06000101"
    # 97 %, 66 per minute, 2024-02-28T07:10:00, fully qualified and from storage, 4.2 %.
    assert remote.values("spot-check") == ["0b61004200e807021c070a0000032af0", "0b5f004700e807021c1328000003 26f0".replace(" ", "")]
    kinds = [type(pdu) for _, pdu in remote.session.received]
    assert kinds == [att.ATT_Handle_Value_Indication] * 3


async def test_consent(virtual: Stage) -> None:
    """Another consent gives another user's data; without a consent, the data is refused (0x80)."""
    remote = await Remote.open(virtual, "user-data")
    fields = ("first-name", "last-name", "email-address", "age", "date-of-birth", "gender", "weight", "height", "changes")
    for name in (*fields, "heart-rate-max"):
        assert await remote.refusal(name) == 0x80
        assert await remote.write(name, (await describe_length(name))) == 0x80
    await remote.subscribe("control-point")
    assert await remote.ask("control-point", "0200d204") == "200201"
    # Anna Berg, 34 years, born 1990-11-24, female, 61.5 kg in 0.005, 1.68 m in 0.01, changes in four octets.
    values = [await remote.read(name) for name in fields]
    assert values == [
        b"Anna".hex(),
        b"Berg".hex(),
        b"anna@example.org".hex(),
        "22",
        "c6070b18",
        "01",
        "0c30",
        "a800",
        "01000000",
    ]
    assert await remote.read("user-index") == "00"
    assert await remote.write("weight", "d430") is None
    assert await remote.write("changes", "02000000") is None
    assert await remote.write("gender", "03") == 0xFF
    assert await remote.read("weight") == "d430"
    assert await remote.ask("control-point", "016400") == "20010101"
    assert await remote.ask("control-point", "02016400") == "200201"
    assert await remote.write("first-name", b"Ben".hex()) is None
    assert await remote.read("first-name") == b"Ben".hex()
    assert await remote.read("changes") == "00000000"
    assert await remote.ask("control-point", "0200d204") == "200201"
    assert [await remote.read(name) for name in ("first-name", "changes")] == [b"Anna".hex(), "02000000"]
    assert await remote.ask("control-point", "03") == "200301"
    assert await remote.refusal("first-name") == 0x80
    assert await remote.ask("control-point", "0200d204") == "200205"


async def describe_length(name: str) -> str:
    """Returns a value of the right length for a field of the user."""
    lengths = {"first-name": 3, "last-name": 3, "email-address": 3, "date-of-birth": 4, "weight": 2, "height": 2, "changes": 4}
    return "01" * lengths.get(name, 1)


async def test_user_data_are_encrypted(virtual: Stage) -> None:
    remote = await Remote.open(virtual, "user-data", pairs=False)
    assert await remote.refusal("first-name") == 0x05
    assert await remote.write("control-point", "03") == 0x05


async def test_ride(virtual: Stage) -> None:
    """An app starts the bike and sets its power; the status reports it, and the data follows."""
    remote = await Remote.open(virtual, "fitness-machine")
    for name in ("control-point", "status", "training", "bike"):
        await remote.subscribe(name)
    for command in ("00", "05c800", "07"):
        assert str(await remote.ask("control-point", command)).endswith("01")
    assert await remote.value("status", 2) == "04"
    assert remote.values("status") == ["08c800", "04"]
    assert await remote.value("training") == "000d"
    await remote.session.arrivals(len(remote.values("bike")) + 2, remote.handles["bike"])
    # Flags, 33.00 km/h, an average, 85 revolutions per minute, metres, level 2, 200 W.
    assert re.fullmatch("7609e40c....aa00......0200c800.*", (value := remote.values("bike")[-1])), value
    assert await remote.ask("control-point", "1301") == "8013019808800c"
    assert await remote.value("status", 4) == "1402"
    assert await remote.ask("control-point", "01") == "800101"
    assert await remote.value("status", 5) == "01"
    assert await remote.value("training", 2) == "0001"
    # Ignoring a spin down does not request one, and a paused ride can be resumed or stopped.
    commands = {"00": "800001", "1302": "8013019808800c", "07": "800701", "0802": "800801", "07 ": "800701"}
    commands |= {"0802 ": "800801", "0802  ": "800804", "0801": "800801", "0802   ": "800804"}
    for command, answer in commands.items():
        assert await remote.ask("control-point", command.strip()) == answer, command
    assert await remote.value("status", 10) == "0201"
    assert remote.values("status")[5:] == ["04", "0202", "04", "0202", "0201"]


async def test_fitness_machine_is_advertised(virtual: Stage) -> None:
    await virtual.run("fitness-machine")
    central = await virtual.central()
    found = await central.find(virtual.address)
    # 3.1.1: available, and an indoor bike, which is bit 5.
    data = [bytes(value) for kind, value in found.data.ad_structures if kind == 0x16]
    assert data == [bytes.fromhex("2618 01 2000")]


async def test_time_update(virtual: Stage) -> None:
    """The state is pending (1) while the time is requested, then idle with a result: successful (0), or canceled (1)."""
    remote = await Remote.open(virtual, "current-time", "--speed", "2")
    point = remote.handles["time-update-control-point"]
    assert await remote.read("time-update-state") == "0005"
    await remote.session.command(point, b"\x01")
    assert await remote.read("time-update-state") == "0105"
    await remote.session.command(point, b"\x02")
    assert await remote.read("time-update-state") == "0001"
    # The canceled update has no effect.
    await asyncio.sleep(1.2)
    assert await remote.read("time-update-state") == "0001"
    await remote.session.command(point, b"\x01")
    async with asyncio.timeout(30):
        while await remote.read("time-update-state") != "0000":
            await asyncio.sleep(0.05)


async def test_environmental_descriptors(virtual: Stage) -> None:
    """ES Measurement, Trigger Settings and Configuration of the pressure (3.1.2)."""
    remote = await Remote.open(virtual, "environmental-sensing")
    found = {}
    for service in await remote.session.peer.discover_services():
        for characteristic in await service.discover_characteristics():
            if characteristic.handle != remote.handles["pressure"]:
                continue
            for descriptor in await characteristic.discover_descriptors():
                kind = struct.unpack("<H", descriptor.type.to_bytes())[0]
                found.setdefault(kind, []).append((await remote.session.read(descriptor.handle)).hex())
    assert found == {
        0x2902: ["0000"],
        0x290C: ["0000010000000100000302"],
        0x290D: ["011e0000", "04b82e0f00"],
        0x290B: ["01"],
    }


async def test_objects_are_read_over_a_channel(virtual: Stage) -> None:
    """The metadata belongs to the current object; its data is sent over the channel (PSM 0x25) after the response."""
    remote = await Remote.open(virtual, "object-transfer")
    fields = ("name", "type", "size", "created", "modified", "object-id", "properties")
    for name in fields:
        assert await remote.refusal(name) == 0x81
    for name in ("list", "actions"):
        await remote.subscribe(name)
    assert await remote.ask("list", "01") == "700101"
    content = b"time,celsius\n08:00,19.5\n08:10,19.7\n08:20,20.1\n"
    size = len(content).to_bytes(4, "little").hex()
    assert [await remote.read(name) for name in fields] == [
        b"readings.csv".hex(),
        "ca2a",
        size + size,
        "e807021c080000",
        "e807021c081405",
        "000100000000",
        "04000000",
    ]
    checksum = zlib.crc32(content[5:15]).to_bytes(4, "little").hex()
    assert await remote.ask("actions", "03050000000a000000") == "600301" + checksum
    assert await remote.ask("actions", "0300000000ff000000") == "600303"
    whole = f"0500000000{size}"
    # No channel yet (6).
    assert await remote.ask("actions", whole) == "600506"
    channel = await remote.session.connection.create_l2cap_channel(LeCreditBasedChannelSpec(psm=0x25, mtu=23, mps=23))
    received = bytearray()
    channel.sink = received.extend
    assert await remote.ask("actions", whole) == "600501"
    assert await remote.ask("actions", "0500000000ff000000") == "600503"
    async with asyncio.timeout(30):
        while len(received) < len(content):
            await asyncio.sleep(0.01)
    assert bytes(received) == content
    # The calibration's checksum may be requested, but it may not be read (8).
    assert await remote.ask("list", "02") == "700201"
    assert await remote.read("properties") == "00000000"
    assert await remote.ask("actions", "050000000001000000") == "600508"
    checksum = zlib.crc32(bytes(range(1, 9))).to_bytes(4, "little").hex()
    assert await remote.ask("actions", "030000000008000000") == "600301" + checksum
