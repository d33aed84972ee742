"""The Kubernetes manifests: valid, consistent, and run by podman."""

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
    """Every overlay is valid by the schemas of Kubernetes, has no unknown field, and keeps its promises."""
    count = 0
    for overlay in OVERLAYS:
        rendered = render(bench, overlay)
        bench.tool("kubernetes-validate", "--strict", "-k", KUBERNETES, rendered)
        documents = read(bench, rendered)
        require(not broken(documents), f"overlay {overlay}: {'; '.join(broken(documents))}")
        count += len(documents)
    return f"{count} documents in {len(OVERLAYS)} overlays valid for Kubernetes {KUBERNETES}, and all promises kept"


def pod(bench: Bench) -> str:
    """The small overlay runs and answers on its port."""
    port = free_port()
    documents = read(bench, render(bench, "small"))
    file = bench.work / "pod.yaml"
    # The only change: the network of the host, and a port other than 8000, which may be taken here.
    file.write_text("\n---\n".join(json.dumps(_on_port(document, port)) for document in documents if document["kind"] in PLAYED))
    bench.podman("play", "kube", "--network=host", file)
    wait_for(lambda: replica.get(port, "/readyz") == 200, "the pod is ready")
    ruling = replica.resolve(port)
    bench.podman("play", "kube", "--down", file)
    wait_for(lambda: replica.get(port, "/livez") == 0, "the pod is gone")
    return f"answered: {ruling['summary']!r}"


PLAYED = ("ConfigMap", "Deployment")
"""The kinds podman can run. A Service, an Ingress and a NetworkPolicy need a cluster."""


def render(bench: Bench, overlay: str) -> Path:
    """Render an overlay as kubectl applies it."""
    file = bench.work / f"{overlay}.yaml"
    file.write_text(bench.run(bench.venv / "kubectl", "kustomize", DEPLOY / "kubernetes" / "overlays" / overlay))
    return file


def read(bench: Bench, rendered: Path) -> list[dict[str, Any]]:
    """The documents of a YAML file, read by a pinned tool."""
    documents: list[dict[str, Any]] = json.loads(bench.run(bench.venv / "bin" / "python", "-c", AS_JSON, stdin=rendered.read_text()))
    return documents


def _on_port(document: dict[str, Any], port: int) -> dict[str, Any]:
    if document["kind"] == "Deployment":
        (container,) = document["spec"]["template"]["spec"]["containers"]
        container["image"] = replica.IMAGE
        del container["ports"]
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            container[probe]["httpGet"]["port"] = port
        container["env"].append({"name": "TABLECALL_PORT", "value": str(port)})
    return document
