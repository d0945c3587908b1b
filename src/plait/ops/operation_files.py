"""Reads operations files: YAML lists of operations (docs/reference/operations.md), from a file, a directory or a
pattern.
"""

from __future__ import annotations

import os

from plait.base.content import NO_LINKS, record_listing
from plait.base.errors import OpsError, ReadError
from plait.base.extensions import EMBEDDED
from plait.base.extensions import OPERATIONS as EVERY
from plait.base.input_view import check_read, current_view, may_read
from plait.base.limits import current_budget
from plait.base.source import CLAUSE, Advice, Flag, Position, Source
from plait.ops.operations import FIELDS, Operation, OperationSource, Remove, Replace, Test, not_read
from plait.ops.reader import read_first
from plait.ops.rewrite import rewrite_floats
from plait.ops.walk import syntaxes
from plait.tree.nodes import Array, ArrayItem, Map, MapItem, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from plait.base.content import LinkPolicy
    from plait.base.errors import Warn
    from plait.tree.nodes import Value

EXTENSIONS = (".yml", ".yaml", ".json")


def _replace(definition: OperationSource, null_values: bool) -> Operation:
    given = definition.fields.get("value")
    pointer_first = definition.value("path") is None
    if not pointer_first and (given is None or (given.value is None and not null_values)):
        hint = (
            "add value: the new value; to remove the key: type: remove"
            if given is None
            else Advice(Flag("null-values"), " accepts null; to remove the key: type: remove")
        )
        error = definition.refuse(
            f'replace operation [{definition.number}]: "value" is missing or null',
            hint=hint,
            fault=f"Replace operation [{definition.number}]: Missing value",
        )
        if given is not None:
            beside = [one for key, one in definition.fields.items() if key not in FIELDS and one.line > given.line]
            error = syntaxes().of_its_value(error, beside, given)
        raise error
    pointer = definition.pointer()
    source, line, number, words = definition.at
    value = settled(given.value) if given is not None else None
    return Replace(pointer, value, source=source, line=line, number=number, words=words, item=given)


def _remove(definition: OperationSource, null_values: bool) -> Operation:  # noqa: ARG001 - one shape for the table
    if definition.value("value") is not None:
        at = Position(definition.source, definition.line)
        fault = definition.told(f"Remove operation [{definition.number}]: Cannot specify value")
        raise syntaxes().value_of_remove(definition.number, definition.fields["value"], at, fault)
    pointer = definition.pointer()
    source, line, number, words = definition.at
    return Remove(pointer, source=source, line=line, number=number, words=words)


def _test(definition: OperationSource, null_values: bool) -> Operation:
    given = definition.fields.get("value")
    absent = definition.value("absent")
    if absent is not None and type(absent) is not bool:
        raise definition.wrong_type("absent", "true or false")
    missing = given is None or (given.value is None and not null_values)
    if definition.value("path") is not None and missing and absent is None:
        raise definition.refuse(
            f'test operation [{definition.number}]: no "value" and no "absent"',
            fault=f"Test operation [{definition.number}]: Missing value or absent",
        )
    pointer = definition.pointer()
    source, line, number, words = definition.at
    value = None if given is None else given.value
    return Test(pointer, value, absent=absent is True, source=source, line=line, number=number, words=words)


OPERATIONS: Mapping[str, Callable[[OperationSource, bool], Operation]] = {
    "replace": _replace,
    "remove": _remove,
    "test": _test,
}


def operations_of(
    value: Value, source: Source, *, null_values: bool = False, extensions: frozenset[str] = frozenset()
) -> list[Operation]:
    """The operations that the value of an operations file defines; null and an empty array define none.

    null_values: accept `value: null`, which bosh rejects. extensions: enabled extensions of the dialect, see
    `ops.expansion` and `ops.embedded`. Raises OpsError with the file, the line and the operation's number.
    """
    if value is None:
        return []
    if not isinstance(value, Array):
        from plait.ops.unmarshal import root_line

        line = root_line(source)
        raise OpsError(
            "not an ops file",
            at=Position(source, line),
            expected="an array of operations",
            found=kind_name(value),
            hint=syntaxes().no_array_hint(value),
            reference=not_read(source, value, line, "[]patch.OpDefinition"),
            code="not-ops-file",
        )
    operations = []
    for number, item in enumerate(value.items):
        current_budget().check_time()
        try:
            operations.append(_operation(item, number, source, null_values, extensions))
        except OpsError as error:
            raise syntaxes().without_its_fields(error, value.items, number) from None
    return operations


def _operation(
    item: ArrayItem, number: int, source: Source, null_values: bool, extensions: frozenset[str]
) -> Operation:
    value = item.value
    if value is not None and not isinstance(value, Map):
        raise OpsError(
            f"operation [{number}] is not a map",
            at=Position(source, item.line),
            expected='a map with "type" and "path"',
            found=kind_name(value),
            reference=not_read(source, value, item.line, "patch.OpDefinition"),
            code="not-ops-file",
        )
    fields: dict[str, MapItem] = {}
    for entry in value.items if value is not None else ():
        if type(entry.key) is str:
            fields[entry.key] = entry  # the last of duplicate fields is used
    definition = OperationSource(fields, source, item.line or (value.line if value is not None else 0), number)
    for name in ("path", "error"):
        definition.text(name)
    return built(definition, null_values, extensions)


def built(definition: OperationSource, null_values: bool, extensions: frozenset[str]) -> Operation:
    """The operation that an entry of an ops file defines; other arguments as for `operations_of`. Raises OpsError."""
    if EMBEDDED in extensions:
        from plait.ops.embedded import inside_of

        found = inside_of(definition, lambda inner, taken: built(inner, null_values, taken), extensions)
        if found is not None:
            return found
    kind = definition.text("type") or ""
    build = OPERATIONS.get(kind)
    if EVERY in extensions:
        from plait.ops import expansion

        build = build or expansion.OPERATIONS.get(kind)
        if build is not None:
            return expansion.widened(build(definition, null_values))
    if build is None:
        raise definition.refuse(
            f'operation [{definition.number}]: unknown operation type "{kind}"',
            expected=", ".join(OPERATIONS),
            hint=syntaxes().type_hint(kind, definition.fields, OPERATIONS),
            fault=f"Unknown operation [{definition.number}] with type '{kind}'",
        )
    return build(definition, null_values)


def settled(value: Value) -> Value:
    """The value of a replace operation as bosh reads it: printed and parsed again.

    This changes only floats: 1.0 prints as 1 and is read as an integer.
    """
    return rewrite_floats(value, _reread)


def _reread(number: float) -> Value:
    return int(number) if number.is_integer() and abs(number) < 1e6 else number


def read_operations(
    source: Source,
    *,
    null_values: bool = False,
    extensions: frozenset[str] = frozenset(),
    warn: Warn | None = None,
) -> list[Operation]:
    """The operations of one ops file. extensions: as in `operations_of`. warn: receives notes about ignored parts.

    Raises ReadError for invalid YAML, OpsError for an invalid operation.
    """
    source.extensions = extensions
    try:
        value = read_first(source, warn)
    except ReadError as error:
        raise error.within("", role=CLAUSE, reference=f"Deserializing ops file '{source.name}'") from None
    return operations_of(value, source, null_values=null_values, extensions=extensions)


def expand(path: str, links: LinkPolicy = NO_LINKS) -> list[str]:
    """The files of an argument: the file itself, the operations files of a directory ordered by name, or the matches of
    a pattern.

    Files of a directory must end in .yml, .yaml or .json. A pattern (`ops/*.yml`, `**` for any depth) is used only if
    no file has that name. Raises ReadError if no file matches. Also raises it for a symbolic link to a directory, in a
    directory, or matched by a pattern, unless `links` allows the link. A file given by name is read even through links.
    """
    if not any(char in path for char in "*?["):
        check_read(path)
    if may_read(path) and os.path.isdir(path):
        if os.path.islink(path):
            links.check(path)
        record_listing(path)
        names = sorted(name for name in os.listdir(path) if name.endswith(EXTENSIONS) and not name.startswith("."))
        files = [os.path.join(path, name) for name in names]
        _check_links(files, len(path), links)
        files = [file for file in files if os.path.isfile(file)]
        if not files:
            raise ReadError(
                f'no ops files in the directory "{path}"',
                expected="files that end in .yml, .yaml or .json",
                code="no-yaml-files",
            )
        return files
    if any(char in path for char in "*?[") and not (may_read(path) and os.path.exists(path)):
        from plait.base.globbing import matches

        found = matches(path)
        fixed = path[: min(path.find(char) % len(path) for char in "*?[")]
        for directory in _searched(os.path.dirname(fixed), path[len(os.path.dirname(fixed)) :]):
            record_listing(directory)
        _check_links(found, min(path.find(char) % len(path) for char in "*?["), links)
        files = [name for name in found if os.path.isfile(name)]
        if not files:
            missing = f"Opening file {path}: open {path}: no such file or directory"
            raise ReadError(
                f'no ops file matches "{path}"', reference=f"Reading ops file '{path}': {missing}", code="no-yaml-files"
            )
        return files
    return [path]


def _searched(top: str, pattern: str) -> Iterator[str]:
    """The directories that may contain matches of a pattern."""
    yield top
    depth = 1 << 30 if "**" in pattern else pattern.strip("/").count("/")
    level = [top]
    while depth and level and current_view() is not None:
        level = [os.path.join(one, name) for one in level for name in _folders(one)]
        yield from level
        depth -= 1


def _folders(path: str) -> list[str]:
    visit = current_budget().visit
    found = []
    try:
        with os.scandir(path or os.curdir) as entries:
            for entry in entries:
                visit(path)
                if entry.is_dir(follow_symlinks=False):
                    found.append(entry.name)
            return found
    except OSError:
        return []


def _check_links(paths: Iterable[str], start: int, links: LinkPolicy) -> None:
    """Rejects files reached through a link that the user did not name. start: the length of the path that the user
    gave.
    """
    seen: set[str] = set()
    for path in paths:
        path = path.replace(os.altsep or os.sep, os.sep)
        end = start
        while end < len(path):
            end = path.find(os.sep, end + 1) % (len(path) + 1)
            if path[:end] not in seen and os.path.islink(path[:end]):
                links.check(path[:end])
            seen.add(path[:end])
