"""Every knob of the service, read from the environment as ``TABLECALL_…``, with its bound."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What an operator may set. Each name here is read from ``TABLECALL_`` plus the name in capitals."""

    model_config = SettingsConfigDict(env_prefix="TABLECALL_", use_attribute_docstrings=True, hide_input_in_errors=True)

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    """The port to listen on; 0 lets the system choose one."""
    cors_origins: list[str] = ["*"]
    """The origins whose pages may call, as a JSON list; ``["*"]`` is any."""
    max_body_bytes: Annotated[int, Field(ge=1_024, le=64 * 1024 * 1024)] = 1024 * 1024
    """The largest request body, in bytes as received."""

    # ── Who may call ─────────────────────────────────────────────────────────────────────────────────────────────────
    api_keys: list[Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]] = []
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
    """How long odds are counted at once, in milliseconds, before they are handed to the pool instead; 0 hands all of them over."""
    odds_workers: Annotated[int, Field(ge=0, le=64)] = 1
    """How many processes count dear odds, play simulations and resolve long fights; they start with the first. 0 does everything at
    once, whatever it delays."""
    odds_queue: Annotated[int, Field(ge=0, le=10_000)] = 16
    """How many such questions may wait for a process; the next is refused with 503."""

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

    odds_seconds: Annotated[float, Field(gt=0, le=300)] = 10
    """How long odds may be counted or simulated before they are refused as too large."""

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
