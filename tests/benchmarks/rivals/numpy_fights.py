"""Fights as one would compute them with numpy: very many at once, or the chance of every state in floats.

A state is how many hits each side has taken, as one number: everyone attacks the first who stands, so it says who stands and
whom they attack. What an attack does from each state is worked out before the first of them.
"""

import numpy as np

NOTHING = 1e-16
"""What is left of the fights is less than a float next to 1 can tell."""


def begun(sides, order):
    """The states in which both sides stand; and of every attack of a round the step it takes where it hits, and its chance by state.

    ``sides`` are two lists of bonus and health, ``order`` says by side and place in it whose turn follows whose.
    """
    hits = [np.arange(sum(health for _, health in side) + 1) for side in sides]
    die = np.full(6, 1 / 6)
    two = np.convolve(die, die)
    difference = np.convolve(two, two)  # of two such throws, from -10: they fall alike from either end
    reach = difference[::-1].cumsum()[::-1]
    attacks = []
    for side, place in order:
        (bonus, _), foes = sides[side][place], sides[1 - side]
        stands = hits[side] < sum(health for _, health in sides[side][: place + 1])
        on_each = np.repeat([reach[10 + other - bonus] for other, _ in foes], [health for _, health in foes])
        chance = np.outer(stands, np.append(on_each, 0))
        attacks.append((len(hits[1]) if side else 1, (chance.T if side else chance).ravel()))
    going = np.ones((len(hits[0]), len(hits[1])), bool)
    going[-1] = going[:, -1] = False
    return going, attacks


def counted(sides, order, rounds):
    """The chances that the first side is left, the second, and neither alone."""
    going, attacks = begun(sides, order)
    chances, hit = np.zeros(going.size), np.empty(going.size)
    chances[0] = 1
    moves = [(chance, chances[step:], hit[:-step]) for step, chance in attacks]
    open_ways = going.ravel()
    for _ in range(rounds):
        for chance, to, hits in moves:
            np.multiply(chances, chance, out=hit)
            chances -= hit
            to += hits
        if chances @ open_ways < NOTHING:
            break
    return ended(chances.reshape(going.shape))


def played(sides, order, rounds, trials, seed):
    """How many of the fights the first side wins, the second side wins, and nobody wins."""
    going, attacks = begun(sides, order)
    moves = [(step, chance.astype(np.float32)) for step, chance in attacks]
    open_ways, ends = going.ravel(), np.zeros(going.size, int)
    generator, state = np.random.Generator(np.random.SFC64(seed)), np.zeros(trials, int)
    for _ in range(rounds):
        for step, chance in moves:
            state += step * (generator.random(state.size, np.float32) < chance.take(state))
        goes_on = open_ways.take(state)
        ends += np.bincount(state[~goes_on], minlength=ends.size)
        state = state[goes_on]
        if not state.size:
            break
    ends += np.bincount(state, minlength=ends.size)
    return ended(ends.reshape(going.shape))


def ended(ends):
    """What is in the states where the second side is out, where the first is, and where neither is."""
    return [found.sum().item() for found in (ends[:-1, -1], ends[-1, :-1], ends[:-1, :-1])]
