"""Substitution: values copied from one document's rendered data into another's (docs/reference/layering.md).

Entries run in order, after the document's actions; sources are already final, because documents are rendered in
dependency order. Values are shared, not copied: no tree is changed in place, so the source is not affected.

A pattern without special characters is replaced as text. Others need `re`, which is imported on demand.
"""

from __future__ import annotations

from plait.base.errors import warning
from plait.base.events import DONE, current_listener
from plait.base.similar_names import did_you_mean, nearest
from plait.layering import path_hints
from plait.layering.data_paths import PATH_FORM, PathError, compile_path, destination_path
from plait.layering.document import Substitution, malformed_substitution, text_of
from plait.layering.failures import a_kind, failure
from plait.layering.path_edits import MISSING, NoMatch, find, write
from plait.tree.nodes import Array, Map, check_nodes, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from plait.base.errors import LayeringError
    from plait.base.events import Point
    from plait.base.regex import RegexPattern
    from plait.base.source import Position
    from plait.layering.data_paths import DataPath
    from plait.layering.document import LayeredDocument
    from plait.layering.strategy import LayeringStrategy
    from plait.tree.context import Context
    from plait.tree.nodes import ArrayItem, MapItem, Value

    Sources = Mapping[tuple[str, str], LayeredDocument]


def _without_path(document: LayeredDocument, entry: Substitution, path: MapItem | None) -> LayeringError:
    """The error for a destination whose path is missing, or no string."""
    number = next((number for number, item in enumerate(document.substitutions) if item is entry.item), 0)
    hint = "dest: {path: .KEY}"
    if path is not None and type(path.value) is Array:
        hint = "several destinations are a list of maps: dest: [{path: .KEY}, {path: .OTHER}]"
    return malformed_substitution(document, entry.item, number, "a `dest` with a string `path`", path, hint=hint)


def entries(document: LayeredDocument) -> Iterator[Substitution]:
    """The substitution entries of a document. Raises LayeringError (InvalidDocumentFormat) for an invalid one."""
    for number, item in enumerate(document.substitutions):
        yield Substitution(document, item, number)


def substitute(
    document: LayeredDocument,
    todo: list[Substitution],
    sources: Sources,
    ways: LayeringStrategy,
    *,
    lenient: bool,
    context: Context,
    known: Collection[LayeredDocument] = (),
) -> Value:
    """The document's data after its substitutions.

    known: the documents to search for the nearest one to a missing source. A lenient run warns about a missing source
    or an impossible destination, and continues. Raises LayeringError: SubstitutionSourceNotFound,
    SubstitutionSourceDataNotFound, UnknownSubstitutionError.
    """
    data = document.data
    # Warnings must not reveal whether a pattern matches a secret.
    holds_secret = document.secret
    if not holds_secret:
        _warn_of_slips(document, todo, context)
    listener = current_listener()
    for entry in todo:
        source = sources.get(entry.key)
        if source is None:
            error = _no_source(document, entry, () if lenient else known)
            if not lenient:
                raise error
            _warn(error, context)
            continue
        try:
            value = _value(document, entry, source, lenient=lenient, context=context)
            value = ways.taken(source, entry, value)
        except PathError as problem:
            problem.hint = path_hints.unreadable(source.data, problem, is_secret=source.secret)
            error = _unknown(
                document, source, entry, entry.path or "", problem, entry.place("src", "path"), is_secret=holds_secret
            )
            if not lenient:
                raise error from None
            _warn(error, context)
            continue
        for dest in entry.dest:
            item = dest.find("path")
            text = text_of(item)
            if item is None or text is None:
                raise _without_path(document, entry, item)
            ways.before_step(document, dest)
            if listener is not None:
                listener.went(dest.source, placing_point(dest), "done")
            try:
                _warn_of_pattern(document, dest, data, text, context, is_secret=holds_secret)
                picked = _picked(value, entry, context, is_secret=source.secret)
                if context.trace is None:
                    data = ways.substituted(document, data, entry, dest, text, picked)
                else:
                    from plait.layering.tracing import copied, substituting

                    before = data
                    if not ways.shares_data:
                        picked = copied(context.trace, picked)
                    told = substituting(context.trace, document, entry, dest, source, picked)
                    ways.recording(told)
                    data = ways.substituted(document, data, entry, dest, text, picked)
                    told.between(before, data)
            except PathError as problem:
                problem.hint = path_hints.unreadable(data, problem, is_secret=holds_secret or document.secret)
                error = _unknown(document, source, entry, text, problem, item.position, is_secret=holds_secret)
                if not lenient:
                    raise error from None
                _warn(error, context)
        holds_secret = holds_secret or source.secret
    return data


def _warn_of_slips(document: LayeredDocument, todo: Iterable[Substitution], context: Context) -> None:
    """Warns about destinations below a misspelt key, which a substitution adds. Done before the data has secrets."""
    for entry in todo:
        for dest in entry.dest:
            item = dest.find("path")
            text = text_of(item)
            try:
                there = None if text is None else path_hints.slip(document.data, destination_path(text))
            except PathError:
                continue  # an error follows
            if item is None or there is None:
                continue
            key, other = there
            message = (
                f'the key "{key}" of {item.value} does not exist in the data of {document}, so a substitution adds it'
            )
            context.warn(path_hints.near_miss(message, item.position, key, other))


def _warn(error: LayeringError, context: Context) -> None:
    """Warns about an error that a lenient run ignores."""
    context.warn(warning(error.message, code="substitution-skipped", at=error.at))


def placing_point(dest: Map) -> Point:
    """The coverage point of a substitution destination."""
    return "substitution", (dest.line,), "", DONE


def _value(
    document: LayeredDocument, entry: Substitution, source: LayeredDocument, *, lenient: bool, context: Context
) -> Value:
    data = source.data
    if type(data) is not Map:
        value: Value | NoMatch = data
        if entry.path not in _WHOLE and data is not None:
            at = entry.place("src", "path")
            context.warn(
                warning(
                    f"{source} holds {a_kind(data)}: all of it is used, and the path {entry.path} has no effect; write path: .",
                    code="path-without-effect",
                    at=at,
                )
            )
    else:
        value = find(data, compile_path(entry.path or ""))
    if value is None or isinstance(value, NoMatch):
        found, hint = path_hints.missing(data, compile_path(entry.path or ""), is_secret=source.secret)
        error = failure(
            "SubstitutionSourceDataNotFound",
            f"nothing at {entry.path} in source document {source}, which {document} substitutes from",
            at=entry.place("src", "path"),
            also=[source.data_position.labelled("the source document")],
            expected="a value that is not null",
            found=found,
            hint=hint,
        )
        if not lenient:
            raise error
        _warn(error, context)
        return None
    return value


_WHOLE = (".", "$")


def _warn_of_pattern(
    document: LayeredDocument, dest: Map, data: Value, text: str, context: Context, *, is_secret: bool
) -> None:
    """Warns about a pattern without matches, and about `recurse` without a pattern. is_secret: the data may contain a
    secret.

    Raises PathError.
    """
    item, recurse = dest.find("pattern"), dest.find("recurse")
    pattern = text_of(item)
    depth = depth_of(recurse) if recurse is not None else None
    if item is None or not pattern:
        # Most substitutions end here, so the hints are not loaded for other paths.
        inner = path_hints.below_data(data, destination_path(text), creates=True) if "data" in text else None
        if inner is not None:
            context.warn(
                warning(
                    f'a substitution writes to a key "data" within the data of {document}: a path begins in the data: {inner}',
                    code="unknown-metadata",
                    at=(dest.find("path") or dest).position,
                    word=text,
                )
            )
        if recurse is not None and depth is not None:
            context.warn(
                warning(
                    f"recurse of a substitution into {document} has no effect without a pattern",
                    code="pattern-missing",
                    at=recurse.position,
                )
            )
        return
    existing = find(data, destination_path(text))
    if is_secret or (type(existing) is not str and depth is None):
        return  # that is an error
    if isinstance(existing, NoMatch) or not _occurs(existing, pattern, -1 if depth is None else depth):
        near = path_hints.pattern(pattern, existing, _SPECIAL)
        context.warn(
            warning(
                f'the pattern "{pattern}" occurs nowhere at {text} of {document}: nothing is replaced'
                + (f" ({near})" if near else ""),
                code="pattern-not-found",
                at=item.position,
            )
        )


def _occurs(value: Value, pattern: str, depth: int) -> bool:
    if type(value) is str:
        return pattern in value if _SPECIAL.isdisjoint(pattern) else compiled(pattern).search(value) is not None
    if depth == 0 or (type(value) is not Map and type(value) is not Array):
        return False
    items: list[MapItem] | list[ArrayItem] = value.items
    return any(_occurs(item.value, pattern, depth - 1) for item in items)


def _picked(value: Value, entry: Substitution, context: Context, *, is_secret: bool) -> Value:
    """The part of the source text that `src.pattern` selects. is_secret: the text may be a secret."""
    if not entry.pattern:
        if entry.group:
            at = entry.place("src", "match_group")
            context.warn(
                warning(f"match_group {entry.group} has no effect without a src.pattern", code="pattern-missing", at=at)
            )
        return value
    if type(value) is not str:
        raise PathError(
            f"src.pattern needs text in the source, not {kind_name(value)}",
            key=("src", "pattern"),
            hint="remove the pattern, or use a path to a string",
        )
    try:
        match = compiled(entry.pattern).search(value)
    except PathError as problem:
        problem.key = ("src", "pattern")
        raise
    if match is None:
        at = entry.place("src", "pattern")
        if not is_secret:
            context.warn(
                warning(
                    "src.pattern, which selects a part of the source, matches nothing, so the whole text is used; dest.pattern is the part "
                    "of the destination that is replaced",
                    code="pattern-not-found",
                    at=at,
                )
            )
        return value
    try:
        return match.group(entry.group)
    except IndexError:
        raise PathError(
            f"src.pattern has no group {entry.group}",
            key=("src", "match_group"),
            hint="parentheses in the pattern are its groups, counted from 1; 0 is all that it matches",
        ) from None


def substituted(data: Value, value: Value, text: str, dest: Map) -> Value:
    """The data with the value at a destination. Raises PathError, LimitError."""
    # The data grows exponentially if documents repeatedly include others twice.
    check_nodes(value)
    path = destination_path(text)
    item = dest.find("pattern")
    pattern = text_of(item) if item is not None else None
    if pattern:
        existing = find(data, path)
        recurse = dest.find("recurse")
        depth = depth_of(recurse) if recurse is not None else None
        if existing is MISSING and depth is not None:
            return write(data, path, Map([]))
        if depth is not None and (type(existing) is Map or type(existing) is Array):
            changed = _in_texts(existing, _replacer(pattern, value), depth)
            return data if changed is existing else write(data, path, changed)
        if type(existing) is not str:
            raise wants_text(pattern, path, data, existing)
        return write(data, path, _replacer(pattern, value)(existing))
    if not path.steps and type(data) is Map and type(value) is Map:
        return _updated(data, value)
    if not path.steps and value is None:
        raise PathError("the whole data would become null", hint="name a key of the data: path: .KEY")
    return write(data, path, value)


def wants_text(pattern: str, path: DataPath, data: Value, existing: Value | NoMatch) -> PathError:
    """The error for a pattern whose destination is not a string. data: the document's."""
    found, hint = None, None
    if existing is MISSING:
        there = "nothing"
        found, hint = path_hints.missing(data, path, is_secret=True)
        hint = hint or "add a text that contains the pattern there, or remove the pattern to insert the value unchanged"
    else:
        there = "null" if existing is None else a_kind(existing)
        hint = (
            "recurse: {depth: -1} replaces in all strings below it"
            if type(existing) is Map or type(existing) is Array
            else "put the value in quotes, then it is text, or remove the pattern"
        )
    return PathError(
        f'the pattern "{pattern}" needs text at "{path.text}", but there is {there}', found=found, hint=hint
    )


def _updated(left: Map, right: Map) -> Map:
    """A map merged into the root map, one level deep."""
    replaced = {found: item for item in right.items if (found := left.find(item.key)) is not None}
    added = [item for item in right.items if left.find(item.key) is None]
    return left.with_items([replaced.get(item, item) for item in left.items] + added)


def depth_of(recurse: MapItem) -> int | None:
    """The depth of a `recurse`: levels of strings, -1 for unlimited, or None if it has no effect."""
    item = recurse.value.find("depth") if type(recurse.value) is Map else None
    if type(recurse.value) is not Map or not recurse.value.items:
        return None
    return item.value if item is not None and type(item.value) is int else -1


def _in_texts(value: Value, replace: Callable[[str], str], depth: int) -> Value:
    """The value with the pattern replaced in all strings inside it, down to `depth` levels (-1: all)."""
    if depth == 0 or (type(value) is not Map and type(value) is not Array):
        return value
    return value.with_values([_in_text(item.value, replace, depth - 1) for item in value.items])


def _in_text(value: Value, replace: Callable[[str], str], depth: int) -> Value:
    if type(value) is not str:
        return _in_texts(value, replace, depth)
    changed = replace(value)
    return value if changed == value else changed


_SPECIAL = frozenset("\\.^$*+?{}[]|()")


def _replacer(pattern: str, value: Value) -> Callable[[str], str]:
    """A function that replaces every occurrence of the pattern by the value's text.

    It raises PathError for a map or a list, but only if the pattern occurs.
    """
    if type(value) is Map or type(value) is Array:
        kind = kind_name(value)

        def refuse(_match: object) -> str:
            raise PathError(
                f"a {kind} cannot be put into text",
                hint="take one of its values, or remove the pattern of the destination",
            )

        return lambda text: compiled(pattern).sub(refuse, text)
    new = value if type(value) is str else str(value)
    if _SPECIAL.isdisjoint(pattern):
        return lambda text: text.replace(pattern, new)
    # The value is inserted literally, whereas Deckhand interprets backslashes in it.
    regexp = compiled(pattern)
    return lambda text: regexp.sub(lambda _match: new, text)


def compiled(pattern: str) -> RegexPattern:
    """Compiles a document's regular expression. Raises PathError."""
    import re
    import warnings

    from plait.base.regex import RegexPattern

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return RegexPattern(re.compile(pattern))
    except (re.error, OverflowError, RecursionError) as error:
        raise PathError(
            f'the pattern "{pattern}" is not a regular expression: {error}',
            key=("dest", "pattern"),
            hint=f'"\\" before a special character makes it literal: {re.escape(pattern)}',
        ) from None


def _no_source(document: LayeredDocument, entry: Substitution, known: Collection[LayeredDocument]) -> LayeringError:
    schema, name = entry.key
    also = found = None
    of_schema = {other.name: other for other in known if other.schema == schema}
    of_name = {other.schema: other for other in known if other.name == name}
    abstract = of_schema.get(name)
    if abstract is not None:
        found, also = f"{abstract} is abstract", abstract.place("layeringDefinition", "abstract").labelled("why")
        hint: str | None = "remove abstract: true, or substitute from a document that is not abstract"
    else:
        # A document of this name, with a similar schema, is nearer than one with another name.
        by_schema = did_you_mean(schema, of_name)
        wanted, near = (name, of_schema) if of_schema and by_schema is None else (schema, of_name)
        hint = did_you_mean(wanted, near) if by_schema is None else by_schema
        meant = nearest(wanted, near) if hint is not None else None
        also = near[meant].position.labelled("the nearest candidate") if meant is not None else None
    error = failure(
        "SubstitutionSourceNotFound",
        f"there is no document [{schema}] {name}, which {document} substitutes from",
        at=entry.place("src", "name"),
        also=[also] if also is not None else (),
        expected="a document that is not abstract with this schema and name",
        found=found,
        hint=hint,
    )
    error.cause = entry.key
    return error


def _unknown(
    document: LayeredDocument,
    source: LayeredDocument,
    entry: Substitution,
    path: str,
    problem: PathError,
    at: Position,
    *,
    is_secret: bool,
) -> LayeringError:
    """The error for a substitution that is not possible. is_secret: the document's data may contain a secret."""
    also = problem.at
    is_secret = is_secret or document.secret
    hint = None if is_secret and problem.found is not None else problem.hint
    if type(document.written) is str:
        hint = f'the data of {document} is a string, not a map: remove the "|" or ">" after "data:"'
    return failure(
        "UnknownSubstitutionError",
        f"cannot substitute from {source} into {document} at {path}: {problem.message}",
        at=entry.place(*problem.key) if problem.key else at,
        expected=PATH_FORM if problem.rest else None,
        found=None if is_secret else problem.found,
        # A hint beside the keys that are there names the nearest one.
        hint=hint,
        also=[
            also.labelled("the value there")
            if also is not None and not document.secret
            else document.data_position.labelled("the destination document")
        ]
        if not problem.rest
        else [],
    )
