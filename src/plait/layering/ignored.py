"""Warnings about parts of documents that have no effect.

`plait layer --validate` rejects most of them; rendering continues, as Deckhand does.
"""

from __future__ import annotations

from plait.base.errors import warning
from plait.base.similar_names import counted, did_you_mean
from plait.base.suggestions import REPLACE, Suggestion
from plait.layering.data_paths import PathError, action_path
from plait.layering.document import without_text
from plait.layering.failures import a_kind
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from plait.base.errors import LayeringError, Warning
    from plait.base.source import Position
    from plait.layering.document import LayeredDocument
    from plait.tree.context import Context
    from plait.tree.nodes import MapItem, Value


# The keys for which `validation` has rules. That module is not loaded for a plain render.
METADATA_KEYS = frozenset(
    {"schema", "name", "labels", "storagePolicy", "layeringDefinition", "replacement", "substitutions"}
)
DEFINITION_KEYS = frozenset({"layer", "abstract", "parentSelector", "actions"})
ACTION_KEYS = frozenset({"method", "path"})
SOURCE_KEYS = frozenset({"schema", "name", "path", "pattern", "match_group", "deepcopy"})
DESTINATION_KEYS = frozenset({"path", "pattern", "recurse"})


def warn_of_leaves(documents: Iterable[LayeredDocument], last: str, context: Context) -> None:
    """Warns about abstract documents of the last layer, which cannot have children, and if no document is in the
    output. last: its name.
    """
    layered = [one for one in documents if not one.control]
    if layered and all(one.abstract and one.layer != last for one in layered):
        context.warn(
            warning(
                f"no document is in the output: {layered[0]} is abstract"
                + (
                    f", and so {'are' if len(layered) > 2 else 'is'} {counted(len(layered) - 1, 'other')}"
                    if layered[1:]
                    else ""
                )
                + "; remove abstract: true, or add the documents that inherit from it",
                code="unused-abstract",
                at=layered[0].place("layeringDefinition", "abstract"),
            )
        )
    for document in layered:
        if document.abstract and document.layer == last:
            context.warn(
                warning(
                    f"{document} is abstract, and in the last layer {last}, so it is not in the output: "
                    "remove abstract: true",
                    code="unused-abstract",
                    at=document.place("layeringDefinition", "abstract"),
                )
            )


def warn_of_ignored(documents: Iterable[LayeredDocument], context: Context) -> None:
    """Warns about unknown parts of the metadata, and about parts without effect."""
    for document in documents:
        result = document.result
        if result is not None and result.has_effect:
            continue
        told = context.told
        _warn_of_schemas(document, context)
        if document.control:
            _warn_of_control(document, context)
        else:
            _warn_of_parts(document, context)
        if result is not None:
            result.has_effect = context.told == told


def _warn_of_parts(document: LayeredDocument, context: Context) -> None:
    """Warns about parts of a document without effect. They depend on it, and on whether it has a parent."""
    metadata = document.metadata
    _warn_of_keys(document, metadata, METADATA_KEYS, context, "metadata")
    _warn_of_boolean(document, metadata, "replacement", context)
    _warn_of_top(document, context)
    _warn_of_storage(document, context)
    definition = _part(metadata, "layeringDefinition")
    _warn_of_keys(document, definition, DEFINITION_KEYS, context, "layeringDefinition")
    _warn_of_boolean(document, definition, "abstract", context)
    for action in document.actions:
        _warn_of_keys(document, action.value, ACTION_KEYS, context, "action")
    for entry in document.substitutions:
        _warn_of_keys(document, entry.value, _ENTRY_KEYS, context, "substitution")
        _warn_of_keys(document, _part(entry.value, "src"), SOURCE_KEYS, context, "src")
        dest = _part(entry.value, "dest")
        for one in [item.value for item in dest.items] if type(dest) is Array else [dest]:
            _warn_of_keys(document, one, DESTINATION_KEYS, context, "dest")
    if document.actions and document.selector is None:
        at = document.place("layeringDefinition", "actions")
        context.warn(
            warning(
                f"the actions of {document} do nothing: it has no parentSelector "
                "(to choose a parent by its labels: parentSelector: {LABEL: VALUE})",
                code="actions-without-parent",
                at=at,
            )
        )
    elif document.parent is not None and not document.actions:
        at = document.place("layeringDefinition", "parentSelector")
        context.warn(
            warning(
                f"{document} inherits nothing from its parent {document.parent}: it has no actions "
                "(to take all of its data: actions: [{method: merge, path: .}])",
                code="parent-without-actions",
                at=at,
            )
        )
    elif document.parent is not None:
        _warn_of_whole(document, context)
        _warn_of_data(document, context)


_ENTRY_KEYS = frozenset({"src", "dest"})
_STEERING = ("substitutions", "replacement")


# The keys of a document, and those that Deckhand's service adds; only `--validate` rejects the latter.
_TOP_KEYS = ("schema", "metadata", "data")
_OF_SERVICE = frozenset({"id", "status"})
# Maximum number of misspelt keys named.
_MOST = 3


def explain_misspelt(
    error: LayeringError, documents: Iterable[LayeredDocument], warnings: Iterable[Warning] = ()
) -> LayeringError:
    """The error, with hints for its likely causes: keys that are misspelt or in the wrong part, and the warnings about
    them.

    warnings: the warnings of the evaluation so far. A missing parent is the cause of errors in the same file only.
    """
    found = [one for document in documents if not document.control for one in _misspelt(document)][:_MOST]
    findings = [error, *error.findings]
    files = {one.at.source for one in findings if one.at is not None}
    caused = [
        one
        for one in warnings
        if one.diagnostic.code == "site-type-not-found"
        or (
            one.diagnostic.code == "parent-not-found"
            and one.diagnostic.at is not None
            and one.diagnostic.at.source in files
        )
    ][:_MOST]
    if found or caused:
        told = [f'{at}: "{key}" is not a key of {part}; {near}' for at, key, part, near in found]
        last = findings[-1]
        last.also = [*last.also, *(at.labelled("the unknown key") for at, _, _, _ in found)]
        last.hint = "\n".join([*told, *caused])
    return error


def _misspelt(document: LayeredDocument) -> Iterator[tuple[Position, str, str, str]]:
    """The keys that are similar to known ones, or belong in another part: the position, the key, the part that it is
    in, and a hint.
    """
    metadata = document.metadata
    definition = _part(metadata, "layeringDefinition")
    parts: list[tuple[Value, Collection[str], str]] = [
        (document.node.value, _TOP_KEYS, "a document"),
        (metadata, METADATA_KEYS, "metadata"),
        (definition, DEFINITION_KEYS, "layeringDefinition"),
    ]
    places: dict[str, Collection[str]] = {**_BELONGS, _TOP: _TOP_KEYS}
    for value, known, part in parts:
        for item in value.items if type(value) is Map else ():
            if item.key in known or type(item.key) is not str:
                continue
            # A key that is there already was not meant.
            near = did_you_mean(item.key, [one for one in known if value.find(one) is None])  # type: ignore[union-attr]
            others = [place for place, keys in places.items() if item.key in keys]
            if near is not None or others:
                # The value of a misspelt key may be secret data.
                at = without_text(item.position) if document.secret else item.position
                yield at, item.key, part, f"it belongs in {' or '.join(others)}" if others else str(near)


def _warn_of_control(document: LayeredDocument, context: Context) -> None:
    kind = document.metadata.find("schema")
    if kind is None:
        return
    why = "it is a control document"
    if not document.schema.startswith("deckhand/"):
        why = (
            f"its metadata.schema ({kind.position}) makes it a control document; metadata/Document/v1 makes it another"
        )
    for key in _STEERING:
        item = document.metadata.find(key)
        if item is not None and item.value:
            context.warn(
                warning(
                    f"{key} of {document} have no effect: {why}",
                    code="control-document",
                    at=item.position,
                )
            )
    if document.selector is not None:
        at = document.place("layeringDefinition", "parentSelector")
        context.warn(
            warning(
                f"the parentSelector of {document} has no effect: {why}",
                code="control-document",
                at=at,
            )
        )


def _warn_of_whole(document: LayeredDocument, context: Context) -> None:
    """Warns about the last action that deletes or replaces all data: the actions before it have no effect, and a deletion
    without a later action leaves nothing.
    """
    actions = [(_part(one.value, "method"), _part(one.value, "path"), one.position) for one in document.actions]
    whole = [number for number, (method, path, _) in enumerate(actions) if path == "." and method != "merge"]
    if not whole:
        return
    last = whole[-1]
    method, _, at = actions[last]
    if last:
        before = "the action before it has" if last == 1 else f"the {last} actions before it have"
        context.warn(
            warning(
                f"an action of {document} {method}s all data, so {before} no effect: remove {'that' if last == 1 else 'them'}, or this one",
                code="parent-without-actions",
                at=at,
            )
        )
    elif method == "delete" and len(actions) == 1 and not document.substitutions:
        context.warn(
            warning(
                f"{document} inherits nothing from its parent {document.parent}, and none of its data is used: its only "
                "action deletes all data (to delete one key: path: .KEY; to take all data: method: merge)",
                code="parent-without-actions",
                at=at,
            )
        )


def _warn_of_data(document: LayeredDocument, context: Context) -> None:
    """Warns about data of a child that none of its actions uses."""
    data = document.written
    if type(data) is not Map:
        return
    taken: set[Value] = set()
    for action in document.actions:
        path = _part(action.value, "path")
        if type(path) is not str or _part(action.value, "method") == "delete":
            continue
        if path == ".":  # the usual one
            return
        try:
            steps = action_path(path).steps
        except PathError:
            return
        if not steps or type(steps[0]) is not str:
            return
        taken.add(steps[0])
    for item in data.items:
        if item.key not in taken:
            at = without_text(item.position) if document.secret else item.position
            is_name = str(item.key).replace("-", "_").isidentifier()
            use = f"to use it: {{method: merge, path: .{item.key}}}; " if is_name else ""
            context.warn(
                warning(
                    f'"{item.key}" in the data of {document} is not used by any of its actions '
                    f"({use}to use all data: path: .)",
                    code="unused-data",
                    at=at,
                )
            )


_TOP = "the document, next to metadata"
_BELONGS = {
    _TOP: frozenset({"metadata", "data"}),
    "metadata": METADATA_KEYS,
    "metadata.layeringDefinition": DEFINITION_KEYS,
    "an action": ACTION_KEYS,
    "the src of a substitution": SOURCE_KEYS,
    "the dest of a substitution": DESTINATION_KEYS,
}


def _warn_of_keys(document: LayeredDocument, value: Value, known: frozenset[str], context: Context, part: str) -> None:
    """Warns about unknown keys in a part of the metadata. part: its key or name in messages."""
    if type(value) is not Map:
        return
    for item in value.items:
        if item.key not in known:
            # The exact name of a key of another part is no misspelt one.
            places = [place for place, keys in _BELONGS.items() if item.key in keys]
            near = did_you_mean(str(item.key), known) if not places else None
            hint = f" ({near})" if near else f" (it belongs in {' or '.join(places)})" if places else ""
            if item.key == "layer" and known is METADATA_KEYS and value.find("layeringDefinition") is None:
                hint = f" (write layeringDefinition: {{layer: {item.value if type(item.value) is str else 'LAYER'}}})"
            context.warn(
                warning(
                    f'"{item.key}" in the {part} of {document} has no effect{hint}',
                    code="unknown-metadata",
                    at=item.position,
                    word=str(item.key),
                    suggestions=() if near is None else near.suggestions,
                )
            )


def _warn_of_top(document: LayeredDocument, context: Context) -> None:
    """Warns about unknown keys next to `metadata`, such as metadata with a wrong indentation."""
    value = document.node.value
    has_data = type(value) is Map and value.find("data") is not None
    for item in value.items if type(value) is Map else ():
        if item.key in _BELOW:
            place = "metadata" if item.key in METADATA_KEYS else "metadata.layeringDefinition"
            context.warn(
                warning(
                    f'"{item.key}" next to the metadata of {document} has no effect (it belongs in {place})',
                    code="unknown-metadata",
                    at=item.position,
                    word=str(item.key),
                )
            )
        elif item.key not in _TOP_KEYS and item.key not in _OF_SERVICE:
            meant = [] if has_data else ["data"]
            hint = "it is data: write it below data:" if has_data else 'the data of a document is below "data"'
            at = without_text(item.position) if document.secret else item.position
            context.warn(
                warning(
                    f'"{item.key}" next to the metadata of {document} has no effect ({hint})',
                    code="unknown-metadata",
                    at=at,
                    word=str(item.key),
                    suggestions=[Suggestion(REPLACE, one, old=str(item.key)) for one in meant],
                )
            )


_KINDS = frozenset({"metadata/Document/v1", "metadata/Control/v1", "metadata/Document/v1.0", "metadata/Control/v1.0"})


def _warn_of_schemas(document: LayeredDocument, context: Context) -> None:
    """Warns about a `schema` without a version, and a `metadata.schema` that is missing or unknown.

    Deckhand rejects both. Such a document is layered like others, but a selector or a substitution for the schema with
    its version does not find it, and a control document counts as an ordinary one.
    """
    namespace, _, name = document.schema.partition("/")
    if namespace and name and "/" not in name:
        context.warn(
            warning(
                f'the schema "{document.schema}" of {document} has no version, so it differs from '
                f'"{document.schema}/v1": write NAMESPACE/KIND/VERSION',
                code="unknown-metadata",
                at=document.node.position,
                word=document.schema,
            )
        )
    item = document.metadata.find("schema")
    kind = item.value if item is not None else None
    if type(kind) is str and (kind in _KINDS or kind.startswith(("metadata/Document/v", "metadata/Control/v"))):
        return
    near = did_you_mean(kind, sorted(_KINDS)[::2]) if type(kind) is str else None
    text = "there is no metadata.schema" if kind is None else f'"{kind}" is not a metadata.schema'
    advice = near or "add schema: metadata/Document/v1, or metadata/Control/v1 for a control document"
    context.warn(
        warning(
            f"{text}: {document} counts as an ordinary document ({advice})",
            code="unknown-metadata",
            at=item.position if item is not None else document.metadata.position,
            word="" if kind is None else str(kind),
            suggestions=() if near is None else near.suggestions,
        )
    )


_BELOW = (METADATA_KEYS | DEFINITION_KEYS) - {"schema"}
_STORAGE = ("encrypted", "cleartext")


def _warn_of_storage(document: LayeredDocument, context: Context) -> None:
    item = document.metadata.find("storagePolicy")
    if item is None or item.value is None or item.value in _STORAGE:
        return
    near = did_you_mean(str(item.value), _STORAGE)
    context.warn(
        warning(
            f'storagePolicy "{item.value}" of {document} is neither "encrypted" nor "cleartext", so its data is not '
            f"encrypted{f' ({near})' if near else ''}",
            code="unknown-metadata",
            at=item.position,
            word=str(item.value),
            suggestions=() if near is None else near.suggestions,
        )
    )


def _warn_of_boolean(document: LayeredDocument, value: Value, key: str, context: Context) -> None:
    item: MapItem | None = value.find(key) if type(value) is Map else None
    if item is not None and item.value is not None and type(item.value) is not bool:
        context.warn(
            warning(
                f"{key} of {document} counts as false: it is not a boolean but {a_kind(item.value)} (true or false, "
                "without quotes)",
                code="not-a-boolean",
                at=item.position,
            )
        )


def _part(value: Value, key: str) -> Value:
    item = value.find(key) if type(value) is Map else None
    return item.value if item is not None else None
