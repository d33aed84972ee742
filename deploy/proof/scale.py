"""Several replicas: they agree, one may crash, and all may be replaced under load."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field

import deploy.proof.image as replica
from deploy.proof.bench import Bench, free_port, require
from deploy.proof.front import Nginx

CALLERS = 6
PAUSE = 0.02
"""Seconds between two requests of one client, so that a small machine has time for the replicas."""
LONGEST = 240
"""Seconds a load may last. The action under load must end before, or nothing is proved."""


@dataclass
class Load:
    """Several clients that send one request after the other, for a limited time.

    Each request has its own connection. On a kept one, the server may close an idle connection while a request is on its way; no server
    can prevent that, and every client retries.
    """

    port: int
    retries: int
    asked: int = 0
    retried: int = 0
    lost: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)

    def during(self, act: Callable[[], None]) -> Load:
        """Send requests before, during and after ``act``."""
        over = threading.Event()
        deadline = time.monotonic() + LONGEST
        callers = [threading.Thread(target=self._call, args=(number, over, deadline)) for number in range(CALLERS)]
        for caller in callers:
            caller.start()
        try:
            time.sleep(1)
            act()
            time.sleep(1)
        finally:
            over.set()
            for caller in callers:
                caller.join()
        require(time.monotonic() < deadline, f"the action under load ends within {LONGEST} s")
        return self

    def _call(self, number: int, over: threading.Event, deadline: float) -> None:
        turn = 0
        while not over.is_set() and time.monotonic() < deadline:
            self._ask(f"{number}/{turn}")
            turn += 1
            time.sleep(PAUSE)

    def _ask(self, seed: str) -> None:
        self.asked += 1
        failure = ""
        for attempt in range(self.retries + 1):
            self.retried += attempt > 0
            try:
                self.answers[seed] = resolve(self.port, seed)
            except (OSError, http.client.HTTPException) as error:
                failure = repr(error)
            else:
                return
        self.lost.append(failure)


def resolve(port: int, seed: str) -> str:
    """The ruling as sent, byte for byte. Raises ``OSError`` for any status but 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(
            "POST", "/resolve", json.dumps({**replica.CHECK, "seed": seed}), {"content-type": "application/json", "connection": "close"}
        )
        answer = connection.getresponse()
        body = answer.read().decode()
        if answer.status != 200:
            raise OSError(f"{answer.status} {body[:200]}")
        return body
    finally:
        connection.close()


class Fleet:
    """Three replicas of the image behind nginx."""

    def __init__(self, bench: Bench) -> None:
        """Start them; ``close`` stops them."""
        self.bench = bench
        self.ports = [free_port() for _ in range(3)]
        for port in self.ports:
            replica.launch(bench, f"replica-{port}", port)
        for port in self.ports:
            replica.await_ready(bench, f"replica-{port}", port)
        self.nginx = Nginx(bench, self.ports)

    def replace(self, port: int) -> None:
        """Stop one replica as a cluster does, start another in its place, and reload nginx."""
        self.bench.podman("stop", "--time", "30", f"replica-{port}")
        code = self.bench.inspect(f"replica-{port}")["State"]["ExitCode"]
        require(code == 0, f"a replica stopped under load exits with 0, not {code}")
        self.bench.podman("rm", f"replica-{port}")
        replica.start(self.bench, f"replica-{port}", port)
        self.nginx.reload(self.bench)

    def close(self) -> None:
        """Stop all."""
        self.nginx.stop()
        self.bench.podman("rm", "--force", "--time", "0", *(f"replica-{port}" for port in self.ports))


def alike(bench: Bench) -> str:
    """Three replicas behind nginx all answer, and give the same ruling for the same seed."""
    fleet = Fleet(bench)
    seeds = [f"alike/{number}" for number in range(60)]
    through = {seed: {resolve(fleet.nginx.port, seed) for _ in range(3)} for seed in seeds}
    idle = [port for port in fleet.ports if not _has_ruled(port)]
    require(not idle, f"nginx uses every replica; {len(idle)} of {len(fleet.ports)} got no request")
    for port in fleet.ports:
        for seed in seeds:
            through[seed].add(resolve(port, seed))
    require(all(len(answers) == 1 for answers in through.values()), "the same seed gives the same bytes on every replica")
    require(len({answers.pop() for answers in through.values()}) > 1, "another seed gives another ruling")
    fleet.close()
    return f"{len(seeds)} seeds, six requests each to three replicas: one ruling for each seed"


def _has_ruled(port: int) -> bool:
    """Whether a replica has counted a ruling."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        return re.search(r'^tablecall_actions_total\{.*verb="resolve".*\} [1-9]', answer.read().decode(), re.MULTILINE) is not None


def kill(bench: Bench) -> str:
    """If one of three replicas is killed under load, one retry is enough for every request."""
    fleet = Fleet(bench)
    load = Load(fleet.nginx.port, retries=1).during(lambda: _kill(bench, fleet.ports[0]))
    fleet.close()
    _unharmed(load)
    return f"{load.asked} requests, {load.retried} retried, none lost"


def _kill(bench: Bench, port: int) -> None:
    bench.podman("kill", "--signal=KILL", f"replica-{port}")


def rolling(bench: Bench) -> str:
    """All three replicas are replaced under load, one after the other, without a lost request or a retry."""
    fleet = Fleet(bench)

    def replace_all() -> None:
        for port in fleet.ports:
            fleet.replace(port)

    load = Load(fleet.nginx.port, retries=0).during(replace_all)
    fleet.close()
    _unharmed(load)
    return f"{load.asked} requests during three replacements, none lost, none retried"


def _unharmed(load: Load) -> None:
    require(load.asked > 200, f"the load was more than 200 requests, not {load.asked}")
    require(not load.lost, f"no request is lost; {len(load.lost)} of {load.asked} were: {load.lost[:3]}")
