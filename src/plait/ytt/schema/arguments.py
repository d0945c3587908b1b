"""The arguments of schema annotations, parsed or rejected with the facts. See docs/reference/schemas.md."""

from __future__ import annotations

from plait.base.errors import Finding
from plait.base.similar_names import did_you_mean
from plait.tree.nodes import COLLECTIONS, Array, ArrayItem, Document, MapItem, kind_name, walk
from plait.ytt.starlark.values import type_of
from plait.ytt.yaml_fragments import starlark_type_name, to_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.annotations import Annotation, Annotations
    from plait.tree.nodes import Item, Value
    from plait.ytt.schema.keys import KeyRule
    from plait.ytt.schema.types import Type

TYPE = "schema/type"
NULLABLE = "schema/nullable"
DEFAULT = "schema/default"
TITLE = "schema/title"
DESCRIPTION = "schema/desc"
EXAMPLES = "schema/examples"
DEPRECATED = "schema/deprecated"
VALIDATION = "schema/validation"
KEY = "schema/key"
ONE_OF = "schema/one-of"
REQUIRED = "schema/required"
SECRET = "schema/secret"  # noqa: S105 - the name of an annotation

_PAIR = "2-tuple containing description (string) and example value (of expected type)"


class InvalidSchema(Exception):
    """An invalid node of a schema. It carries the finding; the builder continues with the next node."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def refused(
    message: str,
    node: Item,
    annotation: Annotation | None = None,
    *,
    expected: str | None = None,
    found: str | None = None,
    hint: str | None = None,
    told: str | None = None,
    told_found: str | None = None,
    is_titled: bool = False,
    tip: str | None = None,
) -> InvalidSchema:
    """The error for a node. If an annotation is at fault, it is named first, with its line.

    tip: a line of the hint that ytt does not have. told: ytt's expectation; by default `expected`. told_found: the
    value as ytt reports it; by default `found`. is_titled: ytt uses the message as the title of the report.
    """
    at = node.position if annotation is None else annotation.position
    also = [] if annotation is None else [node.position.labelled("the item of the annotation")]
    from plait.base.reference.schema import INVALID, SchemaFailure

    reference = SchemaFailure(
        node.position,
        notes=[] if annotation is None else [annotation.position],
        summary=f"{INVALID} - {message}" if is_titled or annotation is None else INVALID,
        description="" if is_titled or annotation is None else message,
        within=int(is_titled),
        found=told_found or found or "",
        expected=told or expected or "",
        hints=hint.split("\n") if hint else (),
    )
    return InvalidSchema(
        Finding(
            message,
            at=at,
            also=also,
            expected=expected,
            found=found,
            hint=hint if tip is None else f"{hint}\n{tip}",
            reference=reference,
            code="schema-value" if annotation is None else "schema-annotation",
        )
    )


def is_any(annotation: Annotation, node: Item) -> bool:
    """The value of `any=` in `@schema/type any=True`."""
    if not annotation.kwargs:
        raise refused(
            f"expected @{TYPE} annotation to have keyword argument and value",
            node,
            annotation,
            expected="valid keyword argument and value",
            found=f"missing keyword argument and value (by {annotation.position})",
            hint="Supported key-value pairs are 'any=True', 'any=False'",
            tip="a type needs no annotation: it is that of the value below, the default" if annotation.args else None,
        )
    for name, value in annotation.kwargs.items():
        if name != "any" or type(value) is not bool:
            raise refused(
                f"unknown @{TYPE} annotation keyword argument",
                node,
                annotation,
                expected="a valid keyword argument" if name != "any" else "a bool",
                told="A valid kwarg" if name != "any" else "starlark.Bool",
                found=f"{name if name != 'any' else type_of(value)} (by {annotation.position})",
                told_found=f"{name if name != 'any' else starlark_type_name(value)} (by {annotation.position})",
                hint=(did_you_mean(name, ["any"]) if name != "any" else None) or "Supported kwargs are 'any'",
            )
    return annotation.kwargs["any"] is True


def key_rule(annotation: Annotation, node: Item) -> KeyRule:
    """`@schema/key`: all keys, those that match a regular expression, or `one_of=[...]`."""
    from plait.ytt.schema.keys import KeyRule

    expected = 'nothing, a regular expression, or one_of=["a", "b"]'
    if type(node) is not MapItem:
        raise refused(f"@{KEY} not supported on {kind_name(node)}", node, annotation, expected="a map item")
    _check_keyword(annotation, node, "one_of", expected)
    if len(annotation.args) + len(annotation.kwargs) > 1:
        raise _syntax(annotation, node, "more than one argument in", expected=expected)
    if annotation.kwargs:
        allowed = to_nodes(annotation.kwargs["one_of"], node.source, node.line)
        if (
            type(allowed) is not Array
            or not allowed.items
            or any(type(one.value) in COLLECTIONS for one in allowed.items)
        ):
            raise _syntax(annotation, node, f"{type_of(annotation.kwargs['one_of'])} for one_of in", expected=expected)
        return KeyRule(allowed=[one.value for one in allowed.items])
    if not annotation.args:
        return KeyRule()
    pattern = annotation.args[0]
    if type(pattern) is not str or not pattern:
        raise _syntax(annotation, node, f"{type_of(pattern)} in", expected=expected)
    try:
        return KeyRule(pattern)
    except ValueError as error:
        raise refused(f"@{KEY} has no regular expression: {error}", node, annotation, expected=expected) from None


def _check_keyword(annotation: Annotation, node: Item, known: str, expected: str) -> None:
    """Checks the arguments of an annotation with exactly one keyword."""
    for name in annotation.kwargs.keys() - {known}:
        raise refused(
            f"unknown @{annotation.name} annotation keyword argument",
            node,
            annotation,
            expected=expected,
            found=f"{name} (by {annotation.position})",
            hint=did_you_mean(name, [known]),
        )


def check_one_of(annotation: Annotation, node: Item) -> str:
    """The key of a `@schema/one-of`, which accepts at least two types and the name of the key that distinguishes them."""
    expected = 'an example of each type, at least two, and by="KEY" if a key distinguishes them'
    if type(node) is Document:
        raise refused(f"@{ONE_OF} not supported on a document", node, annotation, hint="annotate keys of the document")
    _check_keyword(annotation, node, "by", expected)
    if len(annotation.args) < 2:
        found = "one type in" if annotation.args else "no types in"
        raise _syntax(annotation, node, found, expected=expected)
    by = annotation.kwargs.get("by", "")
    if type(by) is not str or (not by and annotation.kwargs):
        raise _syntax(annotation, node, f"{type_of(by)} for by in", expected=expected)
    for item in walk(node.value):
        for name in item.annotations or ():
            if name.startswith("schema/"):
                raise refused(
                    f"@{name} has no effect in a value of @{ONE_OF}",
                    item,
                    (item.annotations or {})[name],
                    expected=f"the default, whose types are those of @{ONE_OF}",
                    hint=f"annotate the functions whose results are in @{ONE_OF}",
                )
    return by


def check_required(annotation: Annotation, node: Item, annotations: Annotations) -> None:
    """Checks `@schema/required`: no arguments, above a map item, without a default."""
    check_without_arguments(annotation, node)
    if type(node) is not MapItem:
        raise refused(
            f"@{REQUIRED} not supported on {kind_name(node)}",
            node,
            annotation,
            expected="a map item",
            hint="annotate the keys in it" if type(node) is ArrayItem else "annotate keys of the document",
        )
    other = annotations.get(DEFAULT)
    if other is not None:
        raise refused(
            f"@{REQUIRED} and @{DEFAULT} contradict each other",
            node,
            annotation,
            expected="one of them",
            hint="a parameter with a default is optional",
        )


def check_without_arguments(annotation: Annotation, node: Item) -> None:
    """Checks that an annotation has no arguments."""
    if annotation.args or annotation.kwargs:
        raise _syntax(annotation, node, "argument in", expected="no arguments")


def check_nullable(annotation: Annotation, node: Item) -> None:
    """Checks that `@schema/nullable` has no keywords."""
    if annotation.kwargs:
        raise refused(
            f"expected @{NULLABLE} annotation to not contain any keyword arguments",
            node,
            annotation,
            expected="no arguments",
            told="starlark.Bool",
            found=f"keyword argument in @{NULLABLE} (by {annotation.position})",
        )


def text(annotation: Annotation, node: Item) -> str:
    """The only argument of `@schema/title`, `@schema/desc` and `@schema/deprecated`, a string."""
    hint = "this annotation only accepts one argument: a string." if annotation.kwargs else None
    value = _only_argument(annotation, node, expected="string", hint=hint)
    if type(value) is not str:
        raise _syntax(annotation, node, "Non-string value in", expected="string")
    return value


def default(annotation: Annotation, node: Item, declared: Type) -> Value:
    """The value of `@schema/default`, as nodes at the position of the annotated node."""
    if type(node) is ArrayItem:
        raise refused(
            f"@{DEFAULT} not supported on array item",
            node,
            annotation,
            hint="do you mean to set a default value for the array?\nset an array's default by annotating its parent.",
            is_titled=True,
        )
    value = _only_argument(
        annotation,
        node,
        expected=f"{declared.name} (by {declared.position})",
        hint=(
            "this annotation only accepts one argument: the default value.\n"
            "value must be in Starlark format, e.g.: {'key': 'value'}, True."
        )
        if annotation.kwargs
        else None,
    )
    return to_nodes(value, node.source, node.line)


def examples(annotation: Annotation, node: Item) -> list[tuple[str, Value]]:
    """The descriptions and values of `@schema/examples`."""
    if annotation.kwargs or not annotation.args:
        raise _syntax(
            annotation, node, "keyword argument in" if annotation.kwargs else "missing value in", expected=_PAIR
        )
    pairs: list[tuple[str, Value]] = []
    for argument in annotation.args:
        if type(argument) is not tuple:
            raise _syntax(annotation, node, f"{type_of(argument)} for", expected=_PAIR, place="at")
        if len(argument) != 2:
            # ytt calls a sequence with one item empty, too.
            found = "empty tuple in" if len(argument) < 2 else f"{len(argument)}-tuple argument in"
            raise _syntax(annotation, node, found, expected=_PAIR)
        description, value = argument
        if type(description) is not str:
            raise _syntax(annotation, node, f"{type_of(description)} value for", expected=_PAIR, place="at")
        pairs.append((description, to_nodes(value, node.source, node.line)))
    return pairs


def deprecation(annotation: Annotation, node: Item) -> str:
    """The notice of `@schema/deprecated`, which is not allowed on a document."""
    if type(node) is Document:
        raise refused(
            f"@{DEPRECATED} not supported on a document",
            node,
            annotation,
            hint="do you mean to deprecate the entire schema document?\nuse schema/deprecated on individual keys.",
        )
    return text(annotation, node)


def _only_argument(annotation: Annotation, node: Item, *, expected: str, hint: str | None) -> object:
    if annotation.kwargs:
        raise _syntax(annotation, node, "keyword argument in", expected=expected, hint=hint)
    if len(annotation.args) != 1:
        found = f"{len(annotation.args)} values in" if annotation.args else "missing value in"
        raise _syntax(annotation, node, found, expected=expected)
    return annotation.args[0]


def _syntax(
    annotation: Annotation, node: Item, found: str, *, expected: str, hint: str | None = None, place: str = "by"
) -> InvalidSchema:
    """The error for wrong arguments. place: the word before the annotation's position."""
    return refused(
        f"syntax error in @{annotation.name} annotation",
        node,
        annotation,
        expected=expected,
        found=f"{found} @{annotation.name} ({place} {annotation.position})",
        hint=hint,
    )
