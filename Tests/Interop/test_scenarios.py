"""`understudy test`: scenarios, each on its own air or all on one."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from support.program import EX_DATAERR, EX_NOINPUT, EX_OK, EX_USAGE, run

SCENARIO = """
understudy-scenario: 1
name: {name}
accessory:
  name: Lamp
  services:
    - uuid: FFF0
      characteristics: [ {{ id: level, uuid: FFF1, properties: [ read ], format: u8, value: 7 }} ]
prepare: [ connect ]
cases:
  - {{ name: late, steps: [ {{ wait: 5 s }}, {{ read: level, gives: {late} }} ] }}
  - {{ name: soon, steps: [ {{ scan: any, name: Lamp, heard: false, for: 500 ms }}, {{ read: level, gives: 7 }} ] }}
"""


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    folder = tmp_path / "scenarios"
    folder.mkdir()
    (folder / "a.yaml").write_text(SCENARIO.format(name="First", late=7))
    (folder / "b.yaml").write_text(SCENARIO.format(name="Second", late=8))
    return folder


@pytest.mark.parametrize("options", [(), ("--one-air",), ("--one-air", "--jobs", "1")])
async def test_reports(scenarios: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    """Results in the order of the files, with the report of a failed case."""
    kept, junit = tmp_path / "kept", tmp_path / "results.xml"
    ended = await run("test", scenarios, "--keep", kept, "--junit", junit, *options)
    assert ended.code == 1
    capture = "one-air.pcapng" if options else "second-late.pcapng"
    lines = ended.output.splitlines()
    assert [line for line in lines if not line.startswith("  ")] == [
        "TAP version 14",
        "1..4",
        "ok 1 - First: late",
        "ok 2 - First: soon",
        "not ok 3 - Second: late",
        "ok 4 - Second: soon",
        "# 3 passed, 1 failed",
    ]
    assert f'  kept: ["{kept}/second-late.txt", "{kept}/{capture}"]' in lines
    assert sorted(file.name for file in kept.iterdir()) == sorted([capture, "second-late.txt"])
    assert "failed: the result is hex:07 (7), not hex:08 (8)" in (kept / "second-late.txt").read_text()
    shown = await run("capture", kept / capture)
    assert shown.code == EX_OK and "Lamp" in shown.output
    suites = ElementTree.parse(junit).getroot()
    cases = [(suite.get("name"), case.get("name")) for suite in suites for case in suite]
    assert cases == [("First", "late"), ("First", "soon"), ("Second", "late"), ("Second", "soon")]


@pytest.mark.parametrize("options", [(), ("--one-air",)])
async def test_files_of_a_case_that_passes_again_are_removed(
    scenarios: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    kept = tmp_path / "kept"
    assert (await run("test", scenarios, "--keep", kept, *options)).code == 1
    (kept / "mine.txt").write_text("")
    assert (kept / "second-late.txt").exists()
    # A case that does not run keeps its files.
    assert (await run("test", scenarios / "a.yaml", "--keep", kept)).code == EX_OK
    assert (kept / "second-late.txt").exists()
    (scenarios / "b.yaml").write_text(SCENARIO.format(name="Second", late=7))
    assert (await run("test", scenarios, "--keep", kept, *options)).code == EX_OK
    assert [file.name for file in kept.iterdir()] == ["mine.txt"]


async def test_results_of_all_parts_add_up(scenarios: Path, tmp_path: Path) -> None:
    found: list[tuple[str | None, str | None]] = []
    for number in range(1, 7):
        junit = tmp_path / f"{number}.xml"
        ended = await run("test", scenarios, "--keep", tmp_path, "--junit", junit, "--shard", f"{number}/6")
        suites = ElementTree.parse(junit).getroot()
        cases = [(suite.get("name"), case.get("name")) for suite in suites for case in suite]
        assert ended.code == (1 if ("Second", "late") in cases else EX_OK)
        found += cases
    assert found == [("First", "late"), ("First", "soon"), ("Second", "late"), ("Second", "soon")]
    wrong = await run("test", scenarios, "--shard", "7/6")
    assert wrong.code == EX_USAGE and "--shard" in wrong.errors


async def test_one_air_is_the_same_every_time(scenarios: Path, tmp_path: Path) -> None:
    async def transcripts(seed: str, folder: str) -> dict[str, str]:
        await run("test", scenarios, "--one-air", "--keep-all", "--keep", tmp_path / folder, "--seed", seed)
        return {file.name: file.read_text() for file in (tmp_path / folder).glob("*.txt")}

    first = await transcripts("7", "1")
    assert len(first) == 4
    assert await transcripts("7", "2") == first
    assert await transcripts("8", "3") != first


async def test_capture_that_cannot_be_written(scenarios: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("")
    ended = await run("test", scenarios, "--one-air", "--keep", tmp_path / "kept")
    assert ended.code == 74 and "cannot be written" in ended.errors


LAMP = """
understudy: 1
name: Lamp
services:
  - uuid: FFF0
    characteristics:
      - { id: level, uuid: FFF1, properties: [ read, write ], format: u8, value: 7 }
      - { id: hidden, uuid: FFF2, properties: [ read ], format: u8, value: 1, on-read: { error: 0x81 } }
"""


async def test_exploring(tmp_path: Path) -> None:
    """Every rule is a test; a characteristic that no central can read is a finding, with a case that shows it."""
    profile, kept = tmp_path / "lamp.yaml", tmp_path / "kept"
    profile.write_text(LAMP)
    explore = ("test", "--explore", "8", "--seed", "3", profile, "--keep", kept)
    ended = await run(*explore, timeout=300)
    assert ended.code == 1
    lines = ended.output.splitlines()
    assert lines[:2] == ["TAP version 14", "not ok 1 - explore Lamp: readable: hidden"]
    assert "reads were refused: " in lines[3] and "0x81" in lines[3]
    assert [line for line in lines if line.startswith("not ok")] == lines[1:2]
    assert "# Lamp: 8 seeds from 3" in lines
    [case] = kept.iterdir()
    # A finding that needs several runs gives a plan, which passes alone. Otherwise it gives a scenario, which fails again.
    options = ("--replay",) if case.suffix == ".json" else ()
    assert (await run("test", *options, case, "--keep", tmp_path / "again", timeout=60)).code == (0 if options else 1)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--explore", "soon", "battery"), EX_USAGE),
        (("--explore", "5", "battery", "--one-air"), EX_USAGE),
        (("--explore", "5", "-"), EX_USAGE),
        (("--explore", "5", "no-such-profile"), EX_NOINPUT),
        (("--replay", "no-such-plan.json"), EX_NOINPUT),
        (("--replay", Path(__file__)), EX_DATAERR),
    ],
)
async def test_exploring_wrongly(arguments: tuple[str | Path, ...], code: int) -> None:
    assert (await run("test", *arguments)).code == code


FAULTY = """
understudy-scenario: 1
name: Faulty
accessory:
  name: Lamp
  services:
    - uuid: FFF0
      characteristics: [ { id: level, uuid: FFF1, properties: [ read ], format: u8, value: 7 } ]
prepare: [ connect ]
cases:
  - name: refused
    faults:
      - { id: refusal, on: { read: level }, do: { error: 0x80 } }
    steps: [ { wait: 2 s }, { read: level } ]
"""


async def test_a_failure_names_its_time_and_faults(tmp_path: Path) -> None:
    scenario, junit, page = tmp_path / "faulty.yaml", tmp_path / "results.xml", tmp_path / "report.html"
    scenario.write_text(FAULTY)
    ended = await run("test", scenario, "--keep", tmp_path, "--junit", junit, "--html", page)
    assert ended.code == 1
    [time] = [line for line in ended.output.splitlines() if line.startswith("  time: 2.")]
    [injected] = [line for line in ended.output.splitlines() if line.startswith("  injected: ")]
    assert injected.startswith('  injected: ["refusal at 2.') and f"({scenario}:13)" in injected
    failure = ElementTree.parse(junit).getroot().find(".//failure")
    assert failure is not None and failure.text is not None
    assert f"\n{time.strip()}\ninjected: refusal at 2." in failure.text
    assert "refusal at 2." in page.read_text()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ((), "Faulty is valid: 1 case"),
        (("--json",), '"cases":1'),
        (("--format", "gitlab"), "[]"),
    ],
)
async def test_checking(tmp_path: Path, options: tuple[str, ...], text: str) -> None:
    scenario = tmp_path / "faulty.yaml"
    scenario.write_text(FAULTY)
    checked = await run("check", scenario, *options)
    assert checked.code == EX_OK and text in checked.output.replace('": ', '":')
    scenario.write_text(FAULTY.replace("read: level }", "read: levle }"))
    wrong = await run("check", scenario, *options)
    assert wrong.code == EX_DATAERR and "there is no characteristic 'levle'" in wrong.output + wrong.errors


async def test_checking_with_settings(tmp_path: Path) -> None:
    scenario = tmp_path / "faulty.yaml"
    scenario.write_text(FAULTY)
    wrong = await run("check", scenario, "--set", "name=Other")
    assert wrong.code == EX_USAGE and "is a scenario" in wrong.errors


async def test_explaining() -> None:
    assert "Beside it: for, of, phone, within" in (await run("explain", "expect")).output
    assert (await run("explain", "nothing-at-all")).code == EX_USAGE
