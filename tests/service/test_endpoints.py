"""Every endpoint, asked by every role, for data with secrets in it: nobody without the permission sees one in any form.

The endpoints are those of the routing table, the roles are made of the table of actions. A new endpoint fails
`test_every_endpoint_has_calls` until CALLS has it; a new action makes roles by itself.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import hypothesis
import pytest
import serving
import yaml
from hypothesis import strategies as st
from starlette.routing import Route

from plait.service.app import application
from plait.service.identity import digest_of
from plait.service.policy import ACTIONS, LIST_CLEARTEXT, LIST_ENCRYPTED, USE_ENCRYPTED

WORDS = ("Kestrel9Zq", "Falcon4Xw", "Osprey7Vb")
NUMBER = 73915527
# A key of an encrypted document. Whoever may not read the document sees its keys as little as its values.
KEY = "Merlin8Key"
KIND = "example/Kind/v1"
ONE = "/api/v1.0/revisions/{revision}"
ROLES: dict[str, list[str]] = {
    **{f"only {action}": [action] for action in ACTIONS},
    **{f"reader with {action}": [LIST_CLEARTEXT, action] for action in ACTIONS if action != LIST_ENCRYPTED},
    "all but to read secrets": [action for action in ACTIONS if action not in (LIST_ENCRYPTED, USE_ENCRYPTED)],
    "all but to list secrets": [action for action in ACTIONS if action != LIST_ENCRYPTED],
}
CONTROL = "admin"
# Roles that ask, and two that have none: no token, and one that nobody knows.
ASKING = [*ROLES, "nobody", "stranger"]


class Call(NamedTuple):
    """A request. {r}: each revision."""

    path: str
    body: str = ""


REVISIONS = range(1, 5)
READ = (
    "",
    "?cleartext-secrets=true",
    "?cleartext-secrets=false",
    "?sort=data.pw&sort=data&order=desc",
    f"?schema={KIND}&metadata.name=made&metadata.name=pw&limit=3",
)
RUNS = ("open", "values", "derived", "failing", "branch", "none")
OLD = serving.body_of([{"name": "mine", "data": {}}])
CALLS: dict[tuple[str, str], list[Call]] = {
    ("PUT", "/api/v1.0/buckets/{bucket}/documents"): [
        Call("/buckets/mine/documents", OLD),
        Call("/buckets/site/documents", OLD),
        Call("/buckets/mine/documents", "a: [\n"),
        Call("/buckets/mine/documents", serving.body_of([{"name": "pw", "encrypted": True, "data": {"pw": WORDS[0]}}])),
        Call(
            "/buckets/mine/documents",
            serving.body_of(
                [{"name": "mine", "data": {}, "substitutions": [
                    {"src": {"schema": KIND, "name": "pw", "path": ".pw"}, "dest": {"path": ".x"}}]}]
            ),
        ),
        Call("/buckets/site/documents"),
    ],
    ("GET", "/api/v1.0/revisions"): [Call("/revisions"), Call("/revisions?sort=createdAt&order=desc&tag=t")],
    ("DELETE", "/api/v1.0/revisions"): [Call("/revisions")],
    ("GET", ONE): [Call("/revisions/{r}")],
    ("GET", f"{ONE}/documents"): [Call(f"/revisions/{{r}}/documents{query}") for query in READ],
    ("GET", f"{ONE}/rendered-documents"): [Call(f"/revisions/{{r}}/rendered-documents{query}") for query in READ],
    ("GET", f"{ONE}/explain"): [
        Call("/revisions/{r}/explain?path=made"),
        Call("/revisions/{r}/explain?path=made:data&cleartext-secrets=true"),
        Call("/revisions/{r}/explain?path=none"),
    ],
    ("GET", f"{ONE}/diff/{{other}}"): [Call(f"/revisions/{{r}}/diff/{other}") for other in (0, 1, 2)],
    ("GET", f"{ONE}/deepdiff/{{other}}"): [Call(f"/revisions/{{r}}/deepdiff/{other}") for other in (0, 1, 2)],
    ("GET", f"{ONE}/fleet"): [Call("/revisions/{r}/fleet")],
    ("GET", f"{ONE}/fleet/{{other}}"): [Call(f"/revisions/{{r}}/fleet/{other}?diff=true") for other in (0, 1, 2)],
    ("GET", f"{ONE}/runs/{{run:path}}"): [Call(f"/revisions/{{r}}/runs/{run}") for run in RUNS],
    ("GET", f"{ONE}/tags"): [Call("/revisions/{r}/tags")],
    ("DELETE", f"{ONE}/tags"): [Call("/revisions/{r}/tags")],
    ("GET", f"{ONE}/tags/{{tag}}"): [Call("/revisions/{r}/tags/t")],
    ("POST", f"{ONE}/tags/{{tag}}"): [Call("/revisions/{r}/tags/t", "a: 1\n"), Call("/revisions/{r}/tags/u", "- 1\n")],
    ("DELETE", f"{ONE}/tags/{{tag}}"): [Call("/revisions/{r}/tags/t")],
    ("GET", f"{ONE}/validations"): [Call("/revisions/{r}/validations")],
    ("GET", f"{ONE}/validations/detail"): [Call("/revisions/{r}/validations/detail")],
    ("GET", f"{ONE}/validations/{{validation}}"): [Call("/revisions/{r}/validations/v")],
    ("POST", f"{ONE}/validations/{{validation}}"): [
        Call("/revisions/{r}/validations/v", "{status: success, validator: {name: w}}\n")
    ],
    ("GET", f"{ONE}/validations/{{validation}}/entries/{{entry}}"): [Call("/revisions/{r}/validations/v/entries/0")],
    ("POST", "/api/v1.0/rollback/{revision}"): [Call("/rollback/{r}"), Call("/rollback/0")],
    ("GET", "/versions"): [Call("//versions")],
    ("GET", "/openapi.yaml"): [Call("//openapi.yaml")],
    ("GET", "/api/v1.0/health"): [Call("/health")],
    ("GET", "/health"): [Call("//health")],
    ("GET", "/api/v1.0/ready"): [Call("/ready")],
    ("GET", "/api/v1.0/audit"): [Call("/audit"), Call("/audit?order=desc&limit=2&user=admin")],
    ("GET", "/metrics"): [Call("//metrics")],
}  # fmt: skip


def secrets() -> list[object]:
    """Every secret value, in each form in which something could hold it."""
    values: list[object] = [*WORDS, NUMBER, str(NUMBER)]
    values += [{"pw": word, "pin": NUMBER} for word in WORDS]
    values += [f"password: {word}\n" for word in WORDS]
    return values


def forms() -> list[str]:
    """What gives a secret away: the words in other forms, and digests of all values."""
    found = [str(NUMBER), f"{NUMBER:x}", KEY]
    for word in WORDS:
        raw = word.encode()
        found += [
            word,
            word[::-1],
            word[1:-1],
            raw.hex(),
            ",".join(word),
            " ".join(word),
            word.encode("utf-16le").hex(),
        ]
        found += [base64.b64encode(b"x" * before + raw).decode()[4:-4] for before in range(3)]
        found += [
            base64.b32encode(raw).decode()[:-4],
            "".join(chr((ord(char) - 97 + 13) % 26 + 97) for char in word.lower() if char.isalpha()),
        ]
    for value in secrets():
        texts = {json.dumps(value), json.dumps(value, sort_keys=True), yaml.safe_dump(value), str(value)}
        for text in texts | {text.strip() for text in texts} | {f"{text.strip()}\n" for text in texts}:
            for kind in ("md5", "sha1", "sha256", "sha512"):
                digest = hashlib.new(kind, text.encode(), usedforsecurity=False)
                found += [digest.hexdigest(), base64.b64encode(digest.digest()).decode()]
    return [form.lower() for form in found if len(form) >= 7]


FORMS = sorted(set(forms()))


def leak(reply: serving.Reply) -> str | None:
    """What a reply shows of a secret."""
    return leak_in(f"{reply.headers} {reply.text}")


def leak_in(text: str) -> str | None:
    """What a text shows of a secret, with what is around it. One pattern of all forms would take twenty times as long."""
    text = text.lower()
    at = next((at for form in FORMS if (at := text.find(form)) >= 0), None)
    return None if at is None else text[max(at - 200, 0) : at + 100]


def taken(path: str, dest: str = ".x", name: str = "pw", **more: object) -> dict[str, object]:
    src = {key: value for key, value in more.items() if key != "dest_pattern"}
    to = {"path": dest} | ({"pattern": more["dest_pattern"]} if "dest_pattern" in more else {})
    return {"src": {"schema": KIND, "name": name, "path": path} | src, "dest": to}


def layered(word: str) -> list[object]:
    """Encrypted documents, and documents that get their data in every way."""
    inherit = {"selector": {"secret": "yes"}, "actions": [{"method": "merge", "path": "."}]}
    return [
        {"name": "pw", "encrypted": True, "data": {"pw": word, "pin": NUMBER, KEY: {KEY: 1}}, "layer": "global", "labels": {"secret": "yes"}},
        {"name": "text", "schema": "deckhand/Passphrase/v1", "encrypted": True, "data": word},
        {"name": "made", "data": {"pw": "PW"}, "labels": {"made": "yes"}, "layer": "global", "substitutions": [taken(".pw", ".pw", dest_pattern="PW")]},
        {"name": "again", "data": {}, "substitutions": [taken(".", ".deep", name="made")]},
        {"name": "child", "data": {"a": 1}, **inherit},
        {"name": "grandchild", "data": {"b": 1}, "selector": {"made": "yes"}, "actions": inherit["actions"]},
        {"name": "open", "data": {"a": 1}},
    ]  # fmt: skip


def broken() -> list[object]:
    """Documents that cannot be rendered, with messages that may be about values."""
    bad = [
        [taken(".pw.deep")],
        [taken(".none")],
        [taken(f".{KEY[:-1]}x")],
        [taken(f".{KEY}.{KEY[:-1]}x".replace(KEY, "pw"))],
        [taken(".pw[0]")],
        [taken(".pw", pattern="(no)(pe)", match_group=2)],
        [taken(".pw", pattern="(")],
        [taken(".pw", ".x.y.z")],
        [taken(".pw", ".text", dest_pattern="missing")],
        [taken(".", ".text", dest_pattern="TEXT")],
        [taken(".pin", ".x[3].y")],
        [taken(".pw", ".x"), taken(".pin", ".x.deep")],
        [taken(".pw", ".x"), taken(".pin", ".x", dest_pattern="none")],
    ]
    found: list[object] = [
        {"name": f"bad{n}", "data": {"text": "TEXT"}, "substitutions": one} for n, one in enumerate(bad)
    ]
    actions = [("merge", ".pw"), ("merge", ".pw.x"), ("replace", ".none"), ("delete", ".none.x"), ("delete", ".pw.x")]
    for number, (method, path) in enumerate(actions):
        found.append(
            {"name": f"worse{number}", "data": {"pw": [1]}, "selector": {"secret": "yes"}, "actions": [{"method": method, "path": path}]}
        )  # fmt: skip
    return found


def schemas() -> list[object]:
    """Schemas that no data with secrets fulfils."""
    metadata = {"schema": "metadata/Control/v1", "name": KIND}
    properties: dict[str, object] = {
        "pw": {"pattern": "^z", "maxLength": 2, "enum": [1], "type": "array"},
        "pin": {"maximum": 1, "multipleOf": 7},
        "deep": {"properties": {"pw": {"const": 1}}, "additionalProperties": False, "required": ["none"]},
    }
    patterns = {"^M": {"type": "array", "required": ["none"]}, "^Me": {"additionalProperties": False}}
    data = {"properties": properties, "patternProperties": patterns, "additionalProperties": False}
    return [{"schema": "deckhand/DataSchema/v1", "metadata": metadata, "data": data}]


def project(word: str) -> list[object]:
    """A project with an encrypted file, one that a secret is substituted into, and runs that tell of them."""

    def file(name: str, text: str, *, encrypted: bool = False, **more: object) -> dict[str, object]:
        policy = "encrypted" if encrypted else "cleartext"
        definition = {"layer": "site"}
        metadata = {
            "schema": "metadata/Document/v1",
            "name": name,
            "storagePolicy": policy,
            "layeringDefinition": definition,
        }
        return {"schema": "plait/File/v1", "metadata": metadata | more, "data": text}

    head = '#@ load("@ytt:data", "data")\n#@ load("@ytt:sha256", "sha256")\n---\n'
    failing = '#@ fail("x" + data.values.password)\n'
    branch = '#@ if data.values.password[0] == "K":\na: 1\n#@ end\nsum: #@ sha256.sum(data.values.password)\n'
    runs = {
        "open": {"render": {"files": ["open.yml"]}},
        "values": {"render": {"files": ["values.yml"]}},
        "derived": {"render": {"files": ["derived.yml"]}},
        "failing": {"render": {"files": ["failing.yml"], "data-values-file": ["values.yml"]}},
        "branch": {"render": {"files": ["branch.yml"], "data-values-file": ["values.yml"]}},
    }
    return [
        file("plait.yml", yaml.safe_dump({"runs": runs})),
        file("open.yml", "a: 1\n"),
        file("values.yml", f"password: {word}\n", encrypted=True),
        file("derived.yml", "password: PW\n", substitutions=[taken(".pw", ".", dest_pattern="PW")]),
        file("failing.yml", head + failing),
        file("branch.yml", head + branch),
    ]


def policy() -> dict[object, object]:
    return {action: [CONTROL, *(name for name, actions in ROLES.items() if action in actions)] for action in ACTIONS}


def opened(directory: Path) -> serving.Client:
    """A client of the service on the database in a directory."""
    return serving.Client(
        application(
            f"sqlite:///{directory}/plait.db",
            tokens=str(directory / "tokens.yml"),
            policy=policy(),
            keys=serving.keys("one"),
            limits={"seconds": 20},
        )
    )


def asked(client: serving.Client, who: str, method: str, path: str, body: str = "", **headers: str) -> serving.Reply:
    token = None if who == "nobody" else f"Bearer {who}"
    return client.ask(method, path, body, authorization=token, **headers)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with four revisions: two that can be rendered, one that cannot, one whose data break a schema."""
    found = tmp_path_factory.mktemp("service")
    tokens = [{"name": name, "digest": digest_of(name), "roles": [name]} for name in (CONTROL, *ROLES)]
    (found / "tokens.yml").write_text(yaml.safe_dump(tokens), "utf-8")
    client = opened(found)
    bodies = [
        ["policy", *layered(WORDS[0]), *project(WORDS[2])],
        ["policy", *layered(WORDS[1]), *project(WORDS[1])],
        ["policy", *layered(WORDS[0]), *broken()],
        ["policy", *layered(WORDS[0]), *schemas()],
    ]
    for number, documents in enumerate(bodies, 1):
        reply = asked(client, CONTROL, "PUT", "/buckets/site/documents", serving.body_of(documents))
        assert (reply.status, f"revision: {number}" in reply.text) == (200, True), reply.text
        body = "{status: success, validator: {name: w}, errors: [{message: fine}]}\n"
        assert asked(client, CONTROL, "POST", f"/revisions/{number}/validations/v", body).status == 201
        assert asked(client, CONTROL, "POST", f"/revisions/{number}/tags/t").status == 201
    for number, status in zip(REVISIONS, (200, 200, 400, 400), strict=True):
        assert asked(client, CONTROL, "GET", f"/revisions/{number}/rendered-documents").status == status
    client.close()
    return found


@pytest.fixture(scope="module")
def shared(directory: Path) -> Iterator[serving.Client]:
    """A service for requests that change nothing."""
    found = opened(directory)
    yield found
    found.close()


def requests(*methods: str) -> Iterator[tuple[str, str, str]]:
    """Method, path and body of all calls."""
    for (method, _), calls in CALLS.items():
        if method in methods:
            for call in calls:
                for path in dict.fromkeys(call.path.replace("{r}", str(number)) for number in REVISIONS):
                    yield method, path, call.body


def test_every_endpoint_has_calls(shared: serving.Client) -> None:
    routes = {
        (method, route.path)
        for route in shared.app.routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert set(CALLS) == routes
    assert all(CALLS.values())


def test_the_calls_would_show_the_secrets(shared: serving.Client) -> None:
    """The canaries are where they are looked for: who may see them does, at the endpoints that show data."""
    shown = {path.split("?")[0] for _, path, _ in requests("GET") if leak(asked(shared, CONTROL, "GET", path))}
    expected = {
        "documents": False,
        "rendered-documents": True,
        "runs/values": True,
        "runs/derived": True,
        "runs/branch": True,
    }
    for end, is_shown in expected.items():
        assert (f"/revisions/1/{end}" in shown) is is_shown, end
    assert "/revisions/1/explain" in shown
    assert "/revisions/1/fleet/2" in shown


@pytest.mark.parametrize("who", ASKING)
def test_reading_shows_no_secret(who: str, shared: serving.Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for method, path, _ in requests("GET"):
        for verb in (method, "HEAD"):
            reply = asked(shared, who, verb, path)
            assert leak(reply) is None, (verb, path, leak(reply))
            assert reply.status < 500
    assert leak_in(caplog.text) is None
    assert not any(name in caplog.text for name in ("Bearer", "authorization"))


@pytest.mark.parametrize("who", ASKING)
def test_writing_shows_no_secret(who: str, directory: Path, tmp_path: Path) -> None:
    """Each request that writes, and what can be read after all of them."""
    for name in ("plait.db", "tokens.yml"):
        shutil.copy(directory / name, tmp_path)
    client = opened(tmp_path)
    for methods in (("PUT", "POST"), ("DELETE",)):
        for method, path, body in requests(*methods):
            # The word that the request itself has is told back.
            if WORDS[0] not in body or asked(client, who, method, path, body).status >= 400:
                reply = asked(client, who, method, path, body)
                assert leak(reply) is None or WORDS[0] in body, (method, path, leak(reply))
                assert reply.status < 500
        for number in range(5, 12):
            for part in (
                "",
                "/documents",
                "/rendered-documents",
                "/deepdiff/1",
                "/fleet",
                "/runs/derived",
                "/runs/values",
            ):
                reply = asked(client, who, "GET", f"/revisions/{number}{part}")
                assert leak(reply) is None, (number, part, leak(reply))
    client.close()


texts = st.text(st.characters(), max_size=12)
ids = st.one_of(
    st.sampled_from(["1", "2", "3", "4", "0", "-1", "+1", "01", "1e0", "1.0", "%", "_", "1%25", "٣", "made", "..", ".", "a/b"]),
    st.integers(-(2**70), 2**70).map(str),
    texts,
)  # fmt: skip
names_of_parameters = st.sampled_from(
    [
        "cleartext-secrets",
        "sort",
        "order",
        "limit",
        "marker",
        "path",
        "diff",
        "tag",
        "schema",
        "status.bucket",
        "metadata.name",
        "metadata.label",
        "metadata.layeringDefinition.layer",
        "metadata.layeringDefinition.abstract",
    ]
)
words = st.one_of(st.sampled_from(["true", "TRUE", "false", "data.pw", "data", "pw", "made", "1", "%", "_%"]), ids)
headers = st.dictionaries(
    st.sampled_from(
        [
            "x_roles",
            "x_auth_token",
            "x_forwarded_for",
            "x_original_url",
            "x_http_method_override",
            "x_end_user",
            "x_context_marker",
            "x_service_token",
            "x_identity_status",
            "content_type",
            "accept",
            "range",
            "forwarded",
        ]
    ),
    st.one_of(st.sampled_from(["admin", "Confirmed", "GET", "*/*", "bytes=0-1"]), st.text("aB1 ,;=%\t", max_size=8)),
    max_size=3,
)
EXAMPLES = hypothesis.settings(
    max_examples=int(os.environ.get("PLAIT_EXAMPLES", "15")),
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture, hypothesis.HealthCheck.too_slow],
)


@EXAMPLES
@hypothesis.given(
    parts=st.lists(ids, min_size=3, max_size=3),
    query=st.lists(st.tuples(names_of_parameters, words), max_size=4),
    given=headers,
    who=st.sampled_from(["all but to list secrets", "nobody", f"reader with {USE_ENCRYPTED}"]),
)
@pytest.mark.parametrize("endpoint", [path for method, path in CALLS if method == "GET"])
def test_strange_requests_show_no_secret(
    endpoint: str,
    parts: list[str],
    query: list[tuple[str, str]],
    given: dict[str, str],
    who: str,
    shared: serving.Client,
) -> None:
    left = iter(parts)
    path = re.sub(r"{[^}]*}", lambda _: quote(next(left).encode("utf-8", "surrogatepass"), safe=""), endpoint)
    asked_for = "&".join(f"{name}={quote(value.encode('utf-8', 'surrogatepass'), safe='')}" for name, value in query)
    reply = asked(shared, who, "GET", f"/{path}?{asked_for}", **given)
    assert reply.status < 500, reply.text
    assert leak(reply) is None, leak(reply)
    for name in ("x-end-user", "x-context-marker"):
        assert "\n" not in reply.headers.get(name, "")
