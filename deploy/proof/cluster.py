"""The manifests: valid, in agreement with each other, and run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import deploy.proof.image as replica
from deploy.proof.bench import DEPLOY, Bench, free_port, require, wait_for
from deploy.proof.promises import broken

OVERLAYS = ("small", "production")
KUBERNETES = "1.37"

AS_JSON = "import json, sys, yaml; json.dump(list(yaml.safe_load_all(sys.stdin)), sys.stdout)"


def manifests(bench: Bench) -> str:
    """Every overlay is valid by Kubernetes' own schemas, knows no unknown field, and keeps its promises."""
    count = 0
    for overlay in OVERLAYS:
        rendered = render(bench, overlay)
        bench.tool("kubernetes-validate", "--strict", "-k", KUBERNETES, rendered)
        documents = read(bench, rendered)
        require(not broken(documents), f"overlay {overlay}: {'; '.join(broken(documents))}")
        count += len(documents)
    return f"{count} documents in {len(OVERLAYS)} overlays valid for Kubernetes {KUBERNETES}, and every promise kept"


def pod(bench: Bench) -> str:
    """The small overlay runs as it is, and answers on its port."""
    port = free_port()
    documents = read(bench, render(bench, "small"))
    place = bench.work / "pod.yaml"
    # The one change: on the host's own network and on another port than 8000, which may be taken here.
    place.write_text("\n---\n".join(json.dumps(_on_port(document, port)) for document in documents if document["kind"] in PLAYED))
    bench.podman("play", "kube", "--network=host", place)
    wait_for(lambda: replica.get(port, "/readyz") == 200, "the pod is ready")
    ruling = replica.resolve(port)
    bench.podman("play", "kube", "--down", place)
    wait_for(lambda: replica.get(port, "/livez") == 0, "the pod is gone")
    return f"answered: {ruling['summary']!r}"


PLAYED = ("ConfigMap", "Deployment")
"""What podman knows to play; a Service, an Ingress and a NetworkPolicy are a cluster's."""


def render(bench: Bench, overlay: str) -> Path:
    """The overlay as it would be applied."""
    place = bench.work / f"{overlay}.yaml"
    place.write_text(bench.run(bench.venv / "kubectl", "kustomize", DEPLOY / "kubernetes" / "overlays" / overlay))
    return place


def read(bench: Bench, rendered: Path) -> list[dict[str, Any]]:
    """The documents of a file; the pinned tools bring the reader of YAML."""
    found: list[dict[str, Any]] = json.loads(bench.run(bench.venv / "bin" / "python", "-c", AS_JSON, stdin=rendered.read_text()))
    return found


def _on_port(document: dict[str, Any], port: int) -> dict[str, Any]:
    if document["kind"] == "Deployment":
        (container,) = document["spec"]["template"]["spec"]["containers"]
        container["image"] = replica.IMAGE
        del container["ports"]
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            container[probe]["httpGet"]["port"] = port
        container["env"].append({"name": "TABLECALL_PORT", "value": str(port)})
    return document
