"""Layering actions: how a child's data changes its parent's (docs/reference/layering.md).

The result starts as the parent's rendered data; each action returns the next state. The child's data is only read.
Trees are shared: an action copies only the maps and lists on the path to its change.

A new action is a function and a row in `ACTIONS`.
"""

from __future__ import annotations

from plait.base.events import DONE, current_listener
from plait.base.similar_names import did_you_mean
from plait.base.source import Frame
from plait.base.suggestions import replacing
from plait.layering.data_paths import PATH_FORM, PathError, action_path
from plait.layering.failures import failure, lacking
from plait.layering.path_edits import NoMatch, find, without, write
from plait.layering.path_hints import missing, unreadable
from plait.tree.nodes import Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plait.base.errors import LayeringError
    from plait.base.events import Point
    from plait.base.source import Position
    from plait.layering.data_paths import DataPath
    from plait.layering.document import LayeredDocument
    from plait.layering.strategy import LayeringStrategy
    from plait.tree.nodes import ArrayItem, MapItem, Value
    from plait.tree.provenance import Trace


class Absent(Exception):
    """Raised if the value that an action reads is missing or null."""


def merge(overall: Value, child: Value, path: DataPath) -> Value:
    """`merge`: merges maps, in which the child's values win. Any other value is replaced by the child's."""
    value = present(child, path)
    if type(value) is Map:
        existing = find(overall, path)
        if type(existing) is Map:
            value = merged(existing, value)
            if value is existing and path.plain:
                return overall
    return write(overall, path, value)


def replace(overall: Value, child: Value, path: DataPath) -> Value:
    """`replace`: replaces the value at a path by the child's value."""
    return write(overall, path, present(child, path))


def delete(overall: Value, _child: Value, path: DataPath) -> Value:
    """`delete`: the data without the value; at the root, an empty map. The child's data is not read."""
    if not path.steps:
        return Map([], overall.source, overall.line) if type(overall) is Map else Map([])
    present(overall, path)
    return without(overall, path)


ACTIONS: dict[str, Callable[[Value, Value, DataPath], Value]] = {"merge": merge, "replace": replace, "delete": delete}


def merged(left: Map, right: Map) -> Map:
    """`left` with the items of `right`. Maps are merged; any other value is that of right. Lists are not joined."""
    changes: dict[MapItem, MapItem] = {}
    added: list[MapItem] = []
    find_left = left.find
    for item in right.items:
        existing = find_left(item.key)
        if existing is None:
            added.append(item)
            continue
        old, new = existing.value, item.value
        if type(old) is Map and type(new) is Map:
            inner = old if old is new else merged(old, new)
            if inner is not old:
                changes[existing] = existing.with_value(inner)
        else:
            # The child's value wins, even if it is equal.
            changes[existing] = item
    if changes:
        get = changes.get
        return left.with_items([get(item, item) for item in left.items] + added)
    if added:
        return left.with_items(left.items + added)
    return left


def apply_actions(
    child: LayeredDocument, parent: LayeredDocument, ways: LayeringStrategy, trace: Trace | None = None
) -> Value:
    """The child's data after its actions on the parent's rendered data.

    Raises LayeringError: MissingDocumentKey, InvalidActionPath, UnsupportedActionMethod. See
    docs/reference/layering.md.
    """
    overall = ways.initial_data(child, parent)
    data = child.data
    listener = current_listener()
    for number, action in enumerate(child.actions):
        method, text = _parts(child, action, number)
        function = ways.methods.get(method)
        if function is None:
            raise failure(
                "UnsupportedActionMethod",
                f'document {child}: unknown layering action "{method}"',
                at=action.position,
                expected=", ".join(ACTIONS),
                hint=did_you_mean(method, ACTIONS)
                or "merge changes the keys that the child has; replace takes the child's value as a whole; "
                "delete removes the value",
            )
        ways.before_step(child, action)
        if listener is not None:
            listener.went(action.source, acting_point(action), "done")
        try:
            if trace is None:
                overall = function(overall, data, ways.action_path(text))
            else:
                from plait.layering.tracing import acting

                before = overall
                told = acting(trace, child, action, method, text, data)
                ways.recording(told)
                overall = function(overall, data, ways.action_path(text))
                told.between(before, overall)
        except Absent:
            raise _absent(child, parent, action, method, text, overall) from None
        except PathError as error:
            raise failure(
                "InvalidActionPath",
                f"action {number + 1} ({method} {text}) of {child} on {parent}: {error.message}",
                at=_place(action, "path"),
                expected=PATH_FORM,
                hint=unreadable(overall, error, is_secret=_secret(child)),
                also=[
                    error.at.labelled("the value there")
                    if error.at is not None and not _secret(child)
                    else parent.data_position.labelled("the parent")
                ],
            ) from None
    return ways.finished_data(overall)


def acting_point(action: ArrayItem) -> Point:
    """The coverage point of an action."""
    return "action", (action.line,), "", DONE


def present(data: Value, path: DataPath) -> Value:
    """The value at a path. Raises Absent if it is missing or null."""
    value = find(data, path)
    if value is None or isinstance(value, NoMatch):
        raise Absent
    return value


def _parts(child: LayeredDocument, action: ArrayItem, number: int) -> tuple[str, str]:
    value = action.value
    method = value.find("method") if type(value) is Map else None
    path = value.find("path") if type(value) is Map else None
    if method is None or path is None or type(method.value) is not str or type(path.value) is not str:
        raise failure(
            "InvalidDocumentFormat",
            f"action {number + 1} of {child} is malformed",
            at=action.position,
            expected="a map with a string `method` and a string `path`",
            found=lacking(value, ("method", "path")),
            hint=_miswritten(value, {"method": method, "path": path}) or "actions: [{method: merge, path: .}]",
        )
    return method.value, path.value


def _miswritten(value: Value, wanted: Mapping[str, MapItem | None]) -> str | None:
    """A hint for an action with one missing key and one unknown key, or None."""
    absent = [key for key, item in wanted.items() if item is None]
    unknown = [item.key for item in value.items if item.key not in wanted] if type(value) is Map else []
    if len(absent) != 1:
        return None
    if len(unknown) == 1:
        return replacing(str(unknown[0]), absent, f'"{unknown[0]}" is written "{absent[0]}"')
    return "add path: ." if absent == ["path"] else "add method: merge; replace and delete are the other methods"


def _absent(
    child: LayeredDocument, parent: LayeredDocument, action: ArrayItem, method: str, text: str, overall: Value
) -> LayeringError:
    read = child if method != "delete" else parent
    data = child.data if method != "delete" else overall
    found, hint = missing(data, action_path(text), is_secret=read.secret)
    return failure(
        "MissingDocumentKey",
        f"nothing at the path of the action {method} {text} on parent {parent} by child {child}",
        at=_place(action, "path"),
        also=[read.data_position.labelled("the child" if read is child else "the parent")],
        expected=f"a value that is not null at {text} in the data of {read}",
        found=found,
        hint=hint,
        stack=_ancestry(child),
    )


def _ancestry(child: LayeredDocument) -> list[Frame]:
    """The chain of parents from which data is inherited, nearest first."""
    steps: list[Frame] = []
    document = child
    while document.parent is not None:
        steps.append(Frame(f"{document} inherits from {document.parent}", document.position))
        document = document.parent
    return steps


def _secret(document: LayeredDocument) -> bool:
    """True if the data that an action changes may be secret."""
    parent = document.parent
    return document.secret or (parent is not None and (parent.secret or bool(parent.substitutions)))


def _place(action: ArrayItem, key: str) -> Position:
    item = action.value.find(key) if type(action.value) is Map else None
    return item.position if item is not None else action.position
