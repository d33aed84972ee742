"""The only rooms that know the web."""
