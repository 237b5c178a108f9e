"""Smaller pictures: screenshots with a palette of the 256 most frequent colours (PNG, W3C Recommendation, 3rd edition)."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterator

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_COLOURS = 256
# The samples of a pixel by the colour type: RGB and RGBA.
SAMPLES = {2: 3, 6: 4}


def with_palette(picture: bytes) -> bytes:
    """Returns a picture with eight bits per sample as one with a palette, which needs a third of the octets."""
    width, height, kind, data = _read(picture)
    size = SAMPLES[kind]
    rows = list(_rows(data, width * size, height, size))
    counts: Counter[bytes] = Counter()
    lines = [[row[start : start + 3] for start in range(0, width * size, size)] for row in rows]
    for line in lines:
        counts.update(line)
    palette = [colour for colour, _ in counts.most_common(MOST_COLOURS)]
    places = {colour: place for place, colour in enumerate(palette)}
    for colour in counts:
        if colour not in places:
            places[colour] = min(range(len(palette)), key=lambda place: _distance(palette[place], colour))
    body = b"".join(b"\x00" + bytes(places[colour] for colour in line) for line in lines)
    return b"".join(
        (
            SIGNATURE,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", b"".join(palette)),
            _chunk(b"IDAT", zlib.compress(body, 9)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _distance(one: bytes, other: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _read(picture: bytes) -> tuple[int, int, int, bytes]:
    """Returns width, height, colour type, and the filtered rows."""
    place, data, head = len(SIGNATURE), b"", b""
    while place < len(picture):
        length, kind = struct.unpack_from(">I4s", picture, place)
        body = picture[place + 8 : place + 8 + length]
        if kind == b"IHDR":
            head = body
        elif kind == b"IDAT":
            data += body
        place += 12 + length
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", head)
    assert depth == 8 and not interlace and colour in SAMPLES, (depth, colour, interlace)
    return width, height, colour, zlib.decompress(data)


def _rows(data: bytes, length: int, height: int, size: int) -> Iterator[bytes]:
    """Undoes the filters of the rows."""
    above = bytearray(length)
    for number in range(height):
        start = number * (length + 1)
        row = bytearray(data[start + 1 : start + 1 + length])
        _unfilter(data[start], row, above, size)
        yield bytes(row)
        above = row


def _unfilter(kind: int, row: bytearray, above: bytearray, size: int) -> None:
    for at in range(len(row)) if kind else ():
        left = row[at - size] if at >= size else 0
        up = above[at]
        match kind:
            case 1:
                guess = left
            case 2:
                guess = up
            case 3:
                guess = (left + up) // 2
            case _:
                guess = _paeth(left, up, above[at - size] if at >= size else 0)
        row[at] = (row[at] + guess) & 0xFF


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    distances = abs(guess - left), abs(guess - up), abs(guess - corner)
    return (left, up, corner)[distances.index(min(distances))]
