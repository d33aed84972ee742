"""Dice: from seeds to faces, pools, exact distributions, and the sources of dice that rules run on."""
