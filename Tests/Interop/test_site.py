"""The documentation as a site: it is complete, its links work, and it works in a browser that opens it as files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.page import Page
from support.program import executable

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".build/site-venv/bin/python"

# The site is built once.
pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("site")]


def call(*command: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "UNDERSTUDY": str(executable())}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert PYTHON.exists(), "`make python-environment` makes the environment of the site"
    folder = tmp_path_factory.mktemp("site")
    done = call(PYTHON, ROOT / "scripts/build-site", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_all_links_lead_somewhere(site: Path) -> None:
    done = call(sys.executable, ROOT / "scripts/check-links", site)
    assert done.returncode == 0, done.stderr
    assert re.search(r"; 0 wrong$", done.stdout)


def test_every_step_and_reference_is_there(site: Path) -> None:
    steps = ("index", "start", "tutorials", "recipes", "reference", "explanation")
    for page in (*steps, "first-profile", "profile-keys", "python-reference", "requests"):
        assert (site / f"{page}.html").is_file(), page
    assert "GET /v1/accessory" in (site / "requests.html").read_text()
    assert "expect_none" in (site / "python-reference.html").read_text()


def test_every_page_begins_with_a_sentence(site: Path) -> None:
    """It says what the page is for, before any code, list or heading."""
    abrupt = []
    for page in site.glob("*.html"):
        first = re.search(r"</h1>\s*<(\w+)", page.read_text())
        if first and first[1] != "p":
            abrupt.append(page.stem)
    assert abrupt == []


async def test_search_works_from_files(site: Path, page: Page) -> None:
    await page.load((site / "index.html").as_uri())
    assert await page.evaluate("document.querySelector('h1').innerText") == "Understudy"
    await page.evaluate("document.querySelector('.sidebar-search').focus()")
    await page.command("Input.insertText", text="bond")
    # In a timer, so that the answer comes before the page is left.
    await page.evaluate("setTimeout(() => document.querySelector('.sidebar-search-container').submit())")
    # Results appear one after the other.
    result = "[...document.querySelectorAll('ul.search a')].find((one) => one.innerText === 'Pairing')"
    await page.until(f"{result} !== undefined")
    await page.evaluate(f"{{ const link = {result}; setTimeout(() => link.click()); }}")
    await page.until("document.querySelector('h1')?.innerText === 'Pairing'")
    assert {url.partition(":")[0] for url in page.requests} <= {"file", "data", "about"}


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ('<a href="absent.html">x</a>', "absent.html leads nowhere"),
        ('<a href="other.html#absent">x</a>', "other.html#absent: that page has no such anchor"),
        ('<a href="#absent">x</a>', "#absent: that page has no such anchor"),
        ('<img src="absent.png">', "absent.png leads nowhere"),
        ('<script src="https://example.org/x.js"></script>', "loads https://example.org/x.js from elsewhere"),
        ('<a href="/other.html">x</a>', "/other.html begins with a slash, which is not in this folder"),
    ],
)
def test_wrong_links_are_found(tmp_path: Path, text: str, finding: str) -> None:
    (tmp_path / "other.html").write_text('<h1 id="there">Other</h1>')
    right = '<a href="other.html#there">x</a> <a href="other.html#top">x</a> <a href="https://example.org/">x</a>'
    (tmp_path / "index.html").write_text(right + text)
    done = call(sys.executable, ROOT / "scripts/check-links", tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"index.html: {finding}\n"
