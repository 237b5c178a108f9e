"""A virtual machine with Linux and BlueZ, whose controllers are on the virtual radio.

The kernel and its modules come from `scripts/fetch-linux-guest`; everything else is this machine's own: bluetoothd with its tools, D-Bus, and the
libraries that they need. QEMU runs it without the processor's help, because that is not available everywhere; it is ready after about four
seconds. Each serial port behind the console leads to a Unix socket of the radio, where `btattach` makes it an adapter. Its only network is two ports
of the loopback interface: the bus, and shells.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from support.controllers import LOOPBACK, free_port
from support.program import PATIENCE, REPOSITORY

PARTS = REPOSITORY / ".build" / "linux-guest"
OWN_PARTS = Path(__file__).resolve().parent / "linux"
EMULATOR = "qemu-system-x86_64"
# Where distributions have bluetoothd.
DAEMONS = ["/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd"]
TOOLS = [
    "bluetoothctl",
    "btmgmt",
    "btattach",
    "btmon",
    "sdptool",
    "hcitool",
    "gatttool",
    "l2test",
    "l2ping",
    "dbus-daemon",
]
SHELL_PORT, BUS_PORT = 2223, 2224
# How long the machine may take to start (s), beside everything else that runs.
START_WITHIN = 90


def missing() -> str | None:
    """Returns what this machine lacks to start the virtual machine."""
    if not shutil.which(EMULATOR):
        return f"there is no {EMULATOR}: run `make linux`"
    if not (PARTS / "complete").exists():
        return f"there is no kernel in {PARTS}: run `make linux`"
    if not _daemon():
        return "there is no bluetoothd: run `make dependencies`"
    return None


def _daemon() -> Path | None:
    return next((path for path in map(Path, DAEMONS) if path.exists()), None)


def _libraries(program: Path) -> list[Path]:
    """Returns the libraries that a program needs, with the loader."""
    output = subprocess.run(["ldd", program], capture_output=True, text=True, timeout=PATIENCE).stdout
    return [Path(path) for path in re.findall(r"(/\S+) \(0x", output)]


class Archive:
    """The machine's files, as the kernel takes them: an archive of cpio's format `newc`."""

    def __init__(self) -> None:
        self._entries: list[bytes] = []
        self._names: set[str] = set()

    def add(self, name: str, content: bytes, mode: int = 0o100755) -> None:
        """Adds a file, and the folders that contain it."""
        if name in self._names:
            return
        self._names.add(name)
        folder = os.path.dirname(name)
        if folder:
            self.add(folder, b"", 0o040755)
        terminated = name.encode() + b"\0"
        numbers = [len(self._names), mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(terminated), 0]
        head = b"070701" + b"".join(b"%08X" % number for number in numbers) + terminated
        self._entries += [head, bytes(-len(head) % 4), content, bytes(-len(content) % 4)]

    def add_program(self, path: Path) -> None:
        for file in (path, *_libraries(path)):
            self.add(str(file).lstrip("/"), file.read_bytes())

    def write(self, path: Path) -> None:
        self.add("TRAILER!!!", b"", 0)
        path.write_bytes(b"".join(self._entries))


def _write_files(path: Path, ports: int) -> None:
    """Writes the machine's files."""
    archive = Archive()
    for file in sorted((PARTS / "modules").iterdir()):
        archive.add(f"modules/{file.name}", file.read_bytes())
    archive.add("busybox", (PARTS / "busybox").read_bytes())
    for file in OWN_PARTS.iterdir():
        archive.add(file.name, file.read_bytes())
    archive.add("ports", "".join(f"ttyS{port}\n" for port in range(1, ports + 1)).encode())
    archive.add("etc/passwd", b"root:x:0:0::/:/bin/sh\n")
    archive.add("etc/group", b"root:x:0:\n")
    daemon = _daemon()
    assert daemon
    archive.add_program(daemon)
    archive.add("usr/sbin/bluetoothd", f'#!/bin/sh\nexec {daemon} "$@"\n'.encode())
    for tool in TOOLS:
        found = shutil.which(tool)
        if found:
            archive.add_program(Path(found))
    archive.write(path)


@dataclass
class Guest:
    """A running virtual machine."""

    process: subprocess.Popen[bytes]
    console: Path
    shell_port: int
    bus_port: int

    @classmethod
    def start(cls, folder: Path, sockets: Sequence[Path]) -> Self:
        """Starts it with one adapter at each of these sockets, and returns when BlueZ runs."""
        _write_files(folder / "files", len(sockets))
        shell, bus = free_port(), free_port()
        console = folder / "console"
        forwarding = f"hostfwd=tcp:{LOOPBACK}:{shell}-:{SHELL_PORT},hostfwd=tcp:{LOOPBACK}:{bus}-:{BUS_PORT}"
        words = [EMULATOR, "-accel", "tcg", "-machine", "pc,hpet=off,vmport=off", "-cpu", "max", "-m", "256"]
        words += ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
        words += ["-kernel", str(PARTS / "kernel"), "-initrd", str(folder / "files")]
        words += ["-append", "console=ttyS0 quiet panic=-1 mitigations=off cryptomgr.notests random.trust_cpu=on"]
        words += ["-netdev", f"user,id=net,restrict=on,{forwarding}", "-device", "virtio-net-pci,netdev=net,romfile="]
        words += ["-serial", f"file:{console}"]
        for number, socket in enumerate(sockets):
            words += ["-chardev", f"socket,id=hci{number},path={socket}", "-serial", f"chardev:hci{number}"]
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        guest = cls(process, console, shell, bus)
        try:
            guest._wait_until_ready()
        except BaseException:
            guest.stop()
            raise
        return guest

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + START_WITHIN
        while "\nready after" not in f"\n{self.output()}":
            if self.process.poll() is not None:
                assert self.process.stdout
                raise RuntimeError(
                    f"the virtual machine has ended: {self.process.stdout.read().decode()}{self.output()}"
                )
            if time.monotonic() > end:
                raise RuntimeError(f"the virtual machine is not ready after {START_WITHIN} s: {self.output()}")
            time.sleep(0.02)

    def output(self) -> str:
        """What the machine has printed on its console."""
        return self.console.read_text(errors="replace") if self.console.exists() else ""

    def stop(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    @property
    def bus(self) -> str:
        """The address of its message bus."""
        return f"tcp:host={LOOPBACK},port={self.bus_port}"

    @asynccontextmanager
    async def running(self, script: str) -> AsyncIterator[asyncio.StreamReader]:
        """Runs a script there. Its output and errors can be read meanwhile."""
        reader, writer = await asyncio.open_connection(LOOPBACK, self.shell_port)
        try:
            writer.write(f"exec 2>&1\n{script}\nexit\n".encode())
            yield reader
        finally:
            writer.close()

    async def shell(self, script: str) -> str:
        """Runs a script there to its end, and returns its output and errors."""
        async with asyncio.timeout(PATIENCE), self.running(script) as reader:
            return (await reader.read()).decode(errors="replace")
