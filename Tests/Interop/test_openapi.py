"""The control API against what it says of itself, with requests that Schemathesis makes up."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conftest import EVERYTHING, Stage
from support.controllers import LOOPBACK
from support.ending import ending
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
# Answers that have no end, and those that take as long as is asked for.
ENDLESS = ("/v1/events", "/v1/packets", "/v1/capture")
WAITING = ("/v1/expectations", "/v1/radio/advance")

# A server-sent event.
MESSAGE = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]+$"},
        "event": {"type": "string", "minLength": 1},
        "data": {"type": "string", "contentMediaType": "application/json", "pattern": "^{.*}$"},
    },
}


def narrowed(document: dict[str, Any]) -> dict[str, Any]:
    """The document without answers that wait and without what is there twice, and with names that there are."""
    paths = {
        path: item
        for path, item in document["paths"].items()
        if path not in ENDLESS + WAITING and not path.startswith("/v1/accessories/{accessory}")
    }
    for item in paths.values():
        for operation in item.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path" and parameter["name"] in KNOWN:
                    parameter["schema"] = {"enum": KNOWN[parameter["name"]]}
    # A snapshot that is called "0" would make a path with the number 0 a good one: they get the names that they have by themselves.
    del paths["/v1/snapshots"]["post"]["requestBody"]
    return {**document, "paths": paths}


@pytest.mark.timeout(900)
async def test_nothing_is_found(virtual: Stage, tmp_path: Path) -> None:
    await virtual.run(EVERYTHING, "--http", f"{LOOPBACK}:0")
    assert virtual.program
    client = Client(LOOPBACK, (await virtual.program.event("http"))["port"])
    document = (await client.get("/v1/openapi.json")).json
    (tmp_path / "openapi.json").write_text(json.dumps(narrowed(document)))
    await virtual.connect()
    await find_nothing(tmp_path, client.url)
    assert (await client.get("/v1/accessory")).status == 200


@pytest.mark.timeout(900)
async def test_nothing_is_found_in_what_waits(virtual: Stage, tmp_path: Path) -> None:
    """Streams are read for a moment and then closed; expectations and jumps in time are asked to take a moment."""
    await virtual.run(EVERYTHING, "--http", f"{LOOPBACK}:0", "--speed", "fast")
    assert virtual.program
    client = Client(LOOPBACK, (await virtual.program.event("http"))["port"])
    document = (await client.get("/v1/openapi.json")).json
    document["paths"] = {path: item for path, item in document["paths"].items() if path in ENDLESS + WAITING}
    assert len(document["paths"]) == len(ENDLESS + WAITING)
    for path in ENDLESS:
        # OpenAPI 3.1 has `schema` for the whole text of a stream, and nothing for the messages in it.
        if stream := document["paths"][path]["get"]["responses"]["200"]["content"].get("text/event-stream"):
            stream["schema"] = MESSAGE
    (tmp_path / "openapi.json").write_text(json.dumps(document))
    async with ending(client.port, ENDLESS) as url:
        await find_nothing(tmp_path, url, {"SCHEMATHESIS_HOOKS": "support.brevity"})
    assert (await client.get("/v1/accessory")).status == 200


async def find_nothing(folder: Path, url: str, environment: dict[str, str] | None = None) -> None:
    """Lets Schemathesis ask what the document in that folder says."""
    process = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("schemathesis")),
        "run",
        str(folder / "openapi.json"),
        "--url",
        url,
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
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), **(environment or {})},
    )
    output, _ = await asyncio.wait_for(process.communicate(), 800)
    assert process.returncode == 0, output.decode()[-20_000:]


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
        ("POST", "/v1/expectations", {"event": "connected", "within": "11 min"}, 400, "bad-request"),
        ("POST", "/v1/radio/advance", {"for": "8 d"}, 400, "bad-request"),
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
