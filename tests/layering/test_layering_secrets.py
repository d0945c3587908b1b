"""Secret references, their sources, and hashes."""

from __future__ import annotations

import pytest

from plait.layering.secrets import EnvironmentSecrets, FileSecrets, is_reference, redacted
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
    assert redacted(".") == "7299b59de0b5dad3b622afc3bdf57544e505249c77a6d4254bd14b1fc9a4ade8"
    assert redacted(from_plain({"a": [1, None]})) != redacted(from_plain({"a": [1, False]}))


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
