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

from weft.errors import LimitError, ReadError
from weft.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, key_id, kind_name
from weft.source import Position, Source
from weft.spell import did_you_mean
from weft.yaml.comments import Comment, CommentScan, assign
from weft.yaml.libyaml import parser as fastest_parser
from weft.yaml.problems import syntax_error
from weft.yaml.scalars import plain_values, resolve_strict, resolve_tagged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.nodes import Node, Scalar, Value
    from weft.yaml.comments import Comments
    from weft.yaml.libyaml import Parser

DEPTH = 10_000
COPIES = 1_000_000

_MERGE_TAG = "tag:yaml.org,2002:merge"


def read(
    source: Source,
    *,
    strict: bool = False,
    comments: Comments | None = None,
    keep_mark: bool = True,
    explicit_keys_win: bool | None = None,
    depth: int = DEPTH,
    copies: int = COPIES,
    parser: Parser | None = None,
    plain: Mapping[str, Scalar] | None = None,
    first: bool = False,
    scalar_keys: bool = False,
    text_keys: bool = False,
) -> DocumentSet:
    """The documents of a text; at least one (an empty text is one null document).

    strict: refuse plain scalars that could be misread (spec ytt 2.3). comments: gets the comments and their owners.
    keep_mark: whether a byte order mark is text (ytt) or skipped (BOSH).
    explicit_keys_win: whether a key beside `<<` wins wherever it stands; None: in templates only.
    plain: what plain scalars mean, where it is not what the references of `render` and `patch` take them for.
    first: stop behind the first document; what follows is not looked at (BOSH).
    scalar_keys: refuse collections as keys (BOSH). text_keys: keys of the root map are text as written, whatever they mean.
    depth, copies: limits for nesting and for nodes made by aliases (in addition to ten for each node of the text).

    Raises ReadError for what is not YAML, LimitError.
    """
    reading = Reading(source, strict, comments, keep_mark, explicit_keys_win, depth, copies)
    if plain is not None:
        reading.plain = plain
    reading.first, reading.scalar_keys, reading.text_keys = first, scalar_keys, text_keys
    return reading.run(parser or fastest_parser())


class Reading:
    """The state of one `read`."""

    __slots__ = (
        "anchors",
        "base",
        "comments",
        "copied",
        "copies",
        "depth",
        "explicit_keys_win",
        "first",
        "made",
        "merges",
        "overridden",
        "plain",
        "scalar_keys",
        "shift",
        "source",
        "strict",
        "text",
        "text_keys",
        "unfinished",
    )

    def __init__(
        self,
        source: Source,
        strict: bool,
        comments: Comments | None,
        keep_mark: bool,
        explicit_keys_win: bool | None,
        depth: int,
        copies: int,
    ) -> None:
        self.source = source
        self.strict = strict
        self.comments = comments
        self.explicit_keys_win = explicit_keys_win
        self.depth = depth
        self.copies = copies
        self.text = source.text
        self.base = source.first_line
        self.shift = 0
        if self.text.startswith("\ufeff"):
            # The parser skips a mark at the very start; behind a line break it is a character as any other.
            if keep_mark:
                self.text = "\n" + self.text
                self.base -= 1
                self.shift = 1
            else:
                self.text = self.text[1:]
                self.shift = -1
        self.plain: Mapping[str, Scalar] = plain_values
        self.first = self.scalar_keys = self.text_keys = False
        self.anchors: dict[str, Value] = {}
        self.unfinished: set[int] = set()
        self.copied: set[Node] = set()
        self.made = 0
        self.merges: list[tuple[list[MapItem], int, MapItem]] = []
        self.overridden: list[tuple[list[MapItem], set[MapItem]]] = []

    def run(self, parser: Parser) -> DocumentSet:
        # Thousands of new objects and no garbage among them: the collector would only look at them again and again.
        collecting = gc.isenabled()
        gc.disable()
        try:
            return self.build(parser)
        finally:
            if collecting:
                gc.enable()

    def build(self, parser: Parser) -> DocumentSet:
        text, source, base, strict = self.text, self.source, self.base, self.strict
        try:
            next_event = parser.open(text)
        except UnicodeEncodeError as error:
            raise self.error("invalid leading UTF-8 octet", self.line_at(error.start)) from None
        except Exception as error:
            raise self.syntax_error(error) from None
        scan = CommentScan(text) if self.comments is not None else None
        hash_at = scan.next if scan is not None else -1
        values = self.plain

        module = parser.module
        scalar_event, alias_event = module.ScalarEvent, module.AliasEvent
        map_start, map_end = module.MappingStartEvent, module.MappingEndEvent
        array_start, array_end = module.SequenceStartEvent, module.SequenceEndEvent
        document_start, document_end = module.DocumentStartEvent, module.DocumentEndEvent
        stream_end = module.StreamEndEvent

        documents: list[Document] = []
        tree = DocumentSet(documents, source, source.first_line)
        bare: Document | None = None
        # The innermost collection: its items and mode. `owner` is the map item (or document) that waits for its value;
        # in a map without an owner a key comes next.
        items: list[MapItem] | list[ArrayItem] = []
        mode = _DOCUMENT
        owner: MapItem | Document | None = None
        stack: list[tuple[list[MapItem] | list[ArrayItem], int, MapItem | None]] = []
        value: Value
        while True:
            try:
                event = next_event()
            except Exception as error:
                raise self.syntax_error(error) from None
            kind = type(event)
            if kind is scalar_event:
                value = event.value
                if event.tag is not None:
                    value = self.tagged(event, value)
                elif event.implicit[0]:
                    value = self.strictly(event, value) if strict else values[value]
                if hash_at >= 0 and hash_at < event.end_mark.index:
                    hash_at = scan.pass_scalar(event.start_mark.index, event.end_mark.index)
                if event.anchor is not None:
                    self.anchors[event.anchor] = value
            elif kind is map_start:
                made: Map | Array
                if owner is not None:
                    made = Map([], source, owner.line)
                    owner.value = made
                    owner = None
                elif mode == _MAP:
                    line = event.start_mark.line + base
                    if self.scalar_keys:
                        raise self.error("a key is a map", line, expected="a scalar as key")
                    made = Map([], source, line)
                    owner = MapItem(made, None, source, line)
                    items.append(owner)
                else:
                    mark = event.start_mark
                    line = mark.line + base
                    if mode == _BLOCK_ARRAY and text[mark.index - 2] != "-":
                        line = self.dash_line(mark.index)
                    made = Map([], source, line)
                    items.append(ArrayItem(made, source, line))
                stack.append((items, mode, owner))
                items = made.items
                mode = _MAP
                owner = None
                if event.anchor is not None:
                    self.anchors[event.anchor] = made
                    self.unfinished.add(id(items))
                if len(stack) > self.depth:
                    raise self.too_deep(event)
                continue
            elif kind is map_end or kind is array_end:
                if self.merges and self.merges[-1][0] is items:
                    self.merge(items)
                if self.unfinished:
                    self.unfinished.discard(id(items))
                items, mode, owner = stack.pop()
                continue
            elif kind is array_start:
                if owner is not None:
                    made = Array([], source, owner.line)
                    owner.value = made
                    owner = None
                elif mode == _MAP:
                    line = event.start_mark.line + base
                    if self.scalar_keys:
                        raise self.error("a key is an array", line, expected="a scalar as key")
                    made = Array([], source, line)
                    owner = MapItem(made, None, source, line)
                    items.append(owner)
                else:
                    mark = event.start_mark
                    line = mark.line + base
                    if mode == _BLOCK_ARRAY and text[mark.index - 2] != "-":
                        line = self.dash_line(mark.index)
                    made = Array([], source, line)
                    items.append(ArrayItem(made, source, line))
                stack.append((items, mode, owner))
                items = made.items
                mode = _FLOW_ARRAY if event.flow_style else _BLOCK_ARRAY
                owner = None
                if event.anchor is not None:
                    self.anchors[event.anchor] = made
                    self.unfinished.add(id(items))
                if len(stack) > self.depth:
                    raise self.too_deep(event)
                continue
            elif kind is alias_event:
                value = self.alias(event)
            elif kind is document_start:
                # The mark of an explicit start ends behind its `---`; directives may stand before that.
                line = event.end_mark.line + base if event.explicit else source.first_line
                owner = Document(None, source, line)
                if not event.explicit:
                    bare = owner
                documents.append(owner)
                self.anchors = {}
                continue
            elif kind is stream_end or (kind is document_end and self.first):
                break
            else:
                continue

            if owner is not None:
                owner.value = value
                owner = None
            elif mode == _MAP:
                owner = MapItem(value, None, source, event.start_mark.line + base)
                if (
                    value == "<<"
                    and kind is scalar_event
                    and (event.tag == _MERGE_TAG or (event.implicit[0] and event.tag is None))
                ):
                    self.merges.append((items, len(items), owner))
                else:
                    if self.text_keys and len(stack) == 1 and kind is scalar_event:
                        owner.key = "" if value is None else event.value
                    items.append(owner)
            else:
                mark = event.start_mark
                line = mark.line + base
                if mode == _BLOCK_ARRAY and text[mark.index - 2] != "-":
                    line = self.dash_line(mark.index)
                items.append(ArrayItem(value, source, line))

        if not documents:
            bare = Document(None, source, source.first_line)
            documents.append(bare)
        return self.finish(tree, scan, bare)

    def finish(self, tree: DocumentSet, scan: CommentScan | None, bare: Document | None) -> DocumentSet:
        text = self.text
        if any(mark in text for mark in "\x85\u2028\u2029") or text.count("\r") != text.count("\r\n"):
            self.correct_lines(tree)
        comments = self.comments
        if comments is not None and scan is not None:
            line, at = self.base, 0
            for index, found in scan.finish():
                line += text.count("\n", at, index)
                at = index
                comments.all.append(Comment(found, line, index - text.rfind("\n", 0, index)))
            assign(comments, tree, self.copied, bare)
        win = self.explicit_keys_win
        if win or (win is None and comments is not None and self.overridden and comments.template):
            for items, overridden in self.overridden:
                items[:] = [item for item in items if item not in overridden]
        return tree

    def correct_lines(self, tree: DocumentSet) -> None:
        """Put the editor's lines in the place of the parser's."""
        lines = [self.base]
        number = self.base
        text = self.text
        at, end = 0, len(text)
        while at < end:
            character = text[at]
            at += 1
            if character == "\n":
                number += 1
            elif character == "\r":
                if text[at : at + 1] == "\n":
                    number += 1
                    at += 1
            elif character not in "\x85\u2028\u2029":
                continue
            lines.append(number)
        base = self.base
        seen: set[Node] = set()
        pending: list[Node] = [tree]
        while pending:
            node = pending.pop()
            if node in seen:
                continue
            seen.add(node)
            if type(node) is not DocumentSet:
                node.line = lines[node.line - base]
            if type(node) is Map or type(node) is Array or type(node) is DocumentSet:
                pending.extend(node.items)
            else:
                if type(node) is MapItem and (type(node.key) is Map or type(node.key) is Array):
                    pending.append(node.key)
                if type(node.value) is Map or type(node.value) is Array:
                    pending.append(node.value)

    def dash_line(self, index: int) -> int:
        """The line of the dash that introduces what starts at an index of the text."""
        text = self.text
        at = index - 1
        while at > 0 and text[at] in " \t":
            at -= 1
        while at > 0 and text[at] != "-":
            # Above stand empty lines and lines with nothing but a comment, then the line with the dash.
            start = text.rfind("\n", 0, at) + 1
            line = text[start:at].lstrip(" \t\r")
            if line and line[0] != "#":
                break
            at = start - 1
        return self.base + text.count("\n", 0, max(at, 0))

    def alias(self, event: object) -> Value:
        name = event.anchor
        if name not in self.anchors:
            raise self.error(
                f"unknown anchor '{name}' referenced",
                self.line_at(event.start_mark.index),
                hint=did_you_mean(name, self.anchors),
            )
        value = self.anchors[name]
        if type(value) is not Map and type(value) is not Array:
            return value
        if id(value.items) in self.unfinished:
            raise self.error(f"anchor '{name}' value contains itself", self.line_at(event.start_mark.index))
        made = self.copy(value, event)
        self.copied.add(made)
        return made

    def copy(self, value: Map | Array, event: object) -> Map | Array:
        result = type(value)([], value.source, value.line)
        pending = [(value, result)]
        while pending:
            old, new = pending.pop()
            items = new.items
            for item in old.items:
                inner = item.value
                if type(inner) is Map or type(inner) is Array:
                    copied = type(inner)([], inner.source, inner.line)
                    pending.append((inner, copied))
                    inner = copied
                items.append(item.with_value(inner))
            self.made += len(items)
            if self.made > self.copies:
                raise LimitError(
                    f"aliases make more than {self.copies} nodes",
                    at=Position(self.source, self.line_at(event.start_mark.index)),
                )
        return result

    def merge(self, items: list[MapItem]) -> None:
        """Put what the `<<` of a finished map bring to where they stood."""
        merges: list[tuple[int, MapItem]] = []
        while self.merges and self.merges[-1][0] is items:
            _, at, merge = self.merges.pop()
            merges.append((at, merge))
        explicit = {key_id(item.key) for item in items}
        overridden: set[MapItem] = set()
        for at, merge in merges:
            brought = self.merged_items(merge)
            overridden.update(item for item in brought if key_id(item.key) in explicit)
            items[at:at] = brought
        if overridden:
            self.overridden.append((items, overridden))

    def merged_items(self, merge: MapItem) -> list[MapItem]:
        value = merge.value
        if type(value) is Map:
            if value in self.copied:
                self.copied.update(value.items)
            return value.items
        # An alias brings a map, not a sequence of maps.
        maps = [item.value for item in value.items] if type(value) is Array and value not in self.copied else [value]
        seen: set[object] = set()
        result: list[MapItem] = []
        for one in maps:
            if type(one) is not Map:
                raise self.error(
                    "map merge requires map or sequence of maps as the value",
                    merge.line,
                    found=kind_name(one),
                )
            if one in self.copied or value in self.copied:
                self.copied.update(one.items)
            # Of a sequence of maps the earlier one wins.
            result += [item for item in one.items if key_id(item.key) not in seen]
            seen.update(key_id(item.key) for item in one.items)
        return result

    def tagged(self, event: object, text: str) -> Value:
        try:
            return resolve_tagged(event.tag, text)
        except ValueError as error:
            raise self.error(str(error), self.line_at(event.start_mark.index)) from None

    def strictly(self, event: object, text: str) -> Value:
        try:
            return resolve_strict(text)
        except ValueError as error:
            raise self.error(str(error), self.line_at(event.start_mark.index), hint="put it in quotes") from None

    def line_at(self, index: int) -> int:
        return self.base + self.text.count("\n", 0, index)

    def error(self, message: str, line: int, **facts: str | None) -> ReadError:
        return ReadError(message, at=Position(self.source, line), **facts)

    def too_deep(self, event: object) -> LimitError:
        return LimitError(
            f"collections are nested more than {self.depth} deep",
            at=Position(self.source, self.line_at(event.start_mark.index)),
        )

    def syntax_error(self, error: Exception) -> Exception:
        return syntax_error(error, self.source, self.text, self.base)


def read_value(source: Source, *, strict: bool = False, explicit_keys_win: bool | None = None) -> Value:
    """The value of the first document of a text, with repeated keys resolved. Raises as `read` does."""
    tree = read(source, strict=strict, explicit_keys_win=explicit_keys_win)
    return deduplicate(DocumentSet(tree.items[:1])).items[0].value


def deduplicate(tree: DocumentSet) -> DocumentSet:
    """The tree with the last value of each repeated key, at the key's first place (spec ytt 2.2).

    What has no repeated keys is shared; with none at all the same tree comes back.
    """
    # Collections in an order in which a parent stands before its children.
    order: list[DocumentSet | Map | Array] = [tree]
    repeated = False
    for node in order:
        for item in node.items:
            value = item.value
            if type(value) is Map or type(value) is Array:
                order.append(value)
        if type(node) is Map and not repeated:
            keys = {key if type(key := item.key) is str else key_id(key) for item in node.items}
            repeated = len(keys) != len(node.items)
    if not repeated:
        return tree
    changed: dict[Value, DocumentSet | Map | Array] = {}
    for node in reversed(order):
        items: list[Item] = list(node.items)
        touched = False
        for index, item in enumerate(items):
            if (new := changed.get(item.value) if type(item.value) in _COLLECTIONS else None) is not None:
                items[index] = item.with_value(new)
                touched = True
        if type(node) is Map:
            places: dict[object, int] = {}
            kept: list[Item] = []
            for item in items:
                place = places.setdefault(key_id(item.key), len(kept))
                if place < len(kept):
                    kept[place] = item
                else:
                    kept.append(item)
            touched = touched or len(kept) != len(items)
            items = kept
        if touched:
            changed[node] = node.with_items(items)
    return changed[tree]


_COLLECTIONS = frozenset({Map, Array})
_DOCUMENT, _MAP, _BLOCK_ARRAY, _FLOW_ARRAY = range(4)
