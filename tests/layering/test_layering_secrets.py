"""Secret references, their sources, and hashes."""

from __future__ import annotations

from hashlib import sha256

import pytest

from plait.layering.secrets import EnvironmentSecrets, FileSecrets, Redactor, is_reference, json_text
from plait.tree.nodes import Map, from_plain

UUID = "123e4567-e89b-12d3-a456-426614174000"
REFERENCE = f"https://vault.example/v1/secrets/{UUID}"


@pytest.mark.parametrize(
    "data",
    [UUID, "https://vault.example/secrets/no", f"https://vault.example/{UUID}", f"ftp://secrets/{UUID}", 5, None],
)
def test_what_is_no_reference(data: object) -> None:
    assert not is_reference(from_plain(data))


def test_what_is_a_reference() -> None:
    assert is_reference(REFERENCE)


def test_a_file_knows_references_and_uuids() -> None:
    data = from_plain({UUID: {"a": 1}, "https://else.example/secrets/x": None})
    assert type(data) is Map
    source = FileSecrets("secrets.yml", data)
    assert source.resolve(REFERENCE) is not None
    assert source.resolve("https://else.example/secrets/x") == (None,)
    assert source.resolve("https://else.example/secrets/y") is None


def test_the_environment_has_a_variable_for_each_uuid() -> None:
    source = EnvironmentSecrets("APP_", {"APP_123E4567_E89B_12D3_A456_426614174000": "tell"})
    assert source.resolve(REFERENCE) == ("tell",)
    assert source.resolve(REFERENCE[:-1] + "1") is None


def test_a_hash_is_that_of_the_json_text() -> None:
    redacted = Redactor().redacted
    assert redacted(".") == "7299b59de0b5dad3b622afc3bdf57544e505249c77a6d4254bd14b1fc9a4ade8"
    assert redacted(from_plain({"a": [1, None]})) != redacted(from_plain({"a": [1, False]}))


@pytest.mark.parametrize(
    "data",
    [
        "",
        'a "quoted"\n\t\\ line\x00\x7f',
        "\u00e9\u2028\U0001f511\udcff",
        [None, True, False, 0, -1, 10**30, 1.0, -0.0, 1e22, 1e-7],
        [float("inf"), float("-inf"), float("nan")],
        {"a": {}, "b": [], "c": {"d": [{"e": "f"}, {"e": "f"}]}},
        {"1": "string", 1: "integer", 2: "two"},
        {True: 1, None: 2, 1.5: 3},
        {("a", "tuple"): "a key that JSON does not have"},
        {"long": ["x" * 3000, {"y": "z" * 3000}]},
    ],
    ids=repr,
)
def test_a_redactor_hashes_the_text_of_json(data: object) -> None:
    value = from_plain(data)
    redactor = Redactor()
    digest = sha256(json_text(value).encode("utf-8", "surrogatepass")).hexdigest()
    assert [redactor.redacted(value), redactor.redacted(value)] == [digest, digest]
    # Parts that another value had, too.
    around = from_plain({"of": 1})
    assert type(around) is Map
    around = around.with_values([value])
    assert redactor.redacted(around) == Redactor().redacted(around)
    assert redactor.redacted(around) == sha256(json_text(around).encode("utf-8", "surrogatepass")).hexdigest()


def test_numbers_that_are_given_in_python_stay_what_they_are() -> None:
    import plait

    reference = "https://host/v1/secrets/00000000-0000-4000-8000-000000000001"
    document = f"""\
schema: demo/Secret/v1
metadata: {{schema: metadata/Document/v1, name: s, storagePolicy: encrypted, layeringDefinition: {{layer: site}}}}
data: {reference}
"""
    policy = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: order}
data: {layerOrder: [site]}
"""
    found = plait.layer(
        {"policy.yml": policy, "s.yml": document},
        secrets={reference: {"float": 1.0, "large": 1e22, "items": [2.0, 3], "text": "1.0"}},
        cleartext_secrets=True,
        names=["s"],
    )
    assert found.to_yaml().endswith(
        'data:\n  float: 1.0\n  large: 1.0e+22\n  items:\n  - 2.0\n  - 3\n  text: "1.0"\n'
    ), found.to_yaml()
