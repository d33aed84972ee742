#!/usr/bin/env python3
"""Check dice of the algorithm tablecall-1 (see tablecall-1.md). Needs Python 3.9 or newer and nothing else.

verify.py FILE …    each file: vectors, a ruling, or {"request": …, "ruling": …}
verify.py --draw    reads {"seed", "roll", "sides", "lowest"?, "count"} as JSON lines, prints the faces of each and their SHA-256
"""

import hashlib
import json
import sys
from itertools import islice
from pathlib import Path

RNG = "tablecall-1"


def stream_key(seed, roll):
    """The key of a roll's stream."""
    return hashlib.sha256(b"tablecall-1\x00" + str(seed).encode() + b"\x00" + roll.encode()).digest()


def stream(key):
    """The bytes of a stream, without end."""
    block = 0
    while True:
        yield from hashlib.sha256(key + block.to_bytes(8, "big")).digest()
        block += 1


def usual(sides):
    """The lowest face of a die that does not name it."""
    return 0 if sides == 10 else 1


def draw(key, sides, lowest=None):
    """The faces of dice with that many sides, without end."""
    first = usual(sides) if lowest is None else lowest
    limit = 256 // sides * sides
    return (byte % sides + first for byte in stream(key) if byte < limit)


def faces(seed, roll, sides, count, lowest=None):
    """The first faces of a roll."""
    return list(islice(draw(stream_key(seed, roll), sides, lowest), count))


def drawn(dice):
    """The faces of a roll's dice in the order they were drawn: all base dice, then the re-rolls from left to right."""
    shown = [[*die["replaced"], die["face"]] for die in dice]
    return [history[0] for history in shown] + [face for history in shown for face in history[1:]]


def check_vectors(document):
    """The vectors that differ, as JSON pointers."""
    for index, vector in enumerate(document["vectors"]):
        key = stream_key(vector["seed"], vector["roll"])
        expected = list(islice(draw(key, vector["sides"], vector.get("lowest")), len(vector["faces"])))
        if key.hex() != vector["key"] or expected != vector["faces"]:
            yield f"/vectors/{index}"


def check_ruling(ruling, request=None, at=""):
    """The rolls whose dice are neither those of the seed nor from the table, as JSON pointers.

    The ruling says which dice came from the table. Where the request is given, they must be those it handed in.
    """
    if ruling["rng"] != RNG:
        yield f"{at}/rng"
        return
    given = {dice["roll"]: dice["faces"] for dice in (request or {}).get("dice", [])}
    for index, roll in enumerate(ruling["rolls"]):
        shown = drawn(roll["dice"])
        expected = given.get(roll["roll"])
        if expected is None and roll.get("from", "seed") != "seed" and request is None:
            continue
        if expected is None:
            die = roll["dice"][0] if roll["dice"] else {"sides": 6}
            expected = faces(ruling["seed"], roll["roll"], die["sides"], len(shown), die.get("lowest"))
        if shown != expected:
            yield f"{at}/rolls/{index}"


def check(document):
    """What differs in a document of any of the three kinds."""
    if "vectors" in document:
        return list(check_vectors(document))
    if "ruling" in document:
        return list(check_ruling(document["ruling"], document.get("request"), "/ruling"))
    return list(check_ruling(document))


def main(arguments):
    """Check the files named; or draw."""
    if arguments == ["--draw"]:
        digest = hashlib.sha256()
        for line in sys.stdin:
            asked = json.loads(line)
            text = " ".join(map(str, faces(asked["seed"], asked["roll"], asked["sides"], asked["count"], asked.get("lowest"))))
            digest.update(text.encode() + b"\n")
            print(text)
        print(digest.hexdigest())
        return 0
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    wrong = 0
    for name in arguments:
        found = check(json.loads(Path(name).read_bytes()))
        for pointer in found:
            print(f"{name}: {pointer} is not what the seed gives")
        wrong += bool(found)
    print(f"{len(arguments) - wrong} of {len(arguments)} as the seed has them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
