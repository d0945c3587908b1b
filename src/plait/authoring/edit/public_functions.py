"""Public functions: set, add or remove a value, or write back an output. Only `Edit.write` writes files."""

from __future__ import annotations

import re
from types import NoneType

from plait.authoring.edit.edit_errors import SECRET, UNWRITABLE, EditError
from plait.authoring.edit.setting import EditSession
from plait.authoring.edit.target import Target, with_value, without
from plait.authoring.edit.write_back import put_back
from plait.base.errors import UsageError
from plait.base.numbers import number_of
from plait.insight.node_paths import Path, parse, places
from plait.tree.nodes import Array, Document, Map, MapItem, from_plain, is_filled
from plait.yaml.document_names import scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.authoring.edit.setting import Edit
    from plait.authoring.project.run import Run
    from plait.engine.options import Use
    from plait.insight.node_paths import NodePath
    from plait.tree.nodes import Value


def set_value(run: Run, path: str, value: object, *, add: bool = False, uses: Sequence[Use] = ()) -> Edit:
    """Edits a value of a run's output in the file that contains it. No file is written yet.

    path: the path of one value, as in `plait.explain`. value: plain data. add: the last key of the path may be missing.
    uses: more flags for the run. `Edit.also` names other values that the edit changes. Raises EditError with the reason
    if the value cannot be edited, UsageError for a path that matches none or several values, and the errors of the run.
    """
    state = EditSession(Target(run, uses))
    if add and not _exists(state, path):
        return added(state, path, from_plain(value))
    return edited(state, state.single_value(path), from_plain(value))


def remove_value(run: Run, path: str, *, uses: Sequence[Use] = ()) -> Edit:
    """Removes an item from the file that contains it. Arguments and errors as for `set_value`."""
    state = EditSession(Target(run, uses))
    return removed(state, state.single_value(path))


def set_output(run: Run, documents: Iterable[object], *, uses: Sequence[Use] = ()) -> tuple[Edit, list[EditError]]:
    """Edits the files so that a run produces other documents. Returns the edit, and the differences that could not be
    written back.

    documents: plain data. uses: more flags for the run. Raises the errors of the run.
    """
    return put_back(EditSession(Target(run, uses)), [Document(from_plain(one)) for one in documents])


def edited(state: EditSession, node_path: NodePath, value: Value, typed: str | None = None) -> Edit:
    """Sets a value in its source. A collection whose parts are in several places is edited part by part. Raises
    EditError.
    """
    try:
        return state.set(node_path, value, typed)
    except EditError:
        if not (is_filled(node_path.value) and is_filled(value)):
            raise
        wanted = with_value(state.output.documents, node_path, value)
        edit, refused = put_back(state, wanted)
        if refused:
            raise
        edit.also = state.unintended_changes(wanted, edit.after)
        return edit


def added(state: EditSession, path: str, value: Value) -> Edit:
    """Adds a missing key. Raises EditError, UsageError."""
    wanted = parse(path)
    last = wanted.steps[-1] if wanted.steps else None
    if type(last) is not str or any(char in last for char in "*?["):
        raise UsageError(
            f'"{path}" does not end in a key to add', expected="a path that ends in a key", code="edit-target"
        )
    around = Path(path, wanted.selector, wanted.steps[:-1])
    found = state.places_of(around)
    trace = state.output.trace
    marks = None if trace is None else trace.marks
    old = found[0].value if len(found) == 1 else None
    if state.output.is_decided or (marks is not None and type(old) is Map and marks.has_secret_keys(old)):
        raise EditError(
            SECRET,
            "a key cannot be added to an output whose keys depend on a secret",
            path=path,
            hint="the existence of the key may reveal the secret; add it to a file",
        )
    if len(found) != 1:
        raise UsageError(f'"{path}" could be added in {len(found)} places', expected="one place", code="edit-target")
    if old is not None and type(old) is not Map:
        raise UsageError(f"{found[0]} is not a map, so no key can be added", code="edit-target")
    item = MapItem(last, value)
    new = Map([item]) if old is None else old.with_items([*old.items, item])
    return _all_of(state, with_value(state.output.documents, found[0], new))


def adding_hint(state: EditSession, path: str, typed: str = "") -> str | None:
    """A hint for a PATH that does not exist: to add its last key, or a map with all that are missing. None if no key
    can be added. typed: the value as text.
    """
    wanted = parse(path)
    missing: list[str] = []
    for number in range(len(wanted.steps) - 1, -1, -1):
        step = wanted.steps[number]
        if type(step) is not str or any(char in step for char in "*?["):
            return None
        missing.insert(0, step)
        try:
            found = state.places_of(Path(path, wanted.selector, wanted.steps[:number]))
        except UsageError:
            continue
        if len(found) != 1 or type(found[0].value) not in (Map, NoneType):
            return None
        inner = missing[1:]
        if not inner:
            return "add a missing key with --add"
        if not path.endswith("." + ".".join(missing)) and path != ".".join(missing):
            return None
        below = "".join(f"{{{one}: " for one in inner)
        value = typed if _SIMPLE.fullmatch(typed) else "..."
        return (
            f"add the missing keys: --add '{path.removesuffix('.' + '.'.join(inner))}={below}{value}{'}' * len(inner)}'"
        )
    return None


_NEW_ITEM = re.compile(r"(.+?)(?:\[(\+|\d+)?\]|\.-|[+])\+?")


def item_hint(state: EditSession, path: str, typed: str | None) -> str | None:
    """A hint for a PATH that names a new item of an array, as other programs write it; None for another PATH.

    typed: the value as text.
    """
    asked = _NEW_ITEM.fullmatch(path)
    if asked is None:
        return None
    try:
        value = state.single_value(asked[1]).value
    except UsageError:
        return None
    if type(value) is not Array:
        return f"set the result: '{asked[1]}=VALUE'" if path.endswith("+") else None
    number = number_of(asked[2] or "+")
    if number is not None and number < len(value.items):
        return None
    trace = state.output.trace
    items = [scalar_text(item.value) if type(item.value) in (str, int, bool) else "" for item in value.items]
    is_open = (
        (trace is None or trace.marks is None) and len(items) <= _MOST_ITEMS and all(map(_SIMPLE.fullmatch, items))
    )
    shown = [*(items if is_open else ["..."]), typed if typed and _SIMPLE.fullmatch(typed) else "NEW"]
    return f"an array is set as a whole: '{asked[1]}=[{', '.join(shown)}]'"


_MOST_ITEMS = 9
# Values without a meaning in a map between braces.
_SIMPLE = re.compile(r"[\w.+/-]+(:[\w.+/-]+)*")


def removed(state: EditSession, node_path: NodePath) -> Edit:
    """Removes an item. Raises EditError."""
    if not node_path.way:
        raise EditError(UNWRITABLE, "a whole document cannot be removed", path=str(node_path))
    return _all_of(state, without(state.output.documents, node_path))


def _all_of(state: EditSession, expected: Sequence[Document]) -> Edit:
    edit, refused = put_back(state, expected)
    if refused:
        raise refused[0]
    return edit


def _exists(state: EditSession, path: str) -> bool:
    return bool(places(parse(path), state.output.seen(state.output.documents)))
