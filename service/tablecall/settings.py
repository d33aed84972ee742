"""The settings of the service, read from ``TABLECALL_…`` environment variables, each with its bounds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AnyUrl, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_core import PydanticCustomError, from_json
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from tablecall.model.suggestions import nearest

PREFIX = "TABLECALL_"
"""The prefix of every environment variable that is a setting."""

# ── Lists and origins ────────────────────────────────────────────────────────────────────────────────────────────────


def _listed(example: str) -> BeforeValidator:
    """Read a list from JSON; the error shows an ``example``."""

    def read(value: Any) -> Any:
        try:
            items = from_json(value) if isinstance(value, str) else value
        except ValueError:
            items = None
        if not isinstance(items, list):
            raise PydanticCustomError("list", "must be a JSON list, such as {example}", {"example": example})
        return items

    return BeforeValidator(read)


_PORTS = {"http": 80, "https": 443}


def _as_browsers_write(text: str) -> str | None:
    """The origin of an address as browsers write it (RFC 6454): scheme, host, and the port unless it is the default port of the scheme."""
    try:
        url = AnyUrl(text)
    except ValidationError:
        return None
    if not url.host or "*" in url.host:
        return None
    port = "" if url.port in (None, _PORTS.get(url.scheme)) else f":{url.port}"
    return f"{url.scheme}://{url.host}{port}"


def _origin(text: str) -> str:
    """Accept ``*``, ``null``, or an origin as browsers send it. The error for any other shows the right spelling."""
    if text in ("*", "null"):
        return text
    right = _as_browsers_write(text if "://" in text else f"https://{text}")
    if right is None:
        raise PydanticCustomError("origin", "must be an origin, such as https://table.example.org, or * for any")
    if text != right:
        raise PydanticCustomError("origin", "browsers send this origin as {right}", {"right": right})
    return text


# ── The settings ─────────────────────────────────────────────────────────────────────────────────────────────────────


class Settings(BaseSettings):
    """All settings. The variable of each is ``TABLECALL_`` and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, use_attribute_docstrings=True, hide_input_in_errors=True)

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    """The port to listen on. With 0 the system chooses a free port."""
    cors_origins: Annotated[list[Annotated[str, AfterValidator(_origin)]], NoDecode, _listed('["https://table.example.org"]')] = ["*"]
    """Origins whose web pages may call the service, as a JSON list. ``["*"]`` allows every origin."""
    max_body_bytes: Annotated[int, Field(ge=1_024, le=64 * 1024 * 1024)] = 1024 * 1024
    """Maximum size of a request body in bytes, as received."""

    # ── Access ───────────────────────────────────────────────────────────────────────────────────────────────────────
    api_keys: Annotated[list[Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]], NoDecode, _listed('["64 hexadecimal digits"]')] = []
    """SHA-256 hashes of the API keys, in hexadecimal, as a JSON list. If the list is empty, no key is required. Health checks and the
    public keys never require one."""
    private_network: bool = False
    """Allow public web pages to call a service on a private network. Browsers ask for this in a preflight request."""
    graphql_suggestions: bool = True
    """Suggest similar names in GraphQL error messages."""

    # ── Sizes, numbers and times ─────────────────────────────────────────────────────────────────────────────────────
    max_header_bytes: Annotated[int, Field(ge=1_024, le=1024 * 1024)] = 32 * 1024
    """Maximum size of the request line and the headers together, in bytes."""
    max_url_bytes: Annotated[int, Field(ge=256, le=64 * 1024)] = 8 * 1024
    """Maximum length of the path and the query together, in bytes."""
    max_connections: Annotated[int, Field(ge=1, le=1_000_000)] = 5_000
    """Maximum number of open connections. Further connections get a 503 response and are closed."""
    max_requests: Annotated[int, Field(ge=1, le=1_000_000)] = 1_000
    """Maximum number of requests that are processed at the same time. Further requests get a 503 response."""
    header_seconds: Annotated[float, Field(gt=0, le=600)] = 10
    """Seconds for the headers of a request to arrive, from the start of the connection or from their first byte."""
    body_seconds: Annotated[float, Field(gt=0, le=600)] = 15
    """Seconds for the body of a request to arrive. In an NDJSON batch this applies to each line."""
    request_seconds: Annotated[float, Field(gt=0, le=600)] = 30
    """Seconds until the response must start."""
    write_seconds: Annotated[float, Field(gt=0, le=600)] = 30
    """Seconds a client may read nothing of a response before the connection is closed."""
    idle_seconds: Annotated[int, Field(ge=1, le=3600)] = 75
    """Seconds a connection may stay idle between requests. Set it higher than the idle timeout of the proxy."""

    # ── Expensive odds ───────────────────────────────────────────────────────────────────────────────────────────────
    odds_inline_ms: Annotated[float, Field(ge=0, le=1_000)] = 2
    """Milliseconds of processor time that odds may take in the main process before a worker process takes over. With 0, a worker computes
    all odds."""
    odds_workers: Annotated[int, Field(ge=0, le=64)] = 1
    """Number of worker processes for expensive odds, simulations and long fights. They start when they are first needed. With 0 there are
    no workers: the main process does this work, and other requests wait."""
    odds_queue: Annotated[int, Field(ge=0, le=10_000)] = 16
    """Maximum number of jobs that wait for a worker. Further jobs get a 503 response."""
    odds_seconds: Annotated[float, Field(gt=0, le=300)] = 10
    """Seconds that odds or a simulation may take. Odds that take longer are refused as too large; a simulation returns the trials played
    so far."""

    # ── Receipts ─────────────────────────────────────────────────────────────────────────────────────────────────────
    signing_key: SecretStr | None = None
    """The Ed25519 private key that signs rulings, as PEM or JWK. Without a key there are no receipts."""
    signing_key_file: Path | None = None
    """A file that holds the signing key, such as a mounted secret."""
    verifying_keys: str | None = None
    """Further public keys that verify receipts, for example earlier signing keys: PEM, a JWK or a JWK Set."""
    verifying_keys_file: Path | None = None
    """A file that holds the verifying keys."""

    # ── Batches ──────────────────────────────────────────────────────────────────────────────────────────────────────
    max_batch_bytes: Annotated[int, Field(ge=1_024, le=64 * 1024 * 1024)] = 4 * 1024 * 1024
    """Maximum size of a batch that is sent as one JSON document, in bytes."""
    max_batch_lines: Annotated[int, Field(ge=1, le=10_000_000)] = 100_000
    """Maximum number of requests in an NDJSON batch."""
    batch_room_bytes: Annotated[int, Field(ge=64 * 1024, le=1024 * 1024 * 1024)] = 8 * 1024 * 1024
    """Bytes of one NDJSON batch that may wait in memory, for clients that send everything before they read a response."""
    batch_slice_ms: Annotated[float, Field(gt=0, le=100)] = 0.5
    """Milliseconds a batch may work before other requests get a turn."""

    # ── Stopping ─────────────────────────────────────────────────────────────────────────────────────────────────────
    drain_seconds: Annotated[float, Field(ge=0, le=600)] = 0
    """Seconds the service still accepts requests after SIGTERM. /readyz already fails during this time, so that load balancers send no new
    requests."""
    grace_seconds: Annotated[int, Field(ge=1, le=600)] = 20
    """Seconds that running requests may take after draining."""

    # ── Logs, traces ─────────────────────────────────────────────────────────────────────────────────────────────────
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The lowest level that is logged."""
    log_format: Literal["auto", "json", "text"] = "auto"
    """``json``, ``text``, or ``auto``: text on a terminal and JSON elsewhere."""
    log_requests: bool = True
    """Log one line for each request."""
    traces: bool = False
    """Send OpenTelemetry traces. The standard ``OTEL_…`` variables configure where to."""


def unknown_variables(environment: Iterable[str]) -> list[str]:
    """The ``TABLECALL_`` variables that are not settings, each with the setting whose name is closest."""
    known = {name.upper() for name in Settings.model_fields}
    unknown = []
    for variable in sorted(environment):
        name = variable.upper().removeprefix(PREFIX)
        if variable.upper().startswith(PREFIX) and name not in known:
            near = nearest(name, known)
            unknown.append(f"{variable} (did you mean {PREFIX}{near}?)" if near else variable)
    return unknown
