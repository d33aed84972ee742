"""The dice algorithm ``tablecall-1``: from a seed and a roll's name to faces, the same for ever.

``key = SHA-256("tablecall-1" 0x00 utf8(seed) 0x00 utf8(roll name))``; block *i* is ``SHA-256(key ‖ i)`` with *i* as eight
big-endian bytes; a die of *s* sides takes the next byte *b*, throws it away while ``b ≥ s·⌊256/s⌋`` and reads ``b mod s``.
A six-sided die shows that index plus one, a ten-sided die shows the index itself (0 to 9). The algorithm never changes:
a better one gets a new name and lives beside this one.
"""

from __future__ import annotations

import secrets
from hashlib import sha256

RNG = "tablecall-1"
"""The name a ruling carries and a request may pin."""

LOWEST_FACE = {6: 1, 10: 0}
"""The lowest face of each die the rule books use, by its number of sides."""

_PREFIX = sha256(RNG.encode() + b"\0")
_FACES = {
    sides: tuple(byte % sides + low if byte < sides * (256 // sides) else None for byte in range(256)) for sides, low in LOWEST_FACE.items()
}


def fresh_seed() -> str:
    """Draw 128 bits from the operating system, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def key(seed: str, roll: str) -> bytes:
    """The key of a roll's stream; ``seed`` and ``roll`` are any text without lone surrogates."""
    digest = _PREFIX.copy()
    digest.update(f"{seed}\0{roll}".encode())
    return digest.digest()


class Stream:
    """The faces of one roll: an endless, repeatable sequence. Base dice and re-rolls read from it in the order drawn."""

    __slots__ = ("_block", "_bytes", "_key")

    def __init__(self, seed: str, roll: str) -> None:
        """``seed`` and ``roll`` are any text without lone surrogates."""
        self._key = key(seed, roll)
        self._block = 0
        self._bytes = iter(b"")

    def first(self, sides: int) -> int:
        """The next face of a die with 6 or 10 sides."""
        faces = _FACES[sides]
        while True:
            for byte in self._bytes:
                face = faces[byte]
                if face is not None:
                    return face
            self._refill()

    def again(self, index: int, sides: int) -> int:
        """The next face, for base die ``index`` rolled again: the stream simply goes on."""
        return self.first(sides)

    def _refill(self) -> None:
        self._bytes = iter(sha256(self._key + self._block.to_bytes(8, "big")).digest())
        self._block += 1
