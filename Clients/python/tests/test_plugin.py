"""The pytest plugin, in a separate pytest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import understudy

# Each test starts the program and pytest several times.
pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def inner(pytester: pytest.Pytester) -> pytest.Pytester:
    lines = ["asyncio_mode = auto", "asyncio_default_fixture_loop_scope = function", "addopts = -p no:labgrid"]
    pytester.makeini("\n".join(["[pytest]", *lines, ""]))
    return pytester


def test_fixtures(inner: pytest.Pytester) -> None:
    inner.makepyfile(
        """
        import pytest

        ACCESSORY = "battery"

        def test_profile_of_the_module(accessory):
            assert accessory.name == "Battery"

        @pytest.mark.accessory({"name": "Gate"}, seed=7)
        def test_profile_of_the_marker(accessory, air):
            assert accessory.name == "Gate"
            assert air.joining == accessory.air.joining and air.program.pid == accessory.program.pid

        async def test_asyncio(aio_accessory, accessory, aio_air):
            assert await aio_accessory["battery-level"].read() == 100
            assert aio_accessory.program.pid == accessory.program.pid == aio_air.program.pid

        @pytest.mark.air(join=["tcp"] * 3)
        def test_radio(air):
            assert len(air.ports) == 3
        """
    )
    inner.runpytest_inprocess("--strict-markers").assert_outcomes(passed=4)


def test_failure_shows_what_happened(inner: pytest.Pytester) -> None:
    inner.makepyfile(
        """
        import pytest

        @pytest.mark.accessory("battery")
        @pytest.mark.parametrize("kind", ["write", "advertising-stopped"])
        def test_it(accessory, kind):
            accessory.stop_advertising("main")
            accessory.expect(kind, within=3 if kind != "write" else 0.2)
        """
    )
    captures = inner.path / "captures"
    result = inner.runpytest_inprocess(f"--understudy-captures={captures}")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*ExpectationFailed: expected 'write' within 0.2 s, and it did not come",
            "*-- understudy --*",
            "arguments: run --json *",
            "what happened (*",
            "* s  ready *",
            "* s  advertising-stopped *",
            "*-- understudy capture --*",
            f"{captures}/test_failure_shows_what_happened.py-test_it-write.pcapng",
        ]
    )
    # The report does not show the client's internal lines.
    result.stdout.no_fnmatch_line("*_expectation.py:*")
    result.stdout.no_fnmatch_line("*blocking.py:*")
    # Only what belongs to the test that has failed is kept.
    capture, transcript = sorted(captures.iterdir())
    assert capture.read_bytes()[:4] == b"\x0a\x0d\x0d\x0a"
    assert transcript.name == "test_failure_shows_what_happened.py-test_it-write.txt"
    assert " s  advertising-stopped " in transcript.read_text()


def test_profile_beside_the_test(inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found, whatever folder pytest is called from."""
    folder = inner.mkdir("inner")
    (folder / "gate.yaml").write_text("understudy: 1\nname: Gate\nservices: [{ include: battery }]\n")
    (folder / "test_gate.py").write_text(
        """
import pathlib
import pytest

@pytest.mark.parametrize("path", [pytest.param(path, marks=pytest.mark.accessory(path)) for path in ("gate.yaml", pathlib.Path("gate.yaml"))])
def test_it(accessory, path):
    assert accessory.state().name == "Gate"
"""
    )
    elsewhere = inner.mkdir("elsewhere")
    monkeypatch.chdir(elsewhere)
    inner.runpytest_inprocess(str(folder)).assert_outcomes(passed=2)


def test_start_that_fails(inner: pytest.Pytester) -> None:
    inner.makepyfile(
        """
        import pytest

        @pytest.mark.accessory({"name": "Gate", "nonsense": 1})
        def test_it(accessory):
            pass

        def test_without_a_profile(accessory):
            pass
        """
    )
    result = inner.runpytest_inprocess()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*unknown key 'nonsense'*", "*say which: @pytest.mark.accessory(*"])


BATTERY = """
import pytest

@pytest.mark.accessory("battery")
def test_it(accessory):
    assert accessory["battery-level"].value == 100
"""


def test_executable(inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Path = understudy.find_executable()
    monkeypatch.setenv("UNDERSTUDY", "/nowhere/understudy")
    inner.makepyfile(BATTERY)
    inner.runpytest_inprocess(f"--understudy-executable={real}").assert_outcomes(passed=1)


def test_executable_that_is_not_there(inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY", "/nowhere/understudy")
    inner.makepyfile(BATTERY)
    result = inner.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*there is no /nowhere/understudy, which $UNDERSTUDY names*"])


def test_report(inner: pytest.Pytester) -> None:
    """One page with all tests, and the packets of those that fail."""
    path = inner.makepyfile(
        """
        import pytest

        ACCESSORY = "battery"

        def test_passes(accessory):
            accessory.stop_advertising("main")

        def test_fails(accessory):
            accessory.stop_advertising("main")
            accessory.expect("advertising-stopped", within=3)
            assert accessory.name == "</script>"

        def test_needs_no_accessory():
            pass
        """
    )
    result = inner.runpytest_inprocess("--understudy-report", "report.html")
    result.assert_outcomes(passed=2, failed=1)
    page = (inner.path / "report.html").read_text()
    assert page.count("</script>") == 2
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert [(case["name"], case["state"]) for case in data["cases"]] == [("test_fails", "failed"), ("test_passes", "passed")]
    failed = data["cases"][0]
    assert "Battery" in failed["failure"]["reason"] and failed["failure"]["line"] == 11
    assert failed["scenarioText"]["file"] == str(path) and len(failed["track"]["times"]) > 5
    assert any("advertising-stopped" in data["texts"][text] for _, _, text in failed["moments"])


def test_no_report_without_accessories(inner: pytest.Pytester) -> None:
    inner.makepyfile("def test_nothing(): pass")
    inner.runpytest_inprocess("--understudy-report", "report.html").assert_outcomes(passed=1)
    assert not (inner.path / "report.html").exists()
