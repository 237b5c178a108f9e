"""What tshark says of the packets of a capture, compared with what `understudy capture --json` says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

TSHARK = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
FIELDS = (
    "frame.protocols",
    "bthci_cmd.opcode",
    "bthci_evt.code",
    "bthci_evt.le_meta_subevent",
    "bthci_acl.chandle",
    "btatt.opcode",
    "btsmp.opcode",
    "btl2cap.cmd_code",
    "btle.control_opcode",
    "btle.advertising_header.pdu_type",
    "btatt.handle",
    "btsdp.pdu",
    "btrfcomm.frame_type",
    "btavdtp.signal_id",
    "bthid.transaction_type",
    "btbnep.type",
)
# The layers of protocols whose packets do not all have an opcode.
PROTOCOLS = {"btavdtp": "avdtp", "bta2dp": "avdtp", "rtp": "avdtp", "btavctp": "avctp"}


def expected(row: dict[str, str]) -> tuple[str, int | None]:
    """Returns the layer and opcode that tshark sees in a packet."""
    protocols = row["frame.protocols"].split(":")
    if subevent := row["bthci_evt.le_meta_subevent"]:
        return "event", 0x3E00 | int(subevent, 0)
    fields = (
        ("event", "bthci_evt.code"),
        ("command", "bthci_cmd.opcode"),
        ("att", "btatt.opcode"),
        ("smp", "btsmp.opcode"),
        ("signalling", "btl2cap.cmd_code"),
        ("sdp", "btsdp.pdu"),
        ("rfcomm", "btrfcomm.frame_type"),
        ("avdtp", "btavdtp.signal_id"),
        ("hid", "bthid.transaction_type"),
        ("bnep", "btbnep.type"),
        ("ll", "btle.control_opcode"),
        ("advertising", "btle.advertising_header.pdu_type"),
    )
    for layer, field in fields:
        if row[field]:
            return layer, int(row[field], 0)
    above = [PROTOCOLS[name] for name in protocols if name in PROTOCOLS]
    if above or protocols[-1] == "btl2cap":
        return (above or ["l2cap"])[0], None
    return "lldata" if "btle" in protocols else "acl", None


def told_by_tshark(path: Path) -> list[dict[str, str]]:
    """Returns tshark's fields of all packets. Ubertooth's user link type is Bluetooth LE, which tshark must be told."""
    options = [option for name in FIELDS for option in ("-e", name)]
    link = 'uat:user_dlts:"User 0 (DLT=147)","btle","0","","0",""'
    output = subprocess.run(
        ["tshark", "-r", path, "-o", link, "-T", "fields", "-E", "occurrence=f", *options],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [dict(zip(FIELDS, line.split("\t"), strict=True)) for line in output.splitlines()]


def difference(packet: dict[str, Any], row: dict[str, str]) -> str | None:
    """Returns the two descriptions of a packet if they differ."""
    layer, opcode = expected(row)
    if layer in ("ll", "att", "smp", "signalling") and packet["layer"] == "lldata" and packet["opcode"] in (1, 2):
        # tshark decodes retransmissions, and encrypted packets as if they were not encrypted.
        return None
    if layer == "l2cap" and packet["layer"] in ("sdp", "rfcomm", "avdtp", "avctp", "hid", "bnep"):
        # For tshark a channel ends with the request to disconnect, after which the peer may still send.
        return None
    if packet["layer"] != layer or opcode not in (None, packet["opcode"]):
        return f"{layer} {opcode}, and not {packet}"
    if (handle := row["bthci_acl.chandle"]) and packet["handle"] != int(handle, 0):
        return f"connection {handle}, and not {packet}"
    # For a list, tshark has the first handle, and we have the requested one.
    is_list = layer == "att" and opcode in (0x05, 0x07, 0x09, 0x11)
    if (attribute := row["btatt.handle"]) and not is_list and packet.get("attribute") != int(attribute, 0):
        return f"attribute {attribute}, and not {packet}"
    return None
