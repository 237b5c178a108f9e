"""The driver, which plays an accessory while it is active."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any

import attr
from labgrid.driver import Driver
from labgrid.driver.exception import ExecutionError
from labgrid.factory import target_factory
from labgrid.resource import SerialPort
from labgrid.util.proxy import proxymanager

from understudy._options import Profile
from understudy._process import NAME
from understudy.blocking import Accessory
from understudy.errors import UnderstudyError
from understudy.labgrid._bridge import Bridge


@target_factory.reg_driver
@attr.s(eq=False)
class UnderstudyDriver(Driver):
    """Plays an accessory on the board at a serial port of this machine or another one.

    Args:
        profile: as for `Accessory.start`; the path of a file may be relative to the environment's folder
        options: further options of `Accessory.start`, such as `seed` or `capture`
        flow_control: whether RTS and CTS are used; for the protocol `raw`, the server of the port decides
    """

    bindings = {"port": {"SerialPort", "NetworkSerialPort"}}

    profile: Profile = attr.ib(validator=attr.validators.instance_of((str, os.PathLike, dict)))
    options: dict[str, Any] = attr.ib(factory=dict, validator=attr.validators.instance_of(dict))
    flow_control: bool = attr.ib(default=True, validator=attr.validators.instance_of(bool))

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if "controller" in self.options:
            raise ValueError("the controller is the serial port that the driver is bound to: leave it out of the options")
        self._accessory: Accessory | None = None
        self._bridge: Bridge | None = None

    @property
    @Driver.check_active
    def accessory(self) -> Accessory:
        """The accessory, while the driver is active."""
        assert self._accessory
        return self._accessory

    def on_activate(self) -> None:
        """Starts the accessory and waits until it is on the air. Raises `ExecutionError` with the program's output."""
        with ExitStack() as undoing:
            undoing.callback(self._release)
            try:
                # A test should fail rather than wait for a missing board.
                options = {"executable": self._executable(), "wait": False, **self.options}
                self._accessory = Accessory.start(self._profile(), controller=self._controller(), **options)
            except (UnderstudyError, TypeError) as error:
                raise ExecutionError(f"no accessory on {self.port}: {error}") from error
            undoing.pop_all()
        self.logger.info("%s is on the air as %s", self._accessory.name, self._accessory.address)

    def on_deactivate(self) -> None:
        """Ends the accessory and closes the serial port."""
        self._release()

    def _release(self) -> None:
        accessory, bridge = self._accessory, self._bridge
        self._accessory = self._bridge = None
        if accessory:
            accessory.stop()
        if bridge:
            bridge.close()

    def _controller(self) -> str:
        """Returns the serial port as the value of `--controller`."""
        if isinstance(self.port, SerialPort):
            return f"serial:{self.port.port},{self.port.speed}" + ("" if self.flow_control else ",noflow")
        host, port = proxymanager.get_host_and_port(self.port)
        if port is None:
            raise ExecutionError(f"{host} does not export the serial port now: acquire its place")
        if self.port.protocol == "raw":
            return f"tcp-client:{f'[{host}]' if ':' in host else host}:{port}"
        if self.port.protocol != "rfc2217":
            raise ExecutionError(f"{self.port} has the protocol {self.port.protocol}: it must be rfc2217 or raw")
        try:
            self._bridge = Bridge(
                host, port, speed=self.port.speed, flow_control=self.flow_control, logger=self.logger
            )
        except OSError as error:
            raise ExecutionError(f"cannot open the serial port at {host}:{port}: {error}") from error
        return self._bridge.controller

    def _executable(self) -> str | None:
        """Returns the program from the environment's tools, or None."""
        tool: str = self.target.env.config.get_tool(NAME) if self.target.env else NAME
        return None if tool == NAME else tool

    def _profile(self) -> Profile:
        if isinstance(self.profile, str) and self.target.env:
            path: str = self.target.env.config.resolve_path(self.profile)
            if os.path.isfile(path):
                return path
        return self.profile
