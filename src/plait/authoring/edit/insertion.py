"""Writes a value to a new position: in place of an expression, in an overlay, an operation, or a data value."""

from __future__ import annotations

import os

from plait.authoring.edit.code import with_literal
from plait.authoring.edit.edit_errors import SECRET, UNWRITABLE, Alternative, EditError
from plait.authoring.edit.merge_files import is_merged, with_part
from plait.authoring.edit.origins import decoded, history_of, standing
from plait.authoring.edit.sites import Text, is_same_key
from plait.authoring.edit.target import with_value
from plait.base.errors import LimitError, PlaitError, UsageError
from plait.base.lines import lines_of
from plait.base.similar_names import counted
from plait.engine.options import Use
from plait.engine.patch import Patch
from plait.engine.render import Render
from plait.insight.diff import operations
from plait.insight.explain import flat
from plait.insight.overlays import to_overlay
from plait.tree.nodes import Array, ArrayItem, MapItem
from plait.yaml.lossless.nodes import Collection
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.authoring.edit.setting import Edit, EditSession
    from plait.authoring.project.run import Run
    from plait.insight.node_paths import NodePath
    from plait.tree.nodes import Item, Value

_LOAD_OVERLAY = 'load("@ytt:overlay"'
_LOAD_DATA = '#@ load("@ytt:data", "data")\n'
_VALUES, _SCHEMA = "#@data/values", "#@data/values-schema"
_MOST_OFFERS = 5


def at(
    state: EditSession, node_path: NodePath, value: Value, file: str, line: int, *, written: Value | None = None
) -> Edit:
    """Replaces the value, the expression, or a literal in code, on a line.

    written: the value to write there, by default `value`. Raises EditError, UsageError.
    """
    path, where = os.path.abspath(file), f"{file}:{line}"
    data = state.files.bytes_of(path)
    if data is None:
        raise UsageError(f"{file} is not an input of this run", code="not-an-input")
    history = history_of(state.output, node_path)
    if state.output.is_secret(path, line):
        raise EditError(SECRET, f"{where} is a secret", path=str(node_path))
    new = value if written is None else written
    tries = [*_values_on(state.files.text(path), node_path, new, line)]
    is_program = path.endswith(".star")
    tries += with_literal(decoded(data), line, node_path.value, new, is_program=is_program)
    if not tries:
        lines = len(lines_of(decoded(data)))
        raise UsageError(
            f"there is no value at {where}",
            expected="a value, an expression, or a literal with this value",
            found=f"{file} has {counted(lines, 'line')}" if line > lines else None,
            hint=f"the value is set at {history.entries[-1].place}",
            code="edit-target",
        )
    return state.best(node_path, value, ((path, where, text) for text in tries))


def _values_on(text: Text | None, node_path: NodePath, value: Value, line: int) -> Iterator[str]:
    """Yields the file's text once for each item on `line`, with that item's value replaced. Items with the same key
    come first.
    """
    for site in (
        () if text is None else sorted(text.on_line(line), key=lambda site: not is_same_key(site, node_path.item))
    ):
        assert text is not None
        literal = text.with_literal(site, value)
        yield from text.replaced(site, value) if literal is None else [literal]


def add_to_file(state: EditSession, node_path: NodePath, value: Value, file: str) -> Edit:
    """Adds an overlay item or an operation that sets a value to a file, which is created if missing. Raises
    EditError.
    """
    history_of(state.output, node_path)
    command = state.target.run.command
    if command == "render":
        if is_merged(state, os.path.abspath(file)):
            return _in(state, node_path, value, file, with_part, Render.merge)
        return _in(state, node_path, value, file, _with_overlay, Render.inputs)
    if command == "patch":
        return _in(state, node_path, value, file, _with_operation, Patch.operations)
    raise UsageError(
        f"plait {command} accepts neither overlays nor operations",
        hint="edit a document with --at FILE:LINE",
        code="edit-target",
    )


def _in(
    state: EditSession,
    node_path: NodePath,
    value: Value,
    file: str,
    write: Callable[[EditSession, NodePath, Value, str], str],
    option: object,
) -> Edit:
    path = os.path.abspath(file)
    old = state.files.bytes_of(path)
    if old is None and os.path.lexists(path):
        raise UsageError(f"{file} is not an input of this run", code="not-an-input")
    text = write(state, node_path, value, "" if old is None else decoded(old))
    if old is None:
        # A new file may be in a directory that the run reads; otherwise the run needs a flag for it.
        try:
            return state.tried(node_path, value, {path: text}, [file])
        except EditError:
            pass
        use = Use(option, file)
        note = _needed(state.target.run, use, path)
        return state.tried(node_path, value, {path: text}, [file], uses=[use], notes=[note])
    return state.tried(node_path, value, {path: text}, [file])


def _needed(run: Run, use: Use, path: str) -> str:
    """A sentence about how to make a run read a new file: by a setting of its project file, or a flag."""
    if run.at is None or run.at.source is None:
        return f"add -{use.option.short} {os.path.relpath(path)} to the run's command line"
    file = os.path.relpath(path, run.directory or os.curdir)
    return f'add {file} to the setting "{use.option.setting}" of the run {run.name} at {run.at}'


def _with_overlay(state: EditSession, node_path: NodePath, value: Value, old: str) -> str:
    overlay = to_overlay(state.output.documents, with_value(state.output.documents, node_path, value), in_order=True)
    if not old.strip():
        return overlay
    if _LOAD_OVERLAY in old:
        overlay = overlay.partition("\n")[2]
    newline = "\r\n" if "\r\n" in old else "\n"
    return old + ("" if old.endswith("\n") else newline) + overlay.replace("\n", newline)


def _with_operation(state: EditSession, node_path: NodePath, value: Value, old: str) -> str:
    new = operations(state.output.documents, with_value(state.output.documents, node_path, value), tests=False)
    assert type(new) is Array
    root = Text(old).roots[0] if old.strip() else None
    if not isinstance(root, Collection) or root.is_map or not root.items:
        return old + ("\n" if old and not old.endswith("\n") else "") + write_value(new)
    for item in new.items:
        text = Text(old)
        root = text.roots[0]
        last = len(root.items) - 1 if isinstance(root, Collection) else -1
        added = text.with_item(root, last, ArrayItem(item.value))
        if added is None:
            raise UsageError("an operation cannot be added to the file", code="edit-target")
        old = added
    return old


def as_value(state: EditSession, node_path: NodePath, value: Value, name: str = "") -> Edit:
    """Turns a value into a data value: `data.values.NAME` replaces it, and it is added to the schema or data values of
    the run.

    name: the name of the data value; by default the key of the value. Raises EditError, UsageError.
    """
    history = history_of(state.output, node_path)
    name = name or _name(node_path.item)
    if not name.isidentifier():
        raise UsageError(
            f'"{name}" is not a valid name of a data value',
            expected="letters, digits and underscores",
            code="edit-target",
        )
    failed: PlaitError | None = None
    for origin in standing(history, state.files):
        text = origin.text.with_code(origin.site, f"data.values.{name}")
        if text is None:
            continue
        if 'load("@ytt:data"' not in text:
            text = _with_load(text)
        for path, values in _declared(state, name, value):
            if path == origin.path:
                continue
            try:
                return state.tried(node_path, value, {origin.path: text, path: values}, [origin.entry.place])
            except LimitError:
                raise
            except PlaitError as error:
                failed = failed or error
    raise failed or EditError(
        UNWRITABLE,
        f"{node_path} cannot be replaced by an expression",
        path=str(node_path),
        found=history.entries[-1].place,
        expected="an item of a template in block style, without a comment, and data values to add to",
    )


def _with_load(text: str) -> str:
    """A template that loads data values at its top."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return mark + (_LOAD_DATA.replace("\n", "\r\n") if "\r\n" in text else _LOAD_DATA) + text[len(mark) :]


def _name(item: Item) -> str:
    key = item.key if type(item) is MapItem else ""
    return key.replace("-", "_") if type(key) is str else ""


def _declared(state: EditSession, name: str, value: Value) -> Iterator[tuple[str, str]]:
    """The schema, documents of data values and values files of a run, each extended by a new data value."""
    found: list[tuple[int, str, str]] = []
    named = [
        os.path.abspath(use.option.path.path(use.value))
        for use in (*state.target.run.request().uses, *state.target.uses)
        if use.option.path is not None
    ]
    for path in state.output.view.files:
        text = state.files.text(path)
        root = None if text is None or not text.roots else text.roots[0]
        if text is None or not isinstance(root, Collection) or not root.is_map:
            continue
        head = [line.strip() for line in lines_of(text.text)]
        rank = (
            0 if _SCHEMA in head else 1 if _VALUES in head else 2 if path in named and "#@" not in text.text else None
        )
        if rank is None:
            continue
        if any(text.key(item) == name for item in root.items):
            raise UsageError(
                f'the data value "{name}" already exists',
                hint="choose another name with --as value=NAME",
                code="edit-target",
            )
        new = text.with_item(root, len(root.items) - 1, MapItem(name, value))
        if new is not None:
            found.append((rank, path, new))
    return ((path, new) for _, path, new in sorted(found, key=lambda one: one[0]))


def offers(state: EditSession, node_path: NodePath, value: Value) -> list[Alternative]:
    """Alternatives to an edit of the line that defines the value. Each was evaluated. An alternative has the flag and
    the lines that it writes.
    """
    ways: list[tuple[str, Callable[[], Edit]]] = []
    history = history_of(state.output, node_path)
    for entry in flat([history.entries[-1]]):
        if entry.source is not None and entry.line > 0 and entry.place.partition(":")[0]:
            where = (entry.source.shown, entry.line)
            ways.append((f"--at {where[0]}:{where[1]}", lambda where=where: at(state, node_path, value, *where)))  # type: ignore[misc]
    ways = list(dict(ways).items())[:_MOST_OFFERS]
    file = {"render": "overlay.yml", "patch": "ops.yml"}.get(state.target.run.command)
    if file is not None:
        ways.append((f"--in {file}", lambda: add_to_file(state, node_path, value, file)))
    found: list[Alternative] = []
    for words, way in ways:
        try:
            edit = way()
        except LimitError:
            raise
        except PlaitError:
            continue
        if not edit.also:
            found.append(Alternative(words, [line for _, _, _, new in edit.lines() for line in new]))
    return found
