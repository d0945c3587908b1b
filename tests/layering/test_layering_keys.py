"""A key is warned of as unknown exactly when validation refuses it."""

from __future__ import annotations

from typing import Any

import pytest

from plait.layering.ignored import ACTION_KEYS, DEFINITION_KEYS, DESTINATION_KEYS, METADATA_KEYS, SOURCE_KEYS
from plait.layering.validation import check_document
from plait.tree.nodes import documents, from_plain

ALL = METADATA_KEYS | DEFINITION_KEYS | ACTION_KEYS | SOURCE_KEYS | DESTINATION_KEYS | {"other", "source", "data"}
PLACES = {
    "metadata": METADATA_KEYS,
    "definition": DEFINITION_KEYS,
    "action": ACTION_KEYS,
    "src": SOURCE_KEYS,
    "dest": DESTINATION_KEYS,
}


@pytest.mark.parametrize("place", PLACES)
def test_the_known_keys_are_those_of_validation(place: str) -> None:
    for key in ALL:
        parts: dict[str, Any] = {"metadata": {"schema": "metadata/Document/v1", "name": "n"}}
        for name in ("definition", "action", "src", "dest"):
            parts[name] = {}
        parts["definition"]["actions"] = [parts["action"]]
        parts["metadata"]["layeringDefinition"] = parts["definition"]
        parts["metadata"]["substitutions"] = [{"src": parts["src"], "dest": parts["dest"]}]
        parts[place].setdefault(key, None)
        document = {"schema": "demo/Thing/v1", "metadata": parts["metadata"]}
        found = check_document(documents([from_plain(document)]).items[0])
        refused = any("Additional properties" in finding.message for finding in found)
        assert refused == (key not in PLACES[place]), key
