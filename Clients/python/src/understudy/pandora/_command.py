"""`understudy-pandora`: an accessory as the reference device of Google's Avatar."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sys
from collections.abc import Sequence

from understudy.errors import UnderstudyError
from understudy.pandora._model import CAPABILITIES
from understudy.pandora._server import Pandora

EX_UNAVAILABLE = 69


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="understudy-pandora",
        description="Plays an accessory on a virtual radio and serves it over Pandora's gRPC interfaces, as the"
        " reference device of Avatar. Prints the addresses to use, and waits for Control-C.",
        allow_abbrev=False,
    )
    parser.add_argument("profile", metavar="PROFILE", help="a shipped profile or a file")
    parser.add_argument(
        "--controller",
        metavar="ADDRESS",
        help="the accessory's controller instead of the virtual radio, as for `understudy run`:"
        " serial:/dev/ttyACM0",
    )
    parser.add_argument("--port", type=int, default=0, metavar="PORT", help="the gRPC port (default: a free one)")
    parser.add_argument(
        "--pairing",
        choices=list(CAPABILITIES),
        help="the IO capability (default: the profile's, or keyboard-display if the profile does not pair)",
    )
    parser.add_argument("--br-edr", action="store_true", help="the reference device uses BR/EDR, too")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="OPTION",
        help="an option for `understudy run`, such as --option=--seed=1",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program."""
    options = parser().parse_args(arguments)
    # Bumble logs warnings for events that are normal in tests, such as failed pairings.
    logging.basicConfig(level=logging.ERROR)
    if not 0 <= options.port <= 65_535:
        parser().error("a port is 0 to 65535")
    try:
        sys.exit(asyncio.run(run(options)))
    except UnderstudyError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(EX_UNAVAILABLE)


async def run(options: argparse.Namespace) -> int:
    """Starts the server, waits for a signal, and returns the exit code."""
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with await Pandora.start(
        options.profile,
        controller=options.controller,
        port=options.port,
        capability=options.pairing,
        classic=options.br_edr,
        arguments=options.option,
    ) as pandora:
        for place in pandora.joining:
            print(f"DUT joins at {place}")
        print(f"PandoraDevice: 127.0.0.1:{pandora.port}", flush=True)
        await ended.wait()
    return 0
