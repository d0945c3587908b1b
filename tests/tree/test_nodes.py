"""Nodes: what reading an attribute of one takes, and document sets as values."""

from __future__ import annotations

import pytest

from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, to_plain
from plait.yaml.writer import write


@pytest.mark.parametrize("kind", [Map, Array])
def test_attributes_of_collections_are_read_without_asking_the_class(kind: type) -> None:
    # With a `__getattr__` all of them are read the long way, which costs a tenth of a render.
    assert not hasattr(kind, "__getattr__")


def test_a_document_set_that_is_a_value_is_written_as_an_array() -> None:
    documents = DocumentSet([Document(1), Document(Map([MapItem("b", 2)]))])
    tree = Map([MapItem("a", documents), MapItem("c", Array([ArrayItem(documents)]))])
    assert to_plain(tree) == {"a": [1, {"b": 2}], "c": [[1, {"b": 2}]]}
    assert write(DocumentSet([Document(tree)])) == "a:\n- 1\n- b: 2\nc:\n- - 1\n  - b: 2\n"
