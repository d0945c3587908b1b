"""What `merge_keys` and `merge_schemas` of `plait.render` stand for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.overlay.item_keys import Rules


def rules_of(keys: Sequence[str], schemas: Sequence[str]) -> Rules:
    """What tells the items of arrays apart. keys: as of --merge-key. schemas: paths of schemas of kinds.

    Raises UsageError, and ReadError for a path of schemas that leads to none.
    """
    from plait.overlay.item_keys import Rules

    if not schemas:
        return Rules(keys)
    from plait.kinds import catalogue_of
    from plait.kinds.item_rules import rules_of as rules_of_schemas

    return Rules(keys, rules_of_schemas(catalogue_of(schemas)))
