"""Merge keys of arrays, as declared by the schemas of kinds, for `--merge`."""

from __future__ import annotations

from plait.ytt.json_schema.violations import shown
from plait.ytt.overlay.item_keys import SET, WHOLE, Rule
from plait.ytt.overlay.matchers import REQUIRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Document
    from plait.ytt.json_schema.catalogue import Catalogue
    from plait.ytt.json_schema.subschema import Subschema
    from plait.ytt.overlay.item_keys import Source

_LIST_TYPE = "x-kubernetes-list-type"
_LIST_KEYS = "x-kubernetes-list-map-keys"
_PATCH_KEY = "x-kubernetes-patch-merge-key"
_PATCH_STRATEGY = "x-kubernetes-patch-strategy"


def rules_of(catalogue: Catalogue) -> Source:
    """The merge keys that the schemas of a catalogue declare for arrays of documents.

    Both the call and the returned function raise the problems of the schema files read so far.
    """
    _check(catalogue)

    def rule(document: Document, path: tuple[str, ...]) -> Rule | None:
        schema = catalogue.find(document)
        _check(catalogue)
        found = None if schema is None else schema.at(path)
        return None if found is None else _rule(found)

    return rule


def _check(catalogue: Catalogue) -> None:
    """Raises the first fault of a catalogue's files. Paths are relative to the working directory."""
    for problem in catalogue.problems:
        raise shown(problem)


def _rule(schema: Subschema) -> Rule | None:
    """The merge rule for an array with this schema, or None."""
    for part in schema.parts():
        said = part.node
        keys = said.get(_LIST_KEYS)
        if (
            said.get(_LIST_TYPE) == "map"
            and isinstance(keys, list)
            and keys
            and all(isinstance(key, str) for key in keys)
        ):
            return Rule(tuple((key, _default(schema, key)) for key in keys))
        if said.get(_LIST_TYPE) == "set":
            return SET
        if said.get(_LIST_TYPE) == "atomic":
            return WHOLE
        strategy = said.get(_PATCH_STRATEGY)
        if isinstance(strategy, str) and "merge" in strategy.split(","):
            key = said.get(_PATCH_KEY)
            return Rule(((key, REQUIRED),)) if isinstance(key, str) else SET
    return None


def _default(schema: Subschema, key: str) -> object:
    """The declared default of an item's key, or None."""
    item = schema.item()
    found = None if item is None else item.below(key)
    for part in () if found is None else found.parts():
        default = part.node.get("default")
        if isinstance(default, (str, int, float)):
            return default
    return REQUIRED
