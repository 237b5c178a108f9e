"""Profiles from keys, as the program reads them."""

from __future__ import annotations

from typing import Any

import pytest

from understudy import Accessory
from understudy._yaml import document


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("any", "any"),
        ("20 ms", "20 ms"),
        ("1 kJ per 10 s", "1 kJ per 10 s"),
        ("hex:01", "hex:01"),
        (b"\x01\x02", "hex:0102"),
        ("000001", '"000001"'),
        ("1.5", '"1.5"'),
        ("1.0.0", "1.0.0"),
        ("true", '"true"'),
        ("", '""'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        ("- a", '"- a"'),
        ("[a]", '"[a]"'),
        ("Ünderstudy", '"Ünderstudy"'),
        (True, "true"),
        (None, "null"),
        (0.5, "0.5"),
        ([], "[]"),
        ({}, "{}"),
    ],
)
def test_scalars(value: Any, text: str) -> None:
    assert document({"key": value}) == f"key: {text}\n"
    assert document({"keys": [value]}) == f"keys:\n  - {text}\n"


def test_nesting() -> None:
    keys = {"a": [{"b": 1, "c": [2, [3, {"d": 4}]]}, "x"], "value": "hello", "e": {"value": "u16:500"}}
    assert document(keys).splitlines() == [
        "a:",
        "  - b: 1",
        "    c:",
        "      - 2",
        "      - - 3",
        "        - d: 4",
        "  - x",
        'value: "hello"',
        "e:",
        "  value: u16:500",
    ]


def characteristic(number: int, value: Any, **more: Any) -> dict[str, Any]:
    return {"id": f"c{number}", "uuid": f"FFF{number}", "properties": ["read"], "value": value, **more}


@pytest.mark.accessory(
    {
        "name": "Text: 1 # {all} of it",
        "about": "000001",
        "advertising": [{"id": "main", "data": {"services": ["FFF0"]}, "schedule": [{"interval": "20 ms"}]}],
        "services": [
            {
                "uuid": "FFF0",
                "characteristics": [
                    characteristic(1, "hello"),
                    characteristic(2, b"\x01\x02"),
                    characteristic(3, "u16:513"),
                    characteristic(4, "true", format="utf8"),
                    characteristic(5, 7, format="u8", **{"properties": ["read", "write"]}),
                    characteristic(6, {"sequence": ["chest"], "every": "1 h"}, uuid="body-sensor-location"),
                ],
            }
        ],
    }
)
def test_program_reads_it(accessory: Accessory) -> None:
    assert (accessory.name, accessory.state().about) == ("Text: 1 # {all} of it", "000001")
    assert accessory.advertising()[0].interval_ms == (20.0,)
    values = [accessory[f"c{number}"].value for number in range(1, 7)]
    assert values == ["hello", b"\x01\x02", 513, "true", 7, "chest"]
    assert accessory.program.errors == ""
