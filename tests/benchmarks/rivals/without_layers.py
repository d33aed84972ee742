"""Our own doors with nothing around them: no limits, no request id, no CORS, no metrics, no log."""

from starlette.applications import Starlette

from tablecall.app import create_app

app = Starlette(routes=create_app().routes)
