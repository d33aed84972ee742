"""Prometheus and Grafana: their files are read by Prometheus' own tool."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from deploy.proof.bench import DEPLOY, Bench, CannotRun, require

SYNTAX_ONLY = "groups:\n- name: dashboard\n  rules:\n"


def check(bench: Bench) -> str:
    """Prometheus takes the configuration and the alerts, and can read every expression on the dashboard."""
    tool = _promtool(bench)
    # The configuration names the alerts where compose.yaml mounts them.
    config = bench.work / "prometheus.yml"
    config.write_text((DEPLOY / "prometheus" / "prometheus.yml").read_text().replace("/etc/prometheus", str(DEPLOY / "prometheus")))
    bench.run(tool, "check", "config", config)
    found = expressions(json.loads((DEPLOY / "grafana" / "tablecall.json").read_text()))
    rules = bench.work / "dashboard.yml"
    rules.write_text(
        SYNTAX_ONLY + "".join(f"  - {{record: 'panel:{number}', expr: {json.dumps(text)}}}\n" for number, text in enumerate(found))
    )
    bench.run(tool, "check", "rules", rules)
    return f"configuration, alerts and {len(found)} expressions of the dashboard read"


def expressions(dashboard: dict[str, object]) -> list[str]:
    """Every query of a dashboard, Grafana's own interval filled in."""
    panels = dashboard["panels"]
    assert isinstance(panels, list)
    found = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    return [text.replace("$__rate_interval", "1m") for text in found]


def _promtool(bench: Bench) -> Path:
    """Out of Debian's package, unpacked and not installed: no server is wanted."""
    place = bench.work / "prometheus"
    tool = place / "usr" / "bin" / "promtool"
    if not tool.exists():
        if shutil.which("apt-get") is None:
            raise CannotRun("Prometheus' tool comes from Debian")
        place.mkdir(exist_ok=True)
        bench.run("apt-get", "download", "-qq", "prometheus", cwd=place)
        (package,) = place.glob("*.deb")
        content = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", place, "./usr/bin/promtool"], input=content, check=True)
        package.unlink()
    require(tool.exists(), "Debian's package holds promtool")
    return tool
