"""The options of the program's command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from understudy._yaml import document

Profile = str | os.PathLike[str] | Mapping[str, Any]
"""A shipped profile's name, a file, the text of a profile (with a line end), or its keys (octets as `bytes`)."""


class StartOptions(TypedDict, total=False):
    """The options for starting a program; `understudy run --help` explains those of the program."""

    executable: str | os.PathLike[str] | None
    """The executable of the program; default: $UNDERSTUDY, the one in $PATH, or the checkout's."""
    arguments: Sequence[str | os.PathLike[str]]
    """Further options of the command line, passed on unchanged."""
    environment: Mapping[str, str]
    """Variables to add to the environment."""
    within: float
    """How many seconds the start may take; default 20."""
    token: str | None
    """The token that the control API requires, of at least 16 characters."""
    controller: str | Sequence[str]
    """`virtual` (the default), `auto`, `serial:/dev/ttyACM0` …: one for each profile, or one for all."""
    seed: int
    preset: str
    impair: str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]]
    """Impairments, such as `{"loss": 0.2}` or `"controller=tcp-1,latency=5ms"`; one or several."""
    speed: str | float
    settle: str
    join: str | Sequence[str]
    """The places where other hosts join the virtual radio: any number of `tcp`, `tcp:PORT`, `unix:PATH`, `pty`, `pty:LINK`."""
    state: str | os.PathLike[str]
    """The folder for bonds, values and the identity; by default nothing is kept."""
    capture: str | os.PathLike[str]
    capture_filter: str
    allow_bridge: str | Sequence[str]
    wait: bool


# Options that the command line does not have, or has under another name.
_OTHER = {"executable", "arguments", "environment", "within", "token", "wait", "impair"}


def command_line(command: str, options: StartOptions) -> list[str]:
    """Returns the options as arguments of the command line."""
    line = ["--json", "--http", "127.0.0.1:0"]
    # A test must not find state that another test has left.
    line += ["--ephemeral"] if command == "run" and not options.get("state") else []
    unknown = set(options) - set(StartOptions.__annotations__)
    if unknown:
        known = ", ".join(sorted(StartOptions.__annotations__))
        raise TypeError(f"unknown option {', '.join(sorted(unknown))} (known: {known})")
    for name, given in options.items():
        if name not in _OTHER and given is not None:
            for value in _several(given):
                line += [f"--{name.replace('_', '-')}", str(value)]
    for settings in _several(options.get("impair", [])):
        line += ["--impair", impairment(settings)]
    if "wait" in options:
        line.append("--wait" if options["wait"] else "--no-wait")
    if options.get("token"):
        line.append("--http-auth")
    return line + [str(argument) for argument in options.get("arguments", [])]


def environment(options: StartOptions) -> dict[str, str]:
    """Returns the additions to the environment. They include the token, because command lines are visible to everyone."""
    token = options.get("token")
    return {**options.get("environment", {}), **({"UNDERSTUDY_HTTP_TOKEN": token} if token else {})}


def impairment(settings: Any) -> str:
    """Returns the settings for `--impair`: `{"loss": 0.2, "reachable": False}` is `loss=0.2,unreachable`."""
    if not isinstance(settings, Mapping):
        return str(settings)
    words = []
    for name, value in settings.items():
        name = name.rstrip("_")
        if name == "reachable":
            words += [] if value else ["unreachable"]
        elif isinstance(value, bool):
            words += [name] if value else []
        else:
            words.append(f"latency={value}ms" if name == "latency_ms" else f"{name}={value}")
    return ",".join(words)


def profile_argument(profile: Profile, folder: Path, number: int) -> str:
    """Returns the command line's argument for a profile; writes a text or keys to a file in `folder` first."""
    if isinstance(profile, Mapping):
        profile = document({"understudy": 1, **profile})
    text = os.fspath(profile)
    if "\n" not in text:
        return text
    path = folder / (f"accessory-{number}.yaml" if number > 1 else "accessory.yaml")
    path.write_text(text, encoding="utf-8")
    return str(path)


def _several(given: Any) -> Iterable[Any]:
    single = isinstance(given, (str, int, float, os.PathLike, Mapping))
    return [given] if single else given
