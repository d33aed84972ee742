"""A request's context without a request."""

from __future__ import annotations

from typing import Any

from tablecall.runtime.request_context import RequestContext
from tablecall.runtime.services import Services
from tablecall.settings import Settings


def context(**settings: Any) -> RequestContext:
    """The context of a request to a service with these settings; without worker processes unless asked for."""
    return RequestContext(services=Services(Settings(**{"odds_workers": 0, **settings})))
