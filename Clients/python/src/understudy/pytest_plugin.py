"""Fixtures for pytest: an accessory or a radio for the duration of a test, and a report of the events when it fails.

```python
@pytest.mark.accessory("heart-rate", impair={"loss": 0.1})
def test_belt(accessory):
    ...
```

The marker takes the arguments of `Accessory.start`; a relative path may also start in the test's folder. Without a
marker, the test's module may set `ACCESSORY` to a profile. `air` is the accessory's radio or, in a test without an
accessory, a radio without accessories, started with the options of the marker `air`. `aio_accessory` and `aio_air` are
the same for asyncio. `understudy_bleak` puts bleak on that radio.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from understudy import aio
from understudy._process import find_executable
from understudy.blocking import Accessory, Air, Program
from understudy.errors import ExecutableNotFound

if TYPE_CHECKING:
    from understudy.bleak import Radio

_PROGRAMS = pytest.StashKey[list[Program]]()
_FAILED = pytest.StashKey[bool]()
_CASES = pytest.StashKey[list[dict[str, Any]]]()
# The most characters of a failure in the report.
_LONGEST_FAILURE = 4000


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("understudy", "Bluetooth LE accessories emulated by Understudy")
    group.addoption(
        "--understudy-executable", metavar="FILE", help="the program; else $UNDERSTUDY, $PATH or a checkout's"
    )
    group.addoption(
        "--understudy-captures",
        metavar="DIR",
        type=Path,
        help="keep the captures and transcripts of failed tests in this folder; by default, captures are in `tmp_path`",
    )
    group.addoption(
        "--understudy-report",
        metavar="FILE",
        type=Path,
        help="write a report on the tests that use an accessory or a radio, with the packets of failed tests",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "accessory(profile, **options): the accessory of the test, as for Accessory.start"
    )
    config.addinivalue_line("markers", "air(**options): the radio of a test without an accessory, as for Air.start")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """When a test fails, adds its events and the path of its capture to the report."""
    report = yield
    if call.when == "call" and item.stash.get(_PROGRAMS, []) and item.config.getoption("--understudy-report"):
        _add_cases(item, report)
    if report.failed:
        item.stash[_FAILED] = True
        for program in item.stash.get(_PROGRAMS, []):
            report.sections.append(("understudy", program.report()))
            if program.capture:
                report.sections.append(("understudy capture", str(program.capture)))
    return report


def _add_cases(item: pytest.Item, report: pytest.TestReport) -> None:
    """Adds a test to the report: one case for each of its programs."""
    for program in item.stash[_PROGRAMS]:
        case: dict[str, Any] = {"name": item.name, "suite": item.path.name, "file": str(item.path)}
        case["events"] = [dict(event.raw) for event in program.events]
        if report.failed:
            case["line"] = _failing_line(item, report)
            crash = getattr(report.longrepr, "reprcrash", None)
            case["failure"] = str(crash.message if crash else report.longrepr)[:_LONGEST_FAILURE]
            if program.capture:
                case["capture"] = str(program.capture)
        item.config.stash.setdefault(_CASES, []).append(case)


def _failing_line(item: pytest.Item, report: pytest.TestReport) -> int:
    """Returns the last line of the test's own file in the traceback; 0 if there is none."""
    traceback = getattr(report.longrepr, "reprtraceback", None)
    places = [place for entry in getattr(traceback, "reprentries", []) if (place := getattr(entry, "reprfileloc", None))]
    own = [place.lineno for place in places if (item.config.invocation_params.dir / place.path).resolve() == item.path]
    return own[-1] if own else 0


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Writes the report, once all captures are complete."""
    report: Path | None = session.config.getoption("--understudy-report")
    cases = session.config.stash.get(_CASES, [])
    if report is None or not cases:
        return
    program = find_executable(session.config.getoption("--understudy-executable"))
    for case in cases:
        if not Path(case.get("capture", "")).is_file():
            case.pop("capture", None)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cases.jsonl"
        file.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
        command = [str(program), "capture", "report", str(file), "--output", str(report.absolute())]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise pytest.UsageError(f"--understudy-report: {done.stderr.strip()}")


@pytest.fixture(scope="session")
def understudy_executable(pytestconfig: pytest.Config) -> Path:
    """The executable of the program."""
    try:
        return find_executable(pytestconfig.getoption("--understudy-executable"))
    except ExecutableNotFound as error:
        raise pytest.UsageError(str(error)) from error


@pytest.fixture
def _understudy_options(
    request: pytest.FixtureRequest, understudy_executable: Path, tmp_path: Path
) -> Iterator[dict[str, Any]]:
    """The options that all programs of a test share. Keeps the capture and a transcript if the test fails."""
    folder: Path | None = request.config.getoption("--understudy-captures")
    kept = folder is not None
    folder = folder or tmp_path
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", request.node.nodeid).strip("-")
    capture = (folder / f"{name[-150:]}.pcapng").absolute()
    yield {"executable": understudy_executable, "capture": capture}
    if kept and request.node.stash.get(_FAILED, False):
        reports = [program.report() for program in request.node.stash.get(_PROGRAMS, [])]
        capture.with_suffix(".txt").write_text("\n\n".join(reports) + "\n", encoding="utf-8")
    elif kept:
        capture.unlink(missing_ok=True)


def _beside(test: Path, profile: Any) -> Any:
    """Resolves a relative path against the test's folder if the file exists there, wherever pytest was started."""
    if isinstance(profile, str | os.PathLike) and os.path.isfile(path := test.parent / profile):
        return path
    return profile


def _show(request: pytest.FixtureRequest, program: Program) -> None:
    request.node.stash.setdefault(_PROGRAMS, []).append(program)


@pytest.fixture
def accessory(request: pytest.FixtureRequest, _understudy_options: dict[str, Any]) -> Iterator[Accessory]:
    """The accessory of the marker `accessory`, on a virtual radio unless the marker names another controller."""
    marker = request.node.get_closest_marker("accessory")
    profiles = marker.args if marker else (getattr(request.module, "ACCESSORY", None),)
    if len(profiles) != 1 or profiles[0] is None:
        raise pytest.UsageError(
            'say which: @pytest.mark.accessory("heart-rate"), or ACCESSORY = "heart-rate" in the module'
        )
    options = {**_understudy_options, **(marker.kwargs if marker else {})}
    with Accessory.start(_beside(request.path, profiles[0]), **options) as started:
        _show(request, started.program)
        yield started


@pytest.fixture
def aio_accessory(accessory: Accessory) -> aio.Accessory:
    """The accessory for asyncio."""
    return accessory.aio


@pytest.fixture
def air(request: pytest.FixtureRequest) -> Iterator[Air]:
    """The accessory's radio, or a radio without accessories if the test has none."""
    if {"accessory", "aio_accessory"} & set(request.fixturenames):
        yield request.getfixturevalue("accessory").air
        return
    marker = request.node.get_closest_marker("air")
    options = {**request.getfixturevalue("_understudy_options"), **(marker.kwargs if marker else {})}
    with Air.start(**options) as started:
        _show(request, started.program)
        yield started


@pytest.fixture
def aio_air(air: Air) -> aio.Air:
    """The radio for asyncio."""
    return air.aio


@pytest.fixture
def understudy_bleak(request: pytest.FixtureRequest) -> Iterator[Radio]:
    """Puts bleak on the radio of the test's accessory, or on a radio without accessories; needs the extra `understudy[bleak]`."""
    try:
        from understudy.bleak import Radio, installed
    except ImportError as error:
        raise pytest.UsageError(f"the fixture understudy_bleak needs understudy[bleak]: {error}") from error
    has_accessory = request.node.get_closest_marker("accessory") or hasattr(request.module, "ACCESSORY")
    air: Air = request.getfixturevalue("accessory").air if has_accessory else request.getfixturevalue("air")
    radio = Radio(air.joining[0])
    with installed(radio):
        yield radio
