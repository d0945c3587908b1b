"""The parser's events to nodes.

Nothing here recurses: a frame a collection on an explicit stack, so depth is bounded by the limit alone. The parser also
ends lines at carriage returns, NEL and the Unicode separators; a text that has one of those gets its lines corrected
once the tree is there.
"""

from __future__ import annotations

from plait.errors import PlaitError, ReadError
from plait.limits import exceeded
from plait.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem
from plait.source import Position
from plait.yaml.beginning import MARK, ends_first
from plait.yaml.comments import Comment, CommentScan, assign
from plait.yaml.libyaml import (
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
from plait.yaml.libyaml import parser as fastest_parser
from plait.yaml.numbering import correct_lines, dash_before, has_odd_breaks
from plait.yaml.quirks import Adapted
from plait.yaml.references import References
from plait.yaml.scalars import plain_values, resolve_strict, resolve_tagged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from plait.nodes import Item, Value
    from plait.yaml.comments import Comments
    from plait.yaml.libyaml import Mark, Parser
    from plait.yaml.reader import Settings


def read_events(text: str, settings: Settings, parser: Parser | None, shift: int) -> DocumentSet:
    """The documents of a text. shift: by how much its indexes are larger than those of the source's text."""
    line = settings.source.first_line
    begun = settings.begins_document and ends_first(text)
    if begun:
        text, line, shift = MARK + text, line - 1, shift + len(MARK)
    adapted = Adapted(text) if settings.plain is plain_values else None
    while True:
        reading = Reading(text, line, settings, settings.comments)
        reading.shift = shift
        reading.begun = begun
        try:
            tree = reading.build(parser or fastest_parser(), adapted)
        except EventsChangedError:
            continue
        except PlaitError:
            raise
        except Exception as error:  # noqa: BLE001 - the parser's classes of errors are looked at in `problems`
            if adapted is None or not adapted.cover(error):
                raise reading.problem(error) from None
            continue
        reading.references.override(settings.explicit_keys_win, settings.comments)
        return tree


def read_part(
    text: str, line: int, settings: Settings, comments: Comments | None, references: References
) -> DocumentSet:
    """The documents of a part of a text that begins on a line. references: of the whole text.

    Raises PlaitError for whatever the parser refuses, also for what `read_events` would not.
    """
    references.merge_lists = settings.merge_lists
    adapted = Adapted(text) if settings.plain is plain_values else None
    while True:
        reading = Reading(text, line, settings, comments)
        reading.references = references
        try:
            return reading.build(fastest_parser(), adapted)
        except EventsChangedError:
            continue
        except PlaitError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            raise reading.problem(error) from None


class EventsChangedError(Exception):
    """Another thread imported PyYAML, and the parser's events are of other classes from now on."""


class Reading:
    """The state of one pass over a text, or over a part that begins on the line `base`."""

    __slots__ = ("base", "begun", "comments", "counted", "ended", "references", "settings", "shift", "source", "text")

    def __init__(self, text: str, base: int, settings: Settings, comments: Comments | None) -> None:
        self.text = text
        self.base = base
        self.settings = settings
        self.source = settings.source
        self.comments = comments
        self.references = References(settings.source)
        self.references.merge_lists = settings.merge_lists
        self.shift = 0
        self.begun = False
        self.ended = len(text)
        self.counted = 0, 0

    def build(self, parser: Parser, adapted: Adapted | None) -> DocumentSet:
        """The documents. Raises the parser's exceptions too, of whatever class they are."""
        text, source, base, settings = self.text, self.source, self.base, self.settings
        strict, spans = settings.strict, settings.spans
        next_event = open_keeping_marks(parser, text) if adapted is None else adapted.events(parser)
        scan = CommentScan(text) if self.comments is not None else None
        # Where the next `#` is; -1 when there is none, and scalars need not be looked at.
        hash_at = scan.next if scan is not None else -1
        if spans is not None:
            spans.begin(text, source.text, self.shift)
        values, references = settings.plain, self.references

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
            event = next_event()
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
                    if settings.scalar_keys:
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
                if len(stack) > settings.depth:
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
                _, explicit, end, start, _ = event
                if self.begun and not documents:
                    explicit = False
                # A document begins where its directives do, if it has any.
                owner = Document(None, source, start.line + base if explicit else source.first_line)
                if not explicit:
                    bare = owner
                elif scan is not None and end.index - start.index > 3:
                    hash_at = scan.pass_directives(start.index, end.index)
                documents.append(owner)
                references.start_document()
                if spans is not None:
                    spans.start_document(owner, end.index, explicit=explicit)
                continue
            elif kind == DOCUMENT_END:
                if settings.first:
                    break
                _, explicit, end = event
                self.ended = end.index if explicit else len(text)
                continue
            elif kind == STREAM_END:
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
                    if settings.text_keys and len(stack) == 1 and kind == SCALAR:
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
                comment = Comment(found, line, index - text.rfind("\n", 0, index))
                (comments.all if index < self.ended else comments.ignored).append(comment)
            assign(comments, tree, self.references.copied, bare)
        return tree

    def special(self, tag: str | None, text: str, start: Mark) -> Value:
        """The value of a scalar with a tag, or of a plain one in strict mode."""
        try:
            return resolve_strict(text) if tag is None else resolve_tagged(tag, text)
        except ValueError as error:
            hint = None if tag is not None else "put it in quotes"
            raise self.error(str(error), self.line_at(start.index), hint=hint) from None

    def line_at(self, index: int) -> int:
        before, lines = self.counted if self.counted[0] <= index else (0, 0)
        lines += self.text.count("\n", before, index)
        # Aliases come one after the other: nobody counts the same lines again for each of them.
        self.counted = index, lines
        return self.base + lines

    def error(self, message: str, line: int, *, expected: str | None = None, hint: str | None = None) -> ReadError:
        return ReadError(message, at=Position(self.source, line), expected=expected, hint=hint)

    def key_error(self, kind: str, line: int) -> ReadError:
        from plait.yaml.problems import BRACES

        hint = BRACES if "{{" in (self.source.line(line) or "") else None
        return self.error(f"a key is {kind}", line, expected="a scalar as key", hint=hint)

    def problem(self, error: Exception) -> Exception:
        """What to raise for an exception of the parser."""
        if isinstance(error, UnicodeEncodeError):
            return self.error("invalid leading UTF-8 octet", self.line_at(error.start))
        from plait.yaml.problems import syntax_error

        return syntax_error(error, self.source, self.text, self.base)

    def too_deep(self, start: Mark) -> PlaitError:
        at = Position(self.source, self.line_at(start.index))
        return exceeded("the depth of collections", "nesting", self.settings.depth, at=at)


_A_KIND = {Map: "a map", Array: "an array"}
_DOCUMENT, _MAP, _BLOCK_ARRAY, _FLOW_ARRAY = range(4)
_MERGE_TAG = "tag:yaml.org,2002:merge"
