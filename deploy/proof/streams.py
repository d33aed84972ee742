"""nginx forwards server-sent events without a delay."""

from __future__ import annotations

import socket
import socketserver
import threading
from contextlib import suppress

from deploy.proof.bench import Bench, require
from deploy.proof.front import Nginx

EVENTS = "GET /odds/jazz/fight HTTP/1.1\r\nHost: tablecall\r\nAccept: text/event-stream\r\n\r\n"


class Standin(socketserver.StreamRequestHandler):
    """Answers as a replica does to a request for events, or to a health check."""

    timeout = 10

    def handle(self) -> None:
        """Answer one connection."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.rfile.readline()
        if b"text/event-stream" in head:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: first\n\n")
            # Nothing follows, and the response stays open until the client disconnects.
            self.rfile.readline()
        else:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


class Replica(socketserver.ThreadingTCPServer):
    """The stand-in for a replica, on its own port. Which responses of the service are streams is not tested here."""

    daemon_threads = True


def passed(bench: Bench) -> str:
    """An event arrives while the answer is still open."""
    with Replica(("127.0.0.1", 0), Standin) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        nginx = Nginx(bench, [server.server_address[1]])
        require(b"data: first" in _received(nginx.port), "an event is forwarded as soon as it is sent")
        nginx.stop()
        server.shutdown()
    return "an event arrived before the response ended"


def _received(port: int) -> bytes:
    """The bytes received up to the first event."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(EVENTS.encode())
        with suppress(TimeoutError):
            while b"data: first" not in received and (more := connection.recv(4096)):
                received += more
    return received
