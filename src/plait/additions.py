"""Additions to the dialects, each taken by name (`--with NAME`): without it not a byte differs from the reference."""

from __future__ import annotations

from plait.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

OPERATIONS = "operations"
SECRETS = "secrets"

# What each brings, as help texts say it.
ADDITIONS = {
    OPERATIONS: "* in the paths of operations, and the types append, copy and move",
    SECRETS: "@schema/secret marks data values that nobody else is to see",
}
# Those of each command.
OF_COMMAND = {"render": (SECRETS,), "patch": (OPERATIONS,)}


def taken(names: Iterable[str]) -> frozenset[str]:
    """The additions that are named. Raises UsageError for a name that none has."""
    found = frozenset(names)
    for name in sorted(found - ADDITIONS.keys()):
        from plait.spell import did_you_mean

        raise UsageError(
            f'there is no addition "{name}"', expected=", ".join(ADDITIONS), hint=did_you_mean(name, ADDITIONS)
        )
    return found


def takes(names: Iterable[str], addition: str) -> bool:
    """Whether an addition is among those that are named. Raises as `taken`."""
    return addition in taken(names)
