"""Chance: the stream from a seed to faces, the quantities a rule may ask for, the sources of their dice, exact odds."""
