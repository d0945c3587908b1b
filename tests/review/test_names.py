"""Names in reviews: the plural of kinds, generated files, and vendored files whose name has another version."""

from __future__ import annotations

from pathlib import Path

import pytest
from repositories import commit, git

from plait.review import review
from plait.review.reports import by_kind
from plait.review.units import FileChange


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("Deployment", "Deployments"),
        ("Ingress", "Ingresses"),
        ("NetworkPolicy", "NetworkPolicies"),
        ("Gateway", "Gateways"),
        ("Endpoints", "Endpoints"),
        ("Sandbox", "Sandboxes"),
        ("instance_groups", "instance_groups"),
    ],
)
def test_the_plural_of_a_kind(kind: str, plural: str) -> None:
    names = [f"{kind}/{number}" for number in range(4)]
    assert by_kind(names) == f"4 {plural}"
    assert by_kind([*names, "Role/a"]) == f"4 {plural}, 1 Role"


@pytest.mark.parametrize(
    ("file", "is_vendored"),
    [
        ("config/cert-manager-generated-1.2.yaml", True),
        ("config/generated.yml", True),
        ("config/xxx.generated.yml", True),
        ("vendir.lock.yml", True),
        ("go.lock", True),
        ("config/regenerated.yml", False),
        ("config/generatedby.yml", False),
        ("config/lock.yml", False),
        ("config/app.yml", False),
    ],
)
def test_generated_files(file: str, is_vendored: bool) -> None:
    assert FileChange(file, None, None).is_vendored is is_vendored


def test_a_new_version_of_a_vendored_file_is_one_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = "".join(
        f"---\nkind: Role\nmetadata: {{name: r{number}, labels: {{version: VERSION}}}}\nrules:\n- a\n- b{number}\n"
        for number in range(12)
    )
    base = commit(
        tmp_path,
        {
            "plait.yml": "runs: {app: {render: {files: [config]}}}\n",
            "config/_vendir/istio-1.14.2.yaml": documents.replace("VERSION", "1.14.2"),
        },
    )
    git(tmp_path, "rm", "-q", "config/_vendir/istio-1.14.2.yaml")
    head = commit(tmp_path, {"config/_vendir/istio-1.14.3.yaml": documents.replace("VERSION", "1.14.3")})
    monkeypatch.chdir(tmp_path)
    found = review(base, head)
    assert (found.values, found.verified) == (12, 12)
    [cause] = found.causes
    assert [one.file for one in cause.lines] == ["config/_vendir/istio-1.14.2.yaml", "config/_vendir/istio-1.14.3.yaml"]
    assert cause.is_vendored
