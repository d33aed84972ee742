"""A service whose log a test can read."""

from __future__ import annotations

import io
from typing import Any

from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.runtime.log_writer import LogWriter
from tablecall.runtime.services import Services
from tablecall.settings import Settings
from tests.support.server import WAIT


class LoggingClient(TestClient):
    """Calls a service with these settings that keeps its log in memory."""

    def __init__(self, **settings: Any) -> None:
        self.services = Services(Settings(**settings))
        self._stream = io.StringIO()
        self.services.writer = LogWriter(self._stream)
        super().__init__(create_app(services=self.services))

    @property
    def log(self) -> list[str]:
        """The lines that were logged."""
        self.services.report()
        self.services.writer.close(WAIT)
        return self._stream.getvalue().splitlines()
