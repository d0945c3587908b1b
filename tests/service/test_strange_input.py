"""Whatever is sent, the service answers in its own form, and a mistake is never its own. PLAIT_EXAMPLES: so many of each."""

from __future__ import annotations

import os
import re
from urllib.parse import quote

import hypothesis
import pytest
import serving
import yaml
from hypothesis import strategies as st

texts = st.text(st.characters(), max_size=12)
scalars = st.one_of(st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)
parts = st.one_of(st.sampled_from(["1", "0", "-1", "a", "٣", "\x00", "..", "%00"]), texts)
documents = st.fixed_dictionaries(
    {"name": st.one_of(st.sampled_from(["x", "y"]), texts), "data": values},
    optional={
        "labels": st.one_of(values, st.dictionaries(texts, texts, max_size=2)),
        "layer": st.one_of(st.sampled_from(["site", "global"]), scalars),
        "schema": st.one_of(st.just("example/Kind/v1"), scalars),
        "encrypted": st.booleans(),
        "abstract": scalars,
        "selector": st.dictionaries(texts, texts, max_size=2),
        "actions": st.lists(st.fixed_dictionaries({"method": st.just("merge"), "path": texts}), max_size=2),
        "substitutions": values,
    },
)
PATHS = [
    "/revisions/{}/documents?sort={}&metadata.name={}",
    "/revisions/{}/rendered-documents?metadata.label={}&limit={}",
    "/revisions/{}/diff/{}",
    "/revisions/{}/deepdiff/{}",
    "/revisions/{}/explain?path={}",
    "/revisions/{}/tags/{}",
    "/revisions/{}/validations/{}/entries/{}",
    "/rollback/{}",
    "/{}/{}",
]
EXAMPLES = hypothesis.settings(
    max_examples=int(os.environ.get("PLAIT_EXAMPLES", "15")),
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture, hypothesis.HealthCheck.too_slow],
)


def encoded(part: str) -> str:
    return quote(part.encode("utf-8", "surrogatepass"), safe="")


def answered(client: serving.Client, method: str, path: str, body: str | bytes = b"") -> serving.Reply:
    """What came back: never a mistake of the service, and an error in its form."""
    reply = client.ask(method, path, body)
    assert reply.status < 500, reply.text
    if reply.status >= 400:
        found = reply.document
        assert isinstance(found, dict)
        assert found["kind"] == "Status"
    return reply


@EXAMPLES
@hypothesis.given(given=st.lists(documents, max_size=3), bucket=parts)
def test_documents(client: serving.Client, given: list[dict[str, object]], bucket: str) -> None:
    try:
        body = serving.body_of(["policy", *given])
    except yaml.YAMLError:
        hypothesis.reject()
    sent = body.encode("utf-8", "surrogatepass")
    reply = answered(client, "PUT", f"/buckets/{encoded(bucket)}/documents", sent)
    if reply.status == 200:
        revision = reply.text.rpartition("revision: ")[2].strip()
        answered(client, "GET", f"/revisions/{revision}/rendered-documents")
        raw = answered(client, "GET", f"/revisions/{revision}/documents")
        assert len(serving.names(raw)) == len(given) + 1
    answered(client, "POST", "/rollback/0")


@EXAMPLES
@hypothesis.given(body=st.one_of(st.binary(max_size=40), texts.map(lambda text: text.encode("utf-8", "surrogatepass"))))
@pytest.mark.parametrize(
    "path", ["PUT /buckets/a/documents", "POST /revisions/1/tags/t", "POST /revisions/1/validations/v"]
)
def test_bodies(client: serving.Client, path: str, body: bytes) -> None:
    client.ask("POST", "/rollback/0")
    method, where = path.split(" ")
    answered(client, method, where, body)


@EXAMPLES
@hypothesis.given(given=values)
@pytest.mark.parametrize("path", ["/revisions/1/tags/t", "/revisions/1/validations/v"])
def test_values_in_bodies(client: serving.Client, path: str, given: object) -> None:
    client.ask("POST", "/rollback/0")
    body = {"status": "success", "validator": given, "errors": [given]}
    try:
        sent = yaml.safe_dump(body).encode("utf-8", "surrogatepass")
    except yaml.YAMLError:
        hypothesis.reject()
    if answered(client, "POST", path, sent).status == 201:
        answered(client, "GET", path)


@EXAMPLES
@hypothesis.given(
    given=st.lists(parts, min_size=3, max_size=3),
    path=st.sampled_from(PATHS),
    method=st.sampled_from(["GET", "POST", "DELETE"]),
)
def test_paths(client: serving.Client, method: str, path: str, given: list[str]) -> None:
    client.ask("POST", "/rollback/0")
    answered(client, method, path.format(*map(encoded, given)))


def test_no_parameter_has_nul(client: serving.Client) -> None:
    """PostgreSQL cannot compare one; whichever parameter it is, that is a mistake of the client."""
    client.ask("POST", "/rollback/0")
    asked = 0
    described = client.ask("GET", "//openapi.yaml").document
    assert isinstance(described, dict)
    for path, methods in described["paths"].items():
        for one in methods.get("get", {}).get("parameters", ()):
            if one["in"] == "query":
                asked += 1
                place = re.sub(r"\{\w+\}", "0", path.partition("/api/v1.0")[2] or path)
                reply = answered(client, "GET", f"{place}?{one['name']}=a%00b")
                assert reply.status == 400, (path, one["name"])
    assert asked > 10
