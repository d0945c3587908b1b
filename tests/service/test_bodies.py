"""Bodies that are rejected leave nothing behind in the process, and large ones are read beside it."""

from __future__ import annotations

import http.client
import subprocess
import sys
from pathlib import Path

import pytest
import serving
import yaml

from patience import LONGEST
from plait.service import parcels
from plait.service.yaml_bodies import LARGEST_VALUE

GOOD = "---\nschema: example/Kind/v1\nmetadata: {{schema: metadata/Document/v1, name: n{}, storagePolicy: cleartext, layeringDefinition: {{layer: site}}}}\ndata: {{a: [1, 2]}}\n"
MANY = "".join(GOOD.format(number) for number in range(6_000))
# What is wrong behind many good documents, and the status.
REJECTED: dict[str, tuple[str | bytes, int]] = {
    "syntax": (f"{MANY}---\na: [\n", 400),
    "form": (f"{MANY}---\nschema: 1\nmetadata: {{name: x}}\n", 400),
    "no maps": (f"{MANY}---\n- 1\n", 400),
    "twice": (MANY + GOOD.format(0), 409),
    "no UTF-8": (MANY.encode() + b"\xff", 400),
}


def resident(pid: int) -> int:
    """MiB of a process."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmRSS"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell")
def test_rejected_bodies_are_freed(tmp_path: Path) -> None:
    """Ten bodies of 0.9 MB, whose nodes take 20 MB each: what stays of all is less than what four would leave."""
    command = [sys.executable, "-m", "plait", "serve", "--port", "0", "--limit", f"seconds={LONGEST}"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            connection = http.client.HTTPConnection(
                server.stderr.readline().strip().rpartition("/")[2], timeout=LONGEST
            )
            begun = 0
            for number in range(3):
                for kind, (body, status) in REJECTED.items():
                    connection.request("PUT", "/api/v1.0/buckets/a/documents", body, {"content-type": serving.YAML})
                    response = connection.getresponse()
                    assert (response.status, kind) == (status, kind), response.read()
                    response.read()
                if number == 0:
                    begun = resident(server.pid)
            grown = resident(server.pid) - begun
            connection.close()
        finally:
            server.terminate()
            server.stderr.read()
    assert grown < 60


def test_a_large_body_has_the_answer_of_a_small_one(client: serving.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    documents: list[object] = [
        "policy",
        {"name": "x", "data": {"t": "é\U0001f600\u2028", "n": [1.0, 1, None, True, "1", 2**70], "s": "a\n---\nb"}},
        {"name": "pw", "encrypted": True, "data": {"pw": "canary", "n": [1.0, 1]}},
        {"name": "none", "encrypted": True, "data": None},
        {"name": "reference", "encrypted": True, "data": "http://a/v1/secrets/5b6f1d5e-2a39-4b0e-8d4f-111111111111"},
    ]
    bodies = [serving.body_of(documents), "a: [", "- 1", "a: 1", serving.body_of([documents[1], documents[1]])]
    seen = []
    for small in (parcels._SMALL, 0):
        monkeypatch.setattr(parcels, "_SMALL", small)
        client.ask("DELETE", "/revisions")
        replies = []
        for body in bodies:
            reply = client.ask("PUT", "/buckets/a/documents", body)
            replies.append((reply.status, yaml.safe_dump_all(map(without_numbers, reply.documents))))
        replies.append(
            (
                client.ask("GET", "/revisions/1/rendered-documents").status,
                client.ask("GET", "/revisions/1/rendered-documents").text,
            )
        )
        seen.append(replies)
    assert seen[0] == seen[1]
    assert [status for status, _ in seen[0]] == [200, 400, 400, 400, 409, 400]


def without_numbers(found: object) -> object:
    """A document without the number of its secret."""
    assert isinstance(found, dict)
    if "/v1/secrets/" in str(found.get("data")) and found["metadata"]["name"] == "pw":
        found["data"] = "REFERENCE"
    return found


@pytest.mark.parametrize("path", ["/revisions/1/tags/t", "/revisions/1/validations/v"])
def test_values_are_small(client: serving.Client, path: str) -> None:
    client.ask("PUT", "/buckets/a/documents", serving.body_of(["policy"]))
    body = "{status: success, validator: {name: v}, errors: [" + "x" * LARGEST_VALUE + "]}"
    assert client.ask("POST", path, body).status == 413
    assert client.ask("POST", path, "{status: success, validator: {name: v}}").status == 201


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
)


@pytest.mark.parametrize("body", [BOMB, "[" * 100_000, "{a: " * 100_000, "- " * 100_000, "&a [*a, *a]", "a: " * 50_000])
@pytest.mark.parametrize(
    "path", ["PUT /buckets/a/documents", "POST /revisions/1/tags/t", "POST /revisions/1/validations/v"]
)
def test_bombs_are_rejected(client: serving.Client, path: str, body: str) -> None:
    client.ask("POST", "/rollback/0")
    method, where = path.split(" ")
    assert client.ask(method, where, body).status in (400, 413)
    assert client.ask("GET", "/revisions").text.count("createdAt") == 1
