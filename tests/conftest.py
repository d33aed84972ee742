"""Hypothesis draws the same examples on every machine and in every run: no test hangs on luck."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Nor on how busy the machine is: drawing an example may take long.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci")
