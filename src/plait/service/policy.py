"""Permissions: Deckhand's names of actions, each with the roles that may perform it."""

from __future__ import annotations

from plait.base.errors import UsageError
from plait.base.similar_names import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CREATE_CLEARTEXT = "deckhand:create_cleartext_documents"
CREATE_ENCRYPTED = "deckhand:create_encrypted_documents"
LIST_CLEARTEXT = "deckhand:list_cleartext_documents"
LIST_ENCRYPTED = "deckhand:list_encrypted_documents"
SHOW_REVISION = "deckhand:show_revision"
LIST_REVISIONS = "deckhand:list_revisions"
DELETE_REVISIONS = "deckhand:delete_revisions"
SHOW_DIFF = "deckhand:show_revision_diff"
SHOW_DEEPDIFF = "deckhand:show_revision_deepdiff"
CREATE_TAG = "deckhand:create_tag"
SHOW_TAG = "deckhand:show_tag"
LIST_TAGS = "deckhand:list_tags"
DELETE_TAG = "deckhand:delete_tag"
DELETE_TAGS = "deckhand:delete_tags"
CREATE_VALIDATION = "deckhand:create_validation"
LIST_VALIDATIONS = "deckhand:list_validations"
SHOW_VALIDATION = "deckhand:show_validation"
# Not an action of Deckhand: writing documents that read encrypted ones.
USE_ENCRYPTED = "plait:use_encrypted_documents"
# Also for the audit log, and for `/metrics`.
READ_AUDIT = "plait:read_audit"
READ_METRICS = "plait:read_metrics"

ACTIONS = (
    CREATE_CLEARTEXT,
    CREATE_ENCRYPTED,
    LIST_CLEARTEXT,
    LIST_ENCRYPTED,
    SHOW_REVISION,
    LIST_REVISIONS,
    DELETE_REVISIONS,
    SHOW_DIFF,
    SHOW_DEEPDIFF,
    CREATE_TAG,
    SHOW_TAG,
    LIST_TAGS,
    DELETE_TAG,
    DELETE_TAGS,
    CREATE_VALIDATION,
    LIST_VALIDATIONS,
    SHOW_VALIDATION,
    USE_ENCRYPTED,
    READ_AUDIT,
    READ_METRICS,
)
ADMIN = "admin"


class AccessPolicy:
    """The roles that may perform each action. given: roles by action; `admin` may perform all other actions. A role
    that may read encrypted documents may also use them.
    """

    def __init__(self, given: Mapping[object, object] | None = None) -> None:
        """Raises UsageError for an unknown action, and for roles that are not a list of names."""
        self._roles = {action: frozenset({ADMIN}) for action in ACTIONS}
        for action, roles in (given or {}).items():
            if action not in self._roles:
                raise UsageError(
                    f"unknown action {action!r}",
                    expected=", ".join(ACTIONS),
                    hint=did_you_mean(str(action), ACTIONS),
                    code="service-settings",
                )
            if not isinstance(roles, list) or not all(isinstance(role, str) for role in roles):
                raise UsageError(
                    f"the roles of {action} must be a list of names",
                    expected="[admin, reader]",
                    code="service-settings",
                )
            self._roles[str(action)] = frozenset(roles)
        named = self._roles[USE_ENCRYPTED] if USE_ENCRYPTED in (given or {}) else frozenset[str]()
        self._roles[USE_ENCRYPTED] = named | self._roles[LIST_ENCRYPTED]

    @property
    def roles(self) -> list[str]:
        """The names of all roles with any permission."""
        return sorted(frozenset[str]().union(*self._roles.values()))

    def allows(self, action: str, roles: frozenset[str]) -> bool:
        """True if one of the roles may perform the action."""
        return not self._roles[action].isdisjoint(roles)
