"""Hypothesis draws the same examples on every machine and in every run: no test hangs on luck."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("ci")
