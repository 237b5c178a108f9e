"""labgrid's driver: an accessory at each kind of serial port, and the errors when there is none."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from app import App
from labgrid import Environment, Target
from labgrid.binding import StateError
from labgrid.driver.exception import ExecutionError
from labgrid.resource import NetworkSerialPort, RawSerialPort, SerialPort

from understudy import Air
from understudy.labgrid import UnderstudyDriver
from understudy.labgrid._rfc2217 import PortClient, Refusal

SPEED = 1000000
PATIENCE = 30
LOOPBACK = "127.0.0.1"


class Board:
    """A board on a virtual radio: its serial port, and the same port over the network."""

    def __init__(self, air: Air) -> None:
        self.air, self.processes = air, list[subprocess.Popen[bytes]]()
        places = {place.partition(":")[0]: place.partition(":")[2] for place in air.joining}
        self.path = places["serial"]
        self.raw_port = int(places["tcp-client"].rpartition(":")[2])

    def local(self, target: Target) -> SerialPort:
        return RawSerialPort(target, "board", port=self.path, speed=SPEED)

    def raw(self, target: Target) -> NetworkSerialPort:
        return network_port(target, self.raw_port, protocol="raw")

    def rfc2217(self, target: Target) -> NetworkSerialPort:
        return network_port(target, self.export())

    def export(self) -> int:
        """Exports the serial port as labgrid's exporter does, and returns the TCP port."""
        port = free_port()
        lines = [
            f"connection: &con01#  accepter: telnet(rfc2217,mode=server),tcp,{LOOPBACK},{port}",
            f"  connector: serialdev(nouucplock=true),{self.path},{SPEED}n81,local",
        ]
        # Discards its warnings that there is no mDNS.
        options = [word for line in lines for word in ("-Y", line)]
        command = [shutil.which("ser2net") or "/usr/sbin/ser2net", "-d", "-n", *options]
        self.processes.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        eventually(lambda: socket.create_connection((LOOPBACK, port), PATIENCE).close())
        return port

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def eventually(action: Callable[[], Any]) -> None:
    """Repeats an action until its connection is no longer refused."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return action()
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def network_port(target: Target, port: int, protocol: str = "rfc2217") -> NetworkSerialPort:
    return NetworkSerialPort(target, "board", host=LOOPBACK, port=port, speed=SPEED, protocol=protocol)


@pytest.fixture
def board() -> Iterator[Board]:
    with Air.start(join=["pty=zephyr-hci-uart", "tcp=zephyr-hci-uart"]) as air, closing(Board(air)) as board:
        yield board


@pytest.fixture
def target() -> Iterator[Target]:
    target = Target("main")
    yield target
    target.cleanup()


@pytest.mark.parametrize("port", [Board.local, Board.raw, Board.rfc2217])
def test_accessory_on_a_board(port: Callable[[Board, Target], Any], board: Board, target: Target) -> None:
    port(board, target)
    driver = UnderstudyDriver(target, None, profile="heart-rate", options={"seed": 3})
    with pytest.raises(StateError, match="has not been activated"):
        assert driver.accessory
    with closing(App(next(place for place in board.air.joining if place.startswith("tcp-client:")))) as app:
        target.activate(driver)
        app.connect(driver.accessory)
        rates = app.subscribe("2A37")
        driver.accessory.expect("subscribed", characteristic="measurement")
        # Telnet doubles 0xFF.
        driver.accessory["measurement"].notify({"bpm": 0xFF})
        driver.accessory.expect("notified", value={"bpm": 0xFF})
        driver.accessory["battery-level"].value = 7
        assert app.read("2A19") == b"\x07"
        assert [rate[1] for rate in rates if rate[1] == 0xFF]
        address = driver.accessory.address
    target.deactivate(driver)
    with pytest.raises(StateError):
        assert driver.accessory
    # The port is free for the next accessory.
    target.activate(driver)
    assert driver.accessory.address == address


def test_environment(board: Board, tmp_path: Path) -> None:
    """An environment in a file: the profile is in the same folder, and the program is one of its tools."""
    (tmp_path / "lamp.yaml").write_text("understudy: 1\nname: Lamp of the lab\n")
    (tmp_path / "understudy").write_text('#!/bin/sh\ntouch "$0.used"\nexec "${UNDERSTUDY:-understudy}" "$@"\n')
    (tmp_path / "understudy").chmod(0o755)
    (tmp_path / "lab.yaml").write_text(
        f"""
imports: [ understudy.labgrid ]
tools: {{ understudy: ./understudy }}
targets:
  main:
    resources: {{ RawSerialPort: {{ port: {board.path} }} }}
    drivers: {{ UnderstudyDriver: {{ profile: lamp.yaml, flow_control: false }} }}
"""
    )
    environment = Environment(str(tmp_path / "lab.yaml"))
    try:
        driver = environment.get_target().get_driver("UnderstudyDriver")
        assert driver.accessory.name == "Lamp of the lab"
        assert (tmp_path / "understudy.used").exists()
        assert f"serial:{board.path},115200,noflow" in driver.accessory.program._core.process.arguments
    finally:
        environment.cleanup()


def test_what_is_said_without_an_accessory(board: Board, target: Target) -> None:
    RawSerialPort(target, "board", port="/dev/nothing")
    for options, words in (
        ({}, "/dev/nothing"),
        ({"seed": "x"}, "seed"),
        ({"sed": 1}, "unknown option sed"),
        ({"executable": "/nothing"}, "there is no /nothing"),
    ):
        driver = UnderstudyDriver(target, f"driver {options}", profile="heart-rate", options=options)
        with pytest.raises(ExecutionError, match=words):
            target.activate(driver)
    with pytest.raises(ValueError, match="leave it out"):
        UnderstudyDriver(target, "another", profile="heart-rate", options={"controller": "virtual"})


def test_ports_that_cannot_be_opened(board: Board, target: Target) -> None:
    closed = free_port()
    network_port(target, closed)
    driver = UnderstudyDriver(target, None, profile="heart-rate")
    with pytest.raises(ExecutionError, match=f"at {LOOPBACK}:{closed}: .*refused"):
        target.activate(driver)
    # A port whose board is not plugged in: ser2net takes the connection and closes it.
    board.path = "/dev/nothing"
    driver.port.port = board.export()
    with pytest.raises(ExecutionError, match="closed the connection: is the board plugged in"):
        target.activate(driver)
    driver.port.protocol = "smoke signals"
    with pytest.raises(ExecutionError, match="it must be rfc2217 or raw"):
        target.activate(driver)


def test_other_machine_that_goes_away(board: Board, target: Target, caplog: pytest.LogCaptureFixture) -> None:
    board.rfc2217(target)
    driver = UnderstudyDriver(target, None, profile="heart-rate")
    target.activate(driver)
    board.close()
    driver.accessory.expect("failed", within=PATIENCE)
    assert driver.accessory.program.wait(PATIENCE) == 69
    target.deactivate(driver)
    assert f"the serial port at {LOOPBACK}:{driver.port.port} has ended" in caplog.text


# RFC 2217

AGREEMENT = bytes.fromhex("fffd00 fffd03 fffd2c fffb00 fffb03")
SPEED_ANSWER = bytes.fromhex("fffa2c65 000f4240 fff0")


def opened(speed: int = SPEED, flow_control: bool = True) -> PortClient:
    client = PortClient(speed, flow_control)
    client.take_outgoing()
    assert client.receive(AGREEMENT) == b""
    return client


def test_negotiation() -> None:
    client = PortClient(SPEED, True)
    assert client.take_outgoing() == bytes.fromhex("fffb00fffb03fffb2cfffd00fffd03")
    # It refuses options that it does not use, such as echo.
    assert client.receive(bytes.fromhex("fffb01fffd01")) == b""
    assert client.take_outgoing() == bytes.fromhex("fffe01fffc01")
    assert client.receive(AGREEMENT) == b""
    settings = client.take_outgoing()
    assert settings == bytes.fromhex(
        "fffa2c0503fff0" "fffa2c0208fff0" "fffa2c0301fff0" "fffa2c0401fff0" "fffa2c01000f4240fff0"
    )
    assert not client.is_open
    assert client.receive(SPEED_ANSWER) == b""
    assert client.is_open
    # A repeated agreement is not answered.
    client.receive(AGREEMENT)
    assert client.take_outgoing() == b""


def test_settings() -> None:
    assert bytes.fromhex("fffa2c0501fff0") in opened(flow_control=False).take_outgoing()
    # A speed with an octet that Telnet doubles.
    assert bytes.fromhex("fffa2c010000ffff00fff0") in opened(speed=0xFF00).take_outgoing()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_data_between_commands(size: int) -> None:
    data = bytes(range(256)) * 2
    client = opened()
    # The state of the modem, a command of two octets and an agreement, within the data.
    sent = SPEED_ANSWER + PortClient.escaped(data[:100]) + bytes.fromhex("fffa2c6bfffffff0fff1fffb03")
    sent += PortClient.escaped(data[100:])
    received = b"".join(client.receive(sent[at : at + size]) for at in range(0, len(sent), size))
    assert received == data
    assert client.is_open


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("fffe2c", "refuses the Telnet option 44"),
        ("fffe00", "refuses the Telnet option 0"),
        ("fffc00", "refuses the Telnet option 0"),
        ("fffa2c650001c200fff0", "115200 bit/s, not 1000000"),
        ("fffa" + "00" * 2000, "over 1024 octets"),
    ],
)
def test_servers_that_do_not_do_it(sent: str, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        opened().receive(bytes.fromhex(sent))
