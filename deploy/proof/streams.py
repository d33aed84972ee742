"""What stays open passes nginx: WebSockets both ways, and events as they come."""

from __future__ import annotations

import socket
import socketserver
import threading

from deploy.proof.bench import Bench, require
from deploy.proof.front import Nginx

UPGRADE = "GET /graphql HTTP/1.1\r\nHost: tablecall\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
EVENTS = "GET /odds/jazz/fight HTTP/1.1\r\nHost: tablecall\r\nAccept: text/event-stream\r\n\r\n"


class Standin(socketserver.StreamRequestHandler):
    """Answers as a replica would that is asked for a WebSocket, for events, or for how it is."""

    timeout = 10

    def handle(self) -> None:
        """Answer one connection."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.rfile.readline()
        if b"upgrade: websocket" in head.lower():
            self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            self.wfile.write(b"heard " + self.rfile.readline())
        elif b"text/event-stream" in head:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: first\n\n")
            # Nothing follows, and nothing ends, until the caller has gone.
            self.rfile.readline()
        else:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


class Replica(socketserver.ThreadingTCPServer):
    """The stand-in on a port of its own: which of the service's answers stream is not this proof's business."""

    daemon_threads = True


def passed(bench: Bench) -> str:
    """A WebSocket is upgraded and heard, and an event arrives while the answer is still open."""
    with Replica(("127.0.0.1", 0), Standin) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        nginx = Nginx(bench, [server.server_address[1]])
        socketed = _exchange(nginx.port, UPGRADE, b"101", "hello\n", b"heard hello")
        require(socketed, "a WebSocket passes both ways")
        require(_exchange(nginx.port, EVENTS, b"data: first"), "an event passes as soon as it is sent")
        nginx.stop()
        server.shutdown()
    return "a WebSocket both ways, and an event before the answer ended"


def _exchange(port: int, first: str, answered: bytes, then: str = "", heard: bytes = b"") -> bool:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(first.encode())
        found = _until(connection, answered)
        if not then:
            return answered in found
        connection.sendall(then.encode())
        return answered in found and heard in _until(connection, heard)


def _until(connection: socket.socket, wanted: bytes) -> bytes:
    found = b""
    try:
        while wanted not in found and (more := connection.recv(4096)):
            found += more
    except TimeoutError:
        pass
    return found
