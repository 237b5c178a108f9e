"""The pages work as described: their blocks are run in order, each page in a separate folder (support/reader.py)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.program import executable, run
from support.reader import PATIENCE, STEP, Reader

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    str(page.relative_to(ROOT))
    for pattern in ("*.md", "docs/*.md", "Hardware/*.md", "Clients/python/*.md", "Integrations/**/*.md")
    for page in ROOT.glob(pattern)
)
FENCE = re.compile(r"^```", re.MULTILINE)
# A command in a page: in a block, or in a sentence.
COMMAND = re.compile(r"(?<![\w/.-])understudy (?!import )[a-z-][^`\n|;&#]*")
# test_labs.py runs this page, on machines of its own.
ELSEWHERE = {"docs/labs.md"}

pytestmark = pytest.mark.timeout(300)


def is_done(page: str) -> bool:
    """Returns whether any of its blocks is run."""
    return any(step["kind"] in ("run", "start") for step in STEP.finditer((ROOT / page).read_text()))


@pytest.mark.parametrize("page", [page for page in PAGES if is_done(page) and page not in ELSEWHERE])
def test_page(page: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    try:
        reader.follow(page)
    finally:
        reader.end()


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_is_done_with_it(page: str) -> None:
    text = (ROOT / page).read_text()
    marked = {match.start("text") for match in STEP.finditer(text) if match["text"] is not None}
    unmarked = []
    for number, fence in enumerate(FENCE.finditer(text)):
        begin = text.index("\n", fence.start()) + 1
        if number % 2 == 0 and begin not in marked:
            unmarked.append(text[begin : begin + 60].splitlines()[0])
    assert unmarked == []


async def test_every_command_and_option_that_a_page_names_exists() -> None:
    options: dict[str, set[str]] = {}

    def collect(command: dict[str, Any], path: str) -> None:
        options[path] = {name["name"] for argument in command.get("arguments", []) for name in argument.get("names", [])}
        for part in command.get("subcommands", []):
            collect(part, f"{path} {part['commandName']}")

    collect(json.loads((await run("--experimental-dump-help")).output)["command"], "understudy")
    # `capture` without a subcommand is `capture show`.
    options["understudy capture"] |= options["understudy capture show"]
    wrong = []
    for page in PAGES:
        for command in COMMAND.findall((ROOT / page).read_text()):
            words = command.split()
            path = " ".join(words[:3]) if " ".join(words[:3]) in options else " ".join(words[:2])
            if path not in options and re.fullmatch(r"[a-z]+", words[1]):
                wrong.append(f"{page}: {command}")
            for option in re.findall(r"(?<= --)[a-z][a-z-]*", command):
                if option not in options.get(path, {option}):
                    wrong.append(f"{page}: {command}: --{option}")
    assert wrong == []


def counted(script: str) -> str:
    return subprocess.run([ROOT / "scripts" / script], capture_output=True, text=True, check=True).stdout


def test_counts_of_tests() -> None:
    """`docs/conformance.md` has the numbers that the scripts print; for test functions, it may be up to a tenth too low."""
    page = (ROOT / "docs/conformance.md").read_text()
    functions = re.search(r"over ([\d,]+) in Swift .* over ([\d,]+) in Python", page, re.DOTALL)
    assert functions, "the page says how many"
    for count, said in zip(re.findall(r"^\d+", counted("count-tests"), re.MULTILINE), functions.groups(), strict=True):
        assert 0.9 * int(count) <= int(said.replace(",", "")) <= int(count)
    results = dict(re.findall(r"^(.*?) {2,}(\d+)", counted("conformance"), re.MULTILINE))
    assert f"lists the {results['test cases']} test cases" in page
    assert f"{results['passed']} pass, {results['not-applicable']} do not apply" in page


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= 900


async def test_exit_codes_are_the_same_everywhere() -> None:
    table = re.findall(r"^\| (\d+) \| (.*) \|$", (ROOT / "docs/cli.md").read_text(), re.MULTILINE)
    assert table
    help = " ".join((await run("--help")).output.split())
    assert "; ".join(f"{code} {meaning}" for code, meaning in table).replace("`", "") in help


async def test_version_names_the_commit() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+( \([0-9a-f]{7,12}(\+changes)?\))?\n", (await run("--version")).output)


def test_the_program_alone_is_enough(tmp_path: Path) -> None:
    """One file, copied to a folder without a checkout: profiles, formats and schema are inside."""
    program = tmp_path / "understudy"
    shutil.copy(executable(), program)
    for arguments in (["profiles"], ["run", "heart-rate", "--ephemeral", "--for", "100ms", "--json"], ["schema"]):
        done = subprocess.run([program, *arguments], cwd=tmp_path, env={}, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        assert done.stdout
