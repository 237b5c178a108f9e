"""Avatar's cases for Bluetooth LE, with an accessory as the reference device and Bumble as the device under test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.avatar_cases import (
    CONNECTIONS,
    DATA,
    ENVIRONMENT,
    EXTENDED_SCANS,
    SCANS,
    Outcome,
    Run,
    name,
    pairings,
)

# docs/avatar.md judges each.
FAILURES = {
    name("test_scan_response_data", {"tx_power_level": 20}): "8 != 20",
    **{
        case: "the reference device has no BR/EDR"
        for connection in ("outgoing_connection", "incoming_connection")
        for case in pairings(connection)
        if "'accept'" in case and "_lk'" in case
    },
}
RUNS = [
    ("LeHostTest", [*SCANS, *EXTENDED_SCANS, *DATA, *CONNECTIONS]),
    ("LeSecurityTest", pairings("outgoing_connection")),
    ("LeSecurityTest", pairings("incoming_connection")),
]
CASES = [case for _, cases in RUNS for case in cases]

pytestmark = [pytest.mark.timeout(180), pytest.mark.xdist_group("avatar")]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Outcome]]:
    """What came of all cases, which run three at a time, because they mostly wait."""
    assert ENVIRONMENT.exists(), f"there is no {ENVIRONMENT}: `make python-environment` makes it"
    folder = tmp_path_factory.mktemp("avatar")
    runs: list[Run] = []
    try:
        for number, (test_class, cases) in enumerate(RUNS):
            runs.append(Run(folder / str(number), test_class, cases))
        yield {case: outcome for run in runs for case, outcome in run.outcomes().items()}
    finally:
        for run in runs:
            run.end()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_avatar(outcomes: dict[str, Outcome], case: str) -> None:
    outcome = outcomes[case]
    if case in FAILURES:
        assert outcome.result in ("FAIL", "ERROR") and FAILURES[case] in outcome.details
    else:
        assert outcome.result == "PASS", outcome.details


def test_no_other_cases(outcomes: dict[str, Outcome]) -> None:
    assert outcomes.keys() == {*CASES}
