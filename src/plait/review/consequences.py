"""Consequences of changed documents: rules about Kubernetes kinds and sections of BOSH manifests.

A rule has a name, a severity, a sentence for one and for several subjects, and a condition on the document before and
after. The condition yields a subject for each occurrence: the part of the document that is affected, or "" for all of
it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    # Plain data, as of YAML.
    Data: TypeAlias = object
    Condition: TypeAlias = "Callable[[Data, Data], Iterable[str]]"

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)


class Rule:
    """A rule. one, many: sentences; `{}` of `many` is the number of documents. kinds: of the documents; empty for any.

    condition: yields a subject for each occurrence. near: a part of the paths of the changes that matter.
    """

    __slots__ = ("condition", "kinds", "many", "name", "near", "one", "reason", "severity")

    def __init__(
        self,
        name: str,
        severity: str,
        kinds: Iterable[str],
        one: str,
        many: str,
        reason: str,
        condition: Condition,
        near: str = "",
    ) -> None:
        self.name = name
        self.severity = severity
        self.kinds = frozenset(kinds)
        self.one = one
        self.many = many
        self.reason = reason
        self.condition = condition
        self.near = near


class Consequence:
    """A rule that applies. subjects: the documents, each with its part or ""."""

    __slots__ = ("rule", "subjects")

    def __init__(self, rule: Rule, subjects: Sequence[tuple[str, str]]) -> None:
        self.rule = rule
        self.subjects = list(subjects)

    @property
    def text(self) -> str:
        """The sentence, such as "22 workloads restart". A BOSH manifest is one document, so its parts are counted."""
        found: set[object] = set(self.subjects) if self.rule.kinds == _BOSH else {name for name, _ in self.subjects}
        return self.rule.one if len(found) == 1 else self.rule.many.format(len(found))


def consequences(documents: Iterable[tuple[str, Data, Data]]) -> list[Consequence]:
    """The rules that apply to documents, most severe first. documents: name, old and new data; None on a side without
    it.
    """
    rows = list(documents)
    found: list[Consequence] = []
    for rule in RULES:
        subjects: list[tuple[str, str]] = []
        for name, old, new in rows:
            if not rule.kinds or _kind(new if new is not None else old) in rule.kinds:
                subjects += [(name, part) for part in rule.condition(old, new)]
        if subjects:
            found.append(Consequence(rule, subjects))
    totals = _requests_changed(rows)
    if totals:
        found.append(Consequence(REQUESTS, [("", totals)]))
    return sorted(found, key=lambda one: SEVERITIES.index(one.rule.severity))


# ---- reading data


def _at(data: Data, *path: str) -> Data:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _list(data: Data) -> Sequence[Data]:
    return data if isinstance(data, list) else ()


def _named(data: Data) -> dict[object, Data]:
    """The items of a list by name."""
    return {name: one for one in _list(data) if isinstance(name := _at(one, "name"), str)}


def _kind(data: Data) -> str:
    kind = _at(data, "kind")
    return kind if isinstance(kind, str) else ""


def _both(old: Data, new: Data) -> bool:
    return old is not None and new is not None


# ---- Kubernetes

_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController")
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
    if not _both(old, new):
        return
    for path in _IMMUTABLE.get(_kind(new), ()):
        before = _at(old, *path)
        if before is not None and before != _at(new, *path):
            yield ".".join(path)
    if _kind(new) == "Service":
        before = _at(old, "spec", "clusterIP")
        if before is not None and before != "" and before != _at(new, "spec", "clusterIP"):
            yield "spec.clusterIP"
    if _kind(new) in ("ConfigMap", "Secret") and _at(old, "immutable") is True:
        yield from (key for key in ("data", "binaryData", "stringData") if _at(old, key) != _at(new, key))


def _restarts(old: Data, new: Data) -> Iterator[str]:
    if _both(old, new) and _at(old, "spec", "template") != _at(new, "spec", "template"):
        yield ""


def _removed(old: Data, new: Data) -> Iterator[str]:
    if old is not None and new is None:
        yield ""


def _pod(data: Data) -> Data:
    if _kind(data) == "Pod":
        return _at(data, "spec")
    if _kind(data) == "CronJob":
        return _at(data, "spec", "jobTemplate", "spec", "template", "spec")
    return _at(data, "spec", "template", "spec")


_CONTAINERS = ("initContainers", "containers")


def _images(old: Data, new: Data) -> Iterator[str]:
    if not _both(old, new):
        return
    for part in _CONTAINERS:
        before, after = _named(_at(_pod(old), part)), _named(_at(_pod(new), part))
        for name, one in after.items():
            was, now = _at(before.get(name), "image"), _at(one, "image")
            if name in before and was != now:
                yield f"{name}: {was} → {now}"


def _permissions(data: Data) -> set[tuple[str, str, str, str]]:
    found: set[tuple[str, str, str, str]] = set()
    for rule in _list(_at(data, "rules")):
        names = [str(one) for one in _list(_at(rule, "resourceNames"))] or ["*"]
        groups = [str(one) for one in _list(_at(rule, "apiGroups"))] or [""]
        kinds = [str(one) for one in _list(_at(rule, "resources"))]
        kinds += [str(one) for one in _list(_at(rule, "nonResourceURLs"))]
        for verb in _list(_at(rule, "verbs")):
            found |= {(group, kind, name, str(verb)) for group in groups for kind in kinds for name in names}
    return found


def _is_granted(wanted: tuple[str, str, str, str], known: Iterable[tuple[str, str, str, str]]) -> bool:
    return any(all(b in (a, "*") for a, b in zip(wanted, one, strict=True)) for one in known)


def _widened(old: Data, new: Data) -> Iterator[str]:
    if new is None:
        return
    if _kind(new) in ("Role", "ClusterRole"):
        before = _permissions(old)
        for one in sorted(_permissions(new)):
            if not _is_granted(one, before):
                group, kind, name, verb = one
                where = f"{group}/{kind}" if group else kind
                yield f"{verb} {where}{'' if name == '*' else f' {name}'}"
        return
    known = [_subject(one) for one in _list(_at(old, "subjects"))]
    changed = _both(old, new) and _at(old, "roleRef") != _at(new, "roleRef")
    for subject in _list(_at(new, "subjects")):
        if changed or _subject(subject) not in known:
            yield f"{_at(subject, 'kind')} {_at(subject, 'name')} gets {_at(new, 'roleRef', 'kind')} {_at(new, 'roleRef', 'name')}"


def _subject(data: Data) -> tuple[Data, Data, Data]:
    return _at(data, "kind"), _at(data, "name"), _at(data, "namespace")


def _hosts(data: Data) -> set[str]:
    found = [_at(rule, "host") for rule in _list(_at(data, "spec", "rules"))]
    found += [host for tls in _list(_at(data, "spec", "tls")) for host in _list(_at(tls, "hosts"))]
    found += _list(_at(data, "spec", "hostnames"))
    found += _list(_at(data, "spec", "hosts"))
    found.append(_at(data, "spec", "host"))
    return {str(one) for one in found if one is not None}


def _hosts_changed(old: Data, new: Data) -> Iterator[str]:
    if _both(old, new):
        before, after = _hosts(old), _hosts(new)
        gone, come = sorted(before - after), sorted(after - before)
        if gone or come:
            yield " ".join([*(f"−{one}" for one in gone), *(f"+{one}" for one in come)])


def _secret_changed(old: Data, new: Data) -> Iterator[str]:
    if _both(old, new):
        for part in ("data", "stringData"):
            before, after = _at(old, part), _at(new, part)
            keys = {*(before if isinstance(before, dict) else ()), *(after if isinstance(after, dict) else ())}
            yield from (str(key) for key in sorted(keys, key=str) if _at(before, str(key)) != _at(after, str(key)))


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
    replicas = _at(data, "spec", "replicas")
    count = replicas if isinstance(replicas, int) else 1
    for container in _list(_at(_pod(data), "containers")):
        for name in ("cpu", "memory"):
            amount = quantity(_at(container, "resources", "requests", name))
            if amount is not None:
                found[name] = found.get(name, 0.0) + amount * count
    return found


def _requests_changed(documents: Sequence[tuple[str, Data, Data]]) -> str:
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


# ---- BOSH


def _groups(data: Data) -> dict[object, Data]:
    return _named(_at(data, "instance_groups"))


def _stemcells(data: Data) -> dict[object, Data]:
    return {alias: one for one in _list(_at(data, "stemcells")) if isinstance(alias := _at(one, "alias"), str)}


def _recreated(old: Data, new: Data) -> Iterator[str]:
    before, cells = _groups(old), (_stemcells(old), _stemcells(new))
    for name, group in _groups(new).items():
        if name not in before:
            continue
        fields = [
            key
            for key in ("vm_type", "vm_resources", "stemcell", "networks", "azs")
            if _at(before[name], key) != _at(group, key)
        ]
        alias = _at(group, "stemcell")
        if "stemcell" not in fields and isinstance(alias, str) and cells[0].get(alias) != cells[1].get(alias):
            fields.append("stemcell")
        if fields:
            yield f"{name} ({', '.join(fields)})"


def _disks(old: Data, new: Data) -> Iterator[str]:
    before = _groups(old)
    for name, group in _groups(new).items():
        for key in ("persistent_disk", "persistent_disk_type", "persistent_disk_pool"):
            was = _at(before.get(name), key)
            if was is not None and was != _at(group, key):
                yield str(name)
                break


def _jobs_moved(old: Data, new: Data) -> Iterator[str]:
    def homes(data: Data) -> dict[object, set[object]]:
        found: dict[object, set[object]] = {}
        for name, group in _groups(data).items():
            for job in _named(_at(group, "jobs")):
                found.setdefault(job, set()).add(name)
        return found

    before, after = homes(old), homes(new)
    for job, groups in after.items():
        gone, come = before.get(job, set()) - groups, groups - before.get(job, set())
        if gone and come:
            yield f"{job}: {', '.join(sorted(map(str, gone)))} → {', '.join(sorted(map(str, come)))}"


def _instances_zero(old: Data, new: Data) -> Iterator[str]:
    after = _groups(new)
    for name, group in _groups(old).items():
        was, now = _at(group, "instances"), _at(after.get(name), "instances")
        if isinstance(was, int) and was > 0 and new is not None and (name not in after or now == 0):
            yield str(name)


def _releases(old: Data, new: Data) -> Iterator[str]:
    before = _named(_at(old, "releases"))
    for name, release in _named(_at(new, "releases")).items():
        was, now = _at(before.get(name), "version"), _at(release, "version")
        if name in before and was != now:
            yield f"{name} {was} → {now}"


_DATA = ("PersistentVolumeClaim", "PersistentVolume", "CustomResourceDefinition", "Namespace", "StatefulSet")
_ROLES = ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")
_ROUTES = ("Ingress", "Route", "HTTPRoute", "TLSRoute", "GRPCRoute", "VirtualService", "Gateway")
# Manifests have no kind.
_BOSH = frozenset({""})
_PODS = (*_WORKLOADS, "Job", "CronJob", "Pod")

RULES: Sequence[Rule] = (
    Rule("immutable-field", ERROR, (), "1 document has to be deleted and created again",
         "{} documents have to be deleted and created again", "an immutable field changed", _immutable),
    Rule("data-at-risk", ERROR, _DATA, "1 removed document takes data with it",
         "{} removed documents take data with them", "removed", _removed),
    Rule("persistent-disk-changed", ERROR, _BOSH, "1 instance group gets another persistent disk",
         "{} instance groups get other persistent disks", "persistent_disk changed", _disks, "persistent_disk"),
    Rule("instances-zero", ERROR, _BOSH, "1 instance group loses all instances",
         "{} instance groups lose all instances", "instances set to 0, or the group removed", _instances_zero, "instances"),
    Rule("pods-restart", WARNING, ("Deployment", "StatefulSet", "DaemonSet"), "1 workload restarts",
         "{} workloads restart", "pod template changed", _restarts, "template"),
    Rule("rbac-widened", WARNING, _ROLES, "1 role or binding grants more", "{} roles and bindings grant more",
         "new permissions", _widened),
    Rule("ingress-host-changed", WARNING, _ROUTES, "1 route has other hosts", "{} routes have other hosts",
         "hosts changed", _hosts_changed, "host"),
    Rule("secret-changed", WARNING, ("Secret",), "1 Secret changes", "{} Secrets change", "compared, not shown",
         _secret_changed),
    Rule("instances-recreated", WARNING, _BOSH, "1 instance group is recreated", "{} instance groups are recreated",
         "vm_type, stemcell, networks or azs changed", _recreated),
    Rule("job-moved", WARNING, _BOSH, "1 job moves to another instance group",
         "{} jobs move to another instance group", "job moved", _jobs_moved),
    Rule("image-changed", NOTE, _PODS, "1 workload has another image", "{} workloads have other images",
         "image changed", _images, "image"),
    Rule("release-version-changed", NOTE, _BOSH, "1 release has another version",
         "{} releases have other versions", "release version changed", _releases, "releases"),
)  # fmt: skip

REQUESTS = Rule(
    "resource-requests-changed", NOTE, (), "total resource requests change", "total resource requests change",
    "requests of all containers times replicas", lambda old, new: (),  # noqa: ARG005 - of all documents together
)  # fmt: skip

NAMES = tuple(rule.name for rule in (*RULES, REQUESTS))
