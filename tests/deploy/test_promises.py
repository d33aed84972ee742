"""The Kubernetes manifests keep their promises, and a broken promise is reported."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.proof.promises import broken
from tablecall.settings import Settings

KUBERNETES = Path(__file__).parents[2] / "deploy" / "kubernetes"
PRODUCTION = ("horizontalpodautoscaler.yaml", "poddisruptionbudget.yaml")

Documents = dict[str, Any]


def _read(folder: Path, names: list[str]) -> list[Any]:
    return [yaml.safe_load((folder / name).read_text()) for name in names]


def _base() -> Documents:
    """The documents of base by kind, with the ConfigMap that kustomize makes. deploy/prove checks the real output of kustomize."""
    kustomization = yaml.safe_load((KUBERNETES / "base" / "kustomization.yaml").read_text())
    (settings,) = kustomization["configMapGenerator"]
    data = dict(literal.split("=", 1) for literal in settings["literals"])
    configuration = {"kind": "ConfigMap", "metadata": {"name": settings["name"]}, "data": data}
    return {document["kind"]: document for document in [configuration, *_read(KUBERNETES / "base", kustomization["resources"])]}


def _production() -> Documents:
    folder = KUBERNETES / "overlays" / "production"
    return _base() | {document["kind"]: document for document in _read(folder, list(PRODUCTION))}


def test_all_overlays_keep_every_promise() -> None:
    assert broken(list(_base().values())) == []
    assert broken(list(_production().values())) == []


def test_overlays_name_exactly_their_files() -> None:
    for overlay in (KUBERNETES / "overlays").iterdir():
        kustomization = yaml.safe_load((overlay / "kustomization.yaml").read_text())
        patches = [patch["path"] for patch in kustomization.get("patches", [])]
        named = {*kustomization["resources"], *patches} - {"../../base"}
        assert {f"{path.name}" for path in overlay.iterdir()} == named | {"kustomization.yaml"}


def _pod(documents: Documents) -> Any:
    return documents["Deployment"]["spec"]["template"]["spec"]


def _container(documents: Documents) -> Any:
    return _pod(documents)["containers"][0]


Break = Callable[[Documents], Any]

BREAKS: dict[str, Break] = {
    "it runs as a numbered user who is not root": lambda d: _pod(d)["securityContext"].update(runAsUser=0),
    "system calls are filtered": lambda d: _pod(d)["securityContext"].update(seccompProfile={"type": "Unconfined"}),
    "the root is read-only": lambda d: _container(d)["securityContext"].update(readOnlyRootFilesystem=False),
    "no privilege is gained": lambda d: _container(d)["securityContext"].update(privileged=True),
    "every capability is dropped, none is added": lambda d: _container(d)["securityContext"]["capabilities"].update(add=["NET_RAW"]),
    "it uses nothing of the host": lambda d: _pod(d).update(hostNetwork=True),
    "it has no token for the cluster": lambda d: _pod(d).update(automountServiceAccountToken=True),
    "no name of a Service becomes a setting": lambda d: _pod(d).update(enableServiceLinks=True),
    "cpu and memory are requested and limited": lambda d: _container(d)["resources"]["limits"].pop("memory"),
    "probes use /livez and /readyz": lambda d: _container(d)["readinessProbe"]["httpGet"].update(path="/livez"),
    "probes use a port of the container": lambda d: _container(d)["livenessProbe"]["httpGet"].update(port="web"),
    "the signing key is a reference to a secret": lambda d: _container(d)["env"][0].update(value="secret", valueFrom={}),
    "the settings reach the container": lambda d: _container(d)["envFrom"][0]["configMapRef"].update(name="other"),
    "the pod has more time to stop than the service needs": lambda d: _pod(d).update(terminationGracePeriodSeconds=30),
    "it drains until a probe has failed": lambda d: d["ConfigMap"]["data"].update(TABLECALL_DRAIN_SECONDS="1"),
    "the Deployment selects the pods": lambda d: d["Deployment"]["spec"]["selector"]["matchLabels"].update(app="other"),
    "the Service selects the pods": lambda d: d["Service"]["spec"]["selector"].update(app="other"),
    "the NetworkPolicy selects the pods": lambda d: d["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"].update(app="other"),
    "replicas are spread over zones and nodes": lambda d: _pod(d)["topologySpreadConstraints"].pop(),
    "each spread selects the pods": lambda d: _pod(d)["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"].clear(),
    "a rollout never reduces the number of replicas": lambda d: d["Deployment"]["spec"]["strategy"]["rollingUpdate"].update(
        maxUnavailable=1
    ),
    "a pod can call nothing": lambda d: d["NetworkPolicy"]["spec"]["egress"].append({}),
    "the port of the Service exists in the container": lambda d: d["Service"]["spec"]["ports"][0].update(targetPort=9000),
    "the Ingress leads to the Service": lambda d: d["Service"]["metadata"].update(name="other"),
    "the Ingress hides the metrics": lambda d: d["Ingress"]["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"].update(
        name="tablecall"
    ),
    "the Ingress limits the rate": lambda d: d["Ingress"]["metadata"]["annotations"].pop("nginx.org/limit-req-rate"),
    "the Ingress bounds the body": lambda d: d["Ingress"]["metadata"]["annotations"].pop("nginx.ingress.kubernetes.io/proxy-body-size"),
    "the autoscaler scales the Deployment": lambda d: d["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"].update(name="other"),
    "only the autoscaler sets the number of replicas": lambda d: d["Deployment"]["spec"].update(replicas=3),
    "the autoscaler's bounds are in order": lambda d: d["HorizontalPodAutoscaler"]["spec"].update(maxReplicas=2),
    "the budget selects the pods": lambda d: d["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"].update(app="other"),
    "the budget allows a drain and keeps two replicas": lambda d: d["PodDisruptionBudget"]["spec"].update(maxUnavailable=0),
    "a single replica has no disruption budget, which would block a drain of its node": lambda d: d.pop("HorizontalPodAutoscaler"),
}


@pytest.mark.parametrize("promise", BREAKS)
def test_broken_promise_is_reported(promise: str) -> None:
    documents = copy.deepcopy(_production())
    BREAKS[promise](documents)
    assert promise in broken(list(documents.values()))


def test_every_setting_in_the_files_exists() -> None:
    compose = yaml.safe_load((KUBERNETES.parent / "compose.yaml").read_text())
    for given in (_base()["ConfigMap"]["data"], compose["services"]["tablecall-1"]["environment"]):
        names = {name.removeprefix("TABLECALL_").lower(): value for name, value in given.items()}
        assert names.keys() <= Settings.model_fields.keys()
        Settings(**names)
