"""Functions that most compiled templates call. They do not need the language's library, which is slow to load.

`runtime.GLOBALS` has them as well; the functions of Python itself are in `program.PYTHON`.
"""

from __future__ import annotations

from plait.base.errors import StarlarkError, replacing
from plait.base.similar_names import listed, near, spelled
from plait.ytt.starlark.attributes import attribute, has_attribute
from plait.ytt.starlark.containers import Dict, List, Set
from plait.ytt.starlark.step_budget import SMALL, SOME, charge, check_string
from plait.ytt.starlark.structs import STRUCTS
from plait.ytt.starlark.value_text import str_of
from plait.ytt.starlark.values import joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def make_dict(raw: dict[object, object]) -> Dict:
    """A dict from a Python dict whose keys are neither bools nor tuples."""
    result = Dict()
    dict.update(result, raw)
    if len(raw) > SOME:
        charge(len(raw))
    return result


def pick(module: Mapping[str, object], name: str, path: str) -> object:
    """One name of a loaded module."""
    if name in module:
        return module[name]

    message = f"load: name {name} not found in module {path}"
    meant = spelled(name, sorted(module))
    told = f"{message} (did you mean {meant}?)" if meant else message
    names = sorted(known for known in module if not known.startswith("_"))
    alike = near(name, names)
    found = None if alike else ", ".join(names[:_SHOWN_NAMES]) + (", ..." if len(names) > _SHOWN_NAMES else "")
    if alike:
        message = replacing(name, alike, f"{message} (did you mean {listed(alike)}?)")
    owner = next((one for one in names if path[:1] == "@" and not alike and has_attribute(module[one], name)), None)
    hint = owner and f'load("{path}", "{owner}"), and write {owner}.{name}'
    if not (alike or hint) and path.startswith("@ytt:"):
        from plait.ytt.starlark.undefined_names import of_module

        hint = of_module(name, path)
    raise StarlarkError(message, found=found, hint=hint, code="symbol-not-found", word=name, reference=told)


_SHOWN_NAMES = 12


def text(output: str) -> str:
    """A string built from a few parts."""
    if len(output) > SMALL:
        check_string(len(output))
    return joined(output)


def same(x: object) -> object:
    """The value itself. Hides the value from Python's compiler, which warns about unusual programs."""
    return x


COMMON: dict[str, object] = {
    "$attribute": attribute,
    "$direct.str": str_of,
    "$make_dict": make_dict,
    "$pick": pick,
    "$same": same,
    "$text": text,
    "$structs": STRUCTS,
    "$List": List,
    "$Dict": Dict,
    "$sized": frozenset((List, Dict, Set, tuple, range)),
}
