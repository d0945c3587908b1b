"""Declarations of a schema: the type, default and rules of each data value. See docs/reference/schemas.md.

    #@data/values-schema
    ---
    name: ""          ->  Declaration(MapType({"name": Declaration(ScalarType(str)), ...}))
    ports:
    - 80              ->  Declaration(ArrayType(Declaration(ScalarType(int))))

A `Declaration` describes a document, map item or array item of the schema; its type describes the values. Types are
immutable and independent of their use, except for the line that declared them, which messages show. A nullable type
wraps the type of values other than null.
"""

from __future__ import annotations

from plait.base.source import Position, Source
from plait.tree.nodes import Array, DocumentSet, Map, MapItem, key_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from plait.base.errors import Finding
    from plait.tree.nodes import Item, Value
    from plait.ytt.schema.keys import KeyRule

    Type: TypeAlias = "MapType | ArrayType | ScalarType | AnyType | NullType | OneOfType"

# Maps with more keys check the time limit, because a large schema may apply to a large array.
MANY = 64


class Documentation:
    """The documentation annotations of a node. Used only when the schema is printed in another form."""

    __slots__ = ("deprecated", "description", "example", "title")

    def __init__(
        self,
        title: str = "",
        description: str = "",
        example: tuple[str, Value] | None = None,
        *,
        deprecated: bool = False,
    ) -> None:
        self.title = title
        self.description = description
        self.example = example
        self.deprecated = deprecated

    def said(self) -> dict[str, Value]:
        """The properties that all printed forms have in common."""
        said: dict[str, Value] = {}
        if self.title:
            said["title"] = self.title
        if self.description:
            said["description"] = self.description
        if self.deprecated:
            said["deprecated"] = True
        return said


class _Type:
    """Base class of types, with the documentation and line of the declaring node.

    kinds: values of these Python types conform without further checks.
    """

    __slots__ = ("documentation", "line", "source")

    name = ""
    kinds: tuple[type, ...] = ()

    def __init__(self, source: Source | None, line: int) -> None:
        self.source = source
        self.line = line
        self.documentation: Documentation | None = None

    @property
    def position(self) -> Position:
        return Position(self.source, self.line)

    def of(self, value: Value) -> Type:  # noqa: ARG002 - most types are the same for all values
        """The type for a value that is not null."""
        return self  # type: ignore[return-value]


class MapType(_Type):
    """Named keys, each with its own declaration, and keys accepted by rules.

    others: declarations for keys that the schema does not name, in order.
    """

    __slots__ = ("declarations", "others")

    name = "map"

    def __init__(self, declarations: list[Declaration], source: Source | None = None, line: int = 0) -> None:
        super().__init__(source, line)
        self.declarations = {
            declaration.key if type(declaration.key) is str else key_id(declaration.key): declaration
            for declaration in declarations
            if declaration.keys is None
        }
        self.others: Sequence[Declaration] = (
            [one for one in declarations if one.keys is not None] if len(self.declarations) < len(declarations) else ()
        )

    def find(self, key: Value) -> Declaration | None:
        """The declaration of a key, or None if the map does not accept it."""
        return self.declarations.get(key if type(key) is str else key_id(key)) or (
            self.other(key) if self.others else None
        )

    def other(self, key: Value) -> Declaration | None:
        """The declaration of a key that the schema does not name."""
        return next((one for one in self.others if one.keys is not None and one.keys.takes(key)), None)


class ArrayType(_Type):
    """Any number of items with the same declaration."""

    __slots__ = ("default", "item")

    name = "array"

    def __init__(self, item: Declaration, source: Source | None = None, line: int = 0) -> None:
        super().__init__(source, line)
        self.item = item
        self.default: Value = Array([], source, line)


class ScalarType(_Type):
    """A scalar of one type: str, int, float or bool. An integer is accepted as a float."""

    __slots__ = ("default", "kinds", "name")

    def __init__(self, default: str | float | bool, source: Source | None = None, line: int = 0) -> None:
        self.source = source  # written out for speed, because there are many of these
        self.line = line
        self.documentation = None
        self.default: Value = default
        kind = type(default)
        self.kinds = (float, int) if kind is float else (kind,)
        self.name = SCALAR_NAMES[kind]


class AnyType(_Type):
    """Any value, including null."""

    __slots__ = ("default",)

    name = "any"
    kinds = (str, int, float, bool, type(None), Map, Array, DocumentSet)

    def __init__(self, default: Value = None, source: Source | None = None, line: int = 0) -> None:
        super().__init__(source, line)
        self.default: Value = default


class NullType(_Type):
    """Null, or a value of the inner type."""

    __slots__ = ("inner",)

    name = "null"
    kinds = (type(None),)

    def __init__(self, inner: Type, source: Source | None = None, line: int = 0) -> None:
        super().__init__(source, line)
        self.inner = inner

    def of(self, value: Value) -> Type:
        return self.inner.of(value)


class OneOfType(_Type):
    """A value of one of several types.

    alternatives: their declarations, the default first. names: the names of alternatives in messages. by: the key that
    distinguishes them, or "". choose: returns the alternative for a value. findings: returns the findings about an
    item's value.
    """

    __slots__ = ("_names", "alternatives", "by", "choose", "default", "findings", "names")

    name = "one of several types"

    def __init__(
        self,
        alternatives: list[Declaration],
        names: list[str],
        by: str,
        source: Source | None = None,
        line: int = 0,
        *,
        choose: Callable[[OneOfType, Value], Declaration],
        findings: Callable[[OneOfType, Item], list[Finding]],
    ) -> None:
        super().__init__(source, line)
        self.choose = choose
        self.findings = findings
        self.alternatives = alternatives
        self.names = names
        self.by = by
        self.default: Value = None
        self._names = dict(zip(alternatives, names, strict=True))

    def name_of(self, alternative: Declaration) -> str:
        """The name of an alternative in messages."""
        return self._names[alternative]

    def discriminator(self, alternative: Declaration) -> Value:
        """The value of the distinguishing key in an alternative."""
        assert isinstance(alternative.type, MapType)
        return alternative.type.declarations[self.by].default

    def of(self, value: Value) -> Type:
        return self.choose(self, value).type.of(value)


class Validation:
    """The rules of one annotation, in the order in which they run.

    rules: description and function of each. not_null: null is rejected first. when: the function that decides if the
    rules run, or None. keywords: for rules from keyword arguments, the keyword, the description, and the argument.
    """

    __slots__ = ("keywords", "not_null", "position", "rules", "when")

    def __init__(
        self, rules: list[tuple[str, object]], position: Position, *, when: object = None, not_null: bool = False
    ) -> None:
        self.rules = rules
        self.keywords: list[tuple[str, str, object]] = []
        self.position = position
        self.when = when
        self.not_null = not_null


SCALAR_NAMES: dict[type, str] = {str: "string", int: "integer", float: "float", bool: "boolean"}


class Declaration:
    """The declaration of a document, a map item (`key`) or an array item.

    default: the value if none is set.
    validation: the rules of `@schema/validation`, or None.
    item: for map items, the shared node used if the key is missing.
    required: the value must be set.
    secret: the value is never shown.
    keys: for map items, the rule for several keys, or None for the key itself.
    """

    __slots__ = ("default", "item", "key", "keys", "line", "required", "secret", "source", "type", "validation")

    def __init__(
        self,
        type: Type,
        default: Value,
        *,
        key: Value = None,
        validation: Validation | None = None,
        source: Source | None = None,
        line: int = 0,
    ) -> None:
        self.type = type
        self.default = default
        self.key = key
        self.validation = validation
        self.source = source
        self.line = line
        self.required = self.secret = False
        self.keys: KeyRule | None = None
        self.item = MapItem(key, default, source, line)

    @property
    def position(self) -> Position:
        return Position(self.source, self.line)

    def __repr__(self) -> str:
        return f"Declaration({self.type.name}, {self.default!r})"


def default_of(type_: Type) -> Value:
    """The default of a type without an annotation: null, each key's default, or the example."""
    if isinstance(type_, NullType):
        return None
    if isinstance(type_, MapType):
        return Map([declaration.item for declaration in type_.declarations.values()], type_.source, type_.line)
    return type_.default


def without_default(described: Map) -> Map:
    """The printed schema of an optional entry, without its default."""
    return described.with_items([item for item in described.items if item.key != "default"])


# The declaration without a schema: accepts any value, adds nothing.
ANY = Declaration(AnyType(), None)
