"""A service whose log a test can read."""

from __future__ import annotations

import io
from typing import Any

from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.runtime.app_state import AppState
from tablecall.runtime.log_writer import LogWriter
from tablecall.settings import Settings
from tests.support.server import WAIT


class LoggingClient(TestClient):
    """Calls a service with these settings that keeps its log in memory."""

    def __init__(self, **settings: Any) -> None:
        given = Settings(**settings)
        self.vitals = AppState(given)
        self._stream = io.StringIO()
        self.vitals.writer = LogWriter(self._stream)
        super().__init__(create_app(given, self.vitals))

    @property
    def log(self) -> list[str]:
        """The lines that were logged."""
        self.vitals.writer.close(WAIT)
        return self._stream.getvalue().splitlines()
