"""Which version this is."""

from importlib.metadata import version

VERSION = version("tablecall")
"""The service's own version."""
