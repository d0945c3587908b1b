"""Builds types from the nodes of a schema document (docs/reference/schemas.md).

Each node declares a data value: its value is an example that implies the type and is the default; annotations add to
it. A fault in one node does not hide those in others: all findings are raised together.
"""

from __future__ import annotations

from plait.base.errors import Finding, LimitError, SchemaError, warning
from plait.base.extensions import ALTERNATIVES, KEYS, REQUIRED, SECRETS
from plait.tree.deferred_values import Deferred, is_deferred
from plait.tree.nodes import Array, ArrayItem, Map, MapItem, kind_name, walk
from plait.yaml.scalars import resolve_plain
from plait.ytt.schema import arguments
from plait.ytt.schema.arguments import InvalidSchema, refused
from plait.ytt.schema.check import check_item, key_text, reference
from plait.ytt.schema.defaults import fill_type, fitted
from plait.ytt.schema.deferred_defaults import ComputedDeclaration, accepted
from plait.ytt.schema.types import (
    AnyType,
    ArrayType,
    Declaration,
    Documentation,
    MapType,
    NullType,
    ScalarType,
    default_of,
)
from plait.ytt.schema.validations import read_validation
from plait.ytt.starlark.value_text import repr_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import Warn
    from plait.tree.annotations import Annotation, Annotations
    from plait.tree.nodes import Document, Item, Value
    from plait.ytt.schema.types import Type, Validation

# These are not allowed inside an "any type" fragment.
_CONTRADICTIONS = (arguments.NULLABLE, arguments.TYPE, arguments.DEFAULT)

_DOCUMENTS = frozenset((arguments.DESCRIPTION, arguments.TITLE, arguments.EXAMPLES, arguments.DEPRECATED))


def build(document: Document, warn: Warn | None = None, extensions: frozenset[str] = frozenset()) -> Declaration:
    """The declaration of a data values schema document.

    document: with evaluated annotations. warn: receives notes about parts that ytt ignores silently. extensions: names
    of extensions of the dialect. Raises SchemaError with all findings; LimitError.
    """
    builder = _Builder(warn, extensions)
    try:
        declaration = builder.declaration(document)
    except RecursionError:
        raise LimitError("the schema is nested too deeply", at=document.position) from None
    if builder.findings:
        raise invalid(builder.findings)
    for one in builder.computed:
        one.root = declaration
    return declaration


def invalid(findings: Sequence[Finding]) -> SchemaError:
    """The error for an invalid schema. Like ytt, it reports only the first fault."""
    first = findings[0].reference
    return SchemaError(
        "Invalid schema", findings=findings, reference=first if isinstance(first, str) else None, code=findings[0].code
    )


# Names of types that are taken for declarations, each with a default. Parts of keys whose values are such names.
_TYPE_NAMES = {"integer": "0", "string": '""', "boolean": "false"}
_OF_TYPES = ("type", "kind", "format", "class", "schema", "encoding")


class _Builder:
    __slots__ = ("computed", "extensions", "findings", "warn")

    def __init__(self, warn: Warn | None, extensions: frozenset[str]) -> None:
        self.findings: list[Finding] = []
        self.computed: list[ComputedDeclaration] = []
        self.warn = warn
        self.extensions = extensions

    def declaration(self, node: Item) -> Declaration:
        """The declaration of a node. An invalid node accepts any value, so that one error does not cause others."""
        key = node.key if type(node) is MapItem else None
        source, line = node.source, node.line
        value = node.value
        if value in _TYPE_NAMES and self.warn is not None and type(node) is MapItem:
            self.warn_of_type(node)
        if node.annotations is None and isinstance(value, (str, int, float)):  # most nodes
            return Declaration(ScalarType(value, source, line), value, key=key, source=source, line=line)
        before = len(self.findings)
        try:
            declared = self.type(node)
            if len(self.findings) > before:
                return Declaration(AnyType(), None, key=key, source=source, line=line)
            annotations = node.annotations
            if annotations is None:
                found = Declaration(declared, default_of(declared), key=key, source=source, line=line)
                return self.computed_later(found, node, value) if is_deferred(value) else found
            declared.documentation = self.documentation(annotations, node, declared)
            default = self.default(annotations, node, declared)
            validation = _validation(annotations)
            secret = self.added(annotations, arguments.SECRET, SECRETS)
            if secret is not None:
                arguments.check_without_arguments(secret, node)
            keyed = self.added(annotations, arguments.KEY, KEYS)
            keys = None if keyed is None else arguments.key_rule(keyed, node)
            required = self.added(annotations, arguments.REQUIRED, REQUIRED)
            if required is not None:
                arguments.check_required(required, node, annotations)
        except InvalidSchema as invalid:
            self.findings.append(invalid.finding)
            return Declaration(AnyType(), None, key=key, source=source, line=line)
        found = Declaration(declared, default, key=key, validation=validation, source=source, line=line)
        if is_deferred(value) and arguments.TYPE not in annotations and type(declared.of(None)) is AnyType:
            found = self.computed_later(found, node, value)
        found.secret, found.required, found.keys = secret is not None, required is not None, keys
        return found

    def warn_of_type(self, node: MapItem) -> None:
        """Warns about the name of a type as a default, unless the name of the key allows it."""
        key = str(node.key).lower()
        if self.warn is not None and not any(word in key for word in _OF_TYPES):
            example = _TYPE_NAMES[str(node.value)]
            message = (
                f'the default of {node.key} is the string "{node.value}": a schema has the default itself, from which the '
                f"type follows, as in {node.key}: {example}"
            )
            self.warn(warning(message, code="unlikely-value", at=node.position))

    def computed_later(self, found: Declaration, node: Item, value: Deferred) -> Declaration:
        """The declaration of a node with a deferred value. found: the declaration with any type."""

        def infer(known: Value) -> Type:
            builder = _Builder(self.warn, self.extensions)
            declared = builder.declaration(MapItem(None, accepted(node, known), node.source, node.line)).type
            if builder.findings:
                raise invalid(builder.findings)
            return NullType(declared, node.source, node.line) if type(found.type) is NullType else declared

        if is_deferred(found.default):
            found.default = value.then(lambda known: accepted(node, known))  # type: ignore[assignment]
        computed = ComputedDeclaration(found, value, infer)
        self.computed.append(computed)
        return computed

    def added(self, annotations: Annotations, name: str, extension: str) -> Annotation | None:
        """An annotation of an extension. Without the extension it has no effect, and a warning is emitted."""
        annotation = annotations.get(name)
        if annotation is not None and extension not in self.extensions:
            if self.warn is not None:
                message = f"@{name} has no effect without --with {extension}"
                self.warn(warning(message, code="extension-not-enabled", at=annotation.position))
            return None
        return annotation

    def type(self, node: Item) -> Type:
        value = node.value
        annotations = node.annotations or {}
        nullable = annotations.get(arguments.NULLABLE)
        if nullable is not None:
            arguments.check_nullable(nullable, node)
            if nullable.args and self.warn is not None:
                self.warn(
                    warning(
                        f"@{arguments.NULLABLE} takes no arguments: the text after it has no effect",
                        code="ignored-arguments",
                        at=nullable.position,
                    )
                )
        several = self.added(annotations, arguments.ONE_OF, ALTERNATIVES)
        annotation = annotations.get(arguments.TYPE)
        if annotation is not None and arguments.is_any(annotation, node):
            _check_unannotated(value)
            if several is not None:
                raise refused(
                    f"@{arguments.ONE_OF} and @{arguments.TYPE} any=True contradict each other",
                    node,
                    several,
                    expected="one of them",
                )
            return AnyType(value if nullable is None else None, node.source, node.line)
        if value is None:
            raise refused(
                "null value not allowed here",
                node,
                expected="non-null value",
                found="null value",
                hint=(
                    "in YAML, omitting a value implies null.\n"
                    "to set the default value to null, annotate with @schema/nullable.\n"
                    "to allow any value, annotate with @schema/type any=True."
                ),
                tip="write both: #@schema/nullable, and below it a value of the type that is not null: "
                + (f'{key_text(node.key)}: ""' if type(node) is MapItem else '""'),
            )
        if several is not None:
            declared = self.one_of(several, node)
            return declared if nullable is None else NullType(declared, node.source, node.line)
        if is_deferred(value):
            inferred: Type = AnyType(node.value, node.source, node.line)
        elif nullable is None:
            return self.inferred(value, node)
        else:
            inferred = self.inferred_within(value, node)
        return inferred if nullable is None else NullType(inferred, node.source, node.line)

    def one_of(self, annotation: Annotation, node: Item) -> Type:
        """The type declared by `@schema/one-of`. The node's own value is the default, not a type."""
        from plait.ytt.schema.alternatives import one_of

        before = len(self.findings)
        declared = one_of(annotation, node, self.declaration)
        value = node.value
        if is_deferred(value):
            declared.default = fitted(Declaration(declared, None, source=node.source, line=node.line), node, value)  # type: ignore[assignment]
        elif len(self.findings) == before:
            self.findings += check_item(declared, node)
            declared.default = fill_type(declared, value)
        return declared

    def inferred(self, value: Value, node: Item) -> Type:
        """The type of an example value. A collection has the position of its node."""
        if isinstance(value, Map):
            return MapType([self.declaration(item) for item in value.items], node.source, node.line)
        if isinstance(value, Array):
            return self.array(value, node)
        if isinstance(value, (str, int, float)):
            return ScalarType(value, node.source, node.line)
        raise refused("value not allowed here", node, expected="a map, an array or a scalar", found=kind_name(value))

    def inferred_within(self, value: Value, node: Item) -> Type:
        """The type of a nullable node. ytt reports faults in the node as part of the annotation's fault."""
        before = len(self.findings)
        try:
            return self.inferred(value, node)
        except InvalidSchema as invalid:
            self.findings.append(invalid.finding)
            return AnyType()
        finally:
            if len(self.findings) > before:
                for finding in self.findings[before:]:
                    finding.reference = reference().within_report(finding.reference)

    def array(self, value: Array, node: Item) -> Type:
        if len(value.items) != 1:
            raise refused(
                "wrong number of items in array definition",
                node,
                expected="exactly 1 array item, of the desired type",
                found=f"{len(value.items)} array items",
                hint=(
                    "in schema, the one item of the array implies the type of its elements.\n"
                    "in schema, the default value for an array is always an empty list.\n"
                    "to give it another default, write it above the array: #@schema/default [...]"
                ),
            )
        return ArrayType(self.declaration(value.items[0]), node.source, node.line)

    def documentation(self, annotations: Annotations, node: Item, declared: Type) -> Documentation | None:
        if not _DOCUMENTS & annotations.keys():
            return None
        documentation = Documentation()
        annotation = annotations.get(arguments.DESCRIPTION)
        if annotation is not None:
            documentation.description = arguments.text(annotation, node)
        annotation = annotations.get(arguments.TITLE)
        if annotation is not None:
            documentation.title = arguments.text(annotation, node)
        annotation = annotations.get(arguments.EXAMPLES)
        if annotation is not None:
            pairs = arguments.examples(annotation, node)
            for _, example in pairs:
                self.check_value(example, annotation, node, declared, "has wrong type")
            documentation.example = pairs[0]
        annotation = annotations.get(arguments.DEPRECATED)
        if annotation is not None:
            arguments.deprecation(annotation, node)
            documentation.deprecated = True
        return documentation

    def default(self, annotations: Annotations, node: Item, declared: Type) -> Value:
        annotation = annotations.get(arguments.DEFAULT)
        if annotation is None:
            return default_of(declared)
        value = arguments.default(annotation, node, declared)
        if is_deferred(value):
            return fitted(Declaration(declared, None, source=node.source, line=node.line), node, value)  # type: ignore[return-value]
        self.check_value(value, annotation, node, declared, "is wrong type")
        return fill_type(declared, value)

    def check_value(self, value: Value, annotation: Annotation, node: Item, declared: Type, wrong: str) -> None:
        """Checks a value in an annotation. Findings have the annotation's position."""
        for finding in check_item(declared, MapItem(None, value, node.source, node.line)):
            from plait.base.reference.schema import INVALID, SchemaFailure

            failure = finding.reference
            finding.message = f"@{annotation.name} {wrong}"
            finding.found = f"{finding.found} (by {annotation.position})"
            if isinstance(declared, ArrayType) and type(value) is not Array:
                finding.hint = f"write a list: #@{annotation.name} [{_item_of(declared, value)}]"
            elif isinstance(declared, MapType) and type(value) is not Map:
                keys = ", ".join(f'"{key_text(one.key)}": ...' for one in declared.declarations.values())
                finding.hint = f"write a dict: #@{annotation.name} {{{keys}}}"
            if node.position not in finding.also:
                finding.also.insert(0, node.position.labelled("the item of the annotation"))
            finding.at = annotation.position
            if isinstance(failure, SchemaFailure):
                finding.reference = failure
                failure.summary = f"{INVALID} - @{annotation.name} {wrong}"
                failure.found += f" ({'at' if wrong.startswith('is') else 'by'} {annotation.position})"
                failure.notes = [annotation.position]
            self.findings.append(finding)


def _item_of(declared: ArrayType, value: Value) -> str:
    """An item of the declared type in code, with a value that was written without the list around it, or `...`."""
    for one in (value, resolve_plain(value) if type(value) is str else value):
        if type(one) is not Map and not check_item(declared, MapItem(None, Array([ArrayItem(one)]))):
            return repr_of(one)
    return "..."


def _check_unannotated(value: Value) -> None:
    for item in walk(value):
        annotations = item.annotations
        if annotations is None:
            continue
        names = [name for name in _CONTRADICTIONS if name in annotations]
        if names:
            raise refused(
                'Schema was specified within an "any type" fragment',
                item,
                annotations[names[0]],
                expected="no '@schema/...' on nodes within a node annotated '@schema/type any=True'",
                found=f"{', '.join(f'@{name}' for name in names)} annotation(s)",
                hint=(
                    'an "any type" fragment has no constraints; nested schema annotations conflict and are disallowed'
                ),
            )


def _validation(annotations: Annotations) -> Validation | None:
    annotation = annotations.get(arguments.VALIDATION)
    if annotation is None:
        return None

    try:
        return read_validation(annotation)
    except SchemaError as error:
        raise InvalidSchema(Finding(error.message, at=annotation.position, hint=error.hint, code=error.code)) from error
