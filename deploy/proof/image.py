"""The image: it builds, it builds reproducibly, its content, and how it runs."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from deploy.proof.bench import CERTIFICATES, DEPLOY, ROOT, Bench, CannotRun, Failed, free_port, require, wait_for

BASE = "python:3.11-slim-bookworm"
IMAGE = "localhost/tablecall:0.5.0"
AGAIN = "localhost/tablecall:again"
LISTING = "localhost/tablecall:sbom"
DATE = "1767225600"
HARDENED = (
    "--network=host", "--read-only", "--read-only-tmpfs=false", "--cap-drop=ALL", "--security-opt=no-new-privileges",
    "--memory=384m", "--pids-limit=64",
)  # fmt: skip
NOT_SHIPPED = ("pip", "pip3", "gcc", "cc", "make", "git", "node", "npm", "hatchling", "uv")

CHECK = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10, "seed": 42}


def lint(bench: Bench) -> str:
    """Hadolint finds nothing in the Dockerfile."""
    bench.tool("hadolint", DEPLOY / "Dockerfile")
    return "hadolint finds nothing"


def base(bench: Bench) -> str:
    """A slim Python base made of Debian packages, under the public name that the Dockerfile uses."""
    if _has(bench, BASE):
        return "kept from an earlier run"
    tar = bench.work / "base.tar"
    bench.run(
        "mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "--include=python3,python3-venv,ca-certificates", "bookworm", tar
    )
    trusted = "/etc/ssl/certs/ca-certificates.crt"
    changes = [f"--change=ENV {name}={trusted}" for name in ("PIP_CERT", "NODE_EXTRA_CA_CERTS")]
    bench.podman("import", "--quiet", *changes, tar, BASE)
    tar.unlink()
    return "imported the Python of Debian"


def build(bench: Bench) -> str:
    """The image builds from the tracked files, holds no build tools, and has a list of contents, inside and beside it."""
    _snapshot(bench)
    if "twice" in bench.wanted:
        # At the same time, on two cores. Neither may use the cache of the other.
        bench.second_build = bench.meanwhile.submit(_build, bench, AGAIN, "--no-cache")
    _build(bench, IMAGE, *(["--no-cache"] if bench.second_build else []))
    _build(bench, LISTING, "--target=sbom")
    with bench.mounted(IMAGE) as files:
        require(not _build_tools(files), f"no build tools in the image: {', '.join(_build_tools(files))}")
        require(not list((files / "app").rglob("pip")), "no installer in /app")
        pages = {path.name for path in (files / "app").glob("lib/python3*/site-packages/tablecall/static/*.html")}
        require({"docs.html", "graphiql.html", "table.html"} <= pages, f"the built pages are in the image, not only {sorted(pages)}")
        inside = (files / "app" / "sbom.cdx.json").read_bytes()
        size = sum(path.lstat().st_size for path in (files / "app").rglob("*"))
    with bench.mounted(LISTING) as files:
        require((files / "sbom.cdx.json").read_bytes() == inside, "the lists of contents inside and beside the image are equal")
    listed = _check_listing(json.loads(inside))
    labels = bench.inspect(IMAGE)["Labels"]
    require(labels.get("org.opencontainers.image.title") == "Tablecall", "the image is labelled")
    return f"/app is {size / 1e6:.0f} MB; the list of contents names {listed} components"


def twice(bench: Bench) -> str:
    """A second build without a cache gives the same layers, byte for byte."""
    if bench.second_build is None:
        raise CannotRun("there was no second build")
    bench.second_build.result()
    first, second = (bench.inspect(image)["RootFS"]["Layers"] for image in (IMAGE, AGAIN))
    if first != second:
        raise Failed(f"both builds have the same layers: {_differences(bench)}")
    return f"both builds have {len(first)} equal layers"


def arm64(bench: Bench) -> str:
    """Every pinned package has a wheel for arm64 at a pinned hash."""
    bench.run(
        bench.venv / "bin" / "pip", "install", "--quiet", "--dry-run", "--target", bench.work / "arm64", "--require-hashes",
        "--only-binary=:all:", "--python-version=3.11", "--platform=manylinux2014_aarch64", "--platform=manylinux_2_28_aarch64",
        "-r", ROOT / "requirements.txt",
    )  # fmt: skip
    return "every pinned package has a wheel for arm64"


def container(bench: Bench) -> str:
    """The container runs with a read-only root, without privileges and within limits; it answers and stops cleanly."""
    name, port = "hardened", free_port()
    # All odds go to a worker process, so that one must start here.
    start(bench, name, port, "--env=TABLECALL_ODDS_INLINE_MS=0")
    status = dict(re.findall(r"^(\w+):\s+(.*)$", bench.podman("exec", name, "cat", "/proc/1/status"), re.MULTILINE))
    require(status["Uid"].split() == ["10001"] * 4, "it runs as user 10001")
    require({int(status[f"Cap{which}"], 16) for which in ("Eff", "Prm", "Bnd", "Inh", "Amb")} == {0}, "it has no capability")
    require(status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", "it cannot gain privileges, and system calls are filtered")
    require(_cgroup(bench, name, "memory.max", "memory/memory.limit_in_bytes") == str(384 * 2**20), "its memory is limited")
    require(_cgroup(bench, name, "pids.max", "pids/pids.max") == "64", "its processes are limited")
    for place in ("/tmp/x", "/app/x"):
        require(not _holds(bench, "exec", name, "touch", place), f"{place} can't be written")
    bench.podman("healthcheck", "run", name)
    ruling = resolve(port)
    require(ask(port, "/odds", CHECK)["method"] == "exact", "a worker process counts odds")
    alone = bench.podman("run", "--rm", "--interactive", "--network=none", *HARDENED[1:], IMAGE, "resolve", "-", stdin=json.dumps(CHECK))
    require(json.loads(alone) == ruling, "the command gives the same ruling without a network")
    bench.podman("stop", "--time", "30", name)
    code = bench.inspect(name)["State"]["ExitCode"]
    require(code == 0, f"it stops with exit code 0, not {code}")
    bench.podman("rm", name)
    return f"answered: {ruling['summary']!r}; stopped with 0"


def start(bench: Bench, name: str, port: int, *options: str) -> None:
    """Start a hardened replica and wait until it is ready."""
    launch(bench, name, port, *options)
    await_ready(bench, name, port)


def launch(bench: Bench, name: str, port: int, *options: str) -> None:
    """Start a hardened replica."""
    bench.podman("run", "--detach", "--replace", "--name", name, *HARDENED, f"--env=TABLECALL_PORT={port}", *options, IMAGE)


def await_ready(bench: Bench, name: str, port: int) -> None:
    """Wait until a replica is ready. If it is not ready in time, the error shows its log."""
    try:
        wait_for(lambda: get(port, "/readyz") == 200, f"{name} is ready", 30)
    except Failed as error:
        raise Failed(f"{error}; its log:\n{bench.log(name)}") from None


def get(port: int, path: str) -> int:
    """The status of a GET request, or 0 without a response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


def resolve(port: int) -> Any:
    """The ruling of a check."""
    return ask(port, "/resolve", CHECK)


def ask(port: int, path: str, request: Any) -> Any:
    """The response to a POST request, which must have status 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("POST", path, json.dumps(request), {"content-type": "application/json"})
        answer = connection.getresponse()
        body = answer.read()
        require(answer.status == 200, f"{path} has status 200, not {answer.status}: {body[:300]!r}")
        return json.loads(body)
    finally:
        connection.close()


# ── Building ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _snapshot(bench: Bench) -> None:
    """Copy the files that git does not ignore: nothing else can get into the image, and they do not change between two builds."""
    source = bench.work / "source"
    shutil.rmtree(source, ignore_errors=True)
    names = bench.run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in names:
        if name and (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)


def _build(bench: Bench, image: str, *options: str) -> None:
    mounts = [f"--volume={place}:{place}:ro" for place in CERTIFICATES]
    bench.buildah(
        "bud", "--layers", "--format=docker", "--isolation=chroot", "--pull-never",
        f"--timestamp={DATE}", f"--build-arg=SOURCE_DATE_EPOCH={DATE}",
        *mounts, "--ignorefile=deploy/Dockerfile.dockerignore", "--file=deploy/Dockerfile", *options, f"--tag={image}", ".",
        cwd=bench.work / "source",
    )  # fmt: skip


def _has(bench: Bench, image: str) -> bool:
    return _holds(bench, "image", "exists", image)


def _holds(bench: Bench, *arguments: str) -> bool:
    try:
        bench.podman(*arguments)
    except Failed:
        return False
    return True


def _build_tools(files: Path) -> list[str]:
    places = ("usr/bin", "usr/local/bin", "bin", "app/bin")
    return [f"/{place}/{name}" for name in NOT_SHIPPED for place in places if (files / place / name).exists()]


def _check_listing(listing: Any) -> int:
    require(listing["bomFormat"] == "CycloneDX", "the list of contents is CycloneDX")
    listed = {(re.sub(r"[-_.]+", "-", part["name"]).lower(), part["version"]) for part in listing["components"]}
    locked = re.findall(r"^([\w.-]+)==(\S+)([^\\\n]*)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    # A package with a marker may be absent on this machine.
    missing = {(name, version) for name, version, marker in locked if ";" not in marker} - listed
    require(not missing, f"the list of contents names every pinned package; missing: {sorted(missing)}")
    return len(listed)


def _differences(bench: Bench) -> str:
    with bench.mounted(IMAGE) as first, bench.mounted(AGAIN) as second:
        done = subprocess.run(
            ["diff", "--recursive", "--brief", "--no-dereference", first / "app", second / "app"],
            capture_output=True,
            text=True,
            check=False,
        )
    return done.stdout[:2000] or "only dates or owners differ"


def _cgroup(bench: Bench, name: str, *places: str) -> str:
    """Read the first of the files that exists: version 2 of the interface, then version 1."""
    for place in places:
        for folder in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
            if _holds(bench, "exec", name, "test", "-f", f"{folder}/{place}"):
                return bench.podman("exec", name, "cat", f"{folder}/{place}").strip()
    raise CannotRun(f"{places[0]} cannot be read on this machine")
