"""Validations: rules on data values, from `@schema/validation` and `@assert/validate`, and their execution
(docs/reference/schemas.md).

Rules of a schema belong to its declarations; those of `@assert/validate` belong to nodes of the data values. Both run
once, on the final data values. A null value satisfies all rules except `not_null=True`.
"""

from __future__ import annotations

from plait.base.errors import Finding, LimitError, PlaitError, SchemaError, full
from plait.base.events import current_listener
from plait.base.limits import current_budget
from plait.base.source import Frame, Wording, public, quotation
from plait.tree.nodes import Array, Document, Map, MapItem
from plait.ytt.schema import rules
from plait.ytt.schema.check import key_text
from plait.ytt.schema.types import MANY, ArrayType, MapType, Validation
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.structs import Struct
from plait.ytt.starlark.value_text import repr_of
from plait.ytt.starlark.values import NoAttribute, Value, is_callable, is_function, type_of
from plait.ytt.yaml_fragments import to_starlark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from plait.base.source import Position
    from plait.tree.annotations import Annotation
    from plait.tree.nodes import Item
    from plait.tree.nodes import Value as NodeValue
    from plait.ytt.schema.types import Declaration

    # A path is stored as its last step and the path before it. It is joined only for a message.
    Path: TypeAlias = "tuple[Path, str | int] | None"
    Broken: TypeAlias = tuple[str, PlaitError | None]
    Run: TypeAlias = "tuple[Validation, Item, NodeValue, Path]"

ASSERT = "assert/validate"
# The title of the report about invalid data values.
FINAL = "Validating final data values:"


def read_validation(annotation: Annotation) -> Validation:
    """The validation that an annotation's arguments describe. Raises SchemaError for malformed ones."""
    at = annotation.position
    if not annotation.args and not annotation.kwargs:
        raise _malformed(annotation, "expected annotation to have 2-tuple as argument(s), but found no arguments", "by")
    found: list[tuple[str, object]] = [_read_pair(annotation, argument) for argument in annotation.args]
    keywords = []
    kwargs = annotation.kwargs
    for name, value in kwargs.items():
        _check_keyword(annotation, name, value)
    for name in _KEYWORD_RULES:
        if name in kwargs:
            found.append(_keyword_rule(name, kwargs[name]))
            keywords.append((name, found[-1][0], kwargs[name]))
    not_null = kwargs.get("not_null") is True
    if not_null:
        found.insert(0, ("not null", rules.not_null))
    validation = Validation(found, at, when=kwargs.get("when"), not_null=not_null)
    validation.keywords = keywords
    return validation


def _malformed(annotation: Annotation, message: str, word: str = "at", hint: str | None = None) -> SchemaError:
    """The error for wrong arguments. word: precedes the position; "" for messages without it."""
    at = annotation.position
    told = f"Invalid @{annotation.name} annotation - {message}"
    title = f"{FINAL}\n" if annotation.name == ASSERT else ""
    reference = title + (f"{told} ({word} {at.named})" if word else told)
    return SchemaError(
        f"{told} ({word} {at})" if word else told, at=at, hint=hint, reference=reference, code="schema-annotation"
    )


_PAIR = 'describe a valid value, and give a function: ("a positive number", lambda v: v > 0)'


def _no_pair(annotation: Annotation, message: str, word: str = "at") -> SchemaError:
    return _malformed(annotation, message, word, _PAIR)


def _read_pair(annotation: Annotation, argument: object) -> tuple[str, object]:
    if type(argument) is not tuple:
        raise _no_pair(
            annotation, f"expected annotation to have 2-tuple as argument(s), but found: {repr_of(argument)}", "by"
        )
    if len(argument) != 2:
        raise _no_pair(annotation, f"expected 2-tuple, but found tuple with length {len(argument)}", "by")
    text, function = argument
    if type(text) is not str:
        raise _no_pair(
            annotation,
            f"expected first item in the 2-tuple to be a string describing a valid value, but was {type_of(text)}",
        )
    if is_callable(function):
        return text, function
    if not isinstance(function, Value):
        raise _no_pair(
            annotation,
            f"expected second item in the 2-tuple to be an assertion function, but was {type_of(function)}",
        )
    try:
        check = function.attr("check")
    except NoAttribute:
        raise _malformed(
            annotation,
            "expected second item in tuple to be an assertion function or assertion object, "
            f"but was a {type_of(function)}",
        ) from None
    if not is_callable(check):
        raise _malformed(annotation, f"expected struct with attribute check(), but was {type_of(check)}")
    return text, check


def _check_keyword(annotation: Annotation, name: str, value: object) -> None:
    wrong: str | None = None
    if name == "when":
        wrong = (
            None
            if is_callable(value)
            else f'expected keyword argument "when" to be a function, but was {type_of(value)}'
        )
    elif name in ("min_len", "max_len"):
        if not _is_number(value):
            wrong = f'expected keyword argument "{name}" to be a number, but was {type_of(value)}'
    elif name == "not_null":
        if type(value) is not bool:
            wrong = f'expected keyword argument "not_null" to be a boolean, but was {type_of(value)}'
    elif name == "one_not_null":
        if value is False:
            wrong = "one_not_null= cannot be False"
        elif value is not True and not rules.is_sequence(value):
            wrong = f"expected True or a sequence of keys, but was a '{type_of(value)}'"
    elif name == "one_of":
        if not rules.is_sequence(value):
            wrong = f"expected keyword argument one_of to be a sequence, but was {type_of(value)}"
    elif name not in ("min", "max"):
        wrong = f'unknown keyword argument "{name}"'
    if wrong is not None:
        from plait.ytt.schema.hints import of_keyword

        word = "" if name in ("one_not_null", "one_of") else "at"
        raise _malformed(annotation, wrong, word, of_keyword(name, value, KEYWORDS))


def _is_number(value: object) -> bool:
    return type(value) is int or (type(value) is float and value - value == 0)


_KEYWORD_RULES = ("min_len", "max_len", "min", "max", "one_not_null", "one_of")
# Every keyword of an annotation.
KEYWORDS = (*_KEYWORD_RULES, "not_null", "when")


def _keyword_rule(name: str, value: object) -> tuple[str, object]:
    """The description and the rule for a keyword argument. `not_null` and `when` are handled elsewhere."""
    if name == "min_len":
        return f"length >= {int(value)}", rules.min_len(int(value))  # type: ignore[call-overload]
    if name == "max_len":
        return f"length <= {int(value)}", rules.max_len(int(value))  # type: ignore[call-overload]
    if name == "min":
        return f"a value >= {repr_of(value)}", rules.minimum(value)
    if name == "max":
        return f"a value <= {repr_of(value)}", rules.maximum(value)
    if name == "one_not_null":
        keys = None if value is True else value
        children = "all children" if keys is None else repr_of(keys)
        return f"exactly one of {children} to be not null", rules.one_not_null(keys)
    return f"one of {repr_of(value)}", rules.one_of(value)


def validate(declaration: Declaration, document: Document) -> None:
    """Runs the rules of the schema, and those on the data values.

    declaration: the declaration of the schema. document: the final data values. Raises SchemaError with one finding per
    invalid value; also for malformed `@assert/validate` annotations and a failed `when=`.
    """
    findings: list[Finding] = []
    judged: dict[object, None] = {}
    listener = current_listener()
    for validation, item, parent, path in _runs(declaration, document):
        try:
            broken = _broken(validation, item, parent, document.value, path)
        except SchemaError as error:
            raise error.made_of(item, *(one for one in [document.value] if isinstance(one, (Map, Array)))) from None
        if listener is not None and broken is not None:
            from plait.ytt.schema.points import FAILS, HOLDS, checking_point

            at = validation.position.source
            listener.went(at, checking_point(validation), FAILS if broken else HOLDS)
        # A `when` sees all values.
        values = (item.value, document.value) if validation.when is not None else (item.value,)
        made_of = [item, *(one for one in values if isinstance(one, (Map, Array)))]
        judged.update(dict.fromkeys(made_of))
        if broken:
            findings.append(_finding(validation, item, path, broken).made_of(*made_of))
    if findings:
        failed = SchemaError(FINAL, findings=findings, code=findings[0].code).made_of()
        failed.judged = tuple(judged)
        raise failed


def _runs(root: Declaration, document: Document) -> list[Run]:
    """All validations to run, with item, enclosing collection and path, in document order."""
    runs: list[Run] = []
    stack: list[tuple[Declaration | None, Item, NodeValue, Path]] = [(root, document, None, None)]
    while stack:
        declaration, item, parent, path = stack.pop()
        if declaration is not None and declaration.validation is not None:
            runs.append((declaration.validation, item, parent, path))
        if item.annotations is not None and ASSERT in item.annotations:
            runs.append((read_validation(item.annotations[ASSERT]), item, parent, path))
        value = item.value
        if not isinstance(value, (Map, Array)):
            continue
        declared = declaration.type.of(value) if declaration is not None else None
        below: list[tuple[Declaration | None, Item, NodeValue, Path]] = []
        if isinstance(value, Map):
            known = declared if type(declared) is MapType else None
            if len(value.items) > MANY:
                current_budget().check_time()
            for entry in value.items:
                key = entry.key
                inner = None if known is None else known.find(key)
                if (
                    (inner is not None and inner.validation is not None)
                    or entry.annotations is not None
                    or type(entry.value) in _NESTED
                ):
                    below.append((inner, entry, value, (path, key_text(key))))
        else:
            inner = declared.item if type(declared) is ArrayType else None
            ruled = inner is not None and inner.validation is not None
            for place, one in enumerate(value.items):
                if ruled or one.annotations is not None or type(one.value) in _NESTED:
                    below.append((inner, one, value, (path, place)))
        stack.extend(reversed(below))
    return runs


# Only these can contain rules.
_NESTED = frozenset({Map, Array})


def _broken(validation: Validation, item: Item, parent: NodeValue, root: NodeValue, path: Path) -> list[Broken] | None:
    """The rules that a value violates: the description, and the error or None. Returns None if no rule ran."""
    if item.value is None and not validation.not_null:
        return None
    value = to_starlark(item.value)
    if validation.when is not None and not _applies(validation, value, parent, root, path):
        return None
    broken: list[Broken] = []
    for text, rule in validation.rules:
        failed: PlaitError | None = None
        try:
            if call(rule, (value,)) is True:
                continue
        except LimitError:
            raise
        except PlaitError as error:
            failed = error
        broken.append((text, failed))
        if rule is rules.not_null:  # a missing value violates no other rule
            break
    return broken


def _applies(validation: Validation, value: object, parent: NodeValue, root: NodeValue, path: Path) -> bool:
    when = validation.when
    at = validation.position
    args = [value]
    parameters = _parameters(when)
    if parameters == 2:
        args.append(Struct({"parent": to_starlark(parent), "root": to_starlark(root)}))
    elif parameters != 1:
        fault = f"Failed to evaluate when=: function must accept 1 or 2 arguments ({parameters} given)"
        raise _unknown(path, fault, at)
    try:
        result = call(when, args)
    except LimitError:
        raise
    except PlaitError as error:
        failed = _unknown(path, f"Failure evaluating when=: {error.message}", at)
        # ytt does not report the position in the function.
        failed.stack = [Frame(step.text, step.at) for step in error.stack]
        raise failed from error
    if type(result) is not bool:
        raise _unknown(path, f"want when= to be bool, got {type_of(result)}", at)
    return result


def _unknown(path: Path, fault: str, at: Position) -> SchemaError:
    """The error for a validation whose `when=` failed."""
    text = f"Validating {_path_text(path)}: {fault}"
    return SchemaError(text, at=at, reference=f"{FINAL}\n{text}", code="failed-condition")


def _parameters(function: object) -> int:
    """The number of a function's parameters. Builtins count as one."""
    if not is_function(function):
        return 1
    code = function.__code__
    variadic = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return int(code.co_argcount) + int(code.co_kwonlyargcount) + variadic


def _reason(error: PlaitError) -> Wording:
    """The reason reported by a rule. plait's own rules quote no values, but functions of the schema may."""
    message = full(error, "message") or ""
    text = error.detail or message
    return public(text) if isinstance(message, Wording) else quotation(text)


def _finding(validation: Validation, item: Item, path: Path, broken: list[Broken]) -> Finding:
    told = public(_path_text(path) or f"({_KINDS.get(type(item), 'array item')})")
    reference = f"  {told}\n    from: {item.position}\n"
    for text, failed in broken:
        reason = None if failed is None else _reason(failed)
        reference += f"    - must be: {text} (by: {validation.position})\n"
        reference += f"      found: {reason}\n" if reason else ""
        told = Wording(told, public(f"\n- must be: {text} (by: {validation.position})"))
        if reason:
            told = Wording(told, "\n  found: ", reason)
    from plait.ytt.schema.hints import of_broken

    hint = of_broken([failed for _, failed in broken if failed is not None], item)
    at, also = item.position, validation.position.labelled("the rule")
    if hint is not None:  # the rule is at fault
        at, also = validation.position, item.position.labelled("the value")
    return Finding(
        told,
        at=at,
        also=[also],
        hint=hint and public(hint),
        reference=f"{reference}\n",
        code="failed-validation",
    )


_KINDS: dict[type, str] = {Document: "document", MapItem: "map item"}


def _path_text(path: Path) -> str:
    pieces: list[str] = []
    while path is not None:
        path, piece = path
        if type(piece) is int:
            pieces.append(f"[{piece}]")
        else:
            pieces.append(f".{piece}" if path is not None else str(piece))
    return "".join(reversed(pieces))
