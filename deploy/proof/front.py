"""The proxy in front of the replicas, and compose."""

from __future__ import annotations

import http.client
import json
import subprocess
from collections.abc import Mapping

import deploy.proof.image as replica
from deploy.proof.bench import DEPLOY, Bench, free_port, require, wait_for

COMPOSED = {"TABLECALL_RATE": "20r/s", "TABLECALL_BURST": "40"}
UNBOUNDED = {"TABLECALL_RATE": "10000r/s", "TABLECALL_BURST": "10000"}
"""No rate limit, to measure what a replacement costs."""

MAIN = """\
daemon off;
pid {work}/nginx.pid;
error_log {work}/nginx.log warn;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {work}/nginx-body;
    proxy_temp_path {work}/nginx-proxy;
    fastcgi_temp_path {work}/nginx-fastcgi;
    uwsgi_temp_path {work}/nginx-uwsgi;
    scgi_temp_path {work}/nginx-scgi;
    include {work}/tablecall.conf;
}}
"""
"""The main configuration, in place of the one in the nginx image."""


class Nginx:
    """An nginx with our configuration, in front of replicas on these ports."""

    def __init__(self, bench: Bench, ports: list[int], values: Mapping[str, str] = UNBOUNDED) -> None:
        """Start it; ``stop`` ends it."""
        self.port = free_port()
        self.config = bench.work / "nginx.conf"
        servers = " ".join(f"server 127.0.0.1:{port} max_fails=3 fail_timeout=2s;" for port in ports)
        configure(bench, {**values, "TABLECALL_LISTEN": f"127.0.0.1:{self.port}", "TABLECALL_REPLICAS": servers})
        self.process = subprocess.Popen(["nginx", "-c", self.config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        bench.closing.callback(self.stop)
        wait_for(lambda: replica.get(self.port, "/livez") == 200, "nginx forwards to a replica")

    def reload(self, bench: Bench) -> None:
        """Reload the configuration, as after a replica has changed its address."""
        bench.run("nginx", "-c", self.config, "-s", "reload")

    def stop(self) -> None:
        """Stop it without waiting for requests."""
        self.process.terminate()
        self.process.wait(10)


def configure(bench: Bench, values: Mapping[str, str]) -> None:
    """Fill in the template as the nginx image does: only our variables."""
    text = (DEPLOY / "nginx" / "tablecall.conf.template").read_text()
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", value)
    require("${TABLECALL_" not in text, "compose.yaml sets every variable of the template")
    (bench.work / "tablecall.conf").write_text(text)
    (bench.work / "nginx.conf").write_text(MAIN.format(work=bench.work))


def compose(bench: Bench) -> str:
    """compose.yaml is valid by the Compose Specification."""
    bench.tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml")
    return "valid by the Compose Specification"


def gate(bench: Bench) -> str:
    """nginx limits the rate and the body, hides the metrics, and refuses with the problem documents of the service."""
    port = free_port()
    replica.start(bench, "gate", port)
    nginx = Nginx(bench, [port], COMPOSED)
    replica.resolve(nginx.port)
    _refuses(nginx.port, "GET", "/metrics", b"", 404, "/problems/not-found")
    _refuses(nginx.port, "TRACE", "/", b"", 405, "/problems/method-not-allowed")
    _refuses(nginx.port, "GET", f"/?{'a' * 9000}", b"", 414, "/problems/url-too-long")
    _refuses(nginx.port, "GET", f"/?{'a' * 40000}", b"", 414, "/problems/url-too-long")
    _refuses(nginx.port, "POST", "/resolve", b" " * (2**20 + 1), 413, "/problems/too-large")
    statuses = [replica.get(nginx.port, "/livez") for _ in range(80)]
    require(set(statuses) == {200, 429}, f"a client above the rate gets 200 and then 429, not {sorted(set(statuses))}")
    _refuses(nginx.port, "GET", "/livez", b"", 429, "/problems/too-many-requests", extra=60)
    bench.podman("rm", "--force", "--time", "0", "gate")
    wait_for(lambda: replica.get(nginx.port, "/livez") == 503, "without a replica the answer is 503")
    _refuses(nginx.port, "GET", "/livez", b"", 503, "/problems/busy")
    nginx.stop()
    return f"{statuses.count(429)} of 80 fast requests refused, each with a problem document"


def _refuses(port: int, method: str, path: str, body: bytes, status: int, kind: str, extra: int = 0) -> None:
    for _ in range(extra):
        replica.get(port, path)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request(method, path, body, {"content-type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    require(answer.status == status, f"{method} {path} is refused with {status}, not {answer.status}")
    require(answer.getheader("content-type") == "application/problem+json; charset=utf-8", f"the {status} is a problem document")
    require(answer.getheader("access-control-allow-origin") == "*", f"a page may read the {status}")
    require(json.loads(content)["type"].endswith(kind), f"the {status} is a {kind}")
    require(status not in (429, 503) or answer.getheader("retry-after") is not None, f"the {status} has a Retry-After header")
