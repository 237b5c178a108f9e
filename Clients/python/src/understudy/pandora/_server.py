"""The gRPC server of a reference device."""

from __future__ import annotations

from typing import Self

import grpc
from pandora.host_grpc_aio import add_HostServicer_to_server
from pandora.l2cap_grpc_aio import add_L2CAPServicer_to_server
from pandora.security_grpc_aio import add_SecurityServicer_to_server, add_SecurityStorageServicer_to_server

from understudy._options import Profile
from understudy.errors import UnderstudyError
from understudy.pandora._central import Central
from understudy.pandora._classic import ClassicCentral
from understudy.pandora._channels import L2CAPService
from understudy.pandora._device import Device
from understudy.pandora._host import HostService
from understudy.pandora._pairing import Pairings
from understudy.pandora._radio import Radio
from understudy.pandora._security import SecurityService, SecurityStorageService


class Pandora:
    """A Pandora server with an accessory as its device."""

    def __init__(
        self, server: grpc.aio.Server, port: int, device: Device, central: Central, radio: Radio | None
    ) -> None:
        self.port = port
        """Its port on the loopback interface."""
        self.device = device
        self._server, self._central, self._radio = server, central, radio

    @classmethod
    async def start(
        cls,
        profile: Profile,
        *,
        controller: str | None = None,
        port: int = 0,
        capability: str | None = None,
        classic: bool = False,
        arguments: list[str] | None = None,
    ) -> Self:
        """Starts an accessory, on a virtual radio unless a controller is given, and serves it.

        Raises `UnderstudyError`.

        capability: the key `pairing` of its security, if it differs from the profile's. classic: whether it can be
        reached over BR/EDR, too. arguments: further options for `understudy run`.
        """
        radio = None if controller else await Radio.start(classic=classic)
        device: Device | None = None
        try:
            place = controller or (radio.controller if radio else "")
            device = await Device.start(profile, place, arguments or [], capability, classic=classic)
            server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
            pairings = Pairings(device)
            central = Central(device, radio.central if radio else None, pairings)
            over_classic = ClassicCentral(device, pairings)
            add_HostServicer_to_server(HostService(device, central, over_classic), server)
            add_SecurityServicer_to_server(SecurityService(device, pairings), server)
            add_SecurityStorageServicer_to_server(SecurityStorageService(device, central, over_classic), server)
            add_L2CAPServicer_to_server(L2CAPService(device), server)
            try:
                bound = server.add_insecure_port(f"127.0.0.1:{port}")
            except RuntimeError as error:
                raise UnderstudyError(f"cannot listen on port {port}: {error}") from error
            await server.start()
            return cls(server, bound, device, central, radio)
        except BaseException:
            if device:
                await device.stop()
            if radio:
                await radio.stop()
            raise

    @property
    def joining(self) -> list[str]:
        """Where devices under test join the virtual radio, as Bumble's transport names.

        The first has a public address.
        """
        return self._radio.joining if self._radio else []

    async def wait(self) -> None:
        """Waits until the server has ended."""
        await self._server.wait_for_termination()

    async def stop(self) -> None:
        """Ends all calls, the accessory and the radio."""
        await self._server.stop(None)
        await self._central.close()
        await self.device.stop()
        if self._radio:
            await self._radio.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()
