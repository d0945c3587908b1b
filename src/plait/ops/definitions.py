"""The `variables` section, and placeholders of a document (docs/reference/variables.md).

Typed definitions get their values first, in order. Then all placeholders are filled, and the definitions with a value
are removed from the section. Then missing and unused variables are reported.
"""

from __future__ import annotations

from plait.base.errors import LimitError, OpsError, conceal, warning
from plait.base.limits import current_budget, limit_error
from plait.base.similar_names import is_slip
from plait.base.source import CLAUSE, Source
from plait.ops import walk
from plait.ops.options import VariableDefinition
from plait.ops.placeholders import MARK, SECTION, defines_variables, fill
from plait.ops.pointer import IndexToken, KeyToken, Pointer, parse
from plait.ops.reader import read_first, write_text
from plait.ops.rewrite import rewrite_texts
from plait.ops.scalar_text import scalar_text
from plait.ops.text_places import place_of
from plait.ops.variable_faults import cause, explain_scalar, explain_signer, nested, placeholders, report
from plait.tree.nodes import Array, Map, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from plait.base.errors import Warn
    from plait.base.source import Position
    from plait.ops.variables import Sources
    from plait.tree.nodes import ArrayItem, MapItem, Value

    Ask: TypeAlias = Callable[[str], tuple[bool, Value]]


def definitions(root: Value) -> list[VariableDefinition]:
    """The definitions in the section at the root; empty if the root is not a map or has no section. Raises OpsError."""
    try:
        return _definitions(root)
    except OpsError as error:
        # BOSH reads definitions from the printed section, and reports line numbers of that.
        try:
            _definitions(read_first(Source("", write_text(root))))
        except OpsError as printed:
            error.reference = printed.reference
        raise


def _definitions(root: Value) -> list[VariableDefinition]:
    section = root.find(SECTION) if type(root) is Map else None
    if section is None or section.value is None:
        return []
    array = section.value
    if type(array) is not Array:
        raise OpsError(
            f'"{SECTION}" is not an array',
            at=section.position,
            expected="an array of maps with name, type and options",
            found=kind_name(array),
            reference=_not_read(array, section.line, "[]template.VariableDefinition"),
            code="variable-definition",
        )
    return [_definition(item, number) for number, item in enumerate(array.items)]


def _not_read(value: Value, line: int, expected: str) -> str:
    from plait.ops.unmarshal import wrong_type

    return wrong_type(value, line, expected)


def _definition(item: ArrayItem, number: int) -> VariableDefinition:
    value = item.value
    if value is None:
        return VariableDefinition("", "", None, item)
    if type(value) is not Map:
        raise OpsError(
            f"{SECTION}[{number}] is not a map",
            at=item.position,
            expected="a map with name, type and options",
            found=kind_name(value),
            reference=_not_read(value, item.line, "template.VariableDefinition"),
            code="variable-definition",
        )
    options = value.find("options")
    return VariableDefinition(
        _text(value, "name", number), _text(value, "type", number), options.value if options else None, item
    )


def _text(entry: Map, field: str, number: int) -> str:
    item = entry.find(field)
    if item is None or item.value is None:
        return ""
    if type(item.value) is Map or type(item.value) is Array:
        raise OpsError(
            f"{SECTION}[{number}].{field} is not a string",
            at=item.position,
            expected="a string",
            found=kind_name(item.value),
            reference=_not_read(item.value, item.line, "string"),
            code="variable-definition",
        )
    return scalar_text(item.value)


class VariableLookup:
    """Resolves placeholders, each variable once. Records the requested names, and those without a value."""

    __slots__ = ("_by_name", "_known", "missing", "sources", "used")

    def __init__(self, sources: Sources, section: list[VariableDefinition]) -> None:
        self.sources = sources
        self._by_name: dict[str, list[VariableDefinition]] = {}
        for definition in section:
            self._by_name.setdefault(definition.name, []).append(definition)
        # maps a name to: found, value, and True if the name itself counts as missing
        self._known: dict[str, tuple[bool, Value, bool]] = {}
        self.used: set[str] = set()
        self.missing: set[str] = set()

    def variable(self, name: str) -> tuple[bool, Value]:
        """True and the value if the variable has one, else False and null. Raises OpsError."""
        self.used.add(name)
        return self._get(name, self.missing, ())

    def defined(self, definition: VariableDefinition) -> tuple[bool, Value]:
        """As `variable`, for a definition."""
        try:
            return self.variable(definition.name)
        except OpsError as error:
            told = "Getting all variables from variable definitions sections"
            raise error.within("", role=CLAUSE, reference=told) from None

    def fill(self, value: Value) -> Value:
        """A document with its placeholders filled. Raises OpsError with the position of the string."""

        def lookup(name: str) -> tuple[bool, Value]:
            self.used.add(name.partition(".")[0])
            return self._reach(name, self.missing, ())

        try:
            return _filled(value, lookup)
        except OpsError as error:
            if error.code == "value-in-text":
                explain_scalar(error, self.sources)
            raise

    def _reach(self, name: str, missing: set[str], path: tuple[str, ...]) -> tuple[bool, Value]:
        first, dot, rest = name.partition(".")
        found, value = self._get(first, missing, path)
        if not found or not dot:
            return found, value
        return True, _inside(value, rest, name, self.sources)

    def _get(self, name: str, missing: set[str], path: tuple[str, ...]) -> tuple[bool, Value]:
        known = self._known.get(name)
        if known is None:
            if name in path:
                chain = " -> ".join(f'"{each}"' for each in (*path[path.index(name) :], name))
                raise OpsError(
                    f'the options of variable "{name}" depend on its own value: {chain}',
                    at=self._at(name),
                    reference="Detected recursion",
                    code="variable-cycle",
                )
            known = self._known[name] = self._resolved(name, path)
        found, value, report = known
        if not found and report:
            missing.add(name)
        return found, value

    def _at(self, name: str) -> Position | None:
        entries = self._by_name.get(name)
        return entries[0].item.position if entries else None

    def _resolved(self, name: str, path: tuple[str, ...]) -> tuple[bool, Value, bool]:
        entries = self._by_name.get(name)
        if entries is None:
            found, value = self.sources.get(name)
            return found, value, True
        definition = entries[0]
        options, filled = definition.options, False
        if options is not None:
            lacking: set[str] = set()
            inner = (*path, name)
            asked: list[str] = []

            def reach(other: str) -> tuple[bool, Value]:
                asked.append(other)
                return self._reach(other, lacking, inner)

            try:
                options = _filled(options, reach)
            except OpsError as error:
                told = f"Interpolating variable '{name}' definition options"
                raise error.within("", role=CLAUSE, reference=told) from None
            filled = bool(asked)
            if lacking:
                return False, None, False
        if definition.kind and self.sources.store is not None and not self.sources.has(name):
            self._check_name(definition, entries)
        try:
            found, value = self.sources.get(name, definition.kind, options)
        except OpsError as error:
            if filled:
                # The options that it quotes may be the values of variables.
                conceal(error).at = None
            if error.at is None:
                error.at = cause(definition, error.code)
            if error.code == "certificate-signer":
                explain_signer(error, definition, self._by_name)
            told = f"Generating variable '{name}'"
            raise error.within(f'in the definition of variable "{name}"', role=CLAUSE, reference=told) from None
        return found, value, True

    def _check_name(self, definition: VariableDefinition, entries: list[VariableDefinition]) -> None:
        """Rejects a definition that could not be removed from the section, before its value is generated and
        stored.
        """
        value = definition.item.value
        name = value.find("name") if type(value) is Map else None
        if name is None or type(name.value) is not str or _filled(name.value, self._peek) != name.value:
            raise OpsError(
                f'a variable cannot be named "{definition.name}"',
                at=definition.item.position,
                expected='a "name" that is a string and not a placeholder',
                found="no name" if name is None else kind_name(name.value),
                code="variable-definition",
            )
        if len(entries) > 1:
            raise OpsError(
                f'the variable "{definition.name}" is defined {len(entries)} times',
                at=entries[0].item.position,
                also=[entry.item.position.labelled("defined again") for entry in entries[1:]],
                expected="one definition",
                code="duplicate-variable",
            )

    def _peek(self, name: str) -> tuple[bool, Value]:
        first = name.partition(".")[0]
        return (True, "") if self.sources.has(first) else (False, None)


def _filled(value: Value, lookup: Ask) -> Value:
    most = room = current_budget().limits.variables

    def change(text: str, item: MapItem | ArrayItem | None, is_key: bool) -> Value:
        nonlocal room
        try:
            filled = fill(text, lookup)
        except (OpsError, LimitError) as error:
            if error.at is None and item is not None:
                error.at = place_of(item, f"(({error.word}))") if isinstance(error, OpsError) else item.position
            raise
        if type(filled) is str and filled is not text:
            room -= len(filled)
            if room < 0:
                at = item.position if item is not None and item.source is not None else None
                raise limit_error("the text from variables", "variables", most, at=at)
        if is_key and item is not None and (type(filled) is Map or type(filled) is Array):
            raise OpsError(
                f'the key "{text}" cannot become {"a map" if type(filled) is Map else "an array"}',
                at=item.position,
                expected="a scalar as the value of the variable",
                code="placeholder-key",
            )
        return filled

    return rewrite_texts(value, MARK, change)


def _inside(value: Value, path: str, name: str, sources: Sources) -> Value:
    """The value at the rest of a dotted name, inside a variable's value. sources: those of the value, for messages."""
    pointer = parse("/" + path.replace(".", "/"))
    failed: OpsError
    try:
        return walk.find(value, pointer, slash=False)
    except OpsError as error:
        # A part that looks like an index may be a numeric key.
        keys = Pointer(tuple(KeyToken(str(t.number)) if type(t) is IndexToken else t for t in pointer.tokens))
        try:
            return walk.find(value, keys, slash=False)
        except walk.PathNotFoundError as second:
            failed = error if isinstance(error, walk.PathNotFoundError) else second
            reference = second.reference
        except OpsError as second:
            failed, reference = error, second.reference
    first = name.partition(".")[0]
    hint = failed.hint
    if isinstance(failed, walk.PathNotFoundError) and failed.optional:
        # The name of a variable cannot be marked as optional.
        hint = f"-v {name}=VALUE sets it"
    if type(value) is not Map and type(value) is not Array:
        flag = "-v" if sources.flag_of(first) == "--var" else sources.flag_of(first)
        hint = f'(({name})) is a key of the variable "{first}": make "{first}" a map, or write (({first}))'
        if flag in ("-v", "--var-file"):
            hint = f'{flag} sets "{first}" to a value without keys; {flag} {name}=... sets this key'
    place = sources.place_of(first)
    raise OpsError(
        f'variable "{name}": {failed.message}',
        also=[] if place is None else [place.labelled("the variable")],
        expected=failed.expected,
        found=failed.found,
        hint=hint,
        reference=reference,
        code=failed.code,
    ) from None


def interpolate(
    root: Value,
    sources: Sources,
    *,
    expect_values: bool = False,
    expect_use: bool = False,
    used: set[str] | None = None,
    is_last: bool = True,
) -> Value:
    """Fills the placeholders of a document, and removes the definitions that have a value.

    expect_values: every placeholder and definition must have a value. expect_use: every given value must be used. used:
    names that count as used; extended by the used ones. is_last: if False, missing and unused variables are not
    reported yet. Raises OpsError, ReadError.
    """
    if sources.are_empty() and not defines_variables(root) and not expect_values:
        return root
    section = definitions(root)
    lookup = VariableLookup(sources, section)
    if used is not None:
        lookup.used = used
    typed = [definition for definition in section if definition.kind]
    try:
        for number, definition in enumerate(typed, 1):
            if sources.context is not None:
                sources.context.begin(f"generating the variable {definition.name} ({definition.kind})")
                sources.context.done, sources.context.total = number, len(typed)
            lookup.defined(definition)
        result = lookup.fill(root)
        found = [definition for definition in section if lookup.defined(definition)[0]]
    except RecursionError:
        raise OpsError("the options of variables depend on each other too deeply", code="variable-cycle") from None
    if sources.traced is not None:
        sources.traced.filled(root, result)
    if found:
        filled = result
        result = _without(filled, found)
        if sources.traced is not None:
            sources.traced.taken_out(filled, result)
    if not is_last:
        return result
    report(root, section, sources, lookup.used, lookup.missing if expect_values else (), expect_use=expect_use)
    if lookup.missing and sources.context is not None:
        _warn_of_near(lookup, root, sources.context.warn)
    return result


def _without(root: Value, found: list[VariableDefinition]) -> Value:
    """The document without these definitions. Each must occur exactly once, with its original name."""
    section = root.find(SECTION) if type(root) is Map else None
    array = section.value if section is not None else None
    if type(root) is not Map or section is None or type(array) is not Array:
        raise OpsError(
            f'"{SECTION}" is no longer an array once its placeholders are filled', code="variable-definition"
        )
    named: dict[str, int] = {}
    for item in array.items:
        name = walk.text_under(item, "name")
        if name is not None:
            named[name] = named.get(name, 0) + 1
    for definition in found:
        count = named.get(definition.name, 0)
        if count != 1:
            raise OpsError(
                f'{count} definitions are named "{definition.name}"',
                at=definition.item.position,
                expected=f'exactly one, by a string, in "{SECTION}"',
                code="duplicate-variable",
                reference=f"Expected to find exactly one matching array item for path '/{SECTION}/name={definition.name}' "
                f"but found {count}",
            )
    gone = {definition.name for definition in found}
    kept = [item for item in array.items if walk.text_under(item, "name") not in gone]
    settled = section.with_value(array.with_items(kept))
    return root.with_items([settled if item is section else item for item in root.items])


def _warn_of_near(lookup: VariableLookup, root: Value, warn: Warn) -> None:
    """Warns about unused values whose names are misspelt ones of unfilled placeholders, and about several values in one
    flag. root: the document.
    """
    below = nested(sorted(lookup.missing), lookup.sources, lookup.used, root)
    if below is not None:
        message = f"placeholders have no value: {below[1]}"
        warn(warning(message, code="misspelt-variable", at=below[0]))
    for name, value in lookup.sources.named().items():
        inside = [one for one in sorted(lookup.missing) if type(value) is str and f",{one}=" in value]
        if inside:
            flags = " ".join(f"-v {one}=VALUE" for one in (name, *inside))
            message = f'the value of "{name}" contains ",{inside[0]}=", because -v sets one variable: write {flags}'
            warn(warning(message, code="misspelt-variable", word=name))
        missing = () if name in lookup.used else sorted(lookup.missing)
        meant = next((one for one in missing if is_slip(name, one)), None)
        if meant is not None:
            place = placeholders(root).get(meant)
            used = f"(({meant}))" if place is None else f"(({meant})) of {place}"
            warn(
                warning(
                    f'the variable "{name}" is not used, and {used} has no value: did you mean "{meant}"?',
                    code="misspelt-variable",
                    at=lookup.sources.place_of(name),
                    also=[] if place is None else [place.labelled("used here")],
                    word=name,
                )
            )
