"""The JSON Schema of profiles, compared with a JSON Schema validator.

An editor shows the schema's errors during editing; `understudy check` finds everything else.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from support.program import REPOSITORY, executable

# Each begins with a line `== NAME`, and ends with the expected diagnostics after `--`.
BROKEN = {
    name: text
    for path in sorted((REPOSITORY / "Tests/BrokenProfiles").glob("*.txt"))
    for name, text in re.findall(r"^== (\S+)\n(.*?)^--$", path.read_text(), re.MULTILINE | re.DOTALL)
}
SHIPPED = sorted((REPOSITORY / "Profiles").glob("*.yaml"))
SCENARIOS = sorted((REPOSITORY / "Scenarios").glob("*.yaml"))


class CoreLoader(yaml.SafeLoader):
    """YAML 1.2, as editors read it: only true and false are booleans, and no text is a date or a sexagesimal number."""


CoreLoader.yaml_implicit_resolvers = {}
CoreLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(~|null|)$"), None)
CoreLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), list("tf"))
CoreLoader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"^([-+]?[0-9]+|0x[0-9a-fA-F]+)$"), list("-+0123456789")
)
CoreLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)
CoreLoader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile(r"^<<$"), ["<"])


def made_of(*arguments: str) -> jsonschema.Draft7Validator:
    text = subprocess.run([executable(), "schema", *arguments], check=True, capture_output=True, text=True).stdout
    schema = json.loads(text)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft7Validator:
    return made_of()


@pytest.fixture(scope="module")
def scenarios() -> jsonschema.Draft7Validator:
    return made_of("--scenarios")


def parse(text: str) -> Any:
    return yaml.load(text, CoreLoader)  # noqa: S506: it makes nothing but plain values


def read(path: Path) -> Any:
    return parse(path.read_text())


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_profiles_are_valid(validator: jsonschema.Draft7Validator, path: Path) -> None:
    assert [error.message for error in validator.iter_errors(read(path))] == []


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_shipped_scenarios_are_valid(scenarios: jsonschema.Draft7Validator, path: Path) -> None:
    assert [error.message for error in scenarios.iter_errors(read(path))] == []


@pytest.mark.parametrize(
    "step",
    [
        "conect",
        "{ reed: level }",
        "{ read: level, within: 5 }",
        "{ pair: any, passkey: 1000000 }",
        "{ connect: { latency: 500 } }",
        "{ fault: { on: { read: level } } }",
        "{ phone: other }",
    ],
)
def test_mistakes_in_scenarios_are_refused(scenarios: jsonschema.Draft7Validator, step: str) -> None:
    text = "understudy-scenario: 1\nname: a\naccessory: heart-rate\ncases: [ { name: b, steps: [ %s ] } ]\n"
    assert scenarios.is_valid(parse(text % "connect, { read: level, within: 5 s }"))
    assert not scenarios.is_valid(parse(text % step))


def test_most_mistakes_are_refused(validator: jsonschema.Draft7Validator) -> None:
    """The schema refuses at least 120 of the broken profiles that are YAML; the others need the loader."""
    assert len(BROKEN) >= 330
    # Every YAML reader refuses those named yaml-, or they are too large for this one.
    refused = [
        name for name, text in BROKEN.items() if not name.startswith("yaml-") and not validator.is_valid(parse(text))
    ]
    assert len(refused) >= 120
