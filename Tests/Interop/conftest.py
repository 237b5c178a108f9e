"""Fixtures: the program on each controller path, centrals, and their cleanup in every case.

To run the suite: swift build; make test-python. UNDERSTUDY names an executable other than the debug build's.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from bumble import hci
from understudy import Event

from support.central import Central, Session
from support.controllers import PATHS, ControllerPath, address_of
from support.page import Page, browsing
from support.program import PROFILES, Program, executable

PROGRAMS = pytest.StashKey[list[Program]]()
EVERYTHING = PROFILES / "everything.yaml"
Launch = Callable[..., Awaitable[Program]]


def pytest_sessionstart(session: pytest.Session) -> None:
    if not executable().exists():
        raise pytest.UsageError(f"{executable()} does not exist: build it, or name another one in UNDERSTUDY")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Starts the longest tests first, so that no worker has one left when the others are done."""

    def limit(item: pytest.Item) -> float:
        mark = item.get_closest_marker("timeout")
        return mark.args[0] if mark else 0

    items.sort(key=limit, reverse=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Shows the program's output when a test fails."""
    report = yield
    if report.failed:
        for program in item.stash.get(PROGRAMS, []):
            report.sections.append((str(program), program.report()))
    return report


@pytest.fixture
async def launch(request: pytest.FixtureRequest) -> AsyncIterator[Launch]:
    """Starts the program with arguments; every program is killed at the end of the test."""
    programs = request.node.stash.setdefault(PROGRAMS, [])

    async def start(*arguments: str | Path, **options: Any) -> Program:
        program = Program.begin(*arguments, **options)
        programs.append(program)
        return program

    yield start
    for program in programs:
        await program.kill()
    # Every event must match the schema, whatever the test checks.
    assert [mistake for program in programs for mistake in program.mistakes] == []


@dataclass
class Stage:
    """The program on one controller path, and the centrals on the same air."""

    path: ControllerPath
    start: Launch
    program: Program | None = None
    ready: Event | None = None
    centrals: list[Central] = field(default_factory=list)

    @property
    def address(self) -> hci.Address:
        assert self.ready
        return address_of(self.ready)

    async def run(
        self, profile: str | Path = EVERYTHING, *options: str | Path, environment: dict[str, str] | None = None
    ) -> Program:
        """Runs a profile and waits until it advertises."""
        self.program = await self.start(
            "run",
            profile,
            "--controller",
            await self.path.specification(),
            "--json",
            "--seed",
            "1",
            *options,
            environment=environment,
        )
        self.ready = await self.program.ready()
        self.path.started(self.ready)
        return self.program

    async def run_captured(self, capture: Path, profile: str | Path = EVERYTHING) -> Program:
        return await self.run(profile, "--capture", capture)

    async def central(self) -> Central:
        """Returns another central with its own address."""
        number = len(self.centrals) + 1
        central = await Central.open(await self.path.host(), f"F0:00:00:00:00:{number:02X}")
        self.centrals.append(central)
        return central

    async def connect(self, *, mtu: int | None = None) -> Session:
        """Returns a new connected central."""
        session = await (await self.central()).connect(self.address)
        if mtu is not None:
            await session.exchange_mtu(mtu)
        return session


@pytest.fixture(params=list(PATHS))
async def stage(request: pytest.FixtureRequest, launch: Launch) -> AsyncIterator[Stage]:
    """The three controller paths."""
    path = PATHS[request.param]()
    yield Stage(path, launch)
    await path.close()


@pytest.fixture
async def virtual(launch: Launch) -> AsyncIterator[Stage]:
    """Only the virtual path, for tests that do not depend on the controller."""
    path = PATHS["virtual"]()
    yield Stage(path, launch)
    await path.close()


@pytest.fixture
async def page(tmp_path: Path) -> AsyncIterator[Page]:
    async with browsing(tmp_path / "browser") as page:
        yield page
        assert page.complaints == []
        # No other service has received a request.
        hosts = {url.split("/")[2] for url in page.requests if url.startswith("http")}
        assert len(hosts) <= 1, hosts
        assert await page.evaluate("window.hurt") is None
