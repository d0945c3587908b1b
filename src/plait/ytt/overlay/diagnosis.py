"""Explains why a right item matched too few or too many left items: positions, candidates, and the nearest miss."""

from __future__ import annotations

from plait.base.errors import OverlayError
from plait.base.similar_names import counted, nearest, with_article
from plait.base.source import Position, Quoted, Wording, public
from plait.base.suggestions import ARGUMENT, Hint, Suggestion, replacing
from plait.tree.nodes import Array, ArrayItem, Document, Map, MapItem, kind_name
from plait.yaml.boolean_keys import boolean_key
from plait.yaml.document_names import described, key_text
from plait.ytt.overlay.changed_collections import MISSING, MapEdit, key_value
from plait.ytt.overlay.containment import differences
from plait.ytt.overlay.matchers import And, IndexMatcher, MapKey, Subset, items_word
from plait.ytt.overlay.near_misses import can_hold, nested
from plait.ytt.starlark.value_text import repr_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.tree.nodes import Item, Value
    from plait.ytt.overlay.changed_collections import Edit, OverlayState
    from plait.ytt.overlay.plan import OverlayStep

# Maximum number of names, and of candidates, in a message.
_NAMES, _CANDIDATES = 12, 3
_MATCH = "@overlay/match"
_MISSING_OK = Hint(
    f"if it may be absent, add missing_ok=True to #{_MATCH}", Suggestion(ARGUMENT, "missing_ok=True", old=_MATCH)
)
_MISSING_OK_ABOVE = Hint(f"if it may be absent, write #{_MATCH} missing_ok=True above it", *_MISSING_OK.suggestions)
_DECLARE = Hint(
    f"a new key is declared in the schema; #{_MATCH} missing_ok=True adds it only where the schema allows any value"
)
_PLAIN = Hint("plain values without annotations change only what exists: correct the name")
_IN_QUOTES = Hint("this line is a key because it is in quotes; without them, and without a colon, it is an annotation")
_KUSTOMIZE = Hint(
    "$patch belongs to kustomize: #@overlay/remove above an item or `---` removes it, #@overlay/replace replaces it"
)
_REPLACED = Hint(f"{_MISSING_OK}, and or_add=True to #@overlay/replace to add it then", *_MISSING_OK.suggestions)


def explain(message: str, edit: Edit, step: OverlayStep, places: Sequence[int]) -> OverlayError:
    """The error for an unexpected number of matches."""
    edit_items = [edit.items[place] for place in places]
    at, also = step.item.position, [item.position for item in edit_items]
    if places:
        hint: Hint | None = None
        if len(places) > 1:
            several = 'expects="1+"'
            told = f"if all of them are meant, add {several} to #{_MATCH}{_one_of(edit_items)}"
            hint = Hint(told, Suggestion(ARGUMENT, several, old=_MATCH))
            own = next(
                (one.position for one in edit_items if type(one) is Document and one.source is step.item.source), None
            )
            if own is not None and own.source is not None and not own.source.private:
                hint = Hint(
                    f"{own} has no #{_MATCH} above it, so it is a document to change, and not an overlay: add one"
                )
        found = _documents(edit_items)
        also = [one.labelled("one that matches") for one in also]
        error = OverlayError(
            message, at=at, also=also, expected=_expected_text(step), found=found, hint=hint, code="match-count"
        )
        error.focus = _matcher_of(step)
        return error
    edit.settle()
    has_match = "overlay/match" in (step.item.annotations or {})
    source = step.item.source
    is_plain = source is None or source.private
    absent = _MISSING_OK if has_match else _PLAIN if is_plain else _MISSING_OK_ABOVE
    if type(step.item) is MapItem and step.item.key == "$patch":
        absent = _KUSTOMIZE
    if type(step.item) is MapItem and type(step.item.key) is str and step.item.key.startswith("#@"):
        absent = _IN_QUOTES
    if step.action == "replace" and not step.or_add:
        absent = _REPLACED
    found, hint, also = _nearest(edit, step, absent)
    declared = _nearest(edit, step, _DECLARE)[1] if absent in (_MISSING_OK, _MISSING_OK_ABOVE) else None
    also = [one.labelled("the nearest candidate") for one in also]
    error = OverlayError(
        message, at=at, also=also, expected=_expected_text(step), found=found, hint=hint, code="no-match"
    )
    error.word = _named(step)
    error.focus = _matcher_of(step)
    error.declared_hint = declared if type(step.item) is MapItem else None
    return error


def _one_of(items: Sequence[Item]) -> str:
    """The rest of a hint: the matcher of the first of several documents; "" for items of the same kind."""
    kinds = [kind.value if type(one.value) is Map and (kind := one.value.find("kind")) else None for one in items]
    first = kinds[0]
    if type(first) is not str or type(items[0]) is not Document or kinds.count(first) > 1:
        return ""
    return f'; if one is, "kind": "{first}" in the subset selects {first}'


def _matcher_of(step: OverlayStep) -> Position | None:
    """The annotation with the matcher of an item; None if the item matches by its own key."""
    found = (step.item.annotations or {}).get("overlay/match")
    is_within = step.matcher is None or isinstance(step.matcher, MapKey)
    return None if found is None or is_within else found.position


def _named(step: OverlayStep) -> str:
    """The name that an item matches by, as written in the item; "" for another matcher."""
    if step.matcher is None and type(step.item) is MapItem:
        return str(step.item.key)
    value = key_value(step.item.value, step.matcher.key) if isinstance(step.matcher, MapKey) else None
    return value if type(value) is str else ""


def document_in(run: OverlayState, left: Value) -> Wording | None:
    """Names the left document in which an application failed, and the path in it. left: the whole left tree if it is
    not a document set.
    """
    way = run.failed[::-1]
    if type(left) is Map or type(left) is Array:
        way = [Document(left, left.source, left.line), *way]
    if not way or type(way[0]) is not Document:
        return None
    name = next((kind for key, kind in _KINDS.items() if key in (way[0].annotations or ())), "")
    which, count = run.which
    told = Wording(public(name), Quoted(described(way[0]), way[0].source))
    if count > 1:
        told = Wording(told, public(f", number {which} of the {count} that match"))
    if len(way) > 1:
        at = way[-1].position
        told = Wording(told, public(f"\nat {_path_text(way)}" + (f" ({at})" if at.source is not None else "")))
    return told


# Descriptions of documents without a name, by annotation.
_KINDS = {"data/values": "data values, ", "data/values-schema": "schema, "}


def _path_text(ancestors: Sequence[Item]) -> str:
    """The path from a document to an item in it. Array items are named if they have a name."""
    out = ""
    around: Value = None
    for item in ancestors:
        if type(item) is MapItem:
            out += f"{'.' if out else ''}{key_text(item.key)}"
        elif type(item) is ArrayItem:
            name = key_value(item.value, "name")
            if type(name) is str and not (item.source is not None and item.source.private):
                out += f"[name={name}]"
            elif type(around) is Array and item in around.items:
                out += f"[{around.items.index(item)}]"
            else:
                out += "[...]"
        around = item.value
    return out


def _expected_text(step: OverlayStep) -> str | None:
    word = items_word(step.item)
    article = "an" if word[0] == "a" else "a"
    matcher = step.matcher
    if matcher is None:
        return f"{article} {word} with the key {shown(step.item.key)}" if type(step.item) is MapItem else None
    if isinstance(matcher, MapKey):
        value = key_value(step.item.value, matcher.key)
        return f'{article} {word} whose "{matcher.key}" is {shown(value)}' if value is not MISSING else None  # type: ignore[arg-type]
    if isinstance(matcher, Subset):
        return f"{article} {word} that contains {_outline(matcher.nodes)}"
    if isinstance(matcher, IndexMatcher):
        return f"{article} {word} at the place {matcher.place}, counted from 0"
    return None


def _documents(items: Sequence[Item]) -> str | None:
    """Documents by their names, one per line; None if the items are not documents."""
    if not items or type(items[0]) is not Document:
        return None
    lines = [described(item) for item in items[:_NAMES] if type(item) is Document]
    return "\n".join([*lines, f"and {len(items) - _NAMES} more"] if len(items) > _NAMES else lines)


def _nearest(edit: Edit, step: OverlayStep, absent: Hint) -> tuple[str | None, Hint, list[Position]]:
    """A list of candidates, a hint, and the positions to show."""
    items: Sequence[Item] = edit.items
    if not items:
        return "nothing", absent, []
    matcher = step.matcher
    subsets = [part for part in (matcher.parts if isinstance(matcher, And) else [matcher]) if isinstance(part, Subset)]
    if subsets:
        nearby, pair, places = near_subset(items, subsets)
        dotted = _dotted(items, subsets)
        if dotted is not None:
            return nearby, dotted, places
        if pair is not None:
            return nearby, _similar_hint(*pair, absent), places
        return (
            nearby,
            _entry_as_text(items, subsets)
            or _other_type(items, subsets)
            or _nested_elsewhere(items, subsets)
            or absent,
            places,
        )
    if matcher is None and type(edit) is MapEdit:
        values: list[Value] = [item.key for item in edit.items]
        wanted: Value = step.item.key  # type: ignore[union-attr]
    elif isinstance(matcher, MapKey):
        values = [key_value(item.value, matcher.key) for item in items]  # type: ignore[misc]
        wanted = key_value(step.item.value, matcher.key)  # type: ignore[assignment]
    elif type(edit) is MapEdit:
        keys = [shown(item.key) for item in edit.items]
        return ", ".join(keys[:_NAMES]) + (", ..." if len(keys) > _NAMES else ""), absent, []
    else:
        count = f"{len(items)} {items_word(items[0])}{'s' if len(items) > 1 else ''}"
        documents = _documents(items)
        return f"{count}:\n{documents}" if documents else count, absent, []
    names = [shown(value) for value in values]
    more = ", ..." if len(names) > _NAMES else ""
    found = ", ".join(names[:_NAMES]) + more
    texts = [value for value in values if type(value) is str]
    near = (nearest(wanted, texts) or _shortened(wanted, texts)) if type(wanted) is str else None
    if near is None or f"{near}." in str(wanted):
        alike = [value for value in values if str(value) == str(wanted)]
        if alike and type(wanted) not in (Map, Array):
            kind = with_article(kind_name(alike[0]))
            return found, Hint(f"{shown(alike[0])} is {kind}, {shown(wanted)} is not"), []
        if type(edit) is MapEdit and matcher is None:
            boolean = _boolean(edit.items, step.item)  # type: ignore[arg-type]
            if boolean is not None:
                return found, *boolean
            nested = _nested(edit.items, wanted)
            if nested is not None:
                return found, *nested
            below = _below(edit.items, wanted)
            if below is not None:
                told = f"there is one further down, at {below[0]}; {absent}"
                return found, Hint(told, *absent.suggestions), [below[1].position]
            above = _above(edit.items, step.item)
            if above is not None:
                told = f"{key_text(above[1].key)} is there without {above[0]}: leave out {above[0]} in the overlay"
                return found, Hint(told), [above[1].position]
        return found, absent, []
    item = items[values.index(near)]
    return found, _similar_hint(str(wanted), near, absent), [item.position]


def _shortened(name: str, known: Sequence[str]) -> str | None:
    """The only known name that is the start of a name, or begins with it, without another word; or None."""
    pairs = [(*sorted((name, one), key=len), one) for one in known]
    found = [
        one for short, long, one in pairs if len(short) > 1 and long.startswith(short) and long[len(short) :].isalpha()
    ]
    return found[0] if len(found) == 1 else None


def _similar_hint(expected: str, near: str, absent: Hint) -> Hint:
    """A hint for a name that is similar to another one."""
    return Hint(replacing(expected, [near], f'did you mean "{near}"? {absent}'), *absent.suggestions)


def _boolean(items: Sequence[MapItem], right: MapItem) -> tuple[Hint, list[Position]] | None:
    """The hint for a key that is a boolean on one side and a string on the other, and the position of the left one."""
    for item in items:
        if type(right.key) is str:
            told = boolean_key(right.key, item.key, item.source, item.line)
        else:
            told = boolean_key(item.key, right.key, right.source, right.line) if type(item.key) is str else None
        if told is not None:
            return Hint(told), [item.position]
    return None


def _nested(items: Sequence[MapItem], key: Value) -> tuple[Hint, list[Position]] | None:
    """The hint for a path that is written as one key, and the position of its first key; None for another key."""
    first, *rest = keys = key.split(".") if type(key) is str else [""]
    above = next((item for item in items if item.key == first), None)
    if above is None or not all(rest) or not rest or not can_hold(above.value, rest):
        return None
    return Hint(f"a dot does not separate keys: {nested(keys)}"), [above.position]


# Maximum number of items examined below a map that lacks a key.
_LOOKED_AT = 2000


def _below(items: Sequence[MapItem], key: Value) -> tuple[str, MapItem] | None:
    """The nearest item with a key in the maps below some items, and the path to it; None if there is none."""
    pending: list[tuple[str, MapItem]] = [(key_text(item.key), item) for item in items]
    for way, item in pending:  # the list grows during the iteration
        if type(item.value) is not Map or len(pending) > _LOOKED_AT:
            continue
        found = item.value.find(key)
        if found is not None:
            return f"{way}.{key_text(key)}", found
        pending += [(f"{way}.{key_text(inner.key)}", inner) for inner in item.value.items]
    return None


def _above(items: Sequence[MapItem], right: Item) -> tuple[str, MapItem] | None:
    """The item with the key of the only map or array below a right item, and the path from there to this key; None if
    there is none.
    """
    known = {item.key: item for item in items}
    way: list[str] = []
    while type(right) is MapItem and type(right.value) is Map and len(right.value.items) == 1:
        way.append(key_text(right.key))
        right = right.value.items[0]
        item = known.get(right.key)
        if item is not None and type(item.value) is type(right.value) and type(item.value) in (Map, Array):
            return ".".join(way), item
    return None


def near_subset(items: Sequence[Item], parts: Sequence[Subset]) -> tuple[str, tuple[str, str] | None, list[Position]]:
    """The items with the fewest missing values, and these values; of these items the one with the most similar text is
    first.

    Also returns this text with the expected one before it, and the position of the first item.
    """
    rated = []
    for place, item in enumerate(items):
        lacks = [one for part in parts for one in differences(item.value, part.nodes)]
        rated.append((len(lacks), place, lacks))
    rated.sort(key=lambda row: row[:2])
    fewest = [row for row in rated if row[0] == rated[0][0]]
    pairs = [(one.right, one.left, row) for row in fewest for one in row[2] if type(one.right) is type(one.left) is str]
    alike = None
    for expected in dict.fromkeys(right for right, _, _ in pairs):
        of_expected = {left: row for right, left, row in reversed(pairs) if right == expected}
        near = nearest(expected, of_expected)
        if near is not None:
            alike = (expected, near)
            rated.remove(of_expected[near])
            rated.insert(0, of_expected[near])
            break
    lines = []
    for _, place, lacks in rated[:_CANDIDATES]:
        item = items[place]
        name = described(item) if type(item) is Document else str(item.position)
        texts = [_difference(one.path, one.missing, one.left, one.right) for one in lacks[:_NAMES]]
        lines.append(f"{name}: {', '.join(texts) or 'the other matchers do not match'}")
    if len(rated) > _CANDIDATES:
        lines.append(f"and {len(rated) - _CANDIDATES} more, less similar")
    return "\n".join(lines), alike, [items[rated[0][1]].position]


def _dotted(items: Sequence[Item], parts: list[Subset]) -> Hint | None:
    """A hint for a path that a subset has as one key, or None."""
    for part in parts:
        for item in part.nodes.items if type(part.nodes) is Map else ():
            first, *rest = item.key.split(".") if type(item.key) is str else [""]
            is_path = rest and all(word.isidentifier() for word in (first, *rest))
            if is_path and any(type(one.value) is Map and one.value.find(first) is not None for one in items):
                value = "..." if type(item.value) in (Map, Array) else shown(item.value)
                nested = value
                for word in reversed((first, *rest)):
                    nested = f'{{"{word}": {nested}}}'
                return Hint(f"a dot does not separate keys: write overlay.subset({nested})")
    return None


def _entry_as_text(items: Sequence[Item], parts: list[Subset]) -> Hint | None:
    """A hint for a subset that is a map in a text, such as "kind: A", if an item contains the map; or None."""
    for part in parts:
        key, colon, text = part.nodes.partition(": ") if type(part.nodes) is str else ("", "", "")
        for item in items if colon else ():
            found = item.value.find(key) if type(item.value) is Map else None
            if found is not None and type(found.value) in (str, int) and str(found.value) == text:
                value = repr_of(found.value)
                return Hint(
                    f"this is a string; the content to match is a map: overlay.subset({{{repr_of(key)}: {value}}})"
                )
    return None


def _other_type(items: Sequence[Item], parts: list[Subset]) -> Hint | None:
    """A hint for a value that the subset has with another type, or as one of a list; None for other subsets."""
    for lack in (one for part in parts for item in items for one in differences(item.value, part.nodes)):
        left, right, path = lack.left, lack.right, ".".join(lack.path)
        if lack.missing or type(left) in (Map, Array):
            continue
        if type(right) is Array and any(one.value == left for one in right.items):
            return Hint(f"{path} is one value, not a list: overlay.or_op(overlay.subset(...), overlay.subset(...))")
        if type(right) is str and type(left) is not str and shown(left) == right:
            in_code = "" if str(left) == right else f", which is {left} in code"
            return Hint(f"{path} is {right} without quotes{in_code}")
        if type(left) is str and type(right) is not str and shown(right) == left:
            return Hint(f'{path} is a string: "{left}", in quotes')
    return None


def _nested_elsewhere(items: Sequence[Item], parts: list[Subset]) -> Hint | None:
    """A hint for a key that the subset has at one place, and an item, with the same value, at another."""
    for part in parts:
        for item in items[:_NAMES]:
            for lack in differences(item.value, part.nodes):
                if not lack.missing or type(lack.right) is not str:
                    continue
                path = _path_of(item.value, lack.path[-1], lack.right, 4)
                if path is not None:
                    return Hint(f"{'.'.join(path)} is {shown(lack.right)}: write the subset with this nesting")
    return None


def _path_of(value: Value, key: str, wanted: str, depth: int) -> list[str] | None:
    """The path to a key with a value in nested maps, or None."""
    for item in value.items if type(value) is Map and depth else ():
        if item.key == key and item.value == wanted:
            return [key]
        below = _path_of(item.value, key, wanted, depth - 1) if type(item) is MapItem else None
        if below is not None:
            return [str(item.key), *below]
    return None


def _difference(path: list[str], missing: bool, left: Value, right: Value) -> str:
    where = ".".join(f'"{word}"' if "." in word else word for word in path) or "it"
    if missing:
        return f"no {where}"
    return f"{where} is {shown(left)}, not {shown(right)}"


def _outline(value: Value, path: str = "") -> str:
    if type(value) is Map and value.items:
        inner = [_outline(item.value, f"{path}.{item.key}" if path else str(item.key)) for item in value.items]
        return ", ".join(inner)
    return f"{path}: {shown(value)}" if path else shown(value)


def shown(value: Value) -> str:
    """A value in a message: scalars as in code, collections by their type."""
    if value is MISSING:
        return "(no such key)"
    if type(value) is Map or type(value) is Array:
        article = "an" if type(value) is Array else "a"
        return f"{article} {kind_name(value)} of {counted(len(value.items), 'item')}"
    if type(value) is bool or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return repr_of(value)
