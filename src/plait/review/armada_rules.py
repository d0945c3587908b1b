"""Rules for consequences: charts of Armada, as layered documents of Airship have them."""

from __future__ import annotations

import re

from plait.review.image_rules import CHART, images_changed
from plait.review.rules import NOTE, Rule, at, is_on_both

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.review.rules import Data


def _sources(old: Data, new: Data) -> Iterator[str]:
    before, after = at(old, "data", "source"), at(new, "data", "source")
    if is_on_both(old, new) and before != after:
        keys = [key for key in ("location", "subpath", "reference", "type") if at(before, key) != at(after, key)]
        yield ", ".join(f"{key} {_short(at(before, key))} → {_short(at(after, key))}" for key in keys)


def _short(data: Data) -> str:
    """A commit is known by its first digits."""
    text = "none" if data is None else str(data)
    return text[:8] if re.fullmatch("[0-9a-f]{40}", text) else text


RULES: Sequence[Rule] = (
    Rule("chart-image-changed", NOTE, (CHART,), "1 chart has a different image", "{} charts have different images",
         "images.tags changed", images_changed, "image"),
    Rule("chart-source-changed", NOTE, (CHART,), "1 chart comes from a different revision",
         "{} charts come from different revisions", "source changed; what its templates render is not compared", _sources,
         "source"),
)  # fmt: skip
