"""JSON Schema, draft 4, for untrusted schemas (docs/reference/layering.md).

The library jsonschema does the checks; this module limits hostile schemas. A `$ref` may refer only to the schema itself
or to the metaschemas: nothing is fetched, no file is read. Patterns are matched within the limit `pattern`, as all
patterns in documents. Each applied keyword is charged as steps, and so are the values that it compares, so that a short
schema that refers to itself a million times ends at the limit `steps`.
"""

from __future__ import annotations

import re
import sys
from threading import local

from plait.base.errors import PlaitError
from plait.base.limits import current_budget, limit_error
from plait.base.regex import RegexPattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Protocol

    from jsonschema.protocols import Validator as Library

    class Violation(Protocol):
        """A violation, as the library reports it."""

        message: str

        @property
        def validator(self) -> object: ...
        @property
        def instance(self) -> object: ...
        @property
        def schema(self) -> object: ...
        @property
        def absolute_path(self) -> Iterable[str | int]: ...
        @property
        def absolute_schema_path(self) -> Iterable[str | int]: ...

    class Validator(Protocol):
        """A validator of the library, as keywords receive it."""

        def is_type(self, instance: object, type: str) -> bool: ...
        def descend(
            self, instance: object, schema: object, path: object = None, schema_path: object = None
        ) -> Iterable[Violation]: ...
        def iter_errors(self, instance: object) -> Iterable[Violation]: ...

    # validator, value of the keyword, instance, enclosing schema
    Keyword = Callable[[Validator, object, object, Mapping[str, object]], "Iterable[Violation] | None"]

# The message and the hint if the library is not installed.
NEEDS_LIBRARY = "{} needs the library jsonschema"
LIBRARY_HINT = "pip install 'plait[validate]'"


class UnusableSchemaError(Exception):
    """Raised for an unusable schema: an unresolved reference, an invalid pattern, or endless recursion.

    path: the position in the schema, or None if it is unknown.
    """

    def __init__(self, message: str, path: list[str | int] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path


class JsonSchema:
    """A schema that checks values."""

    __slots__ = ("_checker",)

    def __init__(self, plain: object) -> None:
        """Raises UnusableSchemaError for an invalid schema, LimitError, and ImportError without the library."""
        from jsonschema import Draft4Validator
        from jsonschema_specifications import REGISTRY

        limited = bounded(Draft4Validator, _BOUNDED)
        # REGISTRY contains the metaschemas and retrieves nothing.
        metaschema = limited(
            Draft4Validator.META_SCHEMA, registry=REGISTRY, format_checker=Draft4Validator.FORMAT_CHECKER
        )
        for violation in violations(metaschema, plain):
            raise UnusableSchemaError(violation.message, [*violation.absolute_path])
        self._checker: Validator = limited(plain, registry=REGISTRY)

    def violations(self, plain: object) -> Iterator[Violation]:
        """The violations of a value. Raises UnusableSchemaError, LimitError."""
        return violations(self._checker, plain)


def bounded(base: type[Library], keywords: Mapping[str, Keyword]) -> Callable[..., Validator]:
    """A validator class that checks like `base`, within the limits of the evaluation. keywords: replace its own ones.

    Raises ImportError without the library.
    """
    from attrs import evolve
    from jsonschema.validators import extend

    cost = _Cost()
    own = {**base.VALIDATORS, **keywords}
    # Comparisons by the library's own keywords are charged, too.
    charged = {name: cost.charged("" if name in keywords else name, keyword) for name, keyword in own.items()}
    limited = extend(base, charged)  # type: ignore[no-untyped-call]
    # A nested `$schema` would make the library switch to its own class.
    limited.evolve = evolve
    made: Callable[..., Validator] = limited
    return made


def violations(checker: Validator, plain: object) -> Iterator[Violation]:
    """The violations of a value. Any error of the library becomes an UnusableSchemaError.

    Raises UnusableSchemaError, LimitError.
    """
    try:
        yield from checker.iter_errors(plain)
    except (PlaitError, MemoryError, UnusableSchemaError):
        raise
    except RecursionError:
        raise _endless() from None
    except re.error as error:
        raise UnusableSchemaError(f"a pattern that is not a regular expression: {error}") from None
    except Exception as error:  # noqa: BLE001 - see below; what is plait's own was raised above
        # The library assumes a valid schema, and otherwise raises any exception: an AttributeError for `$ref: 5`, a
        # ValueError for an `id` that is not a URI.
        kind = type(error).__name__.strip("_")
        words = {
            "Unresolvable": "a $ref points outside it",
            "WrappedReferencingError": "a $ref points outside it",
            "PointerToNowhere": "a $ref points to nothing",
        }
        raise UnusableSchemaError(words.get(kind, f"a part of it is not usable ({kind})")) from None


def _endless() -> UnusableSchemaError:
    return UnusableSchemaError("it refers to itself endlessly, or is nested too deeply")


class _Cost(local):
    """The cost of a check in steps of the run, and the nesting depth of keywords, per thread."""

    def __init__(self) -> None:
        self.run = current_budget()
        self.taken = 0
        self.depth = 0

    def take(self, steps: int) -> None:
        if self.run is not current_budget():
            self.run, self.taken = current_budget(), 0
        self.taken += steps
        self.run.check_time()
        most = self.run.most("steps")
        if self.taken > most:
            raise limit_error("checking data by its schema", "steps", most)

    def charged(self, name: str, keyword: Keyword) -> Keyword:
        """The keyword, which charges steps before it runs and for each message."""

        def apply(
            validator: Validator, rule: object, instance: object, schema: Mapping[str, object]
        ) -> Iterator[Violation]:
            self.take(_PER_KEYWORD + _size(rule) + _size(instance))
            self.take(_comparisons(name, rule, instance))
            self.depth += 1
            if self.depth > _DEEPEST or _stack_is_full():
                raise _endless()
            try:
                for violation in keyword(validator, rule, instance, schema) or ():
                    self.take(len(violation.message))
                    yield violation
            finally:
                self.depth -= 1

        return apply


# A keyword takes about ten microseconds, a step about 0.1.
_PER_KEYWORD = 100
_PER_COMPARISON = 20
# Maximum nesting of keywords; each takes several stack frames.
_DEEPEST = 400
# Frames reserved for functions that the library calls. Its parts written in Rust end the thread, with their own report,
# if they reach Python's recursion limit.
_SPARE = 200


def _stack_is_full() -> bool:
    try:
        sys._getframe(max(sys.getrecursionlimit() - _SPARE, 1))
    except ValueError:
        return False
    return True


def _size(value: object) -> int:
    return len(value) if isinstance(value, list | dict) else 0


def _comparisons(name: str, rule: object, instance: object) -> int:
    """The cost of a keyword that compares values: `enum`, and `uniqueItems` if the items cannot be sorted."""
    if name == "enum":
        return _PER_COMPARISON * _size(rule)
    if name == "uniqueItems" and isinstance(instance, list) and any(isinstance(item, list | dict) for item in instance):
        return _PER_COMPARISON * len(instance) ** 2 // 2
    return 0


def _matches(pattern: str, text: str) -> bool:
    return RegexPattern(re.compile(pattern)).search(text) is not None


def _pattern(validator: Validator, rule: object, instance: object, _schema: object) -> Iterator[Violation]:
    from jsonschema import ValidationError

    if validator.is_type(instance, "string") and not _matches(str(rule), str(instance)):
        yield ValidationError(f"{instance!r} does not match {rule!r}")


def _pattern_properties(validator: Validator, rule: object, instance: object, _schema: object) -> Iterator[Violation]:
    if isinstance(rule, dict) and isinstance(instance, dict):
        for pattern, below in rule.items():
            for key, value in instance.items():
                if _matches(pattern, str(key)):
                    yield from validator.descend(value, below, path=key, schema_path=pattern)


def _additional_properties(
    validator: Validator, rule: object, instance: object, schema: Mapping[str, object]
) -> Iterator[Violation]:
    from jsonschema import ValidationError

    if not isinstance(instance, dict):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    assert isinstance(named, dict)
    assert isinstance(patterns, dict)
    extras = [
        key for key in instance if key not in named and not any(_matches(pattern, str(key)) for pattern in patterns)
    ]
    if isinstance(rule, dict):
        for key in extras:
            yield from validator.descend(instance[key], rule, path=key)
    elif not rule and extras:
        shown = ", ".join(map(repr, sorted(extras, key=str)))
        if "patternProperties" in schema:
            verb = "does" if len(extras) == 1 else "do"
            wanted = ", ".join(map(repr, sorted(patterns)))
            yield ValidationError(f"{shown} {verb} not match any of the regexes: {wanted}")
        else:
            verb = "was" if len(extras) == 1 else "were"
            yield ValidationError(f"Additional properties are not allowed ({shown} {verb} unexpected)")


# Keywords whose cost the library does not bound.
_BOUNDED: Mapping[str, Keyword] = {
    "additionalProperties": _additional_properties,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
}
