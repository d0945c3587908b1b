"""Anchors, aliases and merge keys. See docs/reference/templates.md."""

from __future__ import annotations

from plait.base.errors import ReadError, did_you_mean
from plait.base.limits import current_budget, limit_error
from plait.base.source import Position, Quoted, Source, Wording, public, quotation
from plait.tree.nodes import Array, Map, key_id, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import MapItem, Node, Value
    from plait.yaml.comments import Comments

# Copies share strings, but each copy is printed. In the limit, this number of characters counts as one node.
_A_NODE = 32


class AnchorTable:
    """The anchors of the current document, and the copies created by aliases and merge keys.

    copied: collections created by an alias, and items created by a merge; comments skip them. overridden: for each map
    with merges its items, and which of them an explicit key overrides.
    """

    __slots__ = (
        "_limit",
        "_made",
        "_source",
        "anchors",
        "copied",
        "merge_lists",
        "merges",
        "overridden",
        "unfinished",
    )

    def __init__(self, source: Source) -> None:
        self.anchors: dict[str, Value] = {}
        self.unfinished: set[int] = set()
        self.copied: set[Node] = set()
        self.merges: list[tuple[list[MapItem], int, MapItem]] = []
        self.overridden: list[tuple[list[MapItem], set[MapItem]]] = []
        self.merge_lists = True
        self._source = source
        run = current_budget()
        self._limit = run.limits.aliases
        if "aliases" not in run.limits.given:
            self._limit += len(source.text)
        self._made = 0

    def start_document(self) -> None:
        self.anchors.clear()

    def start(self, anchor: str, made: Map | Array) -> None:
        """Registers the collection `made` as the value of an anchor. Its items may still be missing."""
        self.anchors[anchor] = made
        self.unfinished.add(id(made.items))

    def alias(self, name: str, line: int) -> Value:
        """A fresh copy of an anchor's value. Raises ReadError, LimitError."""
        if name not in self.anchors:
            hint = did_you_mean(name, self.anchors)
            raise ReadError(
                Wording("unknown anchor '", Quoted(name), "' referenced"),
                at=Position(self._source, line),
                hint=hint and quotation(hint),
                reference=f"yaml: unknown anchor '{name}' referenced",
                code="unknown-anchor",
                word=name,
            )
        value = self.anchors[name]
        if type(value) is not Map and type(value) is not Array:
            if type(value) is str:
                self._charge(len(value) // _A_NODE, line)
            return value
        if id(value.items) in self.unfinished:
            raise ReadError(
                Wording("anchor '", Quoted(name), "' value contains itself"),
                at=Position(self._source, line),
                reference=f"yaml: anchor '{name}' value contains itself",
                code="recursive-anchor",
            )
        made = self._copy(value, line)
        self.copied.add(made)
        return made

    def _charge(self, nodes: int, line: int) -> None:
        self._made += nodes
        if self._made > self._limit:
            raise limit_error(
                "what aliases make",
                "aliases",
                self._limit,
                at=Position(self._source, line),
                hint="aliases of aliases multiply",
            )

    def _copy(self, value: Map | Array, line: int) -> Map | Array:
        result = type(value)([], value.source, value.line)
        pending: list[tuple[Map | Array, Map | Array]] = [(value, result)]
        while pending:
            old, new = pending.pop()
            self._charge(len(old.items), line)
            for item in old.items:
                inner = item.value
                if type(inner) is Map or type(inner) is Array:
                    copied = type(inner)([], inner.source, inner.line)
                    pending.append((inner, copied))
                    inner = copied
                elif type(inner) is str and len(inner) > 64:
                    self._charge(len(inner) // _A_NODE, line)
                new.items.append(item.with_value(inner))  # type: ignore[arg-type]
        return result

    def finish_map(self, items: list[MapItem]) -> None:
        """Replaces the `<<` of a finished map by the merged items."""
        merges: list[tuple[int, MapItem]] = []
        while self.merges and self.merges[-1][0] is items:
            _, at, merge = self.merges.pop()
            merges.append((at, merge))
        explicit = {key_id(item.key) for item in items}
        overridden: set[MapItem] = set()
        for at, merge in merges:
            brought = self._brought(merge)
            overridden.update(item for item in brought if key_id(item.key) in explicit)
            items[at:at] = brought
        if overridden:
            self.overridden.append((items, overridden))

    def _brought(self, merge: MapItem) -> list[MapItem]:
        value = merge.value
        if type(value) is Map:
            if value in self.copied:
                self.copied.update(value.items)
            return value.items
        maps: list[Value] = [item.value for item in value.items] if type(value) is Array else [value]
        seen: set[object] = set()
        result: list[MapItem] = []
        for one in maps:
            if type(one) is not Map or not self.merge_lists:
                raise ReadError(
                    public("map merge requires map or sequence of maps as the value"),
                    at=Position(self._source, merge.line),
                    found=public(kind_name(value if type(one) is Map else one)),
                    hint=public("write a `<<` for each map") if type(one) is Map else None,
                    reference="yaml: map merge requires map or sequence of maps as the value",
                    code="merge-key",
                )
            if one in self.copied or value in self.copied:
                self.copied.update(one.items)
            # In a sequence of maps, the earlier map wins.
            result += [item for item in one.items if key_id(item.key) not in seen]
            seen.update(key_id(item.key) for item in one.items)
        return result

    def override(self, win: bool | None, comments: Comments | None) -> None:
        """Removes merged items that an explicit key overrides.

        win: True if explicit keys win in any order; None if they win only in templates.
        """
        if self.overridden and (win or (win is None and comments is not None and comments.template)):
            for items, losers in self.overridden:
                items[:] = [item for item in items if item not in losers]
