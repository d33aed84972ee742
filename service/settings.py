"""Every knob of the service, read from the environment as ``TABLECALL_…``, with its bound."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What an operator may set. Each name here is read from ``TABLECALL_`` plus the name in capitals."""

    model_config = SettingsConfigDict(env_prefix="TABLECALL_", use_attribute_docstrings=True)

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    """The port to listen on; 0 lets the system choose one."""
    cors_origins: list[str] = ["*"]
    """The origins whose pages may call, as a JSON list; ``["*"]`` is any."""
    max_body_bytes: Annotated[int, Field(ge=1_024, le=64 * 1024 * 1024)] = 1024 * 1024
    """The largest request body, in bytes as received."""
