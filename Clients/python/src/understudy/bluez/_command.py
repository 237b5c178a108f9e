"""`understudy-bluez`: runs a command that sees accessories through BlueZ's D-Bus API."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence

from understudy import aio
from understudy._foreground import execute
from understudy.bluez._service import BlueZ, PrivateBus
from understudy.central import CentralError
from understudy.errors import UnderstudyError

VARIABLE = "DBUS_SYSTEM_BUS_ADDRESS"
EX_UNAVAILABLE = 69


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="understudy-bluez", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="run")
    run = commands.add_parser(
        "run",
        help="play accessories and run a command",
        usage="understudy-bluez run [PROFILE ...] [--controller NAME] [--option OPTION ...] [-- COMMAND ...]",
        description=f"Plays accessories on a virtual radio, and runs a command with {VARIABLE} set to a private bus"
        " on which they are seen through BlueZ's API. Without a command it prints the address of the bus and waits for"
        " Control-C.",
    )
    run.add_argument("profiles", nargs="*", metavar="PROFILE", help="a shipped profile or a file")
    run.add_argument(
        "--controller",
        metavar="NAME",
        help="the central's controller in place of the virtual radio, as Bumble names it: serial:/dev/ttyACM0,1000000,"
        " or tcp-client:127.0.0.1:40123 for the radio of a running program",
    )
    run.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="OPTION",
        help="an option for `understudy run`, such as --option=--seed=1",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    command: list[str] = []
    if "--" in words:
        command = words[words.index("--") + 1 :]
        words = words[: words.index("--")]
    options = parser().parse_args(words)
    if bool(options.profiles) == bool(options.controller):
        parser().error("name profiles to play, or the controller of the central")
    try:
        sys.exit(asyncio.run(run(options.profiles, options.controller, options.option, command)))
    except (UnderstudyError, CentralError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(EX_UNAVAILABLE)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


async def run(profiles: list[str], controller: str | None, options: list[str], command: list[str]) -> int:
    """Runs the bus, the accessories and the command, and returns the command's exit code."""
    program = None if controller else await aio.Program.start(*profiles, arguments=options)
    bus: PrivateBus | None = None
    service: BlueZ | None = None
    try:
        bus = await PrivateBus.start()
        service = await BlueZ.start(bus.address, controller or (program.air.joining[0] if program else ""))
        if command:
            return await execute(command, {VARIABLE: bus.address})
        print(f"{VARIABLE}={bus.address}", flush=True)
        await asyncio.wait({service.central.lost})
        raise UnderstudyError("the radio has ended")
    finally:
        if service:
            await service.stop()
        if bus:
            await bus.stop()
        if program:
            await program.stop()
