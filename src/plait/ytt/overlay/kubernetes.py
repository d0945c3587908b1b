"""Item keys and sets of the lists in Kubernetes' built-in types.

They follow from the Kubernetes API: the keys of `+listMapKey`, or else the patch merge key. Lists not named here are
replaced as a whole. Controllers write the status, so only its conditions are here.
"""

from __future__ import annotations

from plait.ytt.overlay.item_keys import SET, Rule, value_under
from plait.ytt.overlay.matchers import REQUIRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.tree.nodes import Document


def _by(*names: str) -> Rule:
    return Rule(tuple((name, REQUIRED) for name in names))


def _by_port(name: str) -> Rule:
    return Rule(((name, REQUIRED), ("protocol", "TCP")))


def _below(path: str, rules: Mapping[str, Rule]) -> dict[str, Rule]:
    return {f"{path}.{inner}": rule for inner, rule in rules.items()}


_METADATA = {"metadata.finalizers": SET, "metadata.ownerReferences": _by("uid")}
_CONTAINER = {
    "env": _by("name"),
    "ports": _by_port("containerPort"),
    "resources.claims": _by("name"),
    "restartPolicyRules.exitCodes.values": SET,
    "volumeDevices": _by("devicePath"),
    "volumeMounts": _by("mountPath"),
    "volumeMounts.bindMountOptions": SET,
}
_POD = {
    "hostAliases": _by("ip"),
    "imagePullSecrets": _by("name"),
    "evictionResponders": _by("name"),
    "resourceClaims": _by("name"),
    "resources.claims": _by("name"),
    "schedulingGates": _by("name"),
    "topologySpreadConstraints": _by("topologyKey", "whenUnsatisfiable"),
    "volumes": _by("name"),
    **_below("volumes.ephemeral.volumeClaimTemplate", _METADATA),
}
for _name in ("containers", "ephemeralContainers", "initContainers"):
    _POD |= {_name: _by("name"), **_below(_name, _CONTAINER)}
_TEMPLATE = {**_below("template", _METADATA), **_below("template.spec", _POD)}
_WORKLOAD = _below("spec", _TEMPLATE)
_JOB = {
    **_TEMPLATE,
    "podFailurePolicy.rules.onExitCodes.values": SET,
    "scheduling.resourceClaims": _by("name"),
}
_WEBHOOKS = {"webhooks": _by("name"), "webhooks.matchConditions": _by("name")}
_FLOW = {
    **dict.fromkeys(("nonResourceRules.nonResourceURLs", "nonResourceRules.verbs"), SET),
    **{f"resourceRules.{name}": SET for name in ("apiGroups", "namespaces", "resources", "verbs")},
}
_GROUP_TEMPLATES = {"podGroupTemplates": _by("name"), "podGroupTemplates.resourceClaims": _by("name")}
_COMPOSITE_TEMPLATES = {
    "compositePodGroupTemplates": _by("name"),
    "compositePodGroupTemplates.compositePodGroupTemplates": _by("name"),
    **_below("compositePodGroupTemplates", _GROUP_TEMPLATES),
}

# Maps group and kind, for all versions, to the paths of lists.
_KINDS: dict[str, Mapping[str, Rule]] = {
    "/Node": {"spec.podCIDRs": SET, "spec.podPreemptionPolicy.disableResizePreemption": SET},
    "/Pod": _below("spec", _POD),
    "/PodTemplate": _TEMPLATE,
    "/ReplicationController": _WORKLOAD,
    "/Service": {"spec.ports": _by_port("port")},
    "/ServiceAccount": {"secrets": _by("name")},
    "admissionregistration.k8s.io/MutatingAdmissionPolicy": {"spec.matchConditions": _by("name")},
    "admissionregistration.k8s.io/MutatingWebhookConfiguration": _WEBHOOKS,
    "admissionregistration.k8s.io/ValidatingAdmissionPolicy": {
        "spec.matchConditions": _by("name"),
        "spec.variables": _by("name"),
    },
    "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": {"spec.validationActions": SET},
    "admissionregistration.k8s.io/ValidatingWebhookConfiguration": _WEBHOOKS,
    "apps/DaemonSet": _WORKLOAD,
    "apps/Deployment": _WORKLOAD,
    "apps/ReplicaSet": _WORKLOAD,
    "apps/StatefulSet": {**_WORKLOAD, **_below("spec.volumeClaimTemplates", _METADATA)},
    "batch/CronJob": {**_below("spec.jobTemplate", _METADATA), **_below("spec.jobTemplate.spec", _JOB)},
    "batch/Job": _below("spec", _JOB),
    "discovery.k8s.io/EndpointSlice": {"endpoints.addresses": SET},
    "flowcontrol.apiserver.k8s.io/FlowSchema": _below("spec.rules", _FLOW),
    "resource.k8s.io/ResourceClaimTemplate": _below("spec", _METADATA),
    "resource.k8s.io/ResourceSlice": {"spec.skipNodeOperations": SET},
    "scheduling.k8s.io/PodGroup": {"spec.resourceClaims": _by("name")},
    "scheduling.k8s.io/Workload": _below("spec", {**_GROUP_TEMPLATES, **_COMPOSITE_TEMPLATES}),
    "storage.k8s.io/CSIDriver": {"spec.volumeLifecycleModes": SET},
    "storage.k8s.io/CSINode": {"spec.drivers": _by("name")},
}
# API groups of the built-in kinds.
_GROUPS = frozenset(
    {
        *(kind.partition("/")[0] for kind in _KINDS),
        *("autoscaling", "policy"),
        *(f"{name}.k8s.io" for name in ("certificates", "networking", "storagemigration")),
    }
)


def rule_of_kubernetes(document: Document, path: tuple[str, ...]) -> Rule | None:
    """The rule for an array in a Kubernetes object; for all documents with a kind, also the rule for their metadata."""
    version, kind = (value_under(document.value, key) for key in ("apiVersion", "kind"))
    if type(version) is not str or type(kind) is not str:
        return None
    text = ".".join(path)
    if text in _METADATA:
        return _METADATA[text]
    group = version.rpartition("/")[0]
    if text == "status.conditions" and group in _GROUPS:
        return _by("type")
    return _KINDS.get(f"{group}/{kind}", {}).get(text)
