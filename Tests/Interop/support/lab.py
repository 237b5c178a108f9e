"""A lab of three machines: a server, on which the tests also run, and two machines with a board each.

The machines are network namespaces if this machine allows them; otherwise all of them use its loopback interface. A
board is a serial port on a virtual radio; centrals join the radio at `air`.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from understudy import Air

from support.controllers import LOOPBACK, free_port
from support.program import executable
from support.reader import Reader

# Addresses for test networks (RFC 2544); nothing else is in these namespaces.
SERVER, BENCHES = "198.18.0.1", {"bench-1": "198.18.0.2", "bench-2": "198.18.0.3"}
COORDINATOR_PORT = "20408"
PATIENCE = 20


class NotAllowed(Exception):
    """This machine allows no network namespaces."""


class Namespace:
    """A separate network, which ends with this process."""

    def __init__(self) -> None:
        # The shell ends at the end of its input.
        self.process = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo; exec cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdout and self.process.stderr
        if not self.process.stdout.readline():
            raise NotAllowed(self.process.stderr.read().decode().strip())
        self.enter = ["nsenter", f"--net=/proc/{self.process.pid}/ns/net"]

    def ip(self, *words: str) -> None:
        done = subprocess.run([*self.enter, "ip", *words], capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode:
            raise NotAllowed(f"ip {' '.join(words)}: {done.stderr.strip()}")

    def connect(self, address: str, other: Namespace, its_address: str, link: str) -> None:
        """Connects this machine and another one with a virtual cable."""
        self.ip("link", "add", link, "type", "veth", "peer", "name", "cable", "netns", str(other.process.pid))
        for end, name, own, peer in ((self, link, address, its_address), (other, "cable", its_address, address)):
            end.ip("address", "add", own, "peer", peer, "dev", name)
            end.ip("link", "set", name, "up")

    def close(self) -> None:
        self.process.communicate(timeout=PATIENCE)


@dataclass
class Lab:
    """The machines by name, and the boards; without namespaces, `reason` says why."""

    boards: list[str]
    air: str
    namespaces: dict[str, Namespace] = field(default_factory=dict)
    reason: str | None = None
    stack: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def open(cls, folder: Path) -> Self:
        with ExitStack() as stack:
            joining = [*["pty=zephyr-hci-uart"] * len(BENCHES), f"unix:{folder / 'air'}"]
            air = stack.enter_context(Air.start(join=joining, executable=executable()))
            places = [place.partition(":") for place in air.joining]
            boards = [path for kind, _, path in places if kind == "serial"]
            lab = cls(boards, f"unix:{folder / 'air'}")
            # Serial ports and Unix sockets are the same in all namespaces.
            try:
                lab.namespaces = lab._connect(stack)
            except NotAllowed as error:
                lab.reason = str(error)
            lab.stack = stack.pop_all()
            return lab

    @staticmethod
    def _connect(stack: ExitStack) -> dict[str, Namespace]:
        if os.geteuid() != 0:
            raise NotAllowed("network namespaces need root")
        with ExitStack() as making:
            machines = {}
            for name in ("server", *BENCHES):
                machines[name] = Namespace()
                making.callback(machines[name].close)
                machines[name].ip("link", "set", "lo", "up")
            for name, address in BENCHES.items():
                machines["server"].connect(SERVER, machines[name], address, name)
            stack.push(making.pop_all())
            return machines

    @property
    def substitutions(self) -> dict[str, str]:
        """The replacements for the names of machines and boards in a page."""
        boards = {f"/dev/understudy/00068300000{number}-if00": path for number, path in enumerate(self.boards, 1)}
        if self.namespaces:
            return {**boards, "lab.example": SERVER, **{f"{name}.example": BENCHES[name] for name in BENCHES}}
        machines = ["0.0.0.0", "lab.example", *(f"{name}.example" for name in BENCHES)]
        return {**boards, **dict.fromkeys(machines, LOOPBACK), COORDINATOR_PORT: str(free_port())}

    def close(self) -> None:
        self.stack.close()


class LabReader(Reader):
    """Starts a program that is named after a machine on that machine, and everything else on the server."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        super().__init__(folder, lab.substitutions)
        self.lab = lab
        # Only the plugins that are needed here, not all that are installed.
        plugins = ["labgrid.pytestplugin", "understudy.pytest_plugin", "support.lab_app"]
        self.environment |= {"PYTEST_PLUGINS": ",".join(plugins), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        self.environment["LAB_AIR"] = lab.air
        self.environment["PYTHONPATH"] = str(Path(__file__).parents[1])

    def command(self, script: str, name: str | None = None) -> list[str]:
        machine = self.lab.namespaces.get(name or "server", self.lab.namespaces.get("server"))
        return [*(machine.enter if machine else []), *super().command(script, name)]
