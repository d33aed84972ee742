"""What the wheel and the source distribution contain."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

import hatch_build

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with wheel and source distribution, built from this checkout."""
    if not hatch_build.is_built():
        pytest.skip("the pages are not built: make pages")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "--directory", folder], cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> dict[str, bytes]:
    """The files of the wheel by path, without name and version of its ``.dist-info``."""
    [path] = built.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return {name.replace(f"{'-'.join(path.name.split('-')[:2])}.dist-info", ".dist-info"): data for name, data in files.items()}


def metadata(wheel: dict[str, bytes]) -> Message:
    return Parser().parsestr(wheel[".dist-info/METADATA"].decode())


def test_wheel_has_one_package_with_every_module(wheel: dict[str, bytes]) -> None:
    assert {name.partition("/")[0] for name in wheel} == {"tablecall", ".dist-info"}
    source = ROOT / "service"
    modules = {path.relative_to(source).as_posix() for path in (source / "tablecall").rglob("*.py")}
    assert {name for name in wheel if name.endswith(".py")} == modules
    assert wheel["tablecall/py.typed"] == b""


def test_wheel_has_the_data_files_of_the_systems(wheel: dict[str, bytes]) -> None:
    files = [path for path in (ROOT / "service" / "tablecall" / "systems").rglob("*") if path.suffix in {".json", ".toml"}]
    assert {path.name for path in files} == {"rules.toml", "examples.json", "tables.json", "en.toml", "de.toml"}
    for path in files:
        assert wheel[path.relative_to(ROOT / "service").as_posix()] == path.read_bytes()


def test_wheel_has_the_pages_and_the_licences_of_their_packages(wheel: dict[str, bytes]) -> None:
    assert {f"tablecall/static/{name}" for name in ("docs.html", "graphiql.html", "table.html", "licenses.md")} <= set(wheel)
    assert b"swagger-ui" in wheel["tablecall/static/licenses.md"]


def test_wheel_has_licence_and_notice(wheel: dict[str, bytes]) -> None:
    for name in ("LICENSE", "NOTICE"):
        assert wheel[f".dist-info/licenses/{name}"] == (ROOT / name).read_bytes()
    fields = metadata(wheel)
    assert (fields["License-Expression"], fields["Author"]) == ("MIT", "the Tablecall authors")
    assert fields.get_all("License-File") == ["LICENSE", "NOTICE"]


def test_wheel_has_the_command(wheel: dict[str, bytes]) -> None:
    assert wheel[".dist-info/entry_points.txt"].split() == b"[console_scripts] tablecall = tablecall.__main__:main".split()


def test_source_distribution_has_the_built_pages(built: Path) -> None:
    """So building a wheel from it needs no Node."""
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"service/tablecall/static/.stamp", "service/web/package-lock.json", "hatch_build.py", "LICENSE", "NOTICE"} <= names
