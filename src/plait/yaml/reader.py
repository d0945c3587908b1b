"""Parses text into nodes, line by line if possible, else with the YAML parser.

Items are created at their start and get their value at its end. An alias is a new copy of its anchor's value, within
one document. A merge key's items replace `<<`; duplicate keys stay in the tree as written (see `deduplicate`). Lines
are those of editors: only a line feed ends one.
"""

from __future__ import annotations

import gc

from plait.base.extensions import TAGS
from plait.base.fast_paths import FAST
from plait.base.limits import current_budget
from plait.tree.nodes import DocumentSet
from plait.yaml.lines import read_lines
from plait.yaml.repeats import deduplicate
from plait.yaml.scalars import ReaderSettings, plain_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.base.source import Source
    from plait.tree.nodes import Scalar, Value
    from plait.yaml.comments import Comments
    from plait.yaml.libyaml import Parser


def read(
    source: Source,
    *,
    strict: bool = False,
    comments: Comments | None = None,
    keep_mark: bool = True,
    explicit_keys_win: bool | None = None,
    merge_lists: bool = True,
    plain: Mapping[str, Scalar] | None = None,
    first: bool = False,
    scalar_keys: bool = False,
    text_keys: bool = False,
    depth: int | None = None,
    parser: Parser | None = None,
) -> DocumentSet:
    """Parses a text into documents. An empty text is one null document.

    strict: reject plain scalars that could be misread. comments: receives the comments with their owners. keep_mark:
    treat a byte order mark as text (ytt); by default it is skipped (BOSH). explicit_keys_win: a key overrides `<<` in
    any order; None: in templates only, which pass `comments`. merge_lists: `<<` accepts a sequence of maps, which ytt
    rejects. plain: values of plain scalars; by default as in `render` and `patch`. first: stop after the first document
    (BOSH). scalar_keys: reject collections as keys (BOSH). text_keys: read keys of the root map as strings. depth:
    maximum nesting of collections if the limit `nesting` is not set; None: that of the limit.

    Raises ReadError for invalid YAML, LimitError.
    """
    run = current_budget()
    run.check_time()
    settings = ReaderSettings()
    settings.source, settings.strict, settings.comments = source, strict, comments
    settings.begins_document = keep_mark
    settings.explicit_keys_win, settings.merge_lists = explicit_keys_win, merge_lists
    settings.plain = plain_values if plain is None else plain
    settings.tags = TAGS in source.extensions
    settings.first, settings.scalar_keys, settings.text_keys = first, scalar_keys, text_keys
    settings.depth = run.limits.nesting if depth is None or "nesting" in run.limits.given else depth
    marked = not keep_mark and source.text.startswith("\ufeff")
    text = source.text[1:] if marked else source.text
    collecting = gc.isenabled()
    # Parsing creates thousands of objects and no garbage, so the collector would only waste time.
    gc.disable()
    try:
        tree = None
        if FAST and parser is None:
            tree = read_lines(text, settings)
        if tree is None:
            from plait.yaml.events import read_events

            tree = read_events(text, settings, parser)
        return tree
    finally:
        if collecting:
            gc.enable()


def read_value(source: Source) -> Value:
    """Parses the first document of a text, and resolves duplicate keys. Raises as `read` does."""
    tree = read(source)
    return deduplicate(DocumentSet(tree.items[:1])).items[0].value
