"""Sources of variables, in order of precedence. See docs/reference/variables.md.

`-v` before `--var-file` before `-l` before `--vars-env` before `--vars-store`; for one flag, the last value wins. A
dotted name outside the store defines an entry of a map: `db.port=1` is the variable `db` with `{port: 1}`.
"""

from __future__ import annotations

from os.path import abspath, isfile

from plait.base.content import note_secrets
from plait.base.errors import OpsError, PlaitError, ReadError, conceal, full, part_of
from plait.base.input_view import may_read
from plait.base.source import CLAUSE, Quoted, Source, Wording, public, quotation
from plait.ops.reader import (
    KINDS,
    VALUE,
    DecodeError,
    as_they_are,
    expand_home,
    file_source,
    file_text,
    read_first,
    texts_to_values,
)
from plait.tree.nodes import Map, MapItem, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plait.base.errors import Warn
    from plait.base.source import Position
    from plait.ops.store import VariableStore
    from plait.ops.tracing import Variables
    from plait.tree.context import Context
    from plait.tree.nodes import Value


class Sources:
    """The explicit values of variables, and the store with generated values.

    traced: the origins of values, or None. context: the context of the evaluation, for observers of generation. places:
    the lines of variables in files, for messages. numbers: the texts of numbers in flags that differ
    from their values.
    """

    __slots__ = ("_given", "_has_secrets", "_kinds", "_named", "context", "numbers", "places", "store", "traced")

    def __init__(self, store: VariableStore | None = None) -> None:
        self.store = store
        self.traced: Variables | None = None
        self.context: Context | None = None
        self.places: dict[str, Position] = {}
        self.numbers: dict[str, str] = {}
        self._given: dict[str, dict[str, Value]] = {kind: {} for kind in KINDS}
        self._named: dict[str, Value] | None = None
        self._kinds: dict[str, str] | None = None
        self._has_secrets = False

    def give(self, kind: str, values: Mapping[str, Value]) -> None:
        """Adds the values of one flag. kind: one of KINDS."""
        self._given[kind].update(values)
        self._named = self._kinds = None

    def give_map(self, values: Map) -> None:
        """Adds variables as `-v` does, from the items of a map."""
        self.give("var", {str(item.key): item.value for item in values.items})
        if self.traced is not None:
            for item in values.items:
                self.traced.give("var", str(item.key), item)

    def give_secrets(self, values: Map) -> None:
        """Adds secret variables from the items of a map."""
        note_secrets()
        self._has_secrets = True
        self.give("secrets", {str(item.key): item.value for item in values.items})
        if self.traced is not None:
            self.traced.trace.hide(values)
            for item in values.items:
                self.traced.give("secrets", str(item.key), item)

    def named(self) -> dict[str, Value]:
        """The explicit values by variable. Dotted names are merged into maps.

        Raises OpsError if a dotted name conflicts with a value that is not a map.
        """
        if self._named is None:
            flat: dict[str, Value] = {}
            for kind in KINDS:
                flat.update(self._given[kind])
            self._named = nested(flat)
        return self._named

    @property
    def uses_secrets(self) -> bool:
        """True if there is a store or a secret."""
        return self.store is not None or self._has_secrets

    def are_empty(self) -> bool:
        """True if there is no store and there are no explicit values."""
        return self.store is None and not any(self._given.values())

    def get(self, name: str, kind: str = "", options: Value = None) -> tuple[bool, Value]:
        """True and the value of a variable, or False. The store generates one if `kind` names its type.

        Raises OpsError if the store cannot be read or a value cannot be generated.
        """
        named = self.named()
        if name in named:
            return True, named[name]
        if self.store is None:
            return False, None
        return self.store.get(name, kind, options, self)

    def flag_of(self, name: str) -> str:
        """The flag that sets a variable, or the first part of its name; "" for the store and for secrets."""
        if self._kinds is None:
            self._kinds = {one.partition(".")[0]: kind for kind in KINDS for one in self._given[kind]}
        kind = self._kinds.get(name, "secrets")
        return "" if kind == "secrets" else f"--{kind}"

    def place_of(self, name: str) -> Position | None:
        """The line of a file that sets a variable; None if it is not set by a file."""
        return self.places.get(name) if self.flag_of(name) == "--vars-file" else None

    def has(self, name: str) -> bool:
        """True if a value exists. Does not generate one."""
        return name in self.named() or (self.store is not None and name in self.store.values())

    def names(self) -> list[str]:
        """The names of all variables in all sources; for a dotted name, the first part."""
        names = dict.fromkeys(self.named())
        if self.store is not None:
            names.update(dict.fromkeys(name.partition(".")[0] for name in self.store.values()))
        return list(names)


def nested(flat: Mapping[str, Value]) -> dict[str, Value]:
    """Converts values with dotted names to values with plain names. Raises OpsError if two contradict."""
    if not any("." in name for name in flat):
        return dict(flat)
    named: dict[str, Value] = {name: value for name, value in flat.items() if "." not in name}
    for name in sorted(name for name in flat if "." in name):
        first, *rest = name.split(".")
        named[first] = _with_entry(named.get(first) if first in named else Map([]), rest, flat[name], name, first)
    return named


def _with_entry(value: Value, path: list[str], entry: Value, name: str, upto: str) -> Value:
    """A map with an entry added at a nested path. The maps on the path are copied."""
    way: list[tuple[Map, str]] = []
    for key in path:
        if type(value) is not Map:
            raise OpsError(
                f'the variables "{upto}" and "{name}" contradict each other',
                expected=f'"{upto}" to be a map',
                found=public(kind_name(value)),
                code="contradicting-variables",
            )
        way.append((value, key))
        upto = f"{upto}.{key}"
        item = value.find(key)
        value = Map([]) if item is None else item.value
    value = entry
    for node, key in reversed(way):
        items = [item for item in node.items if item.key != key]
        value = node.with_items([*items, MapItem(key, value)])
    return value


# -- the values of flags ---------------------------------------------------------------------------------------------


def from_argument(text: str) -> dict[str, Value]:
    """Parses `-v name=value`. The value is YAML. A string is used as written, without one pair of quotes."""
    name, value = _halves(text, "value")
    try:
        parsed = read_first(Source(f"--var {name}", value).hidden().of_flag("var"))
    except ReadError as error:
        told = f"Deserializing variables '{text}': {error.reference}"
        advice = public("--var-file NAME=FILE reads a file; put any other value with @ in quotes")
        hint = advice if value.startswith("@") else None
        raise _not_yaml(Wording('the value of "', public(name), '"'), error, told, hint) from None
    if type(parsed) is str:
        parsed = value
        if value[0] == value[-1] and value[0] in "\"'":
            parsed = value[1:-1]
    return {name: parsed}


def _not_yaml(what: Wording, error: ReadError, reference: str, hint: Wording | None = None) -> OpsError:
    """The error for an invalid value that is not in a file, without a position. reference: BOSH's text. hint: replaces
    that of the error.
    """
    message = Wording(what, " is not YAML: ", part_of(error, "message"))
    found = OpsError(message, hint=hint or full(error, "hint"), reference=public(reference), code="variable-flag")
    return conceal(found)  # type: ignore[return-value]


def from_text_file(text: str) -> dict[str, Value]:
    """Reads `--var-file name=path`: the file's text."""
    name, path = _halves(text, "path")
    path = expand_home(path)
    try:
        return {name: file_text(path, VALUE, as_they_are)}
    except ReadError as error:
        if may_read(name) and isfile(name):
            error.hint = f"the name of the variable comes first: --var-file {path}={name}"
        raise error.within("", role=CLAUSE, reference=f"Reading variable from file '{abspath(path)}'") from None


def _halves(text: str, what: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        hint = f"to read a file of variables, use --vars-file {text}" if text.endswith((".yml", ".yaml")) else None
        if hint is None and what == "path" and may_read(text) and isfile(text):
            hint = f"the name of the variable comes first: --var-file NAME={text}"
        name, colon, rest = text.partition(":")
        told = Wording('no "=" in the variable "', public(name + colon), Quoted(rest), '"')
        raise conceal(
            OpsError(
                told,
                expected=public(f"name={what}"),
                hint=public(hint or f"the value follows an equals sign: {name}={what.upper()}"),
                reference=public(f"Expected var '{text}' to be in format 'name={what}'"),
                code="variable-flag",
            )
        )
    if not name:
        given = public(value) if what == "path" else quotation(value)
        told = Wording('no name in the variable "=', given, '"')
        wanted = public(f"name={what}")
        reference = public(f"Expected var '{text}' to specify non-empty name")
        raise conceal(OpsError(told, expected=wanted, reference=reference, code="variable-flag"))
    if not value:
        hint = 'an empty string is written name=""' if what == "value" else None
        raise OpsError(
            f'no {what} in the variable "{text}"',
            expected=f"name={what}",
            hint=hint,
            reference=f"Expected var '{text}' to specify non-empty {what}",
            code="variable-flag",
        )
    return name, value


def from_file(path: str, warn: Warn | None = None, places: dict[str, Position] | None = None) -> dict[str, Value]:
    """Reads `-l path`: a map with string keys. warn: receives notes about ignored parts. places: receives the line of
    each variable.
    """
    try:
        source = file_source(path, "a variables file")
    except ReadError as error:
        doing = "Deserializing" if isinstance(error, DecodeError) else "Reading"
        raise error.within("", role=CLAUSE, reference=f"{doing} variables file '{path}'") if path else error from None
    try:
        return texts_to_values(source.hidden(), "variables file", warn, places)
    except PlaitError as error:
        raise error.within("", role=CLAUSE, reference=f"Deserializing variables file '{path}'") from None


def from_environment(prefix: str, environment: Mapping[str, str]) -> dict[str, Value]:
    """Reads `--vars-env PREFIX`: the environment variables `PREFIX_name`, with YAML values."""
    if not prefix:
        raise OpsError(
            "the prefix of environment variables is empty",
            expected="a prefix: MY for MY_name=value",
            reference="Expected environment variable prefix to be non-empty",
            code="variable-flag",
        )
    start = prefix + "_"
    values: dict[str, Value] = {}
    for name, text in environment.items():
        if name.startswith(start):
            try:
                source = Source(f"environment variable {name}", text).hidden().of_flag("vars-env", prefix)
                values[name[len(start) :]] = read_first(source)
            except ReadError as error:
                told = f"Deserializing YAML from environment variable '{name}': {error.reference}"
                raise _not_yaml(Wording('the environment variable "', public(name), '"'), error, told) from None
    return values


READERS: Mapping[str, Callable[[str], dict[str, Value]]] = {
    "var": from_argument,
    "var-file": from_text_file,
    "vars-file": from_file,
}
