"""Finds runs that use secrets. Their results are not cached unless the user asks for it."""

from __future__ import annotations

from plait.base.permissions import NETWORK, PROGRAMS, origin_of
from plait.engine.secret_sources import COMMAND, SOPS
from plait.tree.secrets import uses_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.input_view import InputView

# The name of a directory, not of a value.
HARMLESS = frozenset({"HOME"})


def is_secret(view: InputView) -> bool:
    """True if no digests or copies of a run's inputs and outputs may be stored.

    True for a run that uses secrets, and for one that reads values from the environment, because a digest of a short
    value reveals it.
    """
    return uses_secrets(view) or bool(view.variables.keys() - HARMLESS)


def can_be_known(view: InputView) -> bool:
    """True if the result of a run depends only on the files that it read, and the run writes nothing else.

    Standard input and URLs may change, and reusing a result does not write a variables store.
    """
    return not view.streams and not view.written


def accesses_of(view: InputView) -> list[tuple[str, str]]:
    """The programs and the origins of URLs that a run used, as in `Need`. Its files and variables are in its read set."""
    found = set()
    for name in view.streams:
        if name == SOPS or name.startswith(f"{COMMAND}:"):
            found.add((PROGRAMS, name))
        elif "://" in name:
            found.add((NETWORK, origin_of(name)))
    return sorted(found)
