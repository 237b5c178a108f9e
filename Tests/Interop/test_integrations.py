"""The CI kits in `Integrations`: they are valid for their services, and their scripts work as described.

The services themselves are not available here. The tests run the scripts as the services would, on a project with one
mistake of each kind, and check that the results are where the kit says they are.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from support.program import EX_DATAERR, REPOSITORY, executable

ACTION = REPOSITORY / "Integrations/github/action.yml"
TEMPLATE = REPOSITORY / "Integrations/gitlab/understudy.yml"
EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}")
PATIENCE = 60

pytestmark = [pytest.mark.timeout(180), pytest.mark.xdist_group("integrations")]

PROJECT = {
    "accessories/good.yaml": "understudy: 1\nname: Good\n",
    "accessories/bad.yaml": "understudy: 1\nname: Bad\nservces: []\n",
    "scenarios/belt.yaml": """understudy-scenario: 1
name: Belt
accessory: heart-rate
cases:
  - name: full
    steps: [ connect, { read: battery-level, gives: 100 }, { expect: { event: read } } ]
  - name: empty
    steps:
      - connect
      - { read: battery-level, gives: 3 }
""",
    "tests/test_belt.py": """import pytest

@pytest.mark.accessory("heart-rate")
@pytest.mark.parametrize("level", [100, 3])
def test_level(accessory, level):
    assert accessory["battery-level"].value == level
""",
}
RESULTS = {
    "scenarios.xml",
    "scenarios/belt-empty.pcapng",
    "scenarios/belt-empty.txt",
    "pytest.xml",
    "captures/tests-test_belt.py-test_level-3.pcapng",
    "captures/tests-test_belt.py-test_level-3.txt",
}


def call(*command: str | Path, **environment: str) -> None:
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short script that calls the program: it is packed quickly."""
    program = tmp_path_factory.mktemp("program") / "understudy"
    program.write_text(f'#!/bin/sh\nexec "{executable().resolve()}" "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture(scope="module")
def tarball(short: Path) -> Path:
    call(REPOSITORY / "scripts/make-tarball", short, short.parent / "packages")
    (tarball,) = (short.parent / "packages").iterdir()
    return tarball


def write_project(project: Path) -> Path:
    for name, text in PROJECT.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    return project


def environment(home: Path) -> dict[str, str]:
    """Returns the environment of a runner that has pytest and no network."""
    paths = os.environ["PATH"].split(os.pathsep)
    return {
        # The Python that these tests run with, but nothing else of their environment.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), *paths]),
        "HOME": str(home),
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "PYTEST_ADDOPTS": "-p no:labgrid -p no:schemathesis -p no:hypothesispytest",
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


@pytest.mark.parametrize(("schema", "path"), [("github-actions", ACTION), ("gitlab-ci", TEMPLATE)])
def test_schema(schema: str, path: Path) -> None:
    """Checks against the schemas in check-jsonschema, which need no network."""
    call(sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", path)


@pytest.mark.parametrize(("schema", "kit"), [("github-workflows", ACTION), ("gitlab-ci", TEMPLATE)])
def test_example(schema: str, kit: Path, tmp_path: Path) -> None:
    """The example in the README is valid."""
    (block,) = re.findall(r"```yaml\n(.*?)```", (kit.parent / "README.md").read_text(), re.DOTALL)
    (tmp_path / "example.yml").write_text(block)
    call(sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", tmp_path / "example.yml")


def test_tables_of_the_pages() -> None:
    """They contain every input and variable, and no others."""
    for kit, names in ((ACTION, action()["inputs"]), (TEMPLATE, yaml.safe_load(TEMPLATE.read_text())["variables"])):
        paragraphs = (kit.parent / "README.md").read_text().split("\n\n")
        (table,) = [text for text in paragraphs if text.startswith(("| input |", "| variable |"))]
        assert sorted(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == sorted(names)


def test_variables_of_the_template() -> None:
    """The program and the Python client use none of these names."""
    sources = [path for folder in ("Sources", "Clients/python/src") for path in (REPOSITORY / folder).rglob("*")]
    sources = [path for path in sources if path.suffix in (".swift", ".py")]
    known = {name for path in sources for name in re.findall(rb"\bUNDERSTUDY_[A-Z_]+", path.read_bytes())}
    assert b"UNDERSTUDY_PROFILES" in known
    assert not known & {name.encode() for name in yaml.safe_load(TEMPLATE.read_text())["variables"]}


# GitHub


@dataclass
class Runner:
    """Runs a composite action as GitHub's runner does, except for steps that use another action."""

    inputs: dict[str, str]
    folder: Path
    workspace: Path
    environment: dict[str, str]
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    output: dict[str, str] = field(default_factory=dict)

    def run(self, action: dict[str, Any]) -> None:
        self.inputs = {name: spec.get("default", "") for name, spec in action["inputs"].items()} | self.inputs
        for number, step in enumerate(action["runs"]["steps"]):
            if "run" in step and self.decide(step.get("if", "success()")):
                self.execute(step, number)

    def decide(self, condition: str) -> bool:
        """Evaluates a condition, of the forms that the action uses."""
        succeeded = not any(self.codes.values())
        if not re.search(r"\b(always|cancelled|success)\(\)", condition):
            condition = f"success() && {condition}"
        words = {"always()": True, "!cancelled()": True, "success()": succeeded}
        results = [
            words[term] if term in words else self.compare(*re.split(r" (==|!=) ", term))
            for term in condition.split(" && ")
        ]
        return all(results)

    def compare(self, left: str, operator: str, right: str) -> bool:
        return (self.value(left) == right.strip("'")) == (operator == "==")

    def value(self, expression: str) -> str:
        match expression.split("."):
            case ["inputs", name]:
                return self.inputs[name]
            case ["steps", step, "outputs", name]:
                return self.outputs[step][name]
            case ["steps", step, "outcome"]:
                return {None: "skipped", 0: "success"}.get(self.codes.get(step), "failure")
        raise AssertionError(f"unknown: {expression}")

    def execute(self, step: dict[str, Any], number: int) -> None:
        assert step["shell"] == "bash"
        name = step.get("id", step["name"])
        script = self.folder / f"{number}.sh"
        script.write_text(step["run"])
        files = {variable: self.folder / f"{number}-{variable}" for variable in ("GITHUB_PATH", "GITHUB_OUTPUT")}
        for path in files.values():
            path.touch()
        given = {key: EXPRESSION.sub(lambda found: self.value(found[1]), text) for key, text in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=self.workspace,
            env={
                **self.environment,
                **given,
                **{variable: str(path) for variable, path in files.items()},
                "GITHUB_ACTION_PATH": str(ACTION.parent),
                "RUNNER_TEMP": str(self.folder),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        self.codes[name], self.output[name] = done.returncode, done.stdout
        self.outputs[name] = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        paths = [*reversed(files["GITHUB_PATH"].read_text().split()), self.environment["PATH"]]
        self.environment["PATH"] = os.pathsep.join(paths)


def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(ACTION.read_text())
    return loaded


def test_expressions_of_the_action() -> None:
    """Inputs exist, and reach scripts only through the environment, where they cannot become commands."""
    text, steps = ACTION.read_text(), action()["runs"]["steps"]
    assert set(re.findall(r"\binputs\.(\w+)", text)) == set(action()["inputs"])
    assert set(re.findall(r"\bsteps\.(\w+)", text)) <= {step.get("id") for step in steps}
    assert not [step["name"] for step in steps if EXPRESSION.search(step.get("run", ""))]


@pytest.fixture(scope="module")
def ran(tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """A runner that has run the action."""
    folder = tmp_path_factory.mktemp("runner")
    inputs = {
        "package": f"{tarball.parent}/understudy-*.tar.gz",
        "profiles": "accessories/*.yaml",
        "scenarios": "scenarios",
        "pytest": "tests",
        "requirements": "",
    }
    runner = Runner(inputs, folder, write_project(folder / "project"), environment(folder))
    runner.run(action())
    return runner


def test_action(ran: Runner) -> None:
    assert ran.codes == {
        "install": 0,
        "Annotate failures": 0,
        "Check profiles": EX_DATAERR,
        "Run scenarios": 1,
        "Run pytest": 1,
        "Annotate no more": 0,
    }, ran.output
    results = Path(ran.outputs["install"]["folder"]) / "results"
    assert {str(path.relative_to(results)) for path in results.rglob("*") if path.is_file()} == RESULTS
    for report in ("scenarios.xml", "pytest.xml"):
        totals = [suite.attrib for suite in ElementTree.parse(results / report).iter("testsuite")]
        assert [(total["tests"], total["failures"]) for total in totals] == [("2", "1")]


def test_annotations(ran: Runner) -> None:
    """The added matchers find the mistakes in the output of the steps, by file and line, and are removed again."""
    (announced,) = re.findall(r"^::add-matcher::(.*)$", ran.output["Annotate failures"], re.MULTILINE)
    matchers = json.loads(Path(announced).read_text())["problemMatcher"]
    removed = re.findall(r"^::remove-matcher owner=(.*)::$", ran.output["Annotate no more"], re.MULTILINE)
    assert removed == [matcher["owner"] for matcher in matchers]
    everything = "\n".join(ran.output.values())
    found = {matcher["owner"]: annotations(matcher, everything) for matcher in matchers}
    assert found["understudy-check"][0].pop("message").startswith("unknown key 'servces'")
    assert found == {
        "understudy-check": [{"file": "accessories/bad.yaml", "line": "3", "column": "1", "severity": "error"}],
        "understudy-test": [
            {
                "message": "the result is hex:64 (100), not hex:03 (3)",
                "file": "scenarios/belt.yaml",
                "line": "10",
            }
        ],
        "understudy-pytest": [{"file": "tests/test_belt.py", "line": "6", "message": "AssertionError"}],
    }


def annotations(matcher: dict[str, Any], output: str) -> list[dict[str, str]]:
    """Returns what a problem matcher finds: its patterns match consecutive lines."""
    lines, patterns, found = output.splitlines(), matcher["pattern"], []
    for first in range(len(lines) - len(patterns) + 1):
        matches = [re.search(pattern["regexp"], line) for pattern, line in zip(patterns, lines[first:], strict=False)]
        if all(matches):
            found.append(
                {
                    part: match[group]
                    for pattern, match in zip(patterns, matches, strict=True)
                    for part, group in pattern.items()
                    if part != "regexp" and match
                }
            )
    return found


def test_debian_package_from_a_url(short: Path, tmp_path: Path) -> None:
    call(REPOSITORY / "scripts/make-deb", short, tmp_path / "packages")
    (package,) = (tmp_path / "packages").glob("*.deb")
    runner = Runner({"package": f"file://{package}?token=1"}, tmp_path, tmp_path, environment(tmp_path))
    runner.execute(action()["runs"]["steps"][0], 0)
    assert runner.codes == {"install": 0}, runner.output
    assert (tmp_path / "understudy/bin/understudy").exists()


def test_build(short: Path, tmp_path: Path) -> None:
    """Runs `make release install` without the build: the program exists already."""
    make = tmp_path / "bin/make"
    make.parent.mkdir()
    make.write_text(
        f'#!/bin/sh\n[ "$1 $3" = "-C release" ] || exit 1\nfolder=$2\nshift 3\nPATH="{os.environ["PATH"]}"\n'
        f'exec make -C "$folder" "$@" PROGRAM="{short}"\n'
    )
    make.chmod(0o755)
    runner = Runner({"package": ""}, tmp_path, tmp_path, environment(tmp_path))
    runner.environment["PATH"] = f"{make.parent}:{runner.environment['PATH']}"
    runner.execute(action()["runs"]["steps"][0], 0)
    assert runner.codes == {"install": 0}, runner.output
    assert list((tmp_path / "understudy/share/understudy/python").glob("*.whl"))


# GitLab


def job(template: dict[str, Any], name: str) -> dict[str, Any]:
    """Returns a job merged with what it extends, as in GitLab: mappings by key, everything else as a whole."""

    def merged(below: Any, above: Any) -> Any:
        if isinstance(below, dict) and isinstance(above, dict):
            return {key: merged(below.get(key), above.get(key, below.get(key))) for key in {**below, **above}}
        return above

    own = template[name]
    result: dict[str, Any] = merged(job(template, own["extends"]), own) if "extends" in own else own
    return result


def test_template(tarball: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    shutil.copy(tarball, project)
    template = yaml.safe_load(TEMPLATE.read_text())
    reports = {}
    for name, code in ((".understudy-check", EX_DATAERR), (".understudy-scenarios", 1), (".understudy-pytest", 1)):
        made = job(template, name)
        variables = {**template["variables"], "UNDERSTUDY_REQUIREMENTS": ""}
        done = subprocess.run(
            # One shell for all lines: the simplest one that an image may have.
            ["sh", "-ec", "\n".join([*made["before_script"], *made["script"]])],
            cwd=project,
            env={**environment(tmp_path), **variables, "CI_PROJECT_DIR": str(project)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == code, done.stdout
        assert made["artifacts"]["when"] == "always"
        reports |= {kind: (project / path).read_text() for kind, path in made["artifacts"]["reports"].items()}
        assert all(path.startswith("understudy-results/") for path in made["artifacts"]["reports"].values())
    results = project / made["artifacts"]["paths"][0]
    kept = {str(path.relative_to(results)) for path in results.rglob("*") if path.is_file()}
    assert kept == {*RESULTS, "code-quality.json"}
    assert [entry["location"]["path"] for entry in json.loads(reports["codequality"])] == ["accessories/bad.yaml"]
