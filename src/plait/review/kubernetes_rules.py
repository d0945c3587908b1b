"""Rules for consequences: Kubernetes kinds."""

from __future__ import annotations

from itertools import product
from math import prod

from plait.review.crd_rules import CRD, stricter
from plait.review.image_rules import pod_of
from plait.review.rules import ERROR, NOTE, WARNING, Rule, at, is_on_both, items_of, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.review.rules import Data

_IMMUTABLE: Mapping[str, Sequence[tuple[str, ...]]] = {
    "Deployment": [("spec", "selector")],
    "ReplicaSet": [("spec", "selector")],
    "DaemonSet": [("spec", "selector")],
    "StatefulSet": [
        ("spec", "selector"), ("spec", "volumeClaimTemplates"), ("spec", "serviceName"), ("spec", "podManagementPolicy"),
    ],
    "Job": [("spec", "template"), ("spec", "selector"), ("spec", "completionMode")],
    "PersistentVolumeClaim": [
        ("spec", "storageClassName"), ("spec", "accessModes"), ("spec", "volumeName"), ("spec", "selector"),
        ("spec", "volumeMode"),
    ],
    "StorageClass": [("provisioner",), ("parameters",), ("reclaimPolicy",), ("volumeBindingMode",)],
    "RoleBinding": [("roleRef",)],
    "ClusterRoleBinding": [("roleRef",)],
    "Secret": [("type",)],
}  # fmt: skip


def _immutable(old: Data, new: Data) -> Iterator[str]:
    if not is_on_both(old, new):
        return
    for path in _IMMUTABLE.get(kind_of(new), ()):
        before = at(old, *path)
        if before is not None and before != at(new, *path):
            yield ".".join(path)
    if kind_of(new) == "Service":
        before = at(old, "spec", "clusterIP")
        if before is not None and before != "" and before != at(new, "spec", "clusterIP"):
            yield "spec.clusterIP"
    if kind_of(new) in ("ConfigMap", "Secret") and at(old, "immutable") is True:
        yield from (key for key in ("data", "binaryData", "stringData") if at(old, key) != at(new, key))


def _restarts(old: Data, new: Data) -> Iterator[str]:
    if is_on_both(old, new) and at(old, "spec", "template") != at(new, "spec", "template"):
        yield ""


def _removed(old: Data, new: Data) -> Iterator[str]:
    if old is not None and new is None:
        yield ""


def _no_data_removed(old: Data, new: Data) -> Iterator[str]:
    if kind_of(old) not in _DATA:
        yield from _removed(old, new)


def _added(old: Data, new: Data) -> Iterator[str]:
    if old is None and new is not None:
        yield ""


# Permissions of one role that are listed, and comparisons of two of them.
_MOST_PERMISSIONS = 20_000
_MOST_COMPARISONS = 1_000_000


def _permissions(data: Data) -> set[tuple[str, str, str, str]] | None:
    """The permissions of a role: group, resource, name and verb. None if they are too many."""
    found: set[tuple[str, str, str, str]] = set()
    for rule in items_of(at(data, "rules")):
        kinds = _texts(rule, "resources") + _texts(rule, "nonResourceURLs")
        parts = (
            _texts(rule, "apiGroups") or [""],
            kinds,
            _texts(rule, "resourceNames") or ["*"],
            _texts(rule, "verbs"),
        )
        if prod(map(len, parts)) > _MOST_PERMISSIONS - len(found):
            return None
        found.update(product(*parts))
    return found


def _texts(rule: Data, key: str) -> list[str]:
    return [str(one) for one in items_of(at(rule, key))]


def _more(old: Data, new: Data) -> Iterator[str]:
    """The permissions that the old role does not grant, one text for all resources with the same verbs."""
    before, after = _permissions(old), _permissions(new)
    wild = [one for one in before or () if "*" in one]
    if before is None or after is None or len(after - before) * len(wild) > _MOST_COMPARISONS:
        if at(old, "rules") != at(new, "rules"):
            yield "too many permissions to compare"
        return
    verbs: dict[tuple[str, str, str], list[str]] = {}
    for group, kind, name, verb in sorted(after - before):
        wanted = group, kind, name, verb
        if not any(all(b in (a, "*") for a, b in zip(wanted, one, strict=True)) for one in wild):
            verbs.setdefault((group, kind, name), []).append(verb)
    resources: dict[tuple[str, str], list[str]] = {}
    for (group, kind, name), found in verbs.items():
        resources.setdefault((", ".join(found), name), []).append(f"{group}/{kind}" if group else kind)
    for (found_verbs, name), kinds in resources.items():
        yield f"{found_verbs} {', '.join(kinds)}{'' if name == '*' else f' {name}'}"


def _bound(old: Data, new: Data) -> Iterator[tuple[str, str]]:
    """The subjects to which only the new binding gives its role, and the role."""
    known = [_subject(one) for one in items_of(at(old, "subjects"))]
    changed = is_on_both(old, new) and at(old, "roleRef") != at(new, "roleRef")
    for subject in items_of(at(new, "subjects")):
        if changed or _subject(subject) not in known:
            role = at(new, "roleRef")
            yield f"{at(subject, 'kind')} {at(subject, 'name')}", f"{at(role, 'kind')} {at(role, 'name')}"


def _widened(old: Data, new: Data) -> Iterator[str]:
    if kind_of(new) in _GRANTING:
        yield from _more(old, new)
    else:
        yield from (f"{subject} gets {role}" for subject, role in _bound(old, new))


def _narrowed(old: Data, new: Data) -> Iterator[str]:
    if kind_of(old) not in _GRANTING:
        yield from (f"{subject} loses {role}" for subject, role in _bound(new, old))
    elif new is not None:
        yield from _more(new, old)


def _subject(data: Data) -> tuple[Data, Data, Data]:
    return at(data, "kind"), at(data, "name"), at(data, "namespace")


def _hosts(data: Data) -> set[str]:
    found = [at(rule, "host") for rule in items_of(at(data, "spec", "rules"))]
    found += [host for tls in items_of(at(data, "spec", "tls")) for host in items_of(at(tls, "hosts"))]
    found += items_of(at(data, "spec", "hostnames"))
    found += items_of(at(data, "spec", "hosts"))
    found.append(at(data, "spec", "host"))
    return {str(one) for one in found if one is not None}


def _hosts_changed(old: Data, new: Data) -> Iterator[str]:
    if is_on_both(old, new):
        before, after = _hosts(old), _hosts(new)
        gone, come = sorted(before - after), sorted(after - before)
        if gone or come:
            yield " ".join([*(f"−{one}" for one in gone), *(f"+{one}" for one in come)])


def _secret_changed(old: Data, new: Data) -> Iterator[str]:
    if is_on_both(old, new):
        for part in ("data", "stringData"):
            before, after = at(old, part), at(new, part)
            keys = {*(before if isinstance(before, dict) else ()), *(after if isinstance(after, dict) else ())}
            yield from (str(key) for key in sorted(keys, key=str) if at(before, str(key)) != at(after, str(key)))


# ---- total requests

_UNITS = {
    "": 1.0, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30,
    "Ti": 2.0**40, "Pi": 2.0**50,
}  # fmt: skip


def quantity(data: Data) -> float | None:
    """A Kubernetes quantity as a number; None if it is not one."""
    if isinstance(data, bool) or not isinstance(data, (int, float, str)):
        return None
    text = str(data)
    number = text.rstrip("mkMGTPKi")
    try:
        return float(number) * _UNITS[text[len(number) :]]
    except (ValueError, KeyError):
        return None


def _requests(data: Data) -> dict[str, float]:
    found: dict[str, float] = {}
    replicas = at(data, "spec", "replicas")
    count = replicas if isinstance(replicas, int) else 1
    for container in items_of(at(pod_of(data), "containers")):
        for name in ("cpu", "memory"):
            amount = quantity(at(container, "resources", "requests", name))
            if amount is not None:
                found[name] = found.get(name, 0.0) + amount * count
    return found


def requests_changed(documents: Sequence[tuple[str, Data, Data]]) -> str:
    totals: list[dict[str, float]] = [{}, {}]
    for _, *sides in documents:
        for total, data in zip(totals, sides, strict=True):
            for name, amount in _requests(data).items():
                total[name] = total.get(name, 0.0) + amount
    parts: list[str] = []
    for name in ("cpu", "memory"):
        change = totals[1].get(name, 0.0) - totals[0].get(name, 0.0)
        if abs(change) > 1e-9:
            parts.append(f"{name} {'+' if change > 0 else '−'}{_amount(name, abs(change))}")
    return ", ".join(parts)


def _amount(name: str, amount: float) -> str:
    return f"{amount:g}" if name == "cpu" else f"{amount / 2**20:.6g}Mi"


_GRANTING = ("Role", "ClusterRole")
_DATA = ("PersistentVolumeClaim", "PersistentVolume", "CustomResourceDefinition", "Namespace", "StatefulSet")
_ROLES = (*_GRANTING, "RoleBinding", "ClusterRoleBinding")
_ROUTES = ("Ingress", "Route", "HTTPRoute", "TLSRoute", "GRPCRoute", "VirtualService", "Gateway")

RULES: Sequence[Rule] = (
    Rule("immutable-field", ERROR, (), "1 document must be deleted and created again",
         "{} documents must be deleted and created again", "an immutable field changed", _immutable),
    Rule("data-at-risk", ERROR, _DATA, "the data of 1 removed document is lost",
         "the data of {} removed documents is lost", "removed", _removed),
    Rule("pods-restart", WARNING, ("Deployment", "StatefulSet", "DaemonSet"), "1 workload restarts",
         "{} workloads restart", "pod template changed", _restarts, "template"),
    Rule("rbac-widened", WARNING, _ROLES, "1 role or binding grants more", "{} roles and bindings grant more",
         "new permissions", _widened),
    Rule("rbac-narrowed", WARNING, _ROLES, "1 role or binding grants less", "{} roles and bindings grant less",
         "lost permissions", _narrowed),
    Rule("crd-stricter", WARNING, (CRD,), "1 CustomResourceDefinition accepts less",
         "{} CustomResourceDefinitions accept less", "objects that it accepted are rejected, or lose fields", stricter),
    Rule("document-removed", WARNING, (), "1 document is removed", "{} documents are removed", "no longer in the output",
         _no_data_removed),
    Rule("ingress-host-changed", WARNING, _ROUTES, "1 route has different hosts", "{} routes have different hosts",
         "hosts changed", _hosts_changed, "host"),
    Rule("secret-changed", WARNING, ("Secret",), "1 Secret changes", "{} Secrets change", "compared, not shown",
         _secret_changed),
    Rule("job-runs", NOTE, ("Job",), "1 Job runs", "{} Jobs run", "the name is new", _added),
)  # fmt: skip
