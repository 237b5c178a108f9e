"""The names of Avatar 0.0.11's cases, and a run of some of them."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from support.program import executable

ENVIRONMENT = Path(sys.prefix, "avatar")
"""Avatar needs other versions than the tests do: protobuf 4, and a Bumble that still has a Pandora server."""
WITHIN = 180


def name(test: str, *parameters: object) -> str:
    """Returns a case's name in Avatar's form: the parameters as a tuple without spaces."""
    return f"{test}{tuple(parameters)}".replace(" ", "")


SCANS = [
    name("test_scan", *parameters)
    for parameters in itertools.product(
        ("connectable", "non_connectable"), ("scannable", "non_scannable"), ("directed", "undirected"), (0, 31)
    )
]
EXTENDED_SCANS = [
    # The last parameter is the primary PHY, 1M.
    name("test_extended_scan", *parameters, 0)
    for parameters in itertools.product(
        ("connectable", "non_connectable", "non_connectable_scannable"), ("directed", "undirected"), (0, 150)
    )
]
DATA = [
    name("test_scan_response_data", data)
    for data in (
        {"incomplete_service_class_uuids16": ["183A", "181F"]},
        {"incomplete_service_class_uuids32": ["FFFF183A", "FFFF181F"]},
        {"incomplete_service_class_uuids128": ["FFFF181F-FFFF-1000-8000-00805F9B34FB"]},
        {"shortened_local_name": "avatar"},
        {"complete_local_name": "avatar_the_last_test_blender"},
        {"tx_power_level": 20},
        {"class_of_device": 0x40680},
        {"peripheral_connection_interval_min": 0x0006, "peripheral_connection_interval_max": 0x0C80},
        {"service_solicitation_uuids16": ["183A", "181F"]},
        {"service_solicitation_uuids32": ["FFFF183A", "FFFF181F"]},
        {"service_solicitation_uuids128": ["FFFF183A-FFFF-1000-8000-00805F9B34FB"]},
        {"service_data_uuid16": {"183A": bytes([1, 2, 3, 4])}},
        {"service_data_uuid32": {"FFFF183A": bytes([1, 2, 3, 4])}},
        {"service_data_uuid128": {"FFFF181F-FFFF-1000-8000-00805F9B34FB": bytes([1, 2, 3, 4])}},
        {"appearance": 0x0591},
        {"advertising_interval": 0x1000},
        {"uri": "https://www.google.com"},
        {"le_supported_features": bytes([*[0] * 14, 0x10, 0x9F])},
        {"manufacturer_specific_data": bytes([0, 1, 2, 3, 4])},
    )
]
# The parameter is the accessory's address: random, public.
CONNECTIONS = [name(test, address) for test in ("test_connect", "test_disconnect") for address in (1, 0)]


def pairings(connection: str) -> list[str]:
    """Returns the cases with the default IO capability. Avatar skips the others, unless the reference is its Bumble."""
    return [
        name("test_le_pairing", connection, pairing, address, variant, "against_default_io_cap", keys)
        for pairing, address, variant, keys in itertools.product(
            ("outgoing_pairing", "incoming_pairing"),
            ("against_random", "against_public"),
            ("accept", "reject", "rejected", "disconnect", "disconnected"),
            ("ltk_irk_csrk", "ltk_irk_csrk_lk"),
        )
    ]


# The parameter is how the device under test can be found: in limited or general inquiries.
CLASSIC = [
    *("test_connect", "test_accept", "test_disconnect", "test_not_discoverable"),
    *(name("test_discoverable", mode) for mode in (1, 2)),
]


def classic_pairings(connection: str) -> list[str]:
    """Returns the cases over BR/EDR with the default IO capability, without those of derived keys, which Avatar skips.

    If the device under test disconnects while the other side pairs, Bumble's server fails with an InvalidStateError,
    and its call never ends.
    """
    return [
        name("test_ssp", connection, pairing, variant, "against_default_io_cap", role)
        for pairing, variant, role in itertools.product(
            ("outgoing_pairing", "incoming_pairing"),
            ("accept", "reject", "rejected", "disconnect", "disconnected"),
            ("against_central", "against_peripheral"),
        )
        if (pairing, variant) != ("incoming_pairing", "disconnect")
    ]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a case."""

    result: str
    """`PASS`, `FAIL`, `ERROR` or `SKIP`."""
    details: str


class Run:
    """A run of cases in a separate process, with an accessory and a Bumble on a separate virtual radio."""

    def __init__(self, folder: Path, test_class: str, cases: list[str]) -> None:
        classic = not test_class.startswith("Le")
        self.cases, self._folder = cases, folder
        folder.mkdir()
        self._server = subprocess.Popen(
            [Path(sys.prefix, "bin/understudy-pandora"), "battery", *(["--br-edr"] if classic else [])],
            env={**os.environ, "UNDERSTUDY": str(executable().resolve())},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._server.stdout
        places = []
        while not (line := self._server.stdout.readline()).startswith("PandoraDevice: "):
            assert line, "the server has ended"
            places.append(line.removeprefix("DUT joins at ").strip())
        target = line.removeprefix("PandoraDevice: ").strip()
        (folder / "bed.yaml").write_text(yaml.safe_dump(bed(folder, places[0], target, classic=classic)))
        self._log = (folder / "log").open("w")
        self._avatar = subprocess.Popen(
            [
                *(ENVIRONMENT / "bin/python", Path(__file__).with_name("run_avatar.py")),
                *("--config", folder / "bed.yaml", "--test-beds", "bed", "--log-path", folder),
                *("--tests", *(f"{test_class}.{case}" for case in cases)),
            ],
            cwd=folder,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def outcomes(self) -> dict[str, Outcome]:
        """Returns the outcome of each case that was run."""
        try:
            self._avatar.wait(WITHIN)
        finally:
            self.end()
        summary = self._folder / "bed/latest/test_summary.yaml"
        records = [record for record in yaml.safe_load_all(summary.read_text()) if record["Type"] == "Record"]
        return {record["Test Name"]: Outcome(record["Result"], str(record["Details"])) for record in records}

    def end(self) -> None:
        """Ends both processes, unless they have ended."""
        self._avatar.kill()
        self._avatar.wait()
        self._log.close()
        self._server.terminate()
        self._server.wait()


def bed(folder: Path, place: str, target: str, *, classic: bool) -> dict[str, Any]:
    """Returns the test bed: a Bumble as the device under test, and the accessory as the reference."""
    bumble = {
        "transport": place,
        "classic_enabled": classic,
        "address": "F0:F1:F2:F3:F4:F5",
        "advertising_interval": 100,
        # LE_LEVEL3 requires authentication, so both sides must be able to compare or type.
        "server": {"io_capability": "display_output_and_yes_no_input"},
    }
    controllers = {"BumbleDevice": [bumble], "PandoraDevice": [{"grpc_target": target, "name": "understudy"}]}
    return {
        "MoblyParams": {"LogPath": str(folder)},
        "TestBeds": [{"Name": "bed", "TestParams": {"scan_timeout": 10}, "Controllers": controllers}],
    }
