"""More than one replica: they agree, one may die, and all may be replaced under load."""

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
"""Between two requests of one caller, so that a small machine has room for the replicas."""
LONGEST = 240
"""How many seconds a load may last: what it accompanies must be over by then, or nothing is shown."""


@dataclass
class Load:
    """A bounded load: so many callers, each asking one thing after the other until told to stop, or for as long as a load may last.

    Each request has a connection of its own, as a bot's or a spreadsheet's has: on a kept one, the end of an idle connection
    may cross a request on its way, which no server can prevent and every client asks again.
    """

    port: int
    retries: int
    asked: int = 0
    retried: int = 0
    lost: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)

    def during(self, act: Callable[[], None]) -> Load:
        """Ask before, during and after ``act``."""
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
        require(time.monotonic() < deadline, f"what the load accompanies is over within {LONGEST} s")
        return self

    def _call(self, number: int, over: threading.Event, deadline: float) -> None:
        turn = 0
        while not over.is_set() and time.monotonic() < deadline:
            self._ask(f"{number}/{turn}")
            turn += 1
            time.sleep(PAUSE)

    def _ask(self, seed: str) -> None:
        self.asked += 1
        said = ""
        for attempt in range(self.retries + 1):
            self.retried += attempt > 0
            try:
                self.answers[seed] = resolve(self.port, seed)
            except (OSError, http.client.HTTPException) as error:
                said = repr(error)
            else:
                return
        self.lost.append(said)


def resolve(port: int, seed: str) -> str:
    """The ruling as sent, byte for byte, or an error where it is not 200."""
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
    """Three replicas of the image, and nginx before them."""

    def __init__(self, bench: Bench) -> None:
        """They are started here; ``close`` stops them."""
        self.bench = bench
        self.ports = [free_port() for _ in range(3)]
        for port in self.ports:
            replica.launch(bench, f"replica-{port}", port)
        for port in self.ports:
            replica.await_ready(bench, f"replica-{port}", port)
        self.nginx = Nginx(bench, self.ports)

    def replace(self, port: int) -> None:
        """Stop one as a cluster does, start another in its place, and let nginx look it up again."""
        self.bench.podman("stop", "--time", "30", f"replica-{port}")
        code = self.bench.inspect(f"replica-{port}")["State"]["ExitCode"]
        require(code == 0, f"a replica stopped under load ends with 0, not {code}")
        self.bench.podman("rm", f"replica-{port}")
        replica.start(self.bench, f"replica-{port}", port)
        self.nginx.reload(self.bench)

    def close(self) -> None:
        """Stop all."""
        self.nginx.stop()
        self.bench.podman("rm", "--force", "--time", "0", *(f"replica-{port}" for port in self.ports))


def alike(bench: Bench) -> str:
    """Three replicas behind nginx all rule, and give the same ruling for the same seed."""
    fleet = Fleet(bench)
    seeds = [f"alike/{number}" for number in range(60)]
    through = {seed: {resolve(fleet.nginx.port, seed) for _ in range(3)} for seed in seeds}
    idle = [port for port in fleet.ports if not _asked(port)]
    require(not idle, f"nginx asks every replica; it passed over {len(idle)} of {len(fleet.ports)}")
    for port in fleet.ports:
        for seed in seeds:
            through[seed].add(resolve(port, seed))
    require(all(len(answers) == 1 for answers in through.values()), "the same seed gives the same bytes, whoever is asked")
    require(len({answers.pop() for answers in through.values()}) > 1, "another seed gives another ruling")
    fleet.close()
    return f"{len(seeds)} seeds, each asked six times of three replicas: one ruling each"


def _asked(port: int) -> bool:
    """Whether a replica has counted a ruling."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        return re.search(r'^tablecall_actions_total\{.*verb="resolve".*\} [1-9]', answer.read().decode(), re.MULTILINE) is not None


def kill(bench: Bench) -> str:
    """One of three killed outright under load costs no request that asking once more does not mend."""
    fleet = Fleet(bench)
    load = Load(fleet.nginx.port, retries=1).during(lambda: _kill(bench, fleet.ports[0]))
    fleet.close()
    _unharmed(load)
    return f"{load.asked} asked, {load.retried} asked once more, none lost"


def _kill(bench: Bench, port: int) -> None:
    bench.podman("kill", "--signal=KILL", f"replica-{port}")


def rolling(bench: Bench) -> str:
    """All three replaced, one after the other, under load cost no request at all: nobody asks twice."""
    fleet = Fleet(bench)

    def replace_all() -> None:
        for port in fleet.ports:
            fleet.replace(port)

    load = Load(fleet.nginx.port, retries=0).during(replace_all)
    fleet.close()
    _unharmed(load)
    return f"{load.asked} asked during three replacements, none lost, none asked twice"


def _unharmed(load: Load) -> None:
    require(load.asked > 200, f"there was a load: {load.asked} requests")
    require(not load.lost, f"no request is lost; {len(load.lost)} of {load.asked} were: {load.lost[:3]}")
