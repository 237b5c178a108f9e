"""A lab of three machines, as in docs/labs.md: labgrid's coordinator, two exporters, and boards behind ser2net."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from support.lab import Lab, LabReader
from support.program import REPOSITORY

pytestmark = pytest.mark.timeout(180)
PAGE = "docs/labs.md"

TWO_PLACES = """
imports: [ understudy.labgrid ]
targets:
  main:
    resources: { RemotePlace: { name: bench-1 } }
    drivers: { UnderstudyDriver: { profile: battery } }
  second:
    resources: { RemotePlace: { name: bench-2 } }
    drivers: { UnderstudyDriver: { profile: battery, options: { seed: 1 } } }
"""

TWO_ACCESSORIES = """
import subprocess
import pytest
from labgrid.driver.exception import ExecutionError

@pytest.fixture(scope="session")
def batteries(env):
    return [env.get_target(name).get_driver("UnderstudyDriver").accessory for name in ("main", "second")]

@pytest.mark.parametrize("number", [0, 1])
def test_each_is_on_its_machine(number, batteries, app):
    batteries[number]["battery-level"].value = 10 + number
    app.connect(batteries[number])
    assert app.read("2A19") == bytes([10 + number])
    connections = [sum(event.kind == "connected" for event in battery.events) for battery in batteries]
    assert connections == [1, number]

def test_place_that_is_released_meanwhile(env, batteries):
    subprocess.run(["labgrid-client", "-p", "bench-2", "release"], check=True)
    batteries[1].expect("failed", within=20)
    target = env.get_target("second")
    driver = target.get_driver("UnderstudyDriver", activate=False)
    target.deactivate(driver)
    with pytest.raises(ExecutionError, match="acquire its place"):
        target.activate(driver)
    assert batteries[0].state().name
"""


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[LabReader]:
    with closing(Lab.open(tmp_path)) as lab:
        if lab.reason:
            warnings.warn(f"the lab has one machine only: {lab.reason}", stacklevel=1)
        reader = LabReader(lab, tmp_path)
        try:
            yield reader
        finally:
            reader.end()


def first_lines() -> list[str]:
    """Returns the lines of the page's first block."""
    block = re.search(r"```sh\n(.*?)```", (REPOSITORY / PAGE).read_text(), re.DOTALL)
    assert block
    return block[1].splitlines()


def test_lab(reader: LabReader) -> None:
    reader.follow(PAGE)

    install, *lines = first_lines()
    assert install.startswith("pip install 'understudy[labgrid] ") and len(lines) == 4
    reader.execute(reader.substitute("\n".join(lines)))
    assert re.search(r"\b1 passed in", reader.output), reader.output
    coordinator, acquire, _, release = lines
    reader.environment["LG_COORDINATOR"] = reader.substitute(coordinator).partition("=")[2]
    # Nobody can acquire a place that somebody else has.
    reader.execute(
        f"{acquire}\n! LG_USERNAME=somebody {acquire}\n"
        "labgrid-client -p bench-2 create\n"
        "labgrid-client -p bench-2 add-match 'bench-2/bench-2/*'\n"
        "labgrid-client -p bench-2 acquire"
    )
    assert "already acquired" in reader.output, reader.output
    (reader.folder / "two.yaml").write_text(TWO_PLACES)
    (reader.folder / "test_two.py").write_text(TWO_ACCESSORIES)
    reader.execute("pytest --lg-env two.yaml test_two.py")
    assert re.search(r"\b3 passed in", reader.output), reader.output
    reader.execute(release)
