"""Every knob of the service, read from the environment as ``TABLECALL_…``, with its bound."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AnyUrl, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_core import PydanticCustomError, from_json
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from tablecall.model.suggestions import nearest

PREFIX = "TABLECALL_"
"""What every setting's variable begins with."""

# ── Lists and origins ────────────────────────────────────────────────────────────────────────────────────────────────


def _listed(example: str) -> BeforeValidator:
    """A list comes from the environment as JSON; what is none is told what is wanted."""

    def read(value: Any) -> Any:
        try:
            found = from_json(value) if isinstance(value, str) else value
        except ValueError:
            found = None
        if not isinstance(found, list):
            raise PydanticCustomError("list", "a JSON list is wanted, such as {example}", {"example": example})
        return found

    return BeforeValidator(read)


_PORTS = {"http": 80, "https": 443}


def _spelled(text: str) -> str | None:
    """The origin of an address as browsers write it (RFC 6454): scheme, host, and the port where it is not the scheme's own."""
    try:
        url = AnyUrl(text)
    except ValidationError:
        return None
    if not url.host or "*" in url.host:
        return None
    port = "" if url.port in (None, _PORTS.get(url.scheme)) else f":{url.port}"
    return f"{url.scheme}://{url.host}{port}"


def _origin(text: str) -> str:
    """An origin, or ``*``; what no browser would ever send is told its right spelling."""
    if text in ("*", "null"):
        return text
    right = _spelled(text if "://" in text else f"https://{text}")
    if right is None:
        raise PydanticCustomError("origin", "an origin is wanted, such as https://table.example.org, or * for any")
    if text != right:
        raise PydanticCustomError("origin", "browsers write this origin so: {right}", {"right": right})
    return text


# ── The settings ─────────────────────────────────────────────────────────────────────────────────────────────────────


class Settings(BaseSettings):
    """What an operator may set. Each name here is read from ``TABLECALL_`` plus the name in capitals."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, use_attribute_docstrings=True, hide_input_in_errors=True)

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    """The port to listen on; 0 lets the system choose one."""
    cors_origins: Annotated[list[Annotated[str, AfterValidator(_origin)]], NoDecode, _listed('["https://table.example.org"]')] = ["*"]
    """The origins whose pages may call, as a JSON list; ``["*"]`` is any."""
    max_body_bytes: Annotated[int, Field(ge=1_024, le=64 * 1024 * 1024)] = 1024 * 1024
    """The largest request body, in bytes as received."""

    # ── Who may call ─────────────────────────────────────────────────────────────────────────────────────────────────
    api_keys: Annotated[list[Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]], NoDecode, _listed('["64 hexadecimal digits"]')] = []
    """The SHA-256 of each key that opens the doors, in hexadecimal, as a JSON list; empty, everybody may call. Health needs no key."""
    private_network: bool = False
    """Whether public pages may call a service on a private network (the browser asks for it in its preflight)."""
    graphql_suggestions: bool = True
    """Whether GraphQL errors suggest names that are nearly what was asked for."""

    # ── How much, how many, how long ─────────────────────────────────────────────────────────────────────────────────
    max_header_bytes: Annotated[int, Field(ge=1_024, le=1024 * 1024)] = 32 * 1024
    """The most bytes of a request before its body: the line it starts with and its headers."""
    max_url_bytes: Annotated[int, Field(ge=256, le=64 * 1024)] = 8 * 1024
    """The longest path and query, in bytes."""
    max_connections: Annotated[int, Field(ge=1, le=1_000_000)] = 5_000
    """The most open connections; the next is told 503 and closed."""
    max_requests: Annotated[int, Field(ge=1, le=1_000_000)] = 1_000
    """The most requests being answered at once; the next is refused with 503."""
    header_seconds: Annotated[float, Field(gt=0, le=600)] = 10
    """How long a request's headers may take to arrive, from the opening of the connection or their first byte."""
    body_seconds: Annotated[float, Field(gt=0, le=600)] = 15
    """How long a request's body may take to arrive; of a batch in lines, each line."""
    request_seconds: Annotated[float, Field(gt=0, le=600)] = 30
    """How long it may take until an answer begins."""
    write_seconds: Annotated[float, Field(gt=0, le=600)] = 30
    """How long a caller may read nothing of a long answer before the connection is cut."""
    idle_seconds: Annotated[int, Field(ge=1, le=3600)] = 75
    """How long a connection stays open between requests; keep it above the proxy's own."""

    # ── Dear odds ────────────────────────────────────────────────────────────────────────────────────────────────────
    odds_inline_ms: Annotated[float, Field(ge=0, le=1_000)] = 2
    """How long odds are counted at once, in milliseconds of the processor's time, before they are handed to the pool instead; 0 hands
    all of them over."""
    odds_workers: Annotated[int, Field(ge=0, le=64)] = 1
    """How many processes count dear odds, play simulations and resolve long fights; they start with the first. 0 does everything at
    once, whatever it delays."""
    odds_queue: Annotated[int, Field(ge=0, le=10_000)] = 16
    """How many such questions may wait for a process; the next is refused with 503."""
    odds_seconds: Annotated[float, Field(gt=0, le=300)] = 10
    """How long odds may be counted or simulated before they are refused as too large."""

    # ── Receipts ─────────────────────────────────────────────────────────────────────────────────────────────────────
    signing_key: SecretStr | None = None
    """The Ed25519 private key rulings are signed with, as PEM or as a JWK; without one there are no receipts."""
    signing_key_file: Path | None = None
    """The same in a file, such as a mounted secret."""
    verifying_keys: str | None = None
    """Further public keys receipts are checked with, earlier signing keys for one: PEM, a JWK or a JWK Set."""
    verifying_keys_file: Path | None = None
    """The same in a file."""

    # ── Batches ──────────────────────────────────────────────────────────────────────────────────────────────────────
    max_batch_bytes: Annotated[int, Field(ge=1_024, le=64 * 1024 * 1024)] = 4 * 1024 * 1024
    """The largest batch as one JSON document, in bytes."""
    max_batch_lines: Annotated[int, Field(ge=1, le=10_000_000)] = 100_000
    """The most requests of a batch in lines."""
    batch_room_bytes: Annotated[int, Field(ge=64 * 1024, le=1024 * 1024 * 1024)] = 8 * 1024 * 1024
    """How much of a batch in lines may wait in memory, for callers that send all of it before they read any answer."""
    batch_slice_ms: Annotated[float, Field(gt=0, le=100)] = 0.5
    """How long a batch works before others have their turn, in milliseconds."""

    # ── Stopping ─────────────────────────────────────────────────────────────────────────────────────────────────────
    drain_seconds: Annotated[float, Field(ge=0, le=600)] = 0
    """How long, once told to stop, requests are still taken while /readyz already fails, so that nobody is sent here any more."""
    grace_seconds: Annotated[int, Field(ge=1, le=600)] = 20
    """How long after that the requests being answered may take."""

    # ── What is told ─────────────────────────────────────────────────────────────────────────────────────────────────
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """What is logged at least."""
    log_format: Literal["auto", "json", "text"] = "auto"
    """JSON, readable text, or readable on a terminal only."""
    log_requests: bool = True
    """Whether every request has its line."""
    traces: bool = False
    """Whether traces are sent by OpenTelemetry; the standard OTEL_… variables say where."""


def strangers(environment: Iterable[str]) -> list[str]:
    """The variables that are called like settings and are none, each with the setting that is called nearly so."""
    known = {name.upper() for name in Settings.model_fields}
    found = []
    for variable in sorted(environment):
        name = variable.upper().removeprefix(PREFIX)
        if variable.upper().startswith(PREFIX) and name not in known:
            near = nearest(name, known)
            found.append(f"{variable} (there is {PREFIX}{near})" if near else variable)
    return found
