"""Determines whether a pairing is Just Works, before the accessory consents to it.

The question `consent` comes before the event `pairing`, which has the association model. The model is therefore
derived from the central's Pairing Request, which is in the ring of the last packets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from understudy import aio
from understudy._program import path_of

# Core 5.4 Vol 3 Part H 3.5.1: IO capabilities, flags of AuthReq.
DISPLAY_ONLY, DISPLAY_YES_NO, KEYBOARD_ONLY, NO_INPUT_NO_OUTPUT, KEYBOARD_DISPLAY = range(5)
MITM, SECURE_CONNECTIONS = 0x04, 0x08
CAPABILITIES = {
    "just-works": NO_INPUT_NO_OUTPUT,
    "display": DISPLAY_ONLY,
    "compare": DISPLAY_YES_NO,
    "keyboard": KEYBOARD_ONLY,
    "keyboard-display": KEYBOARD_DISPLAY,
}
# An ACL packet in H4 framing with a Pairing Request: handle, IO capability, OOB data flag, AuthReq.
REQUEST = re.compile(rb"\x02(..)\x0b\x00\x07\x00\x06\x00\x01(.)(.)(.)", re.DOTALL)


async def is_just_works(accessory: aio.Accessory, handle: int, security: Mapping[str, Any]) -> bool:
    """Returns whether the last pairing that the central has requested is Just Works.

    security: how the accessory pairs, as in its profile.
    """
    answer = await accessory.program.exchange("GET", path_of("accessories", accessory.id, "ring"))
    requests = [found.groups() for found in REQUEST.finditer(answer.body) if answer.status == 200]
    for octets, capability, out_of_band, flags in reversed(requests):
        if int.from_bytes(octets, "little") & 0xFFF == handle:
            return not out_of_band[0] and _is_just_works(capability[0], flags[0], security)
    return False


def _is_just_works(capability: int, flags: int, security: Mapping[str, Any]) -> bool:
    """Core 5.4 Vol 3 Part H 2.3.5.1, tables 2.6 to 2.8, without data out of band."""
    own = CAPABILITIES.get(security["pairing"], NO_INPUT_NO_OUTPUT)
    wants_protection = security.get("mitm", own != NO_INPUT_NO_OUTPUT)
    if not wants_protection and not flags & MITM:
        return True
    both = {own, capability}
    if NO_INPUT_NO_OUTPUT in both:
        return True
    can_compare = both <= {DISPLAY_YES_NO, KEYBOARD_DISPLAY}
    is_secure = flags & SECURE_CONNECTIONS and security.get("secure-connections") != "none"
    can_type = bool(both & {KEYBOARD_ONLY, KEYBOARD_DISPLAY})
    return not can_type and not (can_compare and is_secure)
