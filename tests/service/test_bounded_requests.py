"""Requests that are larger than any client needs are refused, and encrypted documents are removed by those who may make them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import serving
import yaml

from plait.service.app import application
from plait.service.identity import digest_of
from plait.service.policy import ACTIONS, CREATE_ENCRYPTED
from plait.service.route_arguments import MOST_GIVEN

ALL, LESS = "all", "all but to create encrypted documents"
SECRET = {"name": "pw", "encrypted": True, "data": {"pw": "a"}}
OPEN = {"name": "open", "data": {"a": 1}}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[serving.Client]:
    (tmp_path / "tokens.yml").write_text(
        yaml.safe_dump([{"name": name, "digest": digest_of(name), "roles": [name]} for name in (ALL, LESS)]), "utf-8"
    )
    found = serving.Client(
        application(
            f"sqlite:///{tmp_path}/plait.db",
            tokens=str(tmp_path / "tokens.yml"),
            policy={action: [ALL] if action == CREATE_ENCRYPTED else [ALL, LESS] for action in ACTIONS},
            keys=serving.keys("one"),
        )
    )
    yield found
    found.close()


def asked(client: serving.Client, method: str, path: str, body: str = "", who: str = ALL) -> serving.Reply:
    return client.ask(method, path, body, authorization=f"Bearer {who}")


def put(client: serving.Client, documents: list[object], who: str = ALL, bucket: str = "b") -> int:
    body = serving.body_of(documents) if documents else ""
    return asked(client, "PUT", f"/buckets/{bucket}/documents", body, who).status


PARAMETERS = [
    ("/revisions/1/documents", "metadata.label", "a{}=b"),
    ("/revisions/1/documents", "schema", "a{}"),
    ("/revisions/1/documents", "metadata.name", "a{}"),
    ("/revisions/1/documents", "sort", "a{}"),
    ("/revisions/1/rendered-documents", "metadata.label", "a{}=b"),
    ("/revisions/1/rendered-documents", "schema", "a{}"),
    ("/revisions/1/rendered-documents", "sort", "a{}"),
    ("/revisions", "tag", "a{}"),
]


@pytest.mark.parametrize(("path", "name", "value"), PARAMETERS)
def test_a_parameter_is_given_so_often(path: str, name: str, value: str, client: serving.Client) -> None:
    assert put(client, ["policy", OPEN]) == 200
    for count, status in ((MOST_GIVEN, 200), (MOST_GIVEN + 1, 400), (40 * MOST_GIVEN, 400)):
        query = "&".join(f"{name}={value.format(number)}" for number in range(count))
        assert asked(client, "GET", f"{path}?{query}").status == status, count


def test_all_parameters_together_are_answered(client: serving.Client) -> None:
    assert put(client, ["policy", OPEN]) == 200
    query = "&".join(
        f"{name}={value.format(number)}"
        for path, name, value in PARAMETERS
        if path == "/revisions/1/documents"
        for number in range(MOST_GIVEN)
    )
    assert asked(client, "GET", f"/revisions/1/documents?{query}").status == 200


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ([SECRET, OPEN], [OPEN], 403),
        ([SECRET, OPEN], [], 403),
        ([SECRET, OPEN], [OPEN, SECRET | {"encrypted": False}], 403),
        ([SECRET, OPEN], [OPEN, SECRET | {"data": {"pw": "b"}}], 403),
        ([OPEN, OPEN | {"name": "other"}], [OPEN], 200),
        ([OPEN], [OPEN | {"data": {"a": 2}}], 200),
        ([OPEN], [], 200),
    ],
)
def test_an_encrypted_document_is_removed_by_those_who_may_make_one(
    before: list[object], after: list[object], status: int, client: serving.Client
) -> None:
    assert put(client, ["policy"], bucket="policy") == 200
    assert put(client, before) == 200
    there = asked(client, "GET", "/revisions/2/documents").text
    assert put(client, after, LESS) == status
    assert asked(client, "GET", "/revisions/2/documents").text == there
    assert asked(client, "GET", "/revisions/3/documents").status == (404 if status == 403 else 200)
    assert put(client, after) == 200


NUMBERS = ["0x" + "f" * 5000, "0" + "7" * 6000, "0b" + "1" * 20_000, "9" * 5000, "1" + ":59" * 5000]


@pytest.mark.parametrize("number", NUMBERS, ids=[number[:2] for number in NUMBERS])
def test_a_number_of_many_digits_is_answered(number: str, client: serving.Client) -> None:
    assert put(client, ["policy", OPEN]) == 200
    report = f"{{status: success, validator: {{name: w}}, errors: [{number}, {{a: {number}}}]}}\n"
    assert asked(client, "POST", "/revisions/1/validations/v", report).status == 201
    assert asked(client, "GET", "/revisions/1/validations/detail").status == 200
    assert asked(client, "POST", "/revisions/1/tags/t", f"a: {number}\n").status == 201
    assert asked(client, "GET", "/revisions/1/tags/t").status == 200
    text = f"---\nschema: a/B/v1\nmetadata: {{schema: metadata/Document/v1, name: x, storagePolicy: cleartext, layeringDefinition: {{layer: site}}}}\ndata: [{number}]\n"
    assert asked(client, "PUT", "/buckets/c/documents", text).status == 200
    assert asked(client, "GET", "/revisions/2/documents?sort=data.a").status == 200
    assert asked(client, "GET", "/revisions/2/rendered-documents").status == 200
    assert asked(client, "GET", "/revisions/1/diff/2").status == 200
    assert asked(client, "GET", "/revisions/1/deepdiff/2").status == 200


REPORT = "{status: success, validator: {name: w}, errors: [TEXT]}\n"
# What is kept about a revision: where it is posted to, a body, and the responses that have all of it.
KEPT = {
    "validations": (
        "/revisions/{}/validations/v",
        REPORT,
        ["/validations", "/validations/detail", "/validations/v", ""],
    ),
    "tags": ("/revisions/{}/tags/t{}", "{a: TEXT}\n", ["/tags", ""]),
}


@pytest.mark.parametrize("kind", KEPT)
def test_what_is_kept_about_a_revision_has_a_size(
    kind: str, client: serving.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, body, responses = KEPT[kind]
    assert put(client, ["policy", OPEN]) == 200
    assert put(client, ["policy", OPEN | {"data": {"a": 2}}]) == 200
    large = body.replace("TEXT", "a" * 200_000)
    found = [asked(client, "POST", path.format(1, number), large).status for number in range(22)]
    assert found == [201] * 20 + [413] * 2
    assert asked(client, "POST", path.format(2, 1), large).status == 201
    monkeypatch.setattr("plait.service.room.MOST", 1)
    assert asked(client, "POST", path.format(2, 2), body).status == 413
    for end in responses:
        assert asked(client, "GET", f"/revisions/1{end}").status == 200, end


def test_another_value_of_a_tag_takes_its_room(client: serving.Client) -> None:
    assert put(client, ["policy", OPEN]) == 200
    for _ in range(3):
        assert asked(client, "POST", "/revisions/1/tags/t", "{a: " + "a" * 1_000_000 + "}").status == 201
    assert asked(client, "POST", "/revisions/1/tags/u", "{a: " + "a" * 1_000_000 + "}").status == 201


def test_reports_that_are_ignored_say_little_of_large_policies(client: serving.Client) -> None:
    def policy(name: str, demands: list[str]) -> str:
        return yaml.safe_dump(
            {
                "schema": "deckhand/ValidationPolicy/v1",
                "metadata": {"schema": "metadata/Control/v1", "name": name},
                "data": {"validations": [{"name": demand} for demand in demands]},
            },
            explicit_start=True,
        )

    assert put(client, ["policy", OPEN]) == 200
    policies = [policy("long", ["x" * 1_000_000]), policy("many", [f"v{number}" for number in range(2_000)])]
    policies += [policy(f"p{number}", ["v"]) for number in range(50)]
    assert asked(client, "PUT", "/buckets/v/documents", "".join(policies)).status == 200
    for _ in range(20):
        assert asked(client, "POST", "/revisions/2/validations/foo", REPORT.replace("TEXT", "a")).status == 201
    for path, largest in (("/validations/detail", 1_500_000), ("/validations/foo/entries/0", 10_000), ("", 20_000)):
        found = asked(client, "GET", f"/revisions/2{path}")
        assert (found.status, len(found.text) < largest) == (200, True), path
