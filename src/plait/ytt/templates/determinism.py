"""Templates with the same result in every evaluation, which can be cached.

Such a program builds nodes from constants and the results of modules, such as a schema or `by=overlay.all`, and calls
no functions of its own or of other files. This is decided by the names that it uses.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

# Functions that build nodes, and that record reads in a traced evaluation; they read no data.
_OF_NODES = ("$node.", "$from.")
_HARMLESS = frozenset(("$load", "$pick", "$attribute", "$List", "$Dict", "$make_dict", "$locals"))


def is_constant(code: CodeType) -> bool:
    """True if a program always has the same result, provided that its modules do (see `is_deterministic`)."""
    kind = type(code)
    top = next(one for one in code.co_consts if type(one) is kind)
    return all(type(one) is not kind for one in top.co_consts) and all(
        name in _HARMLESS or name.startswith(_OF_NODES) for name in top.co_names
    )


def is_deterministic(path: str) -> bool:
    """True if a path names a module that is the same for all files and runs."""
    return path.startswith("@ytt:") and path not in ("@ytt:data", "@ytt:library")
