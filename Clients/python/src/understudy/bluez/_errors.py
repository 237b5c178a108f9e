"""The errors of BlueZ's D-Bus API, with the names and texts that programs check."""

from __future__ import annotations

from understudy.central import ATTFailure, CentralError, ConnectFailed, LinkLost, PairingFailed, RadioLost

# The reasons for a failed connection, by the controller's error code (Core 5.4 Vol 1 Part F).
CONNECT_FAILURES = {
    0x02: "abort-by-local",
    0x09: "concurrent-connection-limit",
    0x16: "abort-by-local",
    0x3E: "abort-by-remote",
}
BLUEZ, DBUS = "org.bluez.Error.", "org.freedesktop.DBus.Error."


class CallError(Exception):
    """The error that answers a method call."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name, self.text = name, text


def failed(text: str) -> CallError:
    return CallError(BLUEZ + "Failed", text)


def invalid_arguments(text: str = "Invalid arguments in method call") -> CallError:
    return CallError(BLUEZ + "InvalidArguments", text)


def in_progress() -> CallError:
    return CallError(BLUEZ + "InProgress", "Operation already in progress")


def already_exists() -> CallError:
    return CallError(BLUEZ + "AlreadyExists", "Already Exists")


def does_not_exist() -> CallError:
    return CallError(BLUEZ + "DoesNotExist", "Does Not Exist")


def not_connected() -> CallError:
    return CallError(BLUEZ + "NotConnected", "Not Connected")


def not_ready() -> CallError:
    return CallError(BLUEZ + "NotReady", "Resource Not Ready")


def not_supported() -> CallError:
    return CallError(BLUEZ + "NotSupported", "Operation is not supported")


def not_permitted(text: str) -> CallError:
    return CallError(BLUEZ + "NotPermitted", text)


def not_available() -> CallError:
    return CallError(BLUEZ + "NotAvailable", "Operation currently not available")


def not_authorized() -> CallError:
    return CallError(BLUEZ + "NotAuthorized", "Operation Not Authorized")


def of_attribute(code: int) -> CallError:
    """Returns the error for an ATT error code."""
    match code:
        case 0x02:
            return not_permitted("Read not permitted")
        case 0x03:
            return not_permitted("Write not permitted")
        case 0x05 | 0x0C | 0x0F:
            return not_permitted("Not paired")
        case 0x06:
            return not_supported()
        case 0x07:
            return invalid_arguments("Invalid offset")
        case 0x08:
            return not_authorized()
        case 0x0D:
            return invalid_arguments("Invalid Length")
    return failed(f"Operation failed with ATT error: 0x{code:02x}")


def of_pairing(error: PairingFailed) -> CallError:
    """Returns the error for a reason of Pairing Failed."""
    if error.reason is None:
        return CallError(BLUEZ + "AuthenticationTimeout", "Authentication Timeout")
    # Passkey Entry Failed means that the user has refused, or that the request was canceled.
    return CallError(BLUEZ + "AuthenticationFailed", "Authentication Failed")


def of_central(error: CentralError) -> CallError:
    """Returns the error for a failed operation of the central."""
    match error:
        case ATTFailure():
            return of_attribute(error.code)
        case PairingFailed():
            return of_pairing(error)
        case LinkLost():
            return not_connected()
        case RadioLost():
            return not_ready()
        case ConnectFailed():
            return failed(f"le-connection-{CONNECT_FAILURES.get(error.code, 'refused')}")
    return failed(str(error))
