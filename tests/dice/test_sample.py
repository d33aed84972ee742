"""The random numbers and faces of a simulation."""

from __future__ import annotations

from tablecall.dice.sample import RandomFaces, random_numbers


def test_random_faces() -> None:
    faces = RandomFaces(iter([0, 2**63, 2**64 - 1]))
    assert (faces.draw(6), faces.draw(10, 0), faces.redraw(0, 20)) == (1, 5, 20)


def test_parts_have_numbers_of_their_own() -> None:
    first, again, second = (random_numbers(*part) for part in (("s", 0), ("s", 0), ("s", 1)))
    numbers = [next(first) for _ in range(600)]
    assert numbers == [next(again) for _ in range(600)]
    assert next(second) not in numbers
    assert len(set(numbers)) == 600
