"""The files of Prometheus and Grafana, checked by promtool."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from deploy.proof.bench import DEPLOY, Bench, CannotRun, require

SYNTAX_ONLY = "groups:\n- name: dashboard\n  rules:\n"


def check(bench: Bench) -> str:
    """promtool accepts the configuration, the alerts and every expression of the dashboard."""
    tool = _promtool(bench)
    # The configuration names the alerts where compose.yaml mounts them.
    config = bench.work / "prometheus.yml"
    config.write_text((DEPLOY / "prometheus" / "prometheus.yml").read_text().replace("/etc/prometheus", str(DEPLOY / "prometheus")))
    bench.run(tool, "check", "config", config)
    queries = expressions(json.loads((DEPLOY / "grafana" / "tablecall.json").read_text()))
    rules = bench.work / "dashboard.yml"
    rules.write_text(
        SYNTAX_ONLY + "".join(f"  - {{record: 'panel:{number}', expr: {json.dumps(text)}}}\n" for number, text in enumerate(queries))
    )
    bench.run(tool, "check", "rules", rules)
    return f"configuration, alerts and {len(queries)} expressions of the dashboard are valid"


def expressions(dashboard: dict[str, object]) -> list[str]:
    """Every query of a dashboard, with the interval that Grafana fills in."""
    panels = dashboard["panels"]
    assert isinstance(panels, list)
    queries = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    return [text.replace("$__rate_interval", "1m") for text in queries]


def _promtool(bench: Bench) -> Path:
    """promtool, unpacked from the Debian package, which is not installed because it contains a server."""
    place = bench.work / "prometheus"
    tool = place / "usr" / "bin" / "promtool"
    if not tool.exists():
        if shutil.which("apt-get") is None:
            raise CannotRun("promtool comes from Debian")
        place.mkdir(exist_ok=True)
        bench.run("apt-get", "download", "-qq", "prometheus", cwd=place)
        (package,) = place.glob("*.deb")
        content = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", place, "./usr/bin/promtool"], input=content, check=True)
        package.unlink()
    require(tool.exists(), "the Debian package contains promtool")
    return tool
