"""Conversion of the parser's events to nodes.

Parsing does not recurse: an explicit stack has one frame per collection, so only the limit `nesting` bounds the depth.
The parser also ends lines at carriage returns, NEL and the Unicode separators; the line numbers are corrected at the
end.
"""

from __future__ import annotations

from plait.base.errors import PlaitError, ReadError
from plait.base.limits import limit_error
from plait.base.source import Position, Quoted, Wording, public
from plait.base.suggestions import QUOTE_VALUE, Hint, Suggestion
from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem
from plait.yaml.anchors import AnchorTable
from plait.yaml.comments import Comment, CommentScan, assign
from plait.yaml.document_start import ends_first
from plait.yaml.libyaml import (
    ALIAS,
    ARRAY_START,
    COLLECTION_END,
    DOCUMENT_END,
    DOCUMENT_START,
    MAP_START,
    MOST_NESTED,
    SCALAR,
    STREAM_END,
    open_keeping_marks,
    pure_parser,
    too_deep,
)
from plait.yaml.libyaml import parser as fastest_parser
from plait.yaml.libyaml_quirks import PatchedText
from plait.yaml.line_numbers import correct_lines, dash_before, has_odd_breaks
from plait.yaml.scalars import plain_values, resolve_strict, resolve_tagged
from plait.yaml.writer import SEPARATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Item, Items, Value
    from plait.yaml.comments import Comments
    from plait.yaml.libyaml import Event, Mark, Parser
    from plait.yaml.scalars import ReaderSettings


def read_events(text: str, settings: ReaderSettings, parser: Parser | None) -> DocumentSet:
    """Parses a text into documents."""
    line = settings.source.first_line
    begun = settings.begins_document and ends_first(text)
    if begun:
        text, line = SEPARATOR + text, line - 1
    adapted = PatchedText(text) if settings.plain is plain_values else None
    parser = parser or fastest_parser()
    while True:
        reading = ParsePass(text, line, settings, settings.comments)
        reading.begun = begun
        try:
            tree = reading.build(parser, adapted)
        except EventsChangedError:
            continue
        except PlaitError:
            raise
        except Exception as error:  # noqa: BLE001 - the parser's classes of errors are looked at in `parse_errors`
            if too_deep(error):
                parser = reading.deeper_parser(error)
                continue
            if adapted is None or not adapted.cover(error):
                raise reading.problem(error) from None
            continue
        reading.references.override(settings.explicit_keys_win, settings.comments)
        return tree


def read_part(
    text: str, line: int, settings: ReaderSettings, comments: Comments | None, references: AnchorTable
) -> DocumentSet:
    """Parses a part of a text, which starts at a line, into documents. references: the anchors of the whole text.

    Raises PlaitError for everything that the parser rejects, even if `read_events` would not.
    """
    references.merge_lists = settings.merge_lists
    adapted = PatchedText(text) if settings.plain is plain_values else None
    parser = fastest_parser()
    while True:
        reading = ParsePass(text, line, settings, comments)
        reading.references = references
        try:
            return reading.build(parser, adapted)
        except EventsChangedError:
            continue
        except PlaitError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            if too_deep(error):
                parser = reading.deeper_parser(error)
                continue
            raise reading.problem(error) from None


class EventsChangedError(Exception):
    """Raised when another thread has imported PyYAML, which replaces the classes of the parser's events."""


class ParsePass:
    """The state of one pass over a text, or over a part that starts at the line `base`."""

    __slots__ = (
        "bare",
        "base",
        "begun",
        "comments",
        "counted",
        "ended",
        "references",
        "scan",
        "settings",
        "source",
        "text",
        "tree",
    )

    def __init__(self, text: str, base: int, settings: ReaderSettings, comments: Comments | None) -> None:
        self.text = text
        self.base = base
        self.settings = settings
        self.source = settings.source
        self.comments = comments
        self.references = AnchorTable(settings.source)
        self.references.merge_lists = settings.merge_lists
        self.tree = DocumentSet([], settings.source, settings.source.first_line)
        # The document without a `---`.
        self.bare: Document | None = None
        self.scan = CommentScan(text) if comments is not None else None
        self.begun = False
        self.ended = len(text)
        self.counted = 0, 0

    def build(self, parser: Parser, adapted: PatchedText | None) -> DocumentSet:
        """Builds the documents. Also raises the parser's exceptions, of any class."""
        text, source, base, settings = self.text, self.source, self.base, self.settings
        strict, scan = settings.strict, self.scan
        next_event = open_keeping_marks(parser, text) if adapted is None else adapted.events(parser)
        # Index of the next `#`; -1 if there is none, and scalars need not be tracked.
        hash_at = scan.next if scan is not None else -1
        values, references = settings.plain, self.references
        # The innermost collection: its items and mode. `owner` is the map item (or document) that waits for its value;
        # in a map without an owner a key comes next. Exact types of items are known to the mode, not to the checker.
        items: Items = []
        mode = _DOCUMENT
        owner: MapItem | Document | None = None
        stack: list[tuple[Items, int, MapItem | None]] = []
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
                    if tag is not None and settings.tags and tag[:1] == "!" != tag:
                        if not written and not event[7]:
                            value = None
                        value = self.tagged(tag, event, value, is_key=mode == _MAP and owner is None)
                elif is_plain:
                    value = values[written]
                else:
                    value = written
                if hash_at >= 0 and hash_at < end.index and scan is not None:
                    hash_at = scan.pass_scalar(start.index, end.index)
                if anchor is not None:
                    references.anchors[anchor] = value
            elif kind <= ARRAY_START:
                made, waits = self.start_collection(event, owner, items, mode)
                stack.append((items, mode, waits))
                items, owner = made.items, None
                mode = _MAP if kind == MAP_START else _FLOW_ARRAY if event[4] else _BLOCK_ARRAY
                if len(stack) > settings.depth:
                    raise self.too_deep(event[2])
                continue
            elif kind == COLLECTION_END:
                if references.merges and references.merges[-1][0] is items:
                    references.finish_map(items)
                if references.unfinished:
                    references.unfinished.discard(id(items))
                items, mode, owner = stack.pop()
                continue
            elif kind == ALIAS:
                _, anchor, start, end = event
                value = references.alias(anchor or "", self.line_at(start.index))
            elif kind == DOCUMENT_START:
                owner = self.start_document(event)
                hash_at = scan.next if scan is not None else -1
                continue
            elif kind == STREAM_END or (kind == DOCUMENT_END and settings.first):
                return self.finish()
            else:
                if kind == DOCUMENT_END:
                    self.ended = event[2].index if event[1] else len(text)
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
                item = ArrayItem(value, source, self.entry_line(start) if mode == _BLOCK_ARRAY else start.line + base)
                items.append(item)

    def start_collection(
        self, event: Event, owner: Item | None, items: Items, mode: int
    ) -> tuple[Map | Array, MapItem | None]:
        """Creates a collection and attaches it to its parent. Also returns the map item whose key it is, or None."""
        kind, anchor, start, _, _, _ = event
        make = Map if kind == MAP_START else Array
        made: Map | Array
        waits: MapItem | None = None
        if owner is not None:
            item = owner
            made = owner.value = make([], self.source, owner.line)
        else:
            if mode == _MAP and self.settings.scalar_keys:
                raise self.key_error(_A_KIND[make], start.line + self.base)
            line = self.entry_line(start) if mode == _BLOCK_ARRAY else start.line + self.base
            made = make([], self.source, line)
            if mode == _MAP:
                item = waits = MapItem(made, None, self.source, line)
            else:
                item = ArrayItem(made, self.source, line)
            items.append(item)
        if anchor is not None:
            self.references.start(anchor, made)
        if event[5] is not None and self.settings.tags and event[5][:1] == "!" != event[5]:
            kept = self.tagged(event[5], event, made, is_key=waits is not None)
            item.value = kept
            if anchor is not None:
                self.references.anchors[anchor] = kept
        return made, waits

    def start_document(self, event: Event) -> Document:
        _, explicit, end, start, _ = event
        if self.begun and not self.tree.items:
            explicit = False
        # A document starts at its first directive, if it has any.
        document = Document(None, self.source, start.line + self.base if explicit else self.source.first_line)
        if not explicit:
            self.bare = document
        elif self.scan is not None and end.index - start.index > 3:
            self.scan.pass_directives(start.index, end.index)
        self.tree.items.append(document)
        self.references.start_document()
        return document

    def entry_line(self, start: Mark) -> int:
        """The line of the dash before the node at `start`."""
        line, index = start.line + self.base, start.index
        if self.text[index - 2] != "-":
            line -= self.text.count("\n", dash_before(self.text, index), index)
        return int(line)

    def finish(self) -> DocumentSet:
        text, tree, scan = self.text, self.tree, self.scan
        if not tree.items:
            self.bare = Document(None, self.source, self.source.first_line)
            tree.items.append(self.bare)
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
            assign(comments, tree, self.references.copied, self.bare)
        return tree

    def special(self, tag: str | None, text: str, start: Mark) -> Value:
        """The value of a scalar that has a tag, or that is plain in strict mode."""
        try:
            return resolve_strict(text) if tag is None else resolve_tagged(tag, text)
        except ValueError as error:
            hint = None if tag is not None else public(Hint("put it in quotes", Suggestion(QUOTE_VALUE)))
            raise self.error(error.args[0], self.line_at(start.index), hint=hint, code="invalid-scalar") from None

    def tagged(self, tag: str, event: Event, value: Value, *, is_key: bool) -> Map:
        """The value with its tag, as a map with one key (see `plait.yaml.tags`)."""
        from plait.yaml.tags import is_tag

        start = event[2].index
        line = self.line_at(start)
        at = self.text.find(tag, start)
        end = at + len(tag)
        if is_key or not is_tag(tag) or at < 0 or self.text[end : end + 1] in tuple(",[]"):
            where = public(" on a key" if is_key else "")
            raise self.error(Wording("the tag ", Quoted(tag), " cannot be kept", where), line, code="yaml-tag")
        return Map([MapItem(tag, value, self.source, line)], self.source, line)

    def line_at(self, index: int) -> int:
        before, lines = self.counted if self.counted[0] <= index else (0, 0)
        lines += self.text.count("\n", before, index)
        # Aliases come in order, so lines already counted are not counted again.
        self.counted = index, lines
        return self.base + lines

    def error(
        self,
        message: str,
        line: int,
        *,
        expected: str | None = None,
        hint: str | None = None,
        code: str = "invalid-yaml",
    ) -> ReadError:
        at = Position(self.source, line)
        return ReadError(message, at=at, expected=expected, hint=hint, reference=f"yaml: {message}", code=code)

    def key_error(self, kind: str, line: int) -> ReadError:
        from plait.yaml.foreign_syntax import BRACES

        hint = public(BRACES) if "{{" in (self.source.line(line) or "") else None
        return self.error(
            Wording("a key is ", public(kind)),
            line,
            expected=public("a scalar as key"),
            hint=hint,
            code="key-not-scalar",
        )

    def problem(self, error: Exception) -> Exception:
        """The error for an exception of the parser."""
        if isinstance(error, UnicodeEncodeError):
            return self.error(public("invalid leading UTF-8 octet"), self.line_at(error.start), code="not-utf8")
        from plait.yaml.parse_errors import syntax_error

        prepends = self.settings.begins_document
        return syntax_error(error, self.source, self.text, self.base, prepends=prepends)

    def deeper_parser(self, error: Exception) -> Parser:
        """The parser for a text that libyaml rejects for its depth. Raises LimitError if the limit allows no more than
        libyaml: the other parser takes quadratic time to find that.
        """
        if self.settings.depth <= MOST_NESTED:
            raise self.too_deep(error.problem_mark) from None  # type: ignore[attr-defined] # a class of PyYAML's
        return pure_parser()

    def too_deep(self, start: Mark) -> PlaitError:
        at = Position(self.source, self.line_at(start.index))
        return limit_error("the depth of collections", "nesting", self.settings.depth, at=at)


_A_KIND = {Map: "a map", Array: "an array"}
_DOCUMENT, _MAP, _BLOCK_ARRAY, _FLOW_ARRAY = range(4)
_MERGE_TAG = "tag:yaml.org,2002:merge"
