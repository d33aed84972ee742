"""The dice algorithm ``tablecall-1``: from a seed and a roll's name to faces.

``key = SHA-256("tablecall-1" 0x00 utf8(seed) 0x00 utf8(roll name))``; block *i* is ``SHA-256(key ‖ i)`` with *i* as eight
big-endian bytes. A die of *s* sides takes the next byte *b*, rejects it while ``b ≥ s·⌊256/s⌋``, and reads ``b mod s``.
It shows its lowest face plus that index; the system says what the lowest face is. The algorithm never changes: a better one would get
a new name and live next to this one.
"""

from __future__ import annotations

import secrets
from functools import cache
from hashlib import sha256

from tablecall.dice.faces import FaceSource

RNG = "tablecall-1"
"""The name a ruling carries and a request may pin."""

_PREFIX = sha256(RNG.encode() + b"\0")
_BLOCK_0 = bytes(8)


@cache
def _faces(sides: int, lowest: int) -> tuple[bytes, bytes]:
    """The face of each byte, and the bytes that are rejected. Dice have 2 to 100 sides."""
    if not 2 <= sides <= 100:
        raise ValueError(sides)
    return bytes(byte % sides + lowest for byte in range(256)), bytes(range(sides * (256 // sides), 256))


def fresh_seed() -> str:
    """128 random bits from the operating system, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def seed_text(seed: str | int | None) -> str:
    """The text of a seed: the request's, or a new one."""
    return fresh_seed() if seed is None else str(seed)


class SeededFaces(FaceSource):
    """The faces of one roll from a seed: an endless, repeatable sequence. Base dice and re-rolls read it in the order drawn."""

    __slots__ = ("_bytes", "_position", "key")

    def __init__(self, seed: str, roll: str) -> None:
        """``seed`` and ``roll`` are any text without lone surrogates."""
        digest = _PREFIX.copy()
        digest.update(f"{seed}\0{roll}".encode())
        self.key = digest.digest()
        self._bytes = sha256(self.key + _BLOCK_0).digest()
        self._position = 0

    def draw(self, sides: int, lowest: int = 1) -> int:
        """The next face of a die with 2 to 100 sides."""
        return self.draw_many(1, sides, lowest)[0]

    def draw_many(self, count: int, sides: int, lowest: int = 1) -> bytes:
        """The next faces of ``count`` dice. Bytes that are rejected are replaced by later ones."""
        faces, rejected = _faces(sides, lowest)
        start = self._position
        self._position = end = start + count
        while len(self._bytes) < end:
            block = len(self._bytes) // _PREFIX.digest_size
            self._bytes += sha256(self.key + block.to_bytes(8, "big")).digest()
        drawn = self._bytes[start:end].translate(faces, rejected)
        return drawn if len(drawn) == count else drawn + self.draw_many(count - len(drawn), sides, lowest)

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        """The next face: re-rolls continue the same sequence."""
        return self.draw(sides, lowest)
