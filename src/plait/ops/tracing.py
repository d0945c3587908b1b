"""Provenance of operations and variables. Imported only if a run is traced."""

from __future__ import annotations

from plait.base.content import variables
from plait.base.source import Source
from plait.ops.operations import Replace, Test
from plait.ops.placeholders import MARK, names
from plait.ops.pointer import IndexToken, KeyToken, MatchingIndexToken, Pointer
from plait.ops.reader import KINDS, as_they_are, expand_home, file_source, file_text, read_named
from plait.ops.walk import find, matches
from plait.tree.nodes import Array, Document, Map, MapItem, walk
from plait.tree.provenance import Change, Contributor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.ops.operations import Operation
    from plait.tree.nodes import Item, Value
    from plait.tree.provenance import Control, Origin, Trace


def record(
    operation: Operation, before: Value, after: Value, trace: Trace, decided_by: tuple[Control, ...] = ()
) -> Value:
    """Records the changes of an operation. Returns the value after it. decided_by: secrets that decided its target."""
    if before is after or type(operation) is Test:
        return after
    number = "" if operation.number is None else f" [{operation.number}]"
    because: tuple[Contributor, ...] = (
        Contributor(f"{operation.kind}{number} {operation.pointer}", operation.source, operation.line),
        *decided_by,
    )
    item = operation.item if isinstance(operation, Replace) else None
    given = operation.value if isinstance(operation, Replace) else None

    trace.effect(because[0], Document(before), Document(after))
    created: list[Item] = []

    def explain(new: Item, old: Item | None) -> tuple[Origin, ...]:
        if operation.is_partial and old is not None:
            return (old,) if item is None else (old, item)
        # Parts created by the path do not depend on the value.
        if _nested(new.value):
            created.append(new)
        return (item,) if item is not None and not _nested(new.value) and not _nested(item.value) else ()

    if type(before) is not type(after) or not _nested(after):
        # The document's value is replaced, not an item.
        made_of: tuple[Origin, ...] = because if item is None else (*because, item)
        trace.whole["document"] = Change(operation.kind, operation.source, operation.line, because=made_of)
    trace.relate(before, after, operation.kind, because, explain, inserted=given if _nested(given) else None)
    if item is not None and not _nested(item.value):
        # The value is inside the parts created by the path.
        for new in created:
            for inner in walk(new.value):
                if inner.line == operation.line and inner.value is given:
                    trace.record(inner, Change(operation.kind, inner.source, inner.line, because=(*because, item)))
    return after


def _nested(value: Value) -> bool:
    return type(value) is Map or type(value) is Array


def looked_up(trace: Trace, pointer: Pointer, root: Value, found: Value) -> Item | None:
    """Records the items that a path created. Returns the item at the path, or None."""
    source = Source(f"--path {pointer}", str(pointer)).of_flag("path")
    for item in walk(found):
        if item.source is None:
            trace.record(item, Change("looked up", source, 1))
    tokens = pointer.tokens
    if not tokens or (pointer.is_slash and found is root):
        return None
    around = find(root, Pointer(tokens[:-1]), slash=False) if len(tokens) > 1 else root
    last = tokens[-1]
    if type(last) is KeyToken:
        return around.find(last.name) if type(around) is Map else None
    items = around.items if type(around) is Array else []
    if type(last) is MatchingIndexToken:
        places = matches(around, last) if type(around) is Array else []
        return items[places[0]] if places else None
    return items[last.number + last.shift] if type(last) is IndexToken else None


def _of_whole(trace: Trace) -> tuple[Origin, ...]:
    known = trace.whole.get("document")
    return () if known is None else known.because


def finished(trace: Trace, document: Document, item: Item | None) -> None:
    """Records the origin of the resulting document: an item at a path, or the operation that replaced the whole
    document.
    """
    change = trace.whole.pop("document", None)
    if item is not None:
        trace.copied(document, item)
    elif change is not None:
        if change.source is None:
            change = Change(change.action, document.source, document.line, because=change.because)
        trace.record(document, change)


class Variables:
    """The origins of variables: values given by flags, by type of flag."""

    __slots__ = ("_given", "trace")

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._given: dict[str, dict[str, Origin]] = {}

    def give(self, kind: str, name: str, origin: Origin) -> None:
        self._given.setdefault(kind, {})[name] = origin

    def flag(self, kind: str, argument: str) -> None:
        """Records a value on the command line, or the text of a file named there."""
        name, _, text = argument.partition("=")
        if kind == "var":
            source = Source(f"--{kind} {name}={text}", argument).of_flag(kind)
        else:
            source = Source(text, file_text(expand_home(text), "the value of a variable", as_they_are))
        self.give(kind, name, Contributor("variable value", source, 1))

    def file(self, path: str) -> None:
        """Records the values of a vars file, each with its line."""
        self.texts(file_source(path, "a variables file"))

    def texts(self, source: Source) -> None:
        """Records the values of a text as origins of variables."""
        value = read_named(source)
        if type(value) is Map:
            for item in value.items:
                self.give("vars-file", str(item.key), item)

    def environment(self, prefix: str) -> None:
        """Records the variables from environment variables with a prefix."""
        for name in variables(f"{prefix}_"):
            # The variable's value is quoted only if it is the explained value.
            source = Source(f"environment variable {name}").of_flag("vars-env", prefix)
            self.give("vars-env", name[len(prefix) + 1 :], Contributor("variable value", source, 0))

    def store(self, path: str) -> None:
        source = Source(path)
        self._given["vars-store"] = {"": Contributor("variable store", source, 0)}
        # Values of a store are mostly passwords and keys.
        self.trace.hide_lines([(source, 0, 1)])

    def origins(self, name: str) -> list[Origin]:
        """The origins of a variable's value. Dotted names are parts of one variable."""
        first = name.partition(".")[0]
        for kind in reversed(KINDS):
            given = self._given.get(kind, {})
            found = [origin for key, origin in given.items() if key == name] or [
                origin for key, origin in given.items() if key == first or key.startswith(first + ".")
            ]
            if found:
                out: list[Origin] = []
                for origin in found:
                    inside = _inside(origin, name)
                    out.append(inside)
                return out
        return list(self._given.get("vars-store", {}).values())

    def filled(self, before: Value, after: Value) -> None:
        """Records the values of a document's placeholders."""
        texts: dict[tuple[Source | None, int], list[Item]] = {}

        made: list[tuple[Item, tuple[Origin, ...]]] = []
        renamed: list[Item] = []  # changed by a placeholder in the key: items inside are not paired with the old ones

        def origins(new: Item, old: Item | None) -> tuple[Origin, ...]:
            held = [old] if old is not None else _at(before, new, texts)
            out: dict[Origin, None] = {}
            key: dict[Origin, None] = {}
            for item in held:
                out[item] = None
                for text, into in ((item.value, out), (item.key if type(item) is MapItem else None, key)):
                    if type(text) is str and MARK in text:
                        for name in names(text):
                            into.update(dict.fromkeys(self.origins(name)))
            if key and type(new) is MapItem:
                self.trace.keys[new] = tuple(key)
            if old is None and _nested(new.value):
                renamed.append(new)
            out.update(key)
            if _nested(new.value):
                made.append((new, tuple(out)))
            return tuple(out)

        if before is not after and not _nested(after):
            # The whole document is a placeholder.
            read = [origin for name in names(str(before)) for origin in self.origins(name)]
            self.trace.whole["document"] = Change(
                "variable", None, 0, because=(*_of_whole(self.trace), *dict.fromkeys(read))
            )
        self.trace.relate(before, after, "variable", (), origins)
        for item, because in made:
            for inner in walk(item.value):
                if inner.source is None:
                    # The value is combined from several variables, or from flags.
                    self.trace.record(inner, Change("variable", item.source, item.line, because=because))

        for item in tuple(renamed):
            for inner in walk(item.value):
                because = origins(inner, None)
                if because and inner.source is not None:
                    self.trace.record(inner, Change("variable", inner.source, inner.line, because=because))

    def taken_out(self, before: Value, after: Value) -> None:
        """Records the removal of the definitions with a value."""
        self.trace.relate(before, after, "definition taken out")
        section = before.find("variables") if type(before) is Map else None
        if section is not None:
            by = Contributor("definitions that have a value are removed", section.source, section.line)
            self.trace.effect(by, Document(before), Document(after))


def _at(before: Value, item: Item, texts: dict[tuple[Source | None, int], list[Item]]) -> list[Item]:
    """The items with placeholders on the line of an item whose key was a placeholder."""
    if not texts:
        texts[None, -1] = []
        for old in walk(before):
            if MARK in str(old.value) or (type(old) is MapItem and MARK in str(old.key)):
                texts.setdefault((old.source, old.line), []).append(old)
    return texts.get((item.source, item.line), [])


def _inside(origin: Origin, name: str) -> Origin:
    """The part of a variable's value that a dotted name selects."""
    found: Origin = origin
    if type(origin) is not MapItem:
        return origin
    value = origin.value
    for key in name.split(".")[1:] if str(origin.key) != name else ():
        item = value.find(key) if type(value) is Map else None
        if item is None:
            break
        found, value = item, item.value
    return found
