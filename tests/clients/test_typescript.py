"""The npm package ``@tablecall/client``: packed as it would be published, then compiled against and run like an author's program."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import tarfile
import tomllib
from pathlib import Path

import pytest

from tests.clients.conftest import HERE, Tools
from tests.docs.documents import DOCUMENTS, Block, blocks, text
from tests.support.client import EXAMPLES

ROOT = HERE.parent.parent
SOURCE = ROOT / "clients" / "typescript"
MANIFEST = json.loads((SOURCE / "package.json").read_text())
STRICT = {
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "module": "NodeNext",
    "target": "ES2022",
    "lib": ["ES2022", "DOM", "DOM.Iterable"],
    "types": ["node"],
    "outDir": "built",
}
"""The strictest settings an author may have. The declarations of the package are checked too."""


@pytest.fixture(scope="module")
def app(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An author's project, with the packed package installed."""
    return installed(tools, tmp_path_factory.mktemp("npm"))


def installed(tools: Tools, folder: Path) -> Path:
    """Build and pack a copy of the package, and unpack it as npm would."""
    source = folder / "clients" / "typescript"
    shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("dist", "generated", "node_modules"))
    (folder / "openapi").symlink_to(ROOT / "openapi")
    tools.run("npm", "pack", "--pack-destination", folder, cwd=source)
    (archive,) = folder.glob("*.tgz")
    app = folder / "app"
    modules = app / "node_modules"
    with tarfile.open(archive) as packed:
        packed.extractall(modules / "@tablecall", filter="data")
    (modules / "@tablecall" / "package").rename(modules / "@tablecall" / "client")
    (modules / "@types").symlink_to(tools.modules / "@types")
    (modules / "undici-types").symlink_to(tools.modules / "undici-types")
    (app / "package.json").write_text('{"type": "module"}')
    return app


def test_package_has_only_what_is_run(app: Path, tools: Tools) -> None:
    package = app / "node_modules" / "@tablecall" / "client"
    files = {str(path.relative_to(package)) for path in package.rglob("*") if path.is_file()}
    built = {name for name in files if name.startswith("dist/")}
    assert files - built == {"package.json", "README.md", "LICENSE"}
    assert {Path(name).suffixes[-1] for name in built} == {".js", ".ts"}
    assert all(name.endswith((".js", ".d.ts")) for name in built)
    assert "dependencies" not in MANIFEST


def test_package_is_small(app: Path, tools: Tools) -> None:
    """At most 8 kB gzipped without types, even unminified; a bundler makes half of it."""
    scripts = sorted((app / "node_modules" / "@tablecall" / "client" / "dist").rglob("*.js"))
    assert len(gzip.compress(b"".join(script.read_bytes() for script in scripts), mtime=0)) <= 8_000
    entry = scripts[0].parent / "index.js"
    tools.run("esbuild", entry, "--bundle", "--minify", "--format=esm", "--outfile=bundle.js", cwd=app)
    assert len(gzip.compress((app / "bundle.js").read_bytes(), mtime=0)) <= 4_000


def test_version_and_tools_are_those_of_the_project() -> None:
    assert MANIFEST["version"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    pinned = json.loads((HERE / "package.json").read_text())["dependencies"]
    assert MANIFEST["devDependencies"].items() <= pinned.items()


def test_compiler_accepts_and_refuses(app: Path, tools: Tools) -> None:
    compiled(app, tools, "types", (SOURCE / "test" / "types.ts").read_text())


def test_package_works_with_a_service(app: Path, tools: Tools, service: str) -> None:
    (app / "examples.json").write_text(json.dumps([{"action": tag, **body} for tag, _, body in EXAMPLES]))
    shutil.copy(SOURCE / "test" / "client.test.mjs", app)
    published = {"VECTORS": ROOT / "schema" / "dice" / "vectors.json", "RULINGS": ROOT / "schema" / "rulings"}
    variables = {"TABLECALL": service, "EXAMPLES": "examples.json", **published}
    output = tools.run("env", *(f"{name}={value}" for name, value in variables.items()), "node", "--test", "client.test.mjs", cwd=app)
    assert re.search(r"skipped 0\b", output), output


def compiled(app: Path, tools: Tools, name: str, source: str) -> Path:
    """The JavaScript of a program, which the compiler must accept."""
    (app / f"{name}.ts").write_text(source)
    (app / "tsconfig.json").write_text(json.dumps({"compilerOptions": STRICT, "files": [f"{name}.ts"]}))
    tools.run("tsc", "--project", "tsconfig.json", cwd=app)
    return app / "built" / f"{name}.js"


# ── The documents ────────────────────────────────────────────────────────────────────────────────────────────────────

SAMPLES = [block for document in DOCUMENTS for block in blocks(document) if block.language == "ts"]


@pytest.mark.parametrize("block", SAMPLES, ids=lambda block: block.place)
def test_samples_compile_and_print_what_they_say(block: Block, app: Path, tools: Tools, service: str) -> None:
    program = compiled(app, tools, "sample", block.code.replace("http://127.0.0.1:8000", service))
    output = tools.run("node", program, cwd=app).translate({0x2068: None, 0x2069: None})
    said = re.findall(r"^// prints: (.*)$", block.code, re.MULTILINE)
    assert said, block.place
    assert output.splitlines()[: len(said)] == said, block.place


def test_every_export_is_documented(app: Path) -> None:
    index = (app / "node_modules" / "@tablecall" / "client" / "dist" / "index.d.ts").read_text()
    names = {name.strip().removeprefix("type ") for group in re.findall(r"export (?:type )?\{(.*?)\}", index) for name in group.split(",")}
    exported = {name for name in names if name}
    assert len(exported) > 15
    assert {name for name in exported if name not in text("docs/typescript.md")} == set()
