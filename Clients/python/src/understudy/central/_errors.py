"""The errors of a central, each with the code of its reason."""

from __future__ import annotations

from bumble import att, hci, smp


class CentralError(Exception):
    """An operation of the central has failed."""


class ATTFailure(CentralError):
    """The server answered with an Error Response (Core 5.4 Vol 3 Part F 3.4.1.1); `code` is its error code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the device answered with ATT error 0x{code:02X} ({_name(att.ErrorCode, code)})")
        self.code = code


class LinkLost(CentralError):
    """The connection ended; `reason` is the controller's error code (Core 5.4 Vol 1 Part F), 0 if the radio ended."""

    def __init__(self, reason: int) -> None:
        because = f"0x{reason:02X}, {_name(hci.HCI_ErrorCode, reason)}" if reason else "the radio has ended"
        super().__init__(f"the connection has ended ({because})")
        self.reason = reason


class ConnectFailed(CentralError):
    """No connection was made; `code` is the controller's error code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"no connection (0x{code:02X}, {_name(hci.HCI_ErrorCode, code)})")
        self.code = code


class PairingFailed(CentralError):
    """Pairing failed; `reason` is that of Pairing Failed (Core 5.4 Vol 3 Part H 3.5.5), None if nobody answered."""

    def __init__(self, reason: int | None) -> None:
        because = f"0x{reason:02X}, {_name(smp.ErrorCode, reason)}" if reason is not None else "no answer in time"
        super().__init__(f"pairing failed ({because})")
        self.reason = reason


class RadioLost(CentralError):
    """The radio or the board cannot be reached, or is gone."""


def _name(codes: type[att.ErrorCode] | type[smp.ErrorCode] | type[hci.HCI_ErrorCode], code: int) -> str:
    try:
        return codes(code).name.lower().replace("_", " ")
    except ValueError:
        return "unknown"
