"""Compares two sets of documents by key, not by line.

Documents are paired by kind and name (or schema and name), else by order; items of arrays of maps by an identifying
key, such as `name`; maps by their keys in any order. `to_overlay` and `to_operations` write the difference as changes
that can be applied; the result of applying them is exactly the right side, except that an overlay adds keys at the end
of a map.
"""

from __future__ import annotations

from plait.base.errors import UsageError
from plait.base.similar_names import counted
from plait.base.text_diff import GONE, NEW, Paint, hunks, marked, visible, with_marks
from plait.insight.item_names import by_key, identifying
from plait.ops import difference, job
from plait.ops.operations import to_nodes
from plait.tree.equality import alike
from plait.tree.nodes import Array, Map, check_nodes, equal, is_empty, key_id, to_plain
from plait.tree.secrets import HIDDEN
from plait.yaml.document_names import document_name, key_text
from plait.yaml.reader import read as read_yaml
from plait.yaml.repeats import deduplicate
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from plait.base.source import Source
    from plait.tree.nodes import Document, Value

ADDED, REMOVED, CHANGED = "added", "removed", "changed"


class Difference:
    """One difference. kind: ADDED, REMOVED or CHANGED. path: in the document, "" for the whole document.

    document: its name, or `document N`. is_named: it has a name. index: the index of the document, from 0, among the
    new ones, or the old ones if it was removed.
    """

    __slots__ = ("after", "before", "document", "index", "is_named", "kind", "path")

    def __init__(self, kind: str, document: str, path: str, before: Value, after: Value) -> None:
        self.kind = kind
        self.document = document
        self.is_named = True
        self.index = 0
        self.path = path
        self.before = before
        self.after = after


def read(sources: Iterable[Source]) -> list[Document]:
    """Parses texts into documents. Raises ReadError."""
    return [document for source in sources for document in deduplicate(read_yaml(source, keep_mark=False)).items]


def printed(documents: Sequence[Document]) -> list[Document]:
    """The documents that are printed, without empty ones."""
    return [document for document in documents if not is_empty(document.value)]


def diff(
    left: Sequence[Document], right: Sequence[Document], *, cleartext_secrets: bool = False, in_order: bool = False
) -> list[Difference]:
    """The differences, in the order of the left documents; new right documents come last.

    cleartext_secrets: show the data of documents with `storagePolicy: encrypted`; otherwise it is HIDDEN. in_order: if
    both sides have equally many documents, they are paired by order, whatever their names.
    """
    found: list[Difference] = []
    by_order = in_order and len(left) == len(right)
    pairs = zip(left, right, strict=True) if by_order else paired(left, right)
    places = {document: place for side in (left, right) for place, document in enumerate(side)}
    for number, (a, b) in enumerate(pairs):
        shown = a or b
        own_name = None if shown is None else document_name(shown)
        name = own_name or f"document {number + 1}"
        start = len(found)
        if a is None or b is None:
            kind = ADDED if a is None else REMOVED
            found.append(Difference(kind, name, "", None if a is None else a.value, None if b is None else b.value))
        else:
            _compare(name, a.value, b.value, found)
        for one in found[start:]:
            one.is_named, one.index = own_name is not None, 0 if shown is None else places[b or shown]
        if not cleartext_secrets and any(one is not None and is_encrypted(one) for one in (a, b)):
            for one in found[start:]:
                _hide(one)
    return found


def is_encrypted(document: Document) -> bool:
    """True if a document declares its data secret."""
    value: Value = document.value
    for key in ("metadata", "storagePolicy"):
        item = value.find(key) if type(value) is Map else None
        if item is None:
            return False
        value = item.value
    return value == "encrypted"


def _hide(difference: Difference) -> None:
    """Removes the data from a difference of a secret document."""
    if difference.path == "data" or difference.path.startswith(("data.", "data[")):
        difference.before, difference.after = (
            None if value is None else HIDDEN for value in (difference.before, difference.after)
        )
    elif not difference.path:
        difference.before, difference.after = _without_data(difference.before), _without_data(difference.after)


def _without_data(value: Value) -> Value:
    if type(value) is not Map:
        return value
    return value.with_items([item.with_value(HIDDEN) if item.key == "data" else item for item in value.items])


def paired(
    left: Sequence[Document], right: Sequence[Document]
) -> list[tuple[Document, Document | None] | tuple[None, Document]]:
    """Pairs the documents: by their identity if it is unique on both sides, the others in order."""
    names, others = _identities(left), _identities(right)
    by_identity = {identity: document for document, identity in others.items() if identity is not None}
    pairs: dict[Document, Document] = {}
    for document, identity in names.items():
        other = by_identity.get(identity) if identity is not None else None
        if other is not None:
            pairs[document] = other
    rest = [document for document in right if others[document] is None]
    for document in left:
        if document not in pairs and names[document] is None and rest:
            pairs[document] = rest.pop(0)
    taken = set(pairs.values())
    found: list[tuple[Document, Document | None] | tuple[None, Document]] = [
        (document, pairs.get(document)) for document in left
    ]
    found += [(None, document) for document in right if document not in taken]
    return found


def _identities(documents: Sequence[Document]) -> dict[Document, object]:
    """The identity of each document; None if it has none, or shares it."""
    named = {document: _identity(document) for document in documents}
    counts: dict[object, int] = {}
    for identity in named.values():
        counts[identity] = counts.get(identity, 0) + 1
    return {document: identity if counts[identity] == 1 else None for document, identity in named.items()}


def _identity(document: Document) -> tuple[object, ...] | None:
    fields = identity_fields(document)
    return None if fields is None else tuple((way, key_id(value)) for way, value in fields)


def identity_fields(document: Document) -> list[tuple[tuple[str, ...], Value]] | None:
    """The fields that name a document: kind or schema, metadata.name, metadata.namespace."""
    top = document.value
    if type(top) is not Map:
        return None
    found: list[tuple[tuple[str, ...], Value]] = []
    for key in ("kind", "schema"):
        item = top.find(key)
        if item is not None and type(item.value) is str:
            found.append(((key,), item.value))
            break
    metadata = top.find("metadata")
    if metadata is not None and type(metadata.value) is Map:
        for key in ("name", "namespace"):
            item = metadata.value.find(key)
            if item is not None and type(item.value) is str:
                found.append((("metadata", key), item.value))
    return found if any(way[-1] == "name" for way, _ in found) and len(found) > 1 else None


def _compare(name: str, left: Value, right: Value, found: list[Difference]) -> None:
    check_nodes(left)
    check_nodes(right)
    stack: list[tuple[Value, Value, str]] = [(left, right, "")]
    while stack:
        a, b, path = stack.pop()
        if a is b or equal(a, b):
            continue
        pending: list[tuple[Value, Value, str]] = []
        if type(a) is Map and type(b) is Map:
            for item in a.items:
                other = b.find(item.key)
                way = _below(path, item.key)
                if other is None:
                    found.append(Difference(REMOVED, name, way, item.value, None))
                else:
                    pending.append((item.value, other.value, way))
            for item in b.items:
                if a.find(item.key) is None:
                    found.append(Difference(ADDED, name, _below(path, item.key), None, item.value))
        elif type(a) is Array and type(b) is Array and (key := identifying(a, b)) is not None:
            old, new = by_key(a, key), by_key(b, key)
            for value, was in old.items():
                way = f"{path}[{key}={value[1]}]"
                if value in new:
                    pending.append((was, new[value], way))
                else:
                    found.append(Difference(REMOVED, name, way, was, None))
            for value, its in new.items():
                if value not in old:
                    found.append(Difference(ADDED, name, f"{path}[{key}={value[1]}]", None, its))
            order = [value for value in old if value in new]
            if order != [value for value in new if value in old]:
                found.append(
                    Difference(CHANGED, name, f"{path}[order]", _names(order), _names([v for v in new if v in old]))
                )
        elif type(a) is Array and type(b) is Array:
            shared = min(len(a.items), len(b.items))
            for place in range(shared):
                pending.append((a.items[place].value, b.items[place].value, f"{path}[{place}]"))
            for place, gone in enumerate(a.items[shared:], shared):
                found.append(Difference(REMOVED, name, f"{path}[{place}]", gone.value, None))
            for place, come in enumerate(b.items[shared:], shared):
                found.append(Difference(ADDED, name, f"{path}[{place}]", None, come.value))
        else:
            found.append(Difference(CHANGED, name, path, a, b))
        stack.extend(reversed(pending))


def _names(values: list[tuple[type, Value]]) -> str:
    return ", ".join(str(value) for _, value in values)


def _below(path: str, key: Value) -> str:
    return f"{path}.{key_text(key)}" if path else key_text(key)


# ---- output formats


def to_text(differences: Sequence[Difference], *, colour: bool = False, clean: Callable[[str], str] = str) -> str:
    """The differences as text: a heading per document, a line per change, and indented lines for collections.

    Multi-line strings show their changed lines with context, as in a unified diff; long strings show their changed
    parts. clean: applied to text from the documents before it is coloured.
    """
    paint = Paint(clean, colour=colour)
    out: list[str] = []
    document: str | None = None
    for one in differences:
        if one.document != document:
            document = one.document
            out.append(f"{paint.bold}{clean(document)}{paint.plain}")
        if one.kind == CHANGED:
            changed = _changed(one, paint)
            if changed is not None:
                out += changed
                continue
        if one.kind != ADDED:
            out += [paint(GONE, line) for line in _block("-", one.path, one.before)]
        if one.kind != REMOVED:
            out += [paint(NEW, line) for line in _block("+", one.path, one.after)]
    return "".join(f"{line}\n" for line in out)


def _changed(difference: Difference, paint: Paint) -> list[str] | None:
    """A changed scalar, in the shortest form that shows the whole change; None if one side is a collection."""
    head = f"  ~ {paint.clean(difference.path or '.')}:"
    texts = _texts(difference)
    if texts is not None:
        out = [head]
        for hunk in hunks(*texts):
            out.append(f"    {hunk.header}")
            out += [f"    {paint(sign, f'{sign} {visible(line)}')}".rstrip(" ") for sign, line in hunk.lines]
        return out
    before, after = _inline(difference.before), _inline(difference.after)
    if before is None or after is None:
        return None
    parts = marked(before, after) if type(difference.before) is str and type(difference.after) is str else None
    if parts is not None:
        return [f"{head} {with_marks(parts, paint)}"]
    return [f"{head} {paint(GONE, before)} -> {paint(NEW, after)}"]


def _texts(difference: Difference) -> tuple[str, str] | None:
    """Both strings of a change that is shown line by line, or None."""
    if difference.kind != CHANGED or type(difference.before) is not str or type(difference.after) is not str:
        return None
    return (difference.before, difference.after) if "\n" in difference.before or "\n" in difference.after else None


def _inline(value: Value) -> str | None:
    """A scalar or an empty collection on one line as written; None for any other value."""
    if (type(value) is Map or type(value) is Array) and value.items:
        return None
    text = write_value(value).rstrip("\n")
    return None if "\n" in text else text


def _block(sign: str, path: str, value: Value) -> list[str]:
    inline = _inline(value)
    if inline is not None:
        return [f"  {sign} {path or '.'}: {inline}"]
    lines = write_value(value).rstrip("\n").split("\n")
    return [f"  {sign} {path or '.'}:", *(f"  {sign}   {line}" for line in lines)]


def to_data(differences: Sequence[Difference]) -> list[dict[str, object]]:
    """The differences as plain data, for JSON. Multi-line strings also have `hunks`."""
    out: list[dict[str, object]] = []
    for one in differences:
        document = one.document if one.is_named else None
        data: dict[str, object] = {"change": one.kind, "document": document, "index": one.index, "path": one.path}
        if one.kind != ADDED:
            data["before"] = to_plain(one.before)
        if one.kind != REMOVED:
            data["after"] = to_plain(one.after)
        texts = _texts(one)
        if texts is not None:
            data["hunks"] = [
                {
                    "before": hunk.before[0],
                    "after": hunk.after[0],
                    "lines": [f"{sign}{line}" for sign, line in hunk.lines],
                }
                for hunk in hunks(*texts, shorten=False)
            ]
        out.append(data)
    return out


def to_operations(left: Sequence[Document], right: Sequence[Document], *, tests: bool = True) -> str:
    """An operations file that turns the left document into the right one. Raises UsageError unless there is one each."""
    return write_value(operations(left, right, tests=tests))


def operations(left: Sequence[Document], right: Sequence[Document], *, tests: bool = True) -> Value:
    """As `to_operations`, as nodes."""
    if len(left) != 1 or len(right) != 1:
        raise UsageError(
            "an operations file can change only one document",
            found=f"{len(left)} and {counted(len(right), 'document')}",
            hint="use --as overlay, which works for any number",
            code="one-document",
        )
    old, new = left[0].value, right[0].value
    found = difference.diff(old, new, tests=tests, identifying=identifying)
    if not alike(job.patch(old, found), new):
        found = difference.diff(old, new, tests=tests)
    return to_nodes(found)
