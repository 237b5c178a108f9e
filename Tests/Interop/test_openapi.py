"""The control API against what it says of itself, with requests that Schemathesis makes up."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conftest import EVERYTHING, Stage
from support.controllers import LOOPBACK
from support.program import EX_OK, EX_USAGE, run
from support.web import Client

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
)
# What is there, so that requests reach more than the first look at a name; and what is not.
KNOWN = {
    "characteristic": ["twenty", "storage", "announcement", "absent"],
    "set": ["main", "absent"],
    "snapshot": ["snapshot-1", "absent"],
    "connection": [0, 1, 999],
    "controller": ["accessory", "tcp-1", "phone"],
    "from": ["accessory"],
    "to": ["tcp-1", "accessory"],
}
# Answers that have no end, and those that take as long as is asked for: tests of their own ask for them.
ENDLESS = ("/v1/events", "/v1/packets", "/v1/capture", "/v1/expectations", "/v1/radio/advance")


def narrowed(document: dict[str, Any]) -> dict[str, Any]:
    """The document without endless answers and without what is there twice, and with names that there are."""
    paths = {
        path: item
        for path, item in document["paths"].items()
        if path not in ENDLESS and not path.startswith("/v1/accessories/{accessory}")
    }
    for item in paths.values():
        for operation in item.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path" and parameter["name"] in KNOWN:
                    parameter["schema"] = {"enum": KNOWN[parameter["name"]]}
    # A snapshot that is called "0" would make a path with the number 0 a good one: they get the names that they have by themselves.
    del paths["/v1/snapshots"]["post"]["requestBody"]
    return {**document, "paths": paths}


async def test_nothing_is_found(virtual: Stage, tmp_path: Path) -> None:
    await virtual.run(EVERYTHING, "--http", f"{LOOPBACK}:0")
    assert virtual.program
    client = Client(LOOPBACK, (await virtual.program.event("http"))["port"])
    document = (await client.get("/v1/openapi.json")).json
    (tmp_path / "openapi.json").write_text(json.dumps(narrowed(document)))
    await virtual.connect()
    process = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("schemathesis")),
        "run",
        str(tmp_path / "openapi.json"),
        "--url",
        client.url,
        "--checks",
        ",".join(CHECKS),
        "--mode",
        "all",
        "--phases",
        "examples,coverage,fuzzing",
        "--max-examples",
        "20",
        "--seed",
        "20",
        "--generation-deterministic",
        "--request-timeout",
        "20",
        "--no-color",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=tmp_path,
    )
    output, _ = await asyncio.wait_for(process.communicate(), 240)
    assert process.returncode == 0, output.decode()[-20_000:]
    assert (await client.get("/v1/accessory")).status == 200


async def test_document_without_a_running_accessory(virtual: Stage) -> None:
    printed = await run("schema", "--openapi")
    assert printed.code == EX_OK
    program = await virtual.run(EVERYTHING, "--http", f"{LOOPBACK}:0")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    document = (await client.get("/v1/openapi.json")).json
    assert json.loads(printed.output) == document
    for schema in schemas(document):
        jsonschema.Draft202012Validator.check_schema(schema)
    assert (await run("schema", "--openapi", "--events")).code == EX_USAGE


def schemas(value: Any) -> list[Any]:
    """Everything below a key `schema`."""
    if isinstance(value, list):
        return [schema for entry in value for schema in schemas(entry)]
    if not isinstance(value, dict):
        return []
    own = [value["schema"]] if isinstance(value.get("schema"), dict) else []
    return own + [schema for entry in value.values() for schema in schemas(entry)]


@pytest.mark.parametrize(
    "method, path, body, status, code",
    [
        ("GET", "/v1/absent", None, 404, "unknown-path"),
        ("PATCH", "/v1/accessory", None, 405, "unknown-method"),
        ("PUT", "/v1/characteristics/twenty/value", {"hex": "0"}, 400, "bad-request"),
        ("PUT", "/v1/characteristics/twenty/value", {"hex": "00" * 513}, 400, "unsuitable-value"),
        ("POST", "/v1/connections/99/disconnect", None, 404, "unknown-connection"),
        ("POST", "/v1/characteristics/announcement/notify", None, 409, "no-subscriber"),
        ("GET", "/v1/accessory?x=1", None, 400, "bad-request"),
        ("DELETE", "/v1/faults/absent", None, 404, "unknown-fault"),
        ("DELETE", "/v1/faults", {}, 400, "bad-request"),
        ("POST", "/v1/expectations", {"event": "connected", "within": "1 ms"}, 408, "not-happened"),
    ],
)
async def test_refusals_have_codes(
    virtual: Stage, method: str, path: str, body: Any, status: int, code: str
) -> None:
    program = await virtual.run(EVERYTHING, "--http", f"{LOOPBACK}:0")
    client = Client(LOOPBACK, (await program.event("http"))["port"])
    answer = await client.request(method, path, body)
    assert (answer.status, answer.json["code"]) == (status, code)
    assert answer.json["error"] and answer.json["hint"]
