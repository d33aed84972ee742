"""The promises of the Kubernetes manifests: sentences that a set of documents keeps or breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Document = dict[str, Any]


def broken(documents: Sequence[Document]) -> list[str]:
    """The promises that these documents break."""
    return [promise for promise, kept in _promises(documents) if not kept]


def _promises(documents: Sequence[Document]) -> Iterator[tuple[str, bool]]:
    (deployment,) = _all(documents, "Deployment")
    (service,) = _all(documents, "Service")
    (policy,) = _all(documents, "NetworkPolicy")
    (ingress,) = _all(documents, "Ingress")
    (configuration,) = _all(documents, "ConfigMap")
    template = deployment["spec"]["template"]
    labels = template["metadata"]["labels"]
    yield from _pod(template["spec"])
    yield from _stopping(template["spec"], configuration)
    yield from _selected("the Deployment", deployment["spec"]["selector"]["matchLabels"], labels)
    yield from _selected("the Service", service["spec"]["selector"], labels)
    yield from _selected("the NetworkPolicy", policy["spec"]["podSelector"]["matchLabels"], labels)
    for spread in template["spec"].get("topologySpreadConstraints", []):
        yield from _selected("each spread", spread["labelSelector"]["matchLabels"], labels)
    yield (
        "replicas are spread over zones and nodes",
        {spread["topologyKey"] for spread in template["spec"].get("topologySpreadConstraints", [])}
        == {"topology.kubernetes.io/zone", "kubernetes.io/hostname"},
    )
    yield "a rollout never reduces the number of replicas", _rolls(deployment)["maxUnavailable"] == 0
    yield "a pod can call nothing", policy["spec"]["policyTypes"] == ["Ingress", "Egress"] and policy["spec"]["egress"] == []
    yield "the port of the Service exists in the container", _port(service) in _ports(template["spec"])
    yield "the Ingress leads to the Service", _backends(ingress)["/"] == service["metadata"]["name"]
    yield "the Ingress hides the metrics", _backends(ingress)["/metrics"] != service["metadata"]["name"]
    yield "the Ingress limits the rate", _annotated(ingress, "limit-rps", "limit-req-rate")
    yield "the Ingress bounds the body", _annotated(ingress, "proxy-body-size", "client-max-body-size")
    yield from _scaling(deployment, _all(documents, "HorizontalPodAutoscaler"), _all(documents, "PodDisruptionBudget"), labels)


def _pod(pod: Document) -> Iterator[tuple[str, bool]]:
    (container,) = pod["containers"]
    own, shared = container["securityContext"], pod["securityContext"]
    yield "it runs as a numbered user who is not root", shared["runAsNonRoot"] is True and shared["runAsUser"] > 0
    yield "system calls are filtered", shared["seccompProfile"] == {"type": "RuntimeDefault"}
    yield "the root is read-only", own["readOnlyRootFilesystem"] is True
    yield "no privilege is gained", own["allowPrivilegeEscalation"] is False and not own.get("privileged", False)
    yield "every capability is dropped, none is added", own["capabilities"] == {"drop": ["ALL"]}
    yield "it uses nothing of the host", not any(pod.get(what) for what in ("hostNetwork", "hostPID", "hostIPC", "volumes"))
    yield "it has no token for the cluster", pod["automountServiceAccountToken"] is False
    yield "no name of a Service becomes a setting", pod["enableServiceLinks"] is False
    resources = container["resources"]
    yield "cpu and memory are requested and limited", all({"cpu", "memory"} <= set(resources[of]) for of in ("requests", "limits"))
    probes = {name: container[name]["httpGet"]["path"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
    yield "probes use /livez and /readyz", list(probes.values()) == ["/livez", "/livez", "/readyz"]
    yield "probes use a port of the container", all(container[name]["httpGet"]["port"] in _ports(pod) for name in probes)
    secrets = [entry for entry in container.get("env", []) if entry["name"] == "TABLECALL_SIGNING_KEY"]
    yield "the signing key is a reference to a secret", all("secretKeyRef" in entry.get("valueFrom", {}) for entry in secrets)


def _stopping(pod: Document, configuration: Document) -> Iterator[tuple[str, bool]]:
    (container,) = pod["containers"]
    settings, probe = configuration["data"], container["readinessProbe"]
    drain, grace = int(settings["TABLECALL_DRAIN_SECONDS"]), int(settings["TABLECALL_GRACE_SECONDS"])
    read = {source["configMapRef"]["name"] for source in container["envFrom"]}
    yield "the settings reach the container", read == {configuration["metadata"]["name"]}
    yield "the pod has more time to stop than the service needs", pod["terminationGracePeriodSeconds"] > drain + grace
    yield "it drains until a probe has failed", drain > probe["periodSeconds"] * probe["failureThreshold"]


def _scaling(
    deployment: Document, scalers: Sequence[Document], budgets: Sequence[Document], labels: Document
) -> Iterator[tuple[str, bool]]:
    if not scalers:
        yield "a single replica has no disruption budget, which would block a drain of its node", not budgets
        yield "without an autoscaler the number of replicas is set", "replicas" in deployment["spec"] or not budgets
        return
    (scaler,), (budget,) = scalers, budgets
    target = scaler["spec"]["scaleTargetRef"]
    yield "the autoscaler scales the Deployment", (target["kind"], target["name"]) == ("Deployment", deployment["metadata"]["name"])
    yield "only the autoscaler sets the number of replicas", "replicas" not in deployment["spec"]
    yield "the autoscaler's bounds are in order", scaler["spec"]["minReplicas"] <= scaler["spec"]["maxReplicas"]
    yield from _selected("the budget", budget["spec"]["selector"]["matchLabels"], labels)
    away = budget["spec"]["maxUnavailable"]
    yield "the budget allows a drain and keeps two replicas", 1 <= away <= scaler["spec"]["minReplicas"] - 2


def _all(documents: Sequence[Document], kind: str) -> list[Document]:
    return [document for document in documents if document["kind"] == kind]


def _selected(who: str, selector: Document, labels: Document) -> Iterator[tuple[str, bool]]:
    yield f"{who} selects the pods", bool(selector) and selector.items() <= labels.items()


def _rolls(deployment: Document) -> Document:
    found: Document = deployment["spec"]["strategy"]["rollingUpdate"]
    return found


def _ports(pod: Document) -> set[str | int]:
    return {port[key] for container in pod["containers"] for port in container["ports"] for key in ("name", "containerPort")}


def _port(service: Document) -> Any:
    (port,) = service["spec"]["ports"]
    return port["targetPort"]


def _backends(ingress: Document) -> dict[str, str]:
    return {path["path"]: path["backend"]["service"]["name"] for rule in ingress["spec"]["rules"] for path in rule["http"]["paths"]}


def _annotated(ingress: Document, community: str, vendor: str) -> bool:
    return {f"nginx.ingress.kubernetes.io/{community}", f"nginx.org/{vendor}"} <= set(ingress["metadata"]["annotations"])
