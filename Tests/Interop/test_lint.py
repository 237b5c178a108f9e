"""`understudy lint`: its output, its exit codes, and the files that it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Launch
from support.controllers import LOOPBACK
from support.program import EX_DATAERR, EX_IOERR, EX_NOINPUT, EX_OK, EX_UNAVAILABLE, EX_USAGE, run
from test_learn import foreign_peripheral

LAMP = """\
understudy: 1
name: Lamp
advertising:
  - id: main
    data: { services: [battery], name: complete }  # without flags
    schedule: [ { interval: 20 ms, for: 30 s }, { interval: 100 ms } ]
services: [ { include: battery }, { include: device-information } ]
"""


@pytest.fixture
def lamp(tmp_path: Path) -> Path:
    path = tmp_path / "lamp.yaml"
    path.write_text(LAMP)
    return path


async def test_findings_have_positions_and_make_the_exit_code(lamp: Path) -> None:
    done = await run("lint", lamp)
    assert done.code == EX_DATAERR
    assert f"{lamp}:5:5: error: the data of 'main' has no flags [flags-missing]" in done.output
    assert f"{lamp}:6:61: warning: " in done.output


async def test_shipped_profiles_have_none() -> None:
    names = [entry["name"] for entry in json.loads((await run("profiles", "--json")).output)]
    done = await run("lint", "--strict", *names)
    assert (done.code, done.output.count(": no findings; ")) == (EX_OK, len(names))


async def test_json_is_a_finding_in_each_line(lamp: Path) -> None:
    done = await run("lint", "--json", lamp)
    findings = [json.loads(line) for line in done.output.splitlines()]
    assert [finding["rule"] for finding in findings] == ["flags-missing", "advertising-interval"]
    assert all({"file", "line", "column", "severity", "message", "remedy", "why", "source", "year"} <= set(finding) for finding in findings)


async def test_sarif_of_valid_and_invalid_profiles(lamp: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("understudy: 1\n")
    done = await run("lint", "--format", "sarif", lamp, broken)
    (sarif_run,) = json.loads(done.output)["runs"]
    assert [result["ruleId"] for result in sarif_run["results"]] == ["flags-missing", "advertising-interval", "invalid-profile"]
    assert done.code == EX_DATAERR


async def test_fix_changes_the_file_and_says_what(lamp: Path) -> None:
    lamp.chmod(0o640)
    done = await run("lint", "--fix", lamp)
    assert done.code == EX_OK
    assert lamp.read_text() == LAMP.replace("{ services", "{ flags: [general], services").replace("100 ms", "152.5 ms")
    assert "inserted 'flags: [general]' [flags-missing]" in done.errors
    assert lamp.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in lamp.parent.iterdir()] == ["lamp.yaml"]
    assert (await run("check", lamp)).code == EX_OK


async def test_html_is_written_beside_the_output(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert (await run("lint", "--html", page, "heart-rate", "l2cap")).code == EX_OK
    assert "Heart Rate Belt" in page.read_text() and "Channel Rig" in page.read_text()
    assert (await run("lint", "--html", tmp_path / "none" / "page.html", "heart-rate")).code == EX_IOERR


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--rules"], EX_OK),
        (["--explain", "flags-missing"], EX_OK),
        (["--explain", "flags-mising"], EX_USAGE),
        (["--only", "nonsense", "heart-rate"], EX_USAGE),
        (["--json", "--format", "sarif", "heart-rate"], EX_USAGE),
        ([], EX_USAGE),
        (["nonsense"], EX_NOINPUT),
    ],
)
async def test_exit_codes(arguments: list[str], code: int) -> None:
    assert (await run("lint", *arguments)).code == code


async def test_an_invalid_profile_has_the_errors_of_check(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("understudy: 1\nname: Lamp\nservices: [ { uuid: 180F, charcteristics: [] } ]\n")
    lint, check = await run("lint", broken), await run("check", broken)
    assert (lint.code, lint.errors) == (EX_DATAERR, check.errors)


async def test_reasons(lamp: Path) -> None:
    lamp.write_text(LAMP + "lint: { allow: { flags-missing: the product has none, advertising-interval: as the product does } }\n")
    done = await run("lint", "--strict", lamp)
    assert (done.code, "2 deviations with a reason" in done.output) == (EX_OK, True)
    lamp.write_text(LAMP + "lint: { allow: { flag-missing: the product has none } }\n")
    done = await run("lint", lamp)
    assert done.code == EX_DATAERR and "there is no rule 'flag-missing', did you mean 'flags-missing'?" in done.errors


async def test_a_running_accessory(lamp: Path, launch: Launch) -> None:
    program = await launch("run", lamp, "--set", "name=Desk Lamp", "--http", f"{LOOPBACK}:0", "--json")
    place = f"http://{LOOPBACK}:{(await program.event('http'))['port']}"
    attached = await run("lint", "--attach", place)
    assert attached.code == EX_DATAERR
    # The same findings at the same places as for the file, with the run's settings.
    plain = await run("lint", lamp, "--set", "name=Desk Lamp")
    assert attached.output == plain.output
    assert f"{lamp}: Desk Lamp: " in attached.output
    assert (await run("lint", "--attach", f"http://{LOOPBACK}:1")).code == EX_UNAVAILABLE


@pytest.mark.timeout(120)
async def test_a_device_of_somebody_else(launch: Launch, tmp_path: Path) -> None:
    radio = await launch("radio", "--json")
    places = (await radio.ready())["joining"]
    _, _, transport = await foreign_peripheral(places[1])
    learnt, page = tmp_path / "scale.yaml", tmp_path / "scale.html"
    done = await run(
        "lint", "--controller", places[0], "--device", "Foreign Scale", "--for", "1s", "--learnt", learnt, "--html", page
    )
    await transport.close()
    assert done.code == EX_DATAERR, done
    # Bumble begins with about 1 s, and names no service.
    assert "[advertising-start]" in done.output and "[service-in-advertising-data]" in done.output
    assert f"{learnt}:" in done.output
    # The lines are those of the file.
    assert (await run("lint", learnt)).output == done.output
    assert "Foreign Scale" in page.read_text()
    assert (await run("lint", "--controller", f"tcp-client:{LOOPBACK}:1", "--device", "x")).code == EX_UNAVAILABLE
