"""Reviews: the effect of a change between two revisions on the output, and its causes (docs/review.md).

    from plait.review import review

    print(to_text(review("main")))

`revisions` provides the files of both sides, `values` compares outputs, `units` compares sources, `causes` relates them
and verifies the relation by evaluating, `consequences` has the rules about kinds of documents, `reports` the formats.
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.review.api import review
    from plait.review.html import to_html
    from plait.review.markdown import to_markdown
    from plait.review.reports import to_text
    from plait.review.result import Review

__all__ = ["Review", "review", "to_html", "to_markdown", "to_text"]

_HOMES = {"review": "api", "Review": "result", "to_html": "html", "to_markdown": "markdown", "to_text": "reports"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
