"""Data values without a default: `@schema/required`.

A schema declares the type of a data value by an example, which is its default. The example of a required value is not a
default: the schema's own item must not remain in the data values, even if an explicit value is equal to it.
"""

from __future__ import annotations

from plait.base.content import names_of_variables
from plait.base.errors import Finding, SchemaError
from plait.base.similar_names import distance
from plait.tree.nodes import Map
from plait.ytt.schema.types import MapType
from plait.ytt.schema.walk import declared_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.base.source import Source
    from plait.tree.nodes import Document, Item
    from plait.ytt.schema.types import Declaration

# Maximum number of values files that a message suggests for a value.
_NAMED = 3
# Maximum number of wrong letters in a misspelling; also at most one in five.
_TYPING_ERROR = 2


def check_required(declaration: Declaration, values: Document, sources: Sequence[Source]) -> None:
    """Raises SchemaError for missing required values. sources: the files and flags with data values."""
    missing = list(_missing(declaration, values, ""))
    if not missing:
        return
    findings = [
        Finding(
            f"the data value {path} is required but not set",
            at=one.position,
            also=[around.position.labelled("the value without it")]
            if around.source is not one.source and around.line > 0
            else [],
            expected=f"{_article(one.type.name)} (by {one.position})",
            hint=settable_from(path, sources),
            code="missing-data-value",
        ).made_of()
        for path, one, around in missing
    ]
    paths = ", ".join(path for path, _, _ in missing)
    what = "a data value is" if len(missing) == 1 else f"{len(missing)} data values are"
    raise SchemaError(f"{what} required but not set: {paths}", findings=findings, code="missing-data-value").made_of()


def _missing(declaration: Declaration, node: Item, path: str) -> Iterator[tuple[str, Declaration, Item]]:
    """The missing values below a node: path, declaration, and the node that lacks it."""
    for number, (item, inner) in enumerate(declared_items(declaration, node.value)):
        name = f"[{number}]" if type(node.value) is not Map else f".{inner.key}" if path else str(inner.key)
        if inner.required and not _is_set(inner, item):
            yield path + name, inner, node
        else:
            yield from _missing(inner, item, path + name)


def _is_set(declaration: Declaration, item: Item) -> bool:
    """True if the value, or any value in a map, is set outside of the schema."""
    if item is declaration.item:
        return False
    if type(declaration.type) is MapType and declaration.type.declarations:
        return any(_is_set(inner, one) for one, inner in declared_items(declaration, item.value))
    return True


def settable_from(path: str, sources: Sequence[Source]) -> str:
    """The inputs of this evaluation in which a data value can be set."""
    files = [*dict.fromkeys(one.shown for one in sources if not one.flag)]
    prefixes = dict.fromkeys(one.argument for one in sources if one.flag in ("data-values-env", "data-values-env-yaml"))
    found = [f"with --data-value {path}=..."] if "[" not in path else []
    if files:
        found.append(f"in {', '.join(files[:_NAMED])}")
    else:
        found.append("in a file: --data-values-file FILE")
    if "[" not in path:
        found += [_as_variable(f"{prefix}_{path.replace('.', '__')}") for prefix in prefixes]
    return f"set it {', or '.join(found)}"


def _as_variable(name: str) -> str:
    """The environment variable for a name, and existing variables that look like a misspelling of it."""
    most = min(len(name) // 5, _TYPING_ERROR)
    near = [one for one in names_of_variables() if distance(one.lower(), name.lower(), most) <= most]
    there = f" (there is {', '.join(near[:_NAMED])})" if near else ""
    return f"as the environment variable {name}{there}"


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}"
