"""Text to nodes, straight from the parser's events (spec ytt 2.1-2.3, spec ops 3).

Nothing here recurses: a frame a collection on an explicit stack, so depth is bounded by `depth` alone. Items are made
when they start and given their value when it is complete. An alias is a fresh copy of what the anchor stands for,
within one document. A merge key's items stand where `<<` stood; repeated keys stay in the tree as written (see
`deduplicate`).

Lines are the editor's: only a line feed ends one. The parser also counts carriage returns, NEL and the Unicode
separators; a text that has one of those gets its lines corrected once the tree is there.
"""

from __future__ import annotations

import gc

from weft.errors import ReadError, WeftError
from weft.limits import allowance, exceeded
from weft.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem
from weft.source import Position, Source
from weft.yaml.comments import Comment, CommentScan, assign
from weft.yaml.libyaml import (
    ALIAS,
    ARRAY_START,
    COLLECTION_END,
    DOCUMENT_END,
    DOCUMENT_START,
    MAP_START,
    SCALAR,
    STREAM_END,
    open_keeping_marks,
)
from weft.yaml.libyaml import parser as fastest_parser
from weft.yaml.lines import correct_lines, dash_before, has_odd_breaks
from weft.yaml.references import References
from weft.yaml.repeats import deduplicate
from weft.yaml.scalars import plain_values, resolve_strict, resolve_tagged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from weft.nodes import Item, Scalar, Value
    from weft.yaml.comments import Comments
    from weft.yaml.libyaml import Mark, Parser
    from weft.yaml.spans import Spans

# Each costs a reading up to it.
_MOST_COLONS = 100


def read(
    source: Source,
    *,
    strict: bool = False,
    comments: Comments | None = None,
    spans: Spans | None = None,
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
    """The documents of a text; at least one (an empty text is one null document).

    strict: refuse plain scalars that could be misread (spec ytt 2.3).
    comments, spans: get the comments with their owners, and where each node stands in the text.
    keep_mark: whether a byte order mark is text (ytt) or skipped (BOSH).
    explicit_keys_win: whether a key beside `<<` wins wherever it stands; None: in templates only, which takes `comments`.
    merge_lists: whether `<<` takes a sequence of maps, which ytt refuses.
    plain: what plain scalars mean, where it is not what the references of `render` and `patch` take them for.
    first: stop behind the first document; what follows is not looked at (BOSH).
    scalar_keys: refuse collections as keys (BOSH). text_keys: keys of the root map are text as written, whatever they mean.
    depth: how deep collections may be nested where the limit `nesting` is not set; None: as deep as it allows.

    Raises ReadError for what is not YAML, LimitError.
    """
    run = allowance()
    run.check_time()
    deepest = run.limits.nesting if depth is None or "nesting" in run.limits.given else depth
    collecting = gc.isenabled()
    # Thousands of new objects and no garbage among them: the collector would only look at them again and again.
    gc.disable()
    colons: list[int] = []
    mark = ""
    try:
        while True:
            reading = Reading(source, keep_mark)
            reading.strict, reading.comments, reading.spans = strict, comments, spans
            reading.references.merge_lists = merge_lists
            reading.plain = plain_values if plain is None else plain
            reading.explicit_keys_win, reading.depth = explicit_keys_win, deepest
            reading.first, reading.scalar_keys, reading.text_keys = first, scalar_keys, text_keys
            reading.takes_colons = plain is None and not strict and len(colons) < _MOST_COLONS
            for index in colons:
                reading.text = f"{reading.text[:index]}{mark}{reading.text[index + 1 :]}"
            try:
                tree = reading.build(parser or fastest_parser())
            except EventsChangedError:
                continue
            except ColonError as error:
                from weft.yaml.colons import stand_in

                mark = mark or stand_in(reading.text)
                colons.append(error.index)
                continue
            if colons:
                from weft.yaml.colons import restore

                restore(tree, mark)
            return tree
    finally:
        if collecting:
            gc.enable()


def read_value(source: Source, *, strict: bool = False, explicit_keys_win: bool | None = None) -> Value:
    """The value of the first document of a text, with repeated keys resolved. Raises as `read` does."""
    tree = read(source, strict=strict, explicit_keys_win=explicit_keys_win)
    return deduplicate(DocumentSet(tree.items[:1])).items[0].value


class EventsChangedError(Exception):
    """Another thread imported PyYAML, and the parser's events are of other classes from now on."""


class ColonError(Exception):
    """The parser refuses a colon that ytt and BOSH take for text; see `colons`."""

    def __init__(self, index: int) -> None:
        self.index = index


class Reading:
    """The state of one `read`."""

    __slots__ = (
        "base",
        "comments",
        "depth",
        "explicit_keys_win",
        "first",
        "plain",
        "references",
        "scalar_keys",
        "shift",
        "source",
        "spans",
        "strict",
        "takes_colons",
        "text",
        "text_keys",
    )

    strict: bool
    takes_colons: bool
    comments: Comments | None
    spans: Spans | None
    explicit_keys_win: bool | None
    plain: Mapping[str, Scalar]
    first: bool
    scalar_keys: bool
    text_keys: bool
    depth: int

    def __init__(self, source: Source, keep_mark: bool) -> None:
        self.source = source
        self.text = source.text
        self.base = source.first_line
        self.shift = 0
        if not keep_mark and self.text.startswith("\ufeff"):
            self.text = self.text[1:]
            self.shift = -1
        self.references = References(source)

    def build(self, parser: Parser) -> DocumentSet:
        text, source, base, strict, spans = self.text, self.source, self.base, self.strict, self.spans
        try:
            next_event = open_keeping_marks(parser, text)
        except Exception as error:  # noqa: BLE001 - the parser's classes of errors are looked at in `problems`
            raise self.problem(error) from None
        scan = CommentScan(text) if self.comments is not None else None
        # Where the next `#` is; -1 when there is none, and scalars need not be looked at.
        hash_at = scan.next if scan is not None else -1
        if spans is not None:
            spans.begin(text, source.text, self.shift)
        values, references = self.plain, self.references

        documents: list[Document] = []
        tree = DocumentSet(documents, source, source.first_line)
        bare: Document | None = None
        # The innermost collection: its items and mode. `owner` is the map item (or document) that waits for its value;
        # in a map without an owner a key comes next. Exact types of items are known to the mode, not to the checker.
        items: list[Any] = []
        mode = _DOCUMENT
        owner: MapItem | Document | None = None
        stack: list[tuple[list[Any], int, MapItem | None]] = []
        value: Value
        item: Item
        while True:
            try:
                event = next_event()
            except Exception as error:  # noqa: BLE001 - as above
                raise self.problem(error) from None
            if type(event) is not tuple:
                raise EventsChangedError
            kind = event[0]
            if kind == SCALAR:
                _, anchor, start, end, written, is_plain, tag, _ = event
                if tag is not None or (strict and is_plain):
                    value = self.special(tag, written, start)
                elif is_plain:
                    value = values[written]
                else:
                    value = written
                if hash_at >= 0 and hash_at < end.index and scan is not None:
                    hash_at = scan.pass_scalar(start.index, end.index)
                if anchor is not None:
                    references.anchors[anchor] = value
            elif kind <= ARRAY_START:
                _, anchor, start, end, flow, _ = event
                make = Map if kind == MAP_START else Array
                made: Map | Array
                if owner is not None:
                    item = owner
                    made = owner.value = make([], source, owner.line)
                    owner = None
                elif mode == _MAP:
                    line = start.line + base
                    if self.scalar_keys:
                        raise self.key_error(_A_KIND[make], line)
                    made = make([], source, line)
                    item = owner = MapItem(made, None, source, line)
                    items.append(owner)
                else:
                    line = start.line + base
                    if mode == _BLOCK_ARRAY and text[start.index - 2] != "-":
                        line -= text.count("\n", dash_before(text, start.index), start.index)
                    made = make([], source, line)
                    item = ArrayItem(made, source, line)
                    items.append(item)
                stack.append((items, mode, owner))
                items = made.items
                mode = _MAP if kind == MAP_START else _FLOW_ARRAY if flow else _BLOCK_ARRAY
                owner = None
                if anchor is not None:
                    references.start(anchor, made)
                if spans is not None:
                    spans.start_collection(item, start.index, flow=bool(flow))
                if len(stack) > self.depth:
                    raise self.too_deep(start)
                continue
            elif kind == COLLECTION_END:
                if references.merges and references.merges[-1][0] is items:
                    references.finish_map(items)
                if references.unfinished:
                    references.unfinished.discard(id(items))
                if spans is not None:
                    spans.end_collection(event[1].index)
                items, mode, owner = stack.pop()
                continue
            elif kind == ALIAS:
                _, anchor, start, end = event
                value = references.alias(anchor or "", self.line_at(start.index))
            elif kind == DOCUMENT_START:
                _, explicit, end = event
                # The mark of an explicit start ends behind its `---`; directives may stand before that.
                line = end.line + base if explicit else source.first_line
                owner = Document(None, source, line)
                if not explicit:
                    bare = owner
                documents.append(owner)
                references.start_document()
                if spans is not None:
                    spans.start_document(owner, end.index, explicit=explicit)
                continue
            elif kind == STREAM_END or (kind == DOCUMENT_END and self.first):
                break
            else:
                continue

            if owner is not None:
                item = owner
                owner.value = value
                owner = None
            elif mode == _MAP:
                item = owner = MapItem(value, None, source, start.line + base)
                if value == "<<" and kind == SCALAR and (is_plain if tag is None else tag == _MERGE_TAG):
                    references.merges.append((items, len(items), owner))
                else:
                    if self.text_keys and len(stack) == 1 and kind == SCALAR:
                        owner.key = "" if value is None else written
                    items.append(owner)
            else:
                line = start.line + base
                if mode == _BLOCK_ARRAY and text[start.index - 2] != "-":
                    line -= text.count("\n", dash_before(text, start.index), start.index)
                item = ArrayItem(value, source, line)
                items.append(item)
            if spans is not None:
                spans.scalar(item, start.index, end.index)

        if not documents:
            bare = Document(None, source, source.first_line)
            documents.append(bare)
        return self.finish(tree, scan, bare)

    def finish(self, tree: DocumentSet, scan: CommentScan | None, bare: Document | None) -> DocumentSet:
        text = self.text
        if has_odd_breaks(text):
            correct_lines(tree, text, self.base)
        comments = self.comments
        if comments is not None and scan is not None:
            line, at = self.base, 0
            for index, found in scan.finish():
                line += text.count("\n", at, index)
                at = index
                comments.all.append(Comment(found, line, index - text.rfind("\n", 0, index)))
            assign(comments, tree, self.references.copied, bare)
        win = self.explicit_keys_win
        overridden = self.references.overridden
        if overridden and (win or (win is None and comments is not None and comments.template)):
            for items, losers in overridden:
                items[:] = [item for item in items if item not in losers]
        return tree

    def special(self, tag: str | None, text: str, start: Mark) -> Value:
        """The value of a scalar with a tag, or of a plain one in strict mode."""
        try:
            return resolve_strict(text) if tag is None else resolve_tagged(tag, text)
        except ValueError as error:
            hint = None if tag is not None else "put it in quotes"
            raise self.error(str(error), self.line_at(start.index), hint=hint) from None

    def line_at(self, index: int) -> int:
        return self.base + self.text.count("\n", 0, index)

    def error(self, message: str, line: int, *, expected: str | None = None, hint: str | None = None) -> ReadError:
        return ReadError(message, at=Position(self.source, line), expected=expected, hint=hint)

    def key_error(self, kind: str, line: int) -> ReadError:
        from weft.yaml.problems import BRACES

        hint = BRACES if "{{" in (self.source.line(line) or "") else None
        return self.error(f"a key is {kind}", line, expected="a scalar as key", hint=hint)

    def problem(self, error: Exception) -> Exception:
        """What to raise for an exception of the parser."""
        if isinstance(error, UnicodeEncodeError):
            return self.error("invalid leading UTF-8 octet", self.line_at(error.start))
        if self.takes_colons:
            from weft.yaml.colons import colon_index

            index = colon_index(error)
            if index is not None:
                return ColonError(index)
        from weft.yaml.problems import syntax_error

        return syntax_error(error, self.source, self.text, self.base)

    def too_deep(self, start: Mark) -> WeftError:
        at = Position(self.source, self.line_at(start.index))
        return exceeded("the depth of collections", "nesting", self.depth, at=at)


_A_KIND = {Map: "a map", Array: "an array"}
_DOCUMENT, _MAP, _BLOCK_ARRAY, _FLOW_ARRAY = range(4)
_MERGE_TAG = "tag:yaml.org,2002:merge"
