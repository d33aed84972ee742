"""The dice algorithm ``tablecall-1``: from a seed and a roll's name to faces, the same for ever.

``key = SHA-256("tablecall-1" 0x00 utf8(seed) 0x00 utf8(roll name))``; block *i* is ``SHA-256(key ‖ i)`` with *i* as eight
big-endian bytes; a die of *s* sides takes the next byte *b*, throws it away while ``b ≥ s·⌊256/s⌋`` and reads ``b mod s``.
A six-sided die shows that index plus one, a ten-sided die shows the index itself (0 to 9). The algorithm never changes:
a better one gets a new name and lives beside this one.
"""

from __future__ import annotations

import secrets
from hashlib import sha256

from tablecall.dice.faces import FaceSource

RNG = "tablecall-1"
"""The name a ruling carries and a request may pin."""

LOWEST_FACE = {6: 1, 10: 0}
"""The lowest face of each die the rule books use, by its number of sides."""

_PREFIX = sha256(RNG.encode() + b"\0")
_FACES = {
    sides: (bytes(byte % sides + low for byte in range(256)), bytes(range(sides * (256 // sides), 256)))
    for sides, low in LOWEST_FACE.items()
}
"""The face that each byte shows, by the number of sides; and the bytes that are thrown away."""
_BLOCK_0 = bytes(8)


def fresh_seed() -> str:
    """Draw 128 bits from the operating system, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def key(seed: str, roll: str) -> bytes:
    """The key of a roll's stream; ``seed`` and ``roll`` are any text without lone surrogates."""
    digest = _PREFIX.copy()
    digest.update(f"{seed}\0{roll}".encode())
    return digest.digest()


class SeededFaces(FaceSource):
    """The faces of one roll: an endless, repeatable sequence. Base dice and re-rolls read from it in the order drawn."""

    __slots__ = ("_at", "_bytes", "_key")

    def __init__(self, seed: str, roll: str) -> None:
        """``seed`` and ``roll`` are any text without lone surrogates."""
        self._key = own = key(seed, roll)
        self._bytes = sha256(own + _BLOCK_0).digest()
        self._at = 0

    def first(self, sides: int) -> int:
        """The next face of a die with 6 or 10 sides."""
        return self.several(1, sides)[0]

    def several(self, count: int, sides: int) -> bytes:
        """The next faces of so many dice. Whatever is thrown away of their bytes, the bytes after them make good."""
        faces, rejected = _FACES[sides]
        start = self._at
        self._at = end = start + count
        while len(self._bytes) < end:
            block = len(self._bytes) // _PREFIX.digest_size
            self._bytes += sha256(self._key + block.to_bytes(8, "big")).digest()
        found = self._bytes[start:end].translate(faces, rejected)
        return found if len(found) == count else found + self.several(count - len(found), sides)

    def again(self, index: int, sides: int) -> int:
        """The next face, for base die ``index`` rolled again: the stream simply goes on."""
        return self.first(sides)
