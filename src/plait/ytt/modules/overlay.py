"""`@ytt:overlay`: overlays from code, and the matchers for `@overlay/match by=` (docs/reference/overlays.md)."""

from __future__ import annotations

from plait.base.errors import OverlayError, PlaitError, StarlarkError
from plait.base.source import CLAUSE
from plait.tree.nodes import COLLECTION_TYPES
from plait.ytt.overlay.annotation_removal import erased
from plait.ytt.overlay.apply import apply
from plait.ytt.overlay.error_stack import APPLY
from plait.ytt.overlay.matchers import ALL, And, IndexMatcher, MapKey, Not, Or, Subset
from plait.ytt.starlark.step_budget import charge
from plait.ytt.starlark.structs import Module
from plait.ytt.starlark.values import Builtin, is_callable, type_of
from plait.ytt.yaml_fragments import YamlFragment, counted_nodes, to_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Warn
    from plait.tree.context import Context
    from plait.tree.nodes import Value
    from plait.tree.provenance import Trace
    from plait.ytt.overlay.matchers import Matcher


_AN_OVERLAY = 400  # steps
_FEW = 64


def _applied(args: tuple[object, ...], kwargs: dict[str, object], trace: Trace | None, warn: Warn | None) -> object:
    """`apply(left, right...)`: applies the right sides to the left one, in order. A left fragment is changed in
    place and returned.
    """
    if not args or kwargs:
        raise StarlarkError(
            "overlay.apply: expected at least one argument, and no keyword arguments",
            code="argument-count",
            reference=None if args else "overlay.apply: expected exactly at least argument",
        )
    first = args[0]
    if type(first) is not YamlFragment:
        left = _nodes(first, trace)
        if not isinstance(left, COLLECTION_TYPES):
            return _apply_to_scalar(left, args[1:])
        first = YamlFragment(left)
    try:
        for right in args[1:]:
            _apply_one(first, right, trace, warn)
    except PlaitError as error:
        if len(args) == 2 and isinstance(error, OverlayError) and _is_swapped(args[0], args[1]):
            error.hint = "the overlay comes last: swap the arguments of overlay.apply"
            error.declared_hint = None
        raise error.within(APPLY, role=CLAUSE) from None
    return first


def _is_swapped(first: object, second: object) -> bool:
    """True if only the first argument has overlay annotations, and it can be applied to the second one."""
    overlay, left = _nodes(first, None), _nodes(second, None)
    if erased(overlay) is overlay or erased(left) is not left:
        return False
    try:
        apply(left, overlay)
    except PlaitError:
        return False
    return True


def _nodes(value: object, trace: Trace | None) -> Value:
    nodes, made = counted_nodes(value)
    if made > _FEW:
        charge(made * 8)
    if trace is not None:
        from plait.ytt.templates.tracing import note_argument

        note_argument(trace, nodes, value, APPLY)
    return nodes


def _apply_one(left: YamlFragment, right: object, trace: Trace | None, warn: Warn | None) -> None:
    overlay = _nodes(right, trace)
    charge(_AN_OVERLAY)
    if trace is None or trace.marks is None:
        _change(left, overlay, trace, warn)
        return
    from plait.ytt.templates.tracing import applied

    with applied(trace, left, right, APPLY):
        _change(left, overlay, trace, warn)


def _change(left: YamlFragment, overlay: Value, trace: Trace | None, warn: Warn | None) -> None:
    nodes = left.peek()
    if not left.erased and left.made > _FEW:
        charge(left.made * 8)
    value = nodes if left.erased or nodes is None else erased(nodes)
    owned = {} if left.owned is None else left.owned
    result = apply(value, overlay, owned=owned, trace=trace, warn=warn)
    if isinstance(result, COLLECTION_TYPES):
        left.assign(result, owned)


def _apply_to_scalar(left: Value, rights: tuple[object, ...]) -> object:
    try:
        for right in rights:
            apply(left, to_nodes(right))
    except PlaitError as error:
        raise error.within(APPLY, role=CLAUSE) from None
    return left


def _one(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
    if len(args) != 1 or kwargs:
        hint = 'the content to match is a map: overlay.subset({"kind": "..."})' if name == "overlay.subset" else None
        raise StarlarkError(f"{name}: expected exactly one argument", hint=hint, code="argument-count")
    return args[0]


def _index(*args: object, **kwargs: object) -> Matcher:
    place = _one("overlay.index", args, kwargs)
    if type(place) is not int:
        told = "overlay.index: expected starlark.Int"
        raise StarlarkError(f"{told}, but was {type_of(place)}", reference=told, code="wrong-argument-type")
    return IndexMatcher(place)


def _map_key(*args: object, **kwargs: object) -> Matcher:
    key = _one("overlay.map_key", args, kwargs)
    if type(key) is not str:
        raise StarlarkError(f"overlay.map_key: expected a string, but was {type_of(key)}", code="wrong-argument-type")
    return MapKey(key)


def _subset(*args: object, **kwargs: object) -> Matcher:
    return Subset(_one("overlay.subset", args, kwargs))


def _and_op(*args: object, **kwargs: object) -> Matcher:
    return And(_functions("overlay.and_op", args, kwargs))


def _or_op(*args: object, **kwargs: object) -> Matcher:
    return Or(_functions("overlay.or_op", args, kwargs))


def _not_op(*args: object, **kwargs: object) -> Matcher:
    return Not(_functions("overlay.not_op", (_one("overlay.not_op", args, kwargs),), {}))


def _functions(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> tuple[object, ...]:
    if not args or kwargs:
        raise StarlarkError(f"{name}: expected at least one argument", code="argument-count")
    for arg in args:
        if not is_callable(arg):
            raise StarlarkError(
                f"{name}: expected matchers, but one argument is {type_of(arg)}", code="wrong-argument-type"
            )
    return args


def module(context: Context) -> Module:
    """The module's members."""

    def apply_in_run(*args: object, **kwargs: object) -> object:
        return _applied(args, kwargs, context.trace, context.warn)

    return Module("overlay", {"apply": Builtin("overlay.apply", apply_in_run), **MEMBERS})


MEMBERS = {
    "index": Builtin("overlay.index", _index),
    "all": ALL,
    "map_key": Builtin("overlay.map_key", _map_key),
    "subset": Builtin("overlay.subset", _subset),
    "and_op": Builtin("overlay.and_op", _and_op),
    "or_op": Builtin("overlay.or_op", _or_op),
    "not_op": Builtin("overlay.not_op", _not_op),
}
