"""Paths relative to the root of the service. It may stand behind a proxy that strips a path prefix, or under an ASGI ``root_path``."""

from __future__ import annotations

from starlette.types import Scope


def path_of(scope: Scope) -> str:
    """The path of a request within the service, without the ASGI ``root_path``."""
    path: str = scope.get("path", "/")
    root: str = scope.get("root_path", "").rstrip("/")
    return (path[len(root) :] or "/") if root and f"{path}/".startswith(f"{root}/") else path


def root_of(scope: Scope) -> str:
    """The root of the service, relative to the path of a request: ``./``, ``../``, ``../../`` and so on.

    Only the client knows which prefix a proxy strips, and it resolves a relative reference right.
    """
    path, raw = scope.get("path", "/"), scope.get("raw_path") or b""
    encoded = max(path.count("/") - raw.count(b"/"), 0) if raw else 0  # slashes that were percent-encoded
    return "../" * (path_of(scope).count("/") - 1 - encoded) or "./"
