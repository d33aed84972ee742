"""What stays open passes nginx: events as they come."""

from __future__ import annotations

import socket
import socketserver
import threading
from contextlib import suppress

from deploy.proof.bench import Bench, require
from deploy.proof.front import Nginx

EVENTS = "GET /odds/jazz/fight HTTP/1.1\r\nHost: tablecall\r\nAccept: text/event-stream\r\n\r\n"


class Standin(socketserver.StreamRequestHandler):
    """Answers as a replica would that is asked for events, or for how it is."""

    timeout = 10

    def handle(self) -> None:
        """Answer one connection."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.rfile.readline()
        if b"text/event-stream" in head:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: first\n\n")
            # Nothing follows, and nothing ends, until the caller has gone.
            self.rfile.readline()
        else:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


class Replica(socketserver.ThreadingTCPServer):
    """The stand-in on a port of its own: which of the service's answers stream is not this proof's business."""

    daemon_threads = True


def passed(bench: Bench) -> str:
    """An event arrives while the answer is still open."""
    with Replica(("127.0.0.1", 0), Standin) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        nginx = Nginx(bench, [server.server_address[1]])
        require(b"data: first" in _told(nginx.port), "an event passes as soon as it is sent")
        nginx.stop()
        server.shutdown()
    return "an event before the answer ended"


def _told(port: int) -> bytes:
    """What has come by the time the first event has."""
    found = b""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(EVENTS.encode())
        with suppress(TimeoutError):
            while b"data: first" not in found and (more := connection.recv(4096)):
                found += more
    return found
