"""`understudy-netsim`: accessories for apps in the Android Emulator."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from understudy._foreground import execute
from understudy._process import find_executable, guarded
from understudy.errors import UnderstudyError
from understudy.netsim._bridge import Bridge
from understudy.netsim._server import Server

EX_UNAVAILABLE = 69


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="understudy-netsim", description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--netsim",
        metavar="HOST:PORT",
        help="netsim's gRPC server; by default the one of this machine, by its netsim.ini",
    )
    parser.add_argument("--name", default="understudy", help="the name of the device in netsim (default: %(default)s)")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser(
        "run",
        help="play accessories for apps in the emulator",
        usage="understudy-netsim [--netsim HOST:PORT] [--name NAME] run PROFILE ... [OPTION ...]",
        description="Runs `understudy run` with these arguments, with a controller of netsim's.",
    )
    controller = commands.add_parser(
        "controller",
        help="print the address of a controller for `understudy run --controller`, and wait for Control-C",
        description="Gets a controller from netsim, prints its address for `understudy run --controller`, and waits"
        " for Control-C. One program at a time can use it.",
    )
    controller.add_argument(
        "--socket", type=Path, metavar="PATH", help="the Unix socket; by default one in a new folder"
    )
    serve = commands.add_parser(
        "serve",
        help="replace netsim: put emulators on a virtual radio",
        description="Replaces netsim: emulators started with -packet-streamer-endpoint get controllers on a virtual"
        " radio. Prints the address for that option, and waits for Control-C.",
    )
    serve.add_argument(
        "place",
        metavar="PLACE",
        help="where hosts join the radio of a running program: tcp-client:127.0.0.1:7001, or unix:PATH",
    )
    serve.add_argument("--port", type=int, default=8877, help="the port for emulators (default: %(default)s)")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program."""
    options, rest = parser().parse_known_args(arguments)
    if rest and options.command != "run":
        parser().error(f"unrecognized arguments: {' '.join(rest)}")
    try:
        match options.command:
            case "run":
                work = run(options.netsim, options.name, rest)
            case "controller":
                work = controller(options.netsim, options.name, options.socket)
            case _:
                work = serve(options.place, options.port)
        sys.exit(asyncio.run(work))
    except UnderstudyError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(EX_UNAVAILABLE)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


async def run(netsim: str | None, name: str, arguments: Sequence[str]) -> int:
    """Runs `understudy run` on a controller of netsim's, and returns its exit code."""
    program = str(find_executable())
    async with await Bridge.open(netsim, name=name) as bridge:
        command = [program, "run", "--controller", bridge.controller, *arguments]
        code = await execute(guarded(command), until=bridge.lost)
        if bridge.lost.done():
            await bridge.lost
        return code


async def controller(netsim: str | None, name: str, path: Path | None) -> int:
    """Prints the address of a controller of netsim's, and serves it until a signal ends this program."""
    async with await Bridge.open(netsim, name=name, path=path) as bridge:
        print(bridge.controller, flush=True)
        await until_signalled(bridge.lost)
        return 0


async def serve(place: str, port: int) -> int:
    """Replaces netsim until a signal ends this program."""
    async with await Server.start(place, port) as server:
        print(server.address, flush=True)
        await until_signalled(server.lost)
        return 0


async def until_signalled(lost: asyncio.Future[None]) -> None:
    """Waits for SIGINT, SIGTERM or SIGHUP; raises the error of `lost` if that comes first."""
    signalled = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, signalled.set)
    waiting = asyncio.create_task(signalled.wait())
    await asyncio.wait((lost, waiting), return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if lost.done():
        await lost
