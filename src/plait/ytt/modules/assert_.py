"""`@ytt:assert`: fails with a message, compares values, and provides the rules of schemas (docs/reference/modules.md)."""

from __future__ import annotations

from plait.base.errors import LimitError, PlaitError, StarlarkError
from plait.ytt.modules.members import module_of, text
from plait.ytt.modules.yaml import encode
from plait.ytt.overlay.error_stack import sentence
from plait.ytt.schema import rules
from plait.ytt.schema.rules import Assertion
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.step_budget import charge, check_headroom
from plait.ytt.starlark.values import is_callable, type_of
from plait.ytt.yaml_fragments import starlark_type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.tree.context import Context
    from plait.ytt.modules.members import Args, Kwargs, Member
    from plait.ytt.schema.rules import Rule
    from plait.ytt.starlark.structs import Module


def module(context: Context) -> Module:
    def try_to(args: Args, kwargs: Kwargs) -> object:
        windows = None if context.secrets is None else context.secrets.trace.code
        if windows is None:
            return _try_to(args, kwargs)
        with windows.attempted(_one(args)):
            return _try_to(args, kwargs)

    return module_of(
        "assert",
        {
            "equals": _equals,
            "fail": _fail,
            "max": _bound("assert.max", rules.maximum),
            "max_len": _length("assert.max_len", rules.max_len),
            "min": _bound("assert.min", rules.minimum),
            "min_len": _length("assert.min_len", rules.min_len),
            "not_null": _not_null,
            "one_not_null": _one_not_null,
            "one_of": _one_of,
            "try_to": try_to,
        },
    )


_A_TRY = 200  # steps


def _one(args: Args) -> object:
    if len(args) != 1:
        raise StarlarkError(f"got {len(args)} arguments, want 1", code="argument-count")
    return args[0]


def _wrong(message: str, value: object) -> StarlarkError:
    return StarlarkError(
        f"{message} {type_of(value)}", reference=f"{message} {starlark_type_name(value)}", code="wrong-argument-type"
    )


def _equals(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored
    if len(args) != 2:
        raise StarlarkError(f"got {len(args)} arguments, want 2", code="argument-count")
    for value in args:
        if is_callable(value):
            raise _wrong("expected argument not to be a function, but was", value)
    expected, actual = _yaml(args[0]), _yaml(args[1])
    if expected != actual:
        check_headroom((len(expected) + len(actual)) * 3)
        raise StarlarkError(
            f"Not equal:\n(expected type: {type_of(args[0])})\n{expected}\n\n(was type: {type_of(args[1])})\n{actual}",
            code="failed-assertion",
        )
    return None


def _yaml(value: object) -> str:
    return encode(value)


def _fail(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
    raise rules.failure(text(_one(args)))


def _try_to(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
    function = _one(args)
    if not is_callable(function):
        raise _wrong("expected argument to be a function, but was", function)
    charge(_A_TRY)
    try:
        return call(function), None
    except LimitError:
        raise
    except PlaitError as error:
        return None, sentence(error)


def _bound(name: str, rule: Callable[[object], Rule]) -> Member:
    def bound(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
        return Assertion(name, rule(_one(args)), "val")

    return bound


def _length(name: str, rule: Callable[[int], Rule]) -> Member:
    def length(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
        value = _one(args)
        if type(value) is not int and not (type(value) is float and value - value == 0):
            raise StarlarkError(f"expected value to be an number, but was {type_of(value)}", code="wrong-argument-type")
        return Assertion(name, rule(int(value)), "sequence")

    return length


def _not_null(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
    if len(args) > 1:
        raise StarlarkError(f"got {len(args)} arguments, want at most 1", code="argument-count")
    return rules.not_null(args[0]) if args else Assertion("assert.not_null", rules.not_null, "value")


def _one_not_null(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
    if len(args) > 1:
        raise StarlarkError(f"got {len(args)} arguments, want 1", code="argument-count")
    keys = args[0] if args else True
    if keys is False:
        raise StarlarkError("one_not_null() cannot be False", code="wrong-argument-type")
    if keys is not True and not rules.is_sequence(keys):
        raise StarlarkError(f"expected a sequence of keys, but was a '{type_of(keys)}'", code="wrong-argument-type")
    return Assertion("assert.one_not_null", rules.one_not_null(None if keys is True else keys))


def _one_of(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
    if not args:
        raise StarlarkError("got 0 arguments, want at least 1", code="argument-count")
    allowed = args if len(args) > 1 else args[0]
    if not rules.is_sequence(allowed):
        raise StarlarkError(f"expected a sequence, but was a '{type_of(allowed)}'", code="wrong-argument-type")
    return Assertion("assert.one_of", rules.one_of(allowed), "val")
