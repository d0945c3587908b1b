"""Consequences: each rule applies where it should, and nowhere else."""

from __future__ import annotations

import pytest

from plait.review.consequences import NAMES, consequences
from plait.review.kubernetes_rules import quantity
from plait.review.rules import SEVERITIES

GROUPS: list[dict[str, object]] = [
    {
        "name": "db", "instances": 1, "vm_type": "small", "stemcell": "default", "azs": ["z1"], "networks": [{"name": "n"}],
        "persistent_disk_type": "10GB", "jobs": [{"name": "postgres"}],
    },
    {"name": "web", "instances": 2, "vm_type": "small", "stemcell": "other", "jobs": [{"name": "router"}]},
]  # fmt: skip
BOSH: dict[str, object] = {
    "stemcells": [{"alias": "default", "os": "ubuntu", "version": "1"}],
    "releases": [{"name": "cf", "version": "1.0"}],
    "instance_groups": GROUPS,
}


def workload(kind: str = "Deployment", **spec: object) -> dict[str, object]:
    container = {"name": "web", "image": "web:1", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}
    pod = {"spec": {"containers": [container]}}
    return {
        "kind": kind,
        "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": {"a": "b"}, "template": pod, **spec},
    }


def pod(image: str = "web:1", cpu: str = "500m") -> dict[str, object]:
    container = {"name": "web", "image": image, "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}
    return {"spec": {"containers": [container]}}


def role(*verbs: str, resource: str = "pods") -> dict[str, object]:
    return {"kind": "Role", "rules": [{"apiGroups": [""], "resources": [resource], "verbs": list(verbs)}]}


def binding(*names: str, role: str = "r") -> dict[str, object]:
    subjects = [{"kind": "User", "name": name} for name in names]
    return {"kind": "RoleBinding", "roleRef": {"kind": "Role", "name": role}, "subjects": subjects}


def bosh(group: int = 0, **other: object) -> dict[str, object]:
    groups = [{**one, **(other if number == group else {})} for number, one in enumerate(GROUPS)]
    return {**BOSH, "instance_groups": groups}


def chart(reference: str = "a", **images: str) -> dict[str, object]:
    values = {"images": {"tags": images}}
    return {"schema": "armada/Chart/v1", "data": {"source": {"reference": reference}, "values": values}}


def definition(*, served: bool = True, **fields: object) -> dict[str, object]:
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}}
    versions = [{"name": "v1", "served": served, "schema": schema}]
    return {"kind": "CustomResourceDefinition", "metadata": {"name": "webs"}, "spec": {"versions": versions}}


RELEASED = [{"name": "postgres", "release": "cf"}]
INGRESS = {"kind": "Ingress", "spec": {"rules": [{"host": "a.example"}]}}
# The names of the rules that apply to a change, with what it is.
CASES: list[tuple[str, object, object, list[str]]] = [
    ("nothing", workload(), workload(), []),
    ("replicas", workload(), workload(replicas=3), ["resource-requests-changed"]),
    ("selector", workload(), workload(selector={"a": "c"}), ["immutable-field"]),
    ("selector that is new", workload(selector=None), workload(), []),
    ("templates of claims", workload("StatefulSet", volumeClaimTemplates=[1]), workload("StatefulSet"), ["immutable-field"]),
    ("a job", workload("Job"), workload("Job", template=pod("web:2")), ["immutable-field", "image-changed"]),
    ("image", workload(), workload(template=pod("web:2")), ["pods-restart", "image-changed"]),
    ("requests", workload(), workload(template=pod(cpu="1")), ["pods-restart", "resource-requests-changed"]),
    ("a cluster IP", {"kind": "Service", "spec": {"clusterIP": "1"}}, {"kind": "Service", "spec": {}}, ["immutable-field"]),
    ("a cluster IP that is new", {"kind": "Service", "spec": {}}, {"kind": "Service", "spec": {"clusterIP": "1"}}, []),
    ("immutable data", {"kind": "ConfigMap", "immutable": True, "data": {"a": "1"}}, {"kind": "ConfigMap", "data": {}}, ["immutable-field"]),
    ("a claim", {"kind": "PersistentVolumeClaim"}, None, ["data-at-risk"]),
    ("a definition", {"kind": "CustomResourceDefinition"}, None, ["data-at-risk"]),
    ("a namespace", {"kind": "Namespace"}, None, ["data-at-risk"]),
    ("a set", {"kind": "StatefulSet"}, None, ["data-at-risk"]),
    ("a map", {"kind": "ConfigMap"}, None, ["document-removed"]),
    ("a new map", None, {"kind": "ConfigMap"}, []),
    ("a new job", None, workload("Job"), ["job-runs", "resource-requests-changed"]),
    ("a new claim", None, {"kind": "PersistentVolumeClaim"}, []),
    ("a verb", role("get"), role("get", "list"), ["rbac-widened"]),
    ("a verb less", role("get", "list"), role("get"), ["rbac-narrowed"]),
    ("a verb under an asterisk", role("*"), role("get"), ["rbac-narrowed"]),
    ("a verb that an asterisk grants as well", role("*", "get"), role("*"), []),
    ("an asterisk", role("get"), role("*"), ["rbac-widened"]),
    ("a new role", None, role("get"), ["rbac-widened"]),
    ("a role less", role("get"), None, ["document-removed"]),
    ("a binding less", binding("a"), None, ["document-removed", "rbac-narrowed"]),
    ("a subject", binding("a"), binding("a", "b"), ["rbac-widened"]),
    ("a subject less", binding("a", "b"), binding("a"), ["rbac-narrowed"]),
    ("another role", binding("a"), binding("a", role="s"), ["immutable-field", "rbac-narrowed", "rbac-widened"]),
    ("a host", INGRESS, {"kind": "Ingress", "spec": {"rules": [{"host": "b.example"}]}}, ["ingress-host-changed"]),
    ("a path", INGRESS, {"kind": "Ingress", "spec": {"rules": [{"host": "a.example", "http": {}}]}}, []),
    ("a secret", {"kind": "Secret", "data": {"a": "1"}}, {"kind": "Secret", "data": {"a": "2"}}, ["secret-changed"]),
    ("labels of a secret", {"kind": "Secret", "data": {}}, {"kind": "Secret", "metadata": {}, "data": {}}, []),
    ("vm_type", bosh(), bosh(vm_type="large"), ["instances-recreated"]),
    ("azs", bosh(), bosh(azs=["z2"]), ["instances-recreated"]),
    ("networks", bosh(), bosh(networks=[]), ["instances-recreated"]),
    ("a stemcell's version", bosh(), {**bosh(), "stemcells": [{"alias": "default", "version": "2"}]}, ["instances-recreated"]),
    ("a disk", bosh(), bosh(persistent_disk_type="20GB"), ["persistent-disk-changed"]),
    ("no instances", bosh(), bosh(instances=0), ["instances-zero"]),
    ("a group less", bosh(), {**BOSH, "instance_groups": GROUPS[:1]}, ["instances-zero"]),
    ("more instances", bosh(), bosh(instances=3), []),
    ("fewer instances", bosh(1), bosh(1, instances=1), ["instances-fewer"]),
    ("fewer instances with disks", bosh(instances=3), bosh(), ["persistent-disks-orphaned"]),
    ("instances by a variable", bosh(), bosh(instances="((count))"), []),
    ("environment", bosh(), bosh(env={"bosh": {}}), ["instances-recreated"]),
    ("properties of a job", bosh(), bosh(jobs=[{"name": "postgres", "properties": {"port": 1}}]), ["instances-updated"]),
    ("properties of a group", bosh(), bosh(properties={"port": 1}), ["instances-updated"]),
    ("properties of all", bosh(), {**bosh(), "properties": {"port": 1}}, ["instances-updated"]),
    ("a job of a recreated group", bosh(), bosh(azs=[], jobs=[]), ["instances-recreated"]),
    ("a job of an errand", bosh(lifecycle="errand"), bosh(lifecycle="errand", jobs=[]), []),
    ("the release of a job", bosh(jobs=RELEASED), {**bosh(jobs=RELEASED), "releases": [{"name": "cf", "version": "1.1"}]},
     ["instances-updated", "release-version-changed"]),
    ("another version", workload(template=pod("web:1.2")), workload(template=pod("web:1.3")), ["pods-restart", "image-changed"]),
    ("a major version", workload(template=pod("web:v1.2")), workload(template=pod("web:v2.0")),
     ["pods-restart", "image-changed", "image-major-version"]),
    ("a major version elsewhere", workload(template=pod("r/web:5.6")), workload(template=pod("s/web-oss:7.1")),
     ["pods-restart", "image-changed", "image-major-version"]),
    ("a major version after a word", workload(template=pod("web:latest-5_6_4")), workload(template=pod("web:7_1_0")),
     ["pods-restart", "image-changed", "image-major-version"]),
    ("a date", workload(template=pod("web:jammy-20240101")), workload(template=pod("web:jammy-20250101")),
     ["pods-restart", "image-changed"]),
    ("a version of another image", workload(template=pod("web:v1.2")), workload(template=pod("app:v2.0")),
     ["pods-restart", "image-changed"]),
    ("no version", workload(template=pod("r:5/web:1")), workload(template=pod("r:5/web")),
     ["pods-restart", "image-changed", "image-unpinned"]),
    ("a digest", workload(template=pod("web")), workload(template=pod("web@sha256:0")), ["pods-restart", "image-changed"]),
    ("an image of a chart", chart(web="web:1.2"), chart(web="web:latest-jammy"), ["chart-image-changed", "image-unpinned"]),
    ("another image of a chart", chart(web="web:1"), chart(web="web:1", db="db:1"), []),
    ("the source of a chart", chart(), chart(reference="b"), ["chart-source-changed"]),
    ("the same definition", definition(), definition(), []),
    ("a field more", definition(), definition(port={"type": "integer"}), []),
    ("a field less", definition(port={"type": "integer"}), definition(), ["crd-stricter"]),
    ("a version that is not served", definition(), definition(served=False), ["crd-stricter"]),
    ("a moved job", bosh(), {**BOSH, "instance_groups": [
        {**GROUPS[0], "jobs": []}, {**GROUPS[1], "jobs": [{"name": "router"}, {"name": "postgres"}]},
    ]}, ["job-moved", "instances-updated"]),
    ("a release", bosh(), {**bosh(), "releases": [{"name": "cf", "version": "1.1"}]}, ["release-version-changed"]),
    ("odd data", {"kind": "Deployment", "spec": []}, {"kind": "Deployment", "spec": "x"}, []),
    ("no map", [1], "text", []),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_rules(old: object, new: object, expected: list[str]) -> None:
    found = consequences([("x", old, new)])
    assert sorted(one.rule.name for one in found) == sorted(expected)
    ranks = [SEVERITIES.index(one.rule.severity) for one in found]
    assert ranks == sorted(ranks)


def test_every_rule_has_a_case() -> None:
    assert {name for _, _, _, names in CASES for name in names} == set(NAMES)


def test_subjects_and_sentences() -> None:
    rows = [(f"Deployment/{number}", workload(), workload(template=pod("web:2", "1"))) for number in range(3)]
    found = {one.rule.name: one for one in consequences(rows)}
    assert found["pods-restart"].text == "3 workloads restart"
    assert found["image-changed"].subjects[0] == ("Deployment/0", "web: web:1 → web:2")
    assert found["resource-requests-changed"].subjects == [("", "cpu +3")]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"type": "string"}, {"type": "integer"}, ["v1.spec.f: type string → integer"]),
        ({"type": "string"}, {"x-kubernetes-int-or-string": True}, []),
        ({}, {"enum": ["a"]}, ["v1.spec.f: only a"]),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}, ["v1.spec.f: no longer a"]),
        ({"enum": ["a"]}, {}, []),
        ({}, {"pattern": "a"}, ["v1.spec.f: another pattern"]),
        ({"maxLength": 5}, {"maxLength": 4}, ["v1.spec.f: maxLength 4"]),
        ({"maxLength": 5}, {"maxLength": 6}, []),
        ({}, {"minItems": 1}, ["v1.spec.f: minItems 1"]),
        ({"properties": {"a": {}}}, {"required": ["a"], "properties": {"a": {}}}, ["v1.spec.f.a is required"]),
        ({"properties": {"a": {}}}, {"x-kubernetes-preserve-unknown-fields": True}, []),
        ({"items": {"properties": {"a": {}}}}, {"items": {"properties": {}}}, ["v1.spec.f[].a is removed"]),
        ({"additionalProperties": {}}, {"additionalProperties": {"maximum": 1}}, ["v1.spec.f.*: maximum 1"]),
    ],
)
def test_a_definition_that_accepts_less(old: object, new: object, expected: list[str]) -> None:
    found = consequences([("x", definition(f=old), definition(f=new))])
    assert [part for one in found for _, part in one.subjects] == expected


def test_a_role_with_very_many_permissions() -> None:
    many = [str(number) for number in range(500)]
    new = {"kind": "Role", "rules": [{"apiGroups": many, "resources": many, "verbs": many}]}
    assert [one.subjects for one in consequences([("x", role(), new)])] == [
        [("x", "too many permissions to compare")]
    ] * 2
    assert consequences([("x", new, dict(new))]) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (role(), role("list", "get"), "get, list pods"),
        (binding("a", "{}"), binding("a"), "User {} loses Role r"),
        (bosh(instances=3), bosh(), "db: 3 → 1"),
        (bosh(), bosh(instances=0), "db: 1 → 0, with persistent disks"),
        (bosh(), bosh(jobs=[]), "db (postgres)"),
        (chart("0" * 40), chart("1" * 40), "reference 00000000 → 11111111"),
        (workload(template=pod(f"a@sha256:{'0' * 64}")), workload(template=pod(f"b@sha256:{'0' * 64}")),
         "web: a@sha256:00000000… → b@sha256:00000000…, the same digest"),
    ],
)  # fmt: skip
def test_parts(old: object, new: object, expected: str) -> None:
    assert expected in [part for one in consequences([("x", old, new)]) for _, part in one.subjects]


@pytest.mark.parametrize(
    ("data", "number"),
    [(1, 1.0), ("500m", 0.5), ("1Gi", 2.0**30), ("1k", 1e3), ("1.5", 1.5), ("x", None), ("", None), (None, None), (True, None), ("1Xi", None)],
)  # fmt: skip
def test_quantities(data: object, number: float | None) -> None:
    assert quantity(data) == number
