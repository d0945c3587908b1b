"""Warnings about lists that an expression adds as one item to a list of other values. Loaded only if there is one."""

from __future__ import annotations

from plait.base.errors import warning
from plait.base.source import Position
from plait.tree.nodes import Array, ArrayItem, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import Warn
    from plait.base.source import Source
    from plait.tree.nodes import Item, Value

# Keys whose lists have only maps, or only strings, in resources of Kubernetes and in manifests of BOSH.
_OF_MAPS = frozenset(
    {
        "containers",
        "env",
        "envFrom",
        "imagePullSecrets",
        "initContainers",
        "instance_groups",
        "jobs",
        "ports",
        "steps",
        "tolerations",
        "volumeMounts",
        "volumes",
    }
)
_OF_STRINGS = frozenset({"args", "command"})


def warn_of_nested(items: Sequence[Item], nested: list[Array], source: Source, warn: Warn) -> None:
    """Warns about lists that are items of lists of maps or strings. items: what a template or a function of it built.

    nested: the lists that expressions added as items; those that are found in the items are removed from it.
    """
    wanted = {id(one) for one in nested}
    pending: list[tuple[object, Sequence[Item]]] = [("", items)]
    found: set[int] = set()
    for key, level in pending:  # the list grows during the iteration
        own = [one for one in level if type(one) is ArrayItem and id(one.value) in wanted]
        found.update(id(one.value) for one in own)
        others = [one.value for one in level if id(one.value) not in wanted and one.value is not None] if own else []
        for item in own:
            if _is_unlikely(item.value.items, others, key):  # type: ignore[union-attr] # only arrays are wanted
                line = source.line(item.line) or ""
                code = line.partition("- #@ ")[2].strip() or "..."
                warn(
                    warning(
                        "this item is a list in a list that has no other lists; "
                        f'- #@ template.replace({code}), with load("@ytt:template", "template"), adds its items instead',
                        code="unlikely-value",
                        at=Position(source, item.line),
                    )
                )
        pending += [(getattr(one, "key", ""), one.value.items) for one in level if isinstance(one.value, (Map, Array))]
    nested[:] = [one for one in nested if id(one) not in found]


def _is_unlikely(inner: Sequence[Item], others: Sequence[Value], key: object) -> bool:
    """True if the items of a list have the type that only the items of the list around it can have.

    Lists that stand among other values on purpose, such as the arguments of Fn::Join, contain different values.
    """
    values = [one.value for one in inner]
    if all(type(one) is Map for one in [*values, *others]):
        keys = [{item.key for item in one.items} for one in others if type(one) is Map]
        shared = keys and set.intersection(
            *keys, *({item.key for item in one.items} for one in values if type(one) is Map)
        )
        return bool(shared) if keys else key in _OF_MAPS
    return key in _OF_STRINGS and all(type(one) is str for one in [*values, *others])
