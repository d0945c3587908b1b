"""Coverage points of layering (see `plait.base.events`). Imported only if there is a listener."""

from __future__ import annotations

from plait.layering.actions import acting_point
from plait.layering.secrets import lines_of_secrets
from plait.layering.substitution import placing_point

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.base.events import CoverageListener
    from plait.layering.document import LayeredDocument, Substitution


def tell(
    listener: CoverageListener,
    documents: Sequence[LayeredDocument],
    entries: Mapping[LayeredDocument, Sequence[Substitution]],
) -> None:
    """Reports the actions and substitution destinations of all documents, and the secret lines."""
    for document in documents:
        for action in document.actions:
            listener.there(action.source, acting_point(action))
        for entry in entries.get(document, ()):
            for dest in entry.dest:
                listener.there(dest.source, placing_point(dest))
    for source, first, after in lines_of_secrets(documents):
        listener.private(source, first, after)
