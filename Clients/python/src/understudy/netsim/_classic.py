"""Answers to the BR/EDR commands that Android's host sends at its start.

The controllers of the virtual radio are LE only. Android's host ends when one of these commands is refused (AOSP,
packages/modules/Bluetooth/system/gd/hci/controller.cc). They change nothing about LE.
"""

from __future__ import annotations

COMMAND = 0x01

# Features (Core 5.4 Vol 2 Part C 3.3): BR/EDR Not Supported (37), LE Supported (Controller) (38), and Secure Simple
# Pairing (51), without which Android's host refuses a controller (AOSP, system/stack/btm/btm_sec.cc).
FEATURES = (1 << 37 | 1 << 38 | 1 << 51).to_bytes(8, "little")

# By opcode: the return parameters after the status, with the lengths of Core 5.4 Vol 4 Part E 7.2 to 7.4.
ANSWERS = {
    0x080F: b"",  # Write Default Link Policy Settings
    0x0C05: b"",  # Set Event Filter
    0x0C12: bytes(2),  # Delete Stored Link Key: the number of deleted keys
    0x0C13: b"",  # Write Local Name
    0x0C14: b"Understudy".ljust(248, b"\0"),  # Read Local Name
    0x0C18: b"",  # Write Page Timeout
    0x0C1A: b"",  # Write Scan Enable
    0x0C1C: b"",  # Write Page Scan Activity
    0x0C1E: b"",  # Write Inquiry Scan Activity
    0x0C23: bytes(3),  # Read Class of Device
    0x0C24: b"",  # Write Class of Device
    0x0C26: b"",  # Write Voice Setting
    0x0C38: bytes([1]),  # Read Number of Supported IAC
    0x0C39: bytes([1]) + bytes.fromhex("338b9e"),  # Read Current IAC LAP: the general one
    0x0C3A: b"",  # Write Current IAC LAP
    0x0C43: b"",  # Write Inquiry Scan Type
    0x0C45: b"",  # Write Inquiry Mode
    0x0C47: b"",  # Write Page Scan Type
    0x0C52: b"",  # Write Extended Inquiry Response
    0x0C56: b"",  # Write Simple Pairing Mode
    0x0C58: bytes(1),  # Read Inquiry Response Transmit Power Level: 0 dBm
    0x0C59: b"",  # Write Inquiry Transmit Power Level
    0x0C5A: bytes(1),  # Read Default Erroneous Data Reporting: off
    0x0C5B: b"",  # Write Default Erroneous Data Reporting
    0x0C6D: b"",  # Write LE Host Support
    0x0C7A: b"",  # Write Secure Connections Host Support
    0x1004: bytes(2) + FEATURES,  # Read Local Extended Features: page 0, which is the last
    0x1005: bytes.fromhex("fb00 00 1000 0000"),  # Read Buffer Size: as for LE, and none for synchronous data
}


def answer(packet: bytes) -> bytes | None:
    """Returns the Command Complete of a BR/EDR command; None for any other packet."""
    opcode = int.from_bytes(packet[1:3], "little")
    if packet[0] != COMMAND or opcode not in ANSWERS:
        return None
    parameters = bytes([1]) + packet[1:3] + bytes([0]) + ANSWERS[opcode]
    return bytes([0x04, 0x0E, len(parameters)]) + parameters
