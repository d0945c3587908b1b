"""Secret references, their sources, and hashes."""

from __future__ import annotations

import pytest

from plait.layering import EnvironmentSecrets, FileSecrets
from plait.layering.secrets import is_reference, redacted
from plait.nodes import Map, from_plain

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
