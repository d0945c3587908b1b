"""The client, with a service in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import kills
import pytest
import serving
from listening import Quiet, listening

from plait.base.errors import UsageError
from plait.service import client
from plait.service.client import Client, ServiceError

X: dict[str, object] = {"name": "x", "data": {"v": 1}}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Client]:
    server, address = kills.started(tmp_path, "sqlite:///plait.db")
    yield Client(f"http://{address}")
    server.terminate()
    server.communicate()


def test_every_call(service: Client) -> None:
    assert [one["id"] for one in service.put("a", serving.POLICY)] == [1]
    both = [serving.document("policy"), serving.document(X)]
    assert [one["id"] for one in service.put("a", both)] == [1, 2]
    assert service.put("never", "") == []
    assert [one["id"] for one in service.revisions()] == [1, 2]
    assert service.revision(2)["buckets"] == ["a"]
    assert service.diff(0, 1) == {"a": "created"}
    assert service.deepdiff(1, 2)["a"] == "modified"
    assert [one["data"] for one in service.documents(2, schema="example")] == [{"v": 1}]
    assert [one["data"] for one in service.documents(2, name=["x", "y"], limit=1, abstract=False)] == [{"v": 1}]
    assert len(service.documents(2, rendered=False, cleartext_secrets=False)) == 2
    assert service.tag(1, "good", {"why": {"v": 1.5}}) == {"good": {"why": {"v": 1.5}}}
    assert service.tags(1) == {"good": {"why": {"v": 1.5}}}
    assert [one["id"] for one in service.revisions(tag=["good", "bad"])] == [1]
    service.delete_tag(1, "good")
    service.delete_tags(1)
    assert service.tags(1) == {}
    service.validate(1, "v", "failure", {"name": "t"}, [{"message": "m"}])
    assert [one["errors"] for one in service.validations(1)] == [[{"message": "m"}]]
    assert service.rollback(1)["id"] == 3
    service.delete_revisions()
    assert service.revisions() == []


def test_errors(service: Client) -> None:
    with pytest.raises(ServiceError, match=r"there is no revision 9 \(HTTP 404\)") as caught:
        service.revision(9)
    assert (caught.value.status, caught.value.kind, len(caught.value.messages)) == (404, "RevisionNotFound", 1)
    with pytest.raises(ServiceError) as caught:
        service.put("a", [serving.document({"name": "x", "schema": "no"})])
    assert (caught.value.status, caught.value.kind) == (400, "InvalidDocumentFormat")
    with pytest.raises(UsageError, match='unknown filter "color"'):
        service.documents(1, color="red")
    with pytest.raises(UsageError, match="not an address"):
        Client("file:///etc/passwd")
    with pytest.raises(ServiceError, match="does not answer"):
        Client("http://127.0.0.1:1").revisions()


def test_it_is_imported_without_the_libraries_of_the_server() -> None:
    program = (
        "import sys, plait.service.client; sys.exit(bool({'starlette', 'sqlalchemy', 'uvicorn'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_does_not_get_the_token(status: int) -> None:
    asked: list[str | None] = []

    class Redirecting(Quiet):
        def do_GET(self) -> None:
            asked.append(self.headers["X-Auth-Token"])
            self.answer(status, Location="/elsewhere")

    with listening(Redirecting) as address, pytest.raises(ServiceError, match="redirects") as caught:
        Client(address, token="t").revisions()
    assert (caught.value.status, asked) == (status, ["t"])


def test_an_answer_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(Quiet):
        def do_GET(self) -> None:
            self.answer(200, b"- 1\n" * 1000)

    monkeypatch.setattr(client, "_MOST_BYTES", 1 << 10)
    with listening(Endless) as address, pytest.raises(ServiceError, match="more than"):
        Client(address).revisions()
