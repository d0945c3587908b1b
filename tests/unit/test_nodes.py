"""Collections that have their parts before their items, and what reading an attribute of a node takes."""

from __future__ import annotations

import pytest

from plait.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, is_filled, of_parts, to_plain
from plait.yaml import write


def test_items_are_made_of_parts_when_they_are_asked_for() -> None:
    item = MapItem("a", 1)
    made = of_parts(Map, [item], None, 3)
    assert made._items is None
    assert is_filled(made)
    assert made.items == [item]
    assert made.items is made.items
    assert made._parts is None
    assert is_filled(made)
    assert not is_filled(of_parts(Array, [], None, 3))


@pytest.mark.parametrize("kind", [Map, Array])
def test_attributes_of_collections_are_read_without_asking_the_class(kind: type) -> None:
    # With a `__getattr__` all of them are read the long way, which costs a tenth of a render.
    assert not hasattr(kind, "__getattr__")


def test_a_document_set_that_is_a_value_is_written_as_an_array() -> None:
    documents = DocumentSet([Document(1), Document(Map([MapItem("b", 2)]))])
    tree = Map([MapItem("a", documents), MapItem("c", Array([ArrayItem(documents)]))])
    assert to_plain(tree) == {"a": [1, {"b": 2}], "c": [[1, {"b": 2}]]}
    assert write(DocumentSet([Document(tree)])) == "a:\n- 1\n- b: 2\nc:\n- - 1\n  - b: 2\n"
