"""Hints for paths and types of operations in the syntax of other programs, and for files without operations."""

from __future__ import annotations

from plait.base.errors import OpsError
from plait.base.extensions import OPERATIONS as EVERY
from plait.base.similar_names import did_you_mean
from plait.base.source import Advice, Flag, Position, public, quotation
from plait.base.suggestions import OPTIONAL, REMOVE, Hint, Suggestion, replacing
from plait.ops.pointer import KeyToken, MatchingIndexToken, Pointer, escape, index_number, with_step
from plait.tree.nodes import Array, Map, kind_name
from plait.yaml.boolean_keys import among

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plait.base.source import Wording
    from plait.tree.nodes import ArrayItem, MapItem, Value

# Maximum number of items examined.
_MOST = 1000


def optional(word: str) -> Suggestion:
    """The proposal to make a token of a path optional."""
    return Suggestion(OPTIONAL, "?", old=word)


def in_steps(node: Map, pointer: Pointer, depth: int) -> Wording | None:
    """A hint for a missing key that is empty, a boolean without quotes, or one part of a key with a slash, or that names
    several steps, `a.b[0]`.
    """
    token = pointer.tokens[depth]
    assert isinstance(token, KeyToken)
    if not token.name:
        return _without_empty(pointer, depth)
    bare = token.name.strip("?")
    if bare and bare != token.name:
        mark = "" if node.find(bare) is not None else "?"
        return _instead(
            pointer, with_step(pointer, depth, escape(bare) + mark), 'one "?" after a key makes it optional'
        )
    boolean = among(token.name, ((item.key, item.source, item.line) for item in node.index().values()))
    if boolean is not None:
        return public(boolean)
    joined = token.name
    for count, following in enumerate(pointer.tokens[depth + 1 :], depth + 2):
        if not isinstance(following, KeyToken):
            break
        joined += f"/{following.name}"
        if node.find(joined) is not None:
            path = f"{pointer.until(depth)}/{escape(joined)}{str(pointer)[len(pointer.until(count)) :]}"
            return _instead(pointer, path, 'a "/" within a key is written "~1"')
    first, *parts = token.name.replace("[", ".").replace("]", "").split(".")
    item = node.find(first) if parts else None
    if item is None:
        return None
    steps, value = [escape(first)], item.value
    for part in parts:
        step, value = _step(value, part)
        steps.append(step)
    told = 'steps are separated by "/"' if "." in token.name else "an index is a step of its own"
    return _instead(pointer, with_step(pointer, depth, "/".join(steps)), told)


def dotted(value: Value, text: str) -> str | None:
    """The steps of `a.name=b.c` in a value, which may have dots in keys and names; None if the value lacks one."""
    parts = text.split(".")
    steps: list[str] = []
    while parts:
        for count in range(len(parts), 0, -1):
            found = _selected(value, ".".join(parts[:count]))
            if found is not None:
                step, value = found
                steps.append(step)
                parts = parts[count:]
                break
        else:
            return None
    return "/".join(steps)


def _selected(value: Value, part: str) -> tuple[str, Value] | None:
    """The step that selects a key or an item by a part of a text, and the selected value; None if nothing matches."""
    key, equals, name = part.partition("=")
    if type(value) is Array and equals:
        item = next((one for one in value.items[:_MOST] if _text(one, key) == name), None)
        return None if item is None else (f"{escape(key)}={escape(name)}", item.value)
    step, found = _step(value, part)
    is_there = found is not None or (type(value) is Map and value.find(part) is not None)
    return (step, found) if is_there else None


def without_quotes(token: MatchingIndexToken, values: Sequence[str], pointer: Pointer, depth: int) -> Wording | None:
    """A hint for a match whose value has quotes or a second "=" around the value of an item, or names several items."""
    parts = [part.strip() for part in token.value.split(",")]
    if len(parts) > 1 and all(part in values for part in parts):
        return quotation("a path selects one item: write an operation for each of them")
    bare = token.value.removeprefix("=").strip().strip("\"'")
    if bare == token.value or bare not in values:
        return None
    step = MatchingIndexToken(token.key, bare, token.optional, token.modifiers).text(mark=token.optional)
    reason = (
        "quotes are" if token.value[:1] in ('"', "'") else "a second = is" if token.value[:1] == "=" else "spaces are"
    )
    return _instead(pointer, with_step(pointer, depth, step), f"{reason} part of the value")


def other_key(array: Array, token: MatchingIndexToken, pointer: Pointer, depth: int) -> Wording | None:
    """A hint for a match by a key that no item has: spaces around "=", or a similar key."""
    bare = MatchingIndexToken(token.key.strip(), token.value.strip(), token.optional, token.modifiers)
    if bare.key == token.key or not any(_text(item, bare.key) == bare.value for item in array.items[:_MOST]):
        keys = [key.key for item in array.items[:100] if type(item.value) is Map for key in item.value.items]
        near = did_you_mean(token.key, [key for key in keys if type(key) is str])
        return None if near is None else public(near)
    path = with_step(pointer, depth, bare.text(mark=token.optional))
    return _instead(pointer, path, "spaces are part of the key and of the value")


def item_hint(array: Array, pointer: Pointer, depth: int) -> str:
    """A hint for a key in an array: the path to the item that was meant, if there is one."""
    token = pointer.tokens[depth]
    assert isinstance(token, KeyToken)
    end = f'"{pointer.until(depth)}/-"'
    is_last = depth == len(pointer.tokens) - 1
    if is_last and token.name == "+":
        return _instead(pointer, f"{pointer.until(depth)}/-", '"-" adds an item')
    number = index_number(token.name)
    if is_last and token.optional and number is not None:
        return f"an index selects an existing item, and cannot be optional; {end} adds an item"
    key = _key_of(array, token.name)
    if key is not None:
        step = MatchingIndexToken(key, token.name, token.optional).text(mark=token.optional)
        return _instead(pointer, with_step(pointer, depth, step), "an item is selected by a match")
    if not array.items:
        return f"the array is empty; {end} adds an item"
    if any(_text(item, "name") is not None for item in array.items[:_MOST]):
        return f'an item is selected by index or by match: "/0", "/name={token.text(mark=False)}"'
    place = next((place for place, item in enumerate(array.items[:_MOST]) if item.value == token.name), 0)
    return f'an item is selected by its index: "{with_step(pointer, depth, str(place))}"'


def _instead(pointer: Pointer, path: str, reason: str) -> Wording:
    return quotation(replacing(str(pointer), [path], f'{reason}: "{path}"'))


def _without_empty(pointer: Pointer, depth: int) -> Wording:
    """A hint for an empty key that the document lacks."""
    meant = pointer.until(depth) + str(pointer)[len(pointer.until(depth + 1)) :]
    if depth == len(pointer.tokens) - 1:
        shown = meant or "/"
        return quotation(
            replacing(f"{meant}/", [shown], f'did you mean "{shown}"? the part after the last "/" is a key')
        )
    return _instead(pointer, meant, 'between two "/" is an empty key')


def _step(value: Value, part: str) -> tuple[str, Value]:
    """The step that selects a part of a value, and the part; null if it is not there."""
    if type(value) is Array:
        number = index_number(part)
        if number is not None and 0 <= number < len(value.items):
            return part, value.items[number].value
        key = _key_of(value, part)
        for item in value.items[:_MOST] if key is not None else ():
            if _text(item, key) == part:  # type: ignore[arg-type]
                return f"{key}={escape(part)}", item.value
    found = value.find(part) if type(value) is Map else None
    return escape(part), None if found is None else found.value


def _key_of(array: Array, text: str) -> str | None:
    """The key by which a text selects exactly one item: "name", or another one; None if there is none."""
    keys: dict[str, int] = {}
    for entry in array.items[:_MOST]:
        for item in entry.value.items if type(entry.value) is Map else ():
            if item.value == text and type(item.key) is str:
                keys[item.key] = keys.get(item.key, 0) + 1
    single = [key for key, count in keys.items() if count == 1]
    return "name" if "name" in single else single[0] if single else None


def _text(entry: ArrayItem, key: str) -> str | None:
    """The string under a key of an array item, or None."""
    found = entry.value.find(key) if type(entry.value) is Map else None
    return found.value if found is not None and type(found.value) is str else None


def not_maps(array: Array, also: list[Position], token: MatchingIndexToken, pointer: Pointer, depth: int) -> OpsError:
    """The error for a match in an array without maps."""
    where = pointer.until(depth + 1)
    quoted = f"'{token.value}'" if '"' in token.value else f'"{token.value}"'
    return OpsError(
        public(f"no item matches {where}: the items are not maps"),
        also=also,
        expected=public(f'maps, one of them with "{token.key}" {quoted}'),
        found=public(f"an array of {kind_name(array.items[0].value)}s"),
        # Not the index of the item that equals the value: the items may be secret.
        hint=public(f"an index selects such an item: {with_step(pointer, depth, '0')}"),
        reference=f"Expected to find exactly one matching array item for path '{where}' but found 0",
        code="path-matches",
    )


def match_hint(array: Array, token: MatchingIndexToken, pointer: Pointer, depth: int) -> str | None:
    """A hint for a match that selects no item: the match or the index that selects one, or None."""
    if "((" in token.value:
        return "placeholders are not filled in a path: write the value, or an ops file for each"
    key = _key_of(array, token.value)
    if key is not None:
        step = MatchingIndexToken(key, token.value, token.optional, token.modifiers).text(mark=token.optional)
        return _instead(pointer, with_step(pointer, depth, step), f'an item has this value as its "{key}"')
    return _number_hint(array, token, pointer, depth)


def appending(pointer: Pointer, depth: int) -> str:
    """A hint for "-" that is not the last step, or that is optional."""
    if depth == len(pointer.tokens) - 1:
        return '"-" appends only at the end of a path, and cannot be optional'
    rest = pointer.tokens[depth + 1]
    inner = f"{rest.name}: ..." if type(rest) is KeyToken else "..."
    return f'"-" is the last step: {pointer.until(depth)}/- with the whole item as its value: {{{inner}}}'


def _number_hint(array: Array, token: MatchingIndexToken, pointer: Pointer, depth: int) -> str | None:
    """A hint for `/id=1` if the items have the integer 1, because a match compares text. Else None."""
    for place_found, entry in enumerate(array.items[:1000]):
        item = entry.value.find(token.key) if type(entry.value) is Map else None
        if item is not None and type(item.value) is not str and str(item.value) == token.value:
            kind = kind_name(item.value)
            where = with_step(pointer, depth, str(place_found))
            return f'a match compares strings, and this is an {kind}: use the index, "{where}"'.replace("an f", "a f")
    return None


def key_hint(node: Value, pointer: Pointer, depth: int) -> str | None:
    """A hint for a key that is looked up in a value other than a map."""
    token = pointer.tokens[depth]
    last = depth == len(pointer.tokens) - 1
    if type(node) is not Array:
        if type(token) is KeyToken and token.name == "" and last and depth:
            return _without_empty(pointer, depth)
        if not depth:
            return "the document is empty" if node is None else f"the document is a {kind_name(node)}, without keys"
        return f'{_no_parts(node)}: end the path at "{pointer.until(depth)}"'
    if type(token) is KeyToken and token.name == "-":
        return appending(pointer, depth)
    if type(token) is KeyToken and token.name == "":
        return _without_empty(pointer, depth)
    if type(token) is KeyToken and token.name in ("*", "[*]"):
        return Advice(
            "a path names one item; write an operation for each, or enable the extension: ", Flag("with", "operations")
        )
    return item_hint(node, pointer, depth)


def array_hint(node: Value, pointer: Pointer, depth: int) -> str | None:
    """A hint for an item that is looked up in a value other than an array."""
    token = pointer.tokens[depth]
    if type(node) is not Map:
        return f'{_no_parts(node)}: end the path at "{pointer.until(depth)}"' if depth else None
    text = token.text(mark=False)
    separated = dotted(node, text) if "." in text else None
    if separated is not None:
        return _instead(pointer, with_step(pointer, depth, separated), 'steps are separated by "/"')
    if type(token) is MatchingIndexToken and "[" in token.key:
        key, _, name = token.key.partition("[")
        step = f"{key}/{name}={token.value.rstrip(']')}"
        return f'an item is a step of its own: "{with_step(pointer, depth, step)}"'
    if type(token) is MatchingIndexToken:
        named = next((key for key in (token.value, token.key) if node.find(key) is not None), None)
        if named is not None:
            return f'write only the key: "{with_step(pointer, depth, escape(named))}"'
    if text == "-":
        return f'"-" adds to an array; a key is added to a map by its name: "{pointer.until(depth)}/NAME?"'
    if node.find(text) is not None:
        return f'the key "{text}" is written "{text}?" in a path'
    first = next((item.key for item in node.items if type(item.key) is str), None)
    return None if first is None else f'a map has keys, not items: such as "{with_step(pointer, depth, escape(first))}"'


def _no_parts(node: Value) -> str:
    """The reason why a path cannot enter a value."""
    return "null has no parts" if node is None else f"the {kind_name(node)} there has no parts"


def without_its_fields(error: OpsError, items: Sequence[ArrayItem], number: int) -> OpsError:
    """The error of an operation without required fields. The hint mentions the next item if it has them."""
    item, following = items[number], items[number + 1] if number + 1 < len(items) else None
    path = item.value.find("path") if type(item.value) is Map else None
    if path is not None and type(path.value) is Array:
        error.hint = public(_joined(path.value))
    if following is None or type(item.value) is not Map or type(following.value) is not Map:
        return error
    keys = [entry.key for entry in following.value.items]
    if keys and all(key in ("path", "value") and item.value.find(key) is None for key in keys):
        fields = " and ".join(str(key) for key in keys)
        error.hint = public(f'{fields} of line {following.line} belongs to it: remove the "-" before {keys[0]}')
    return error


def of_its_value(error: OpsError, beside: Sequence[MapItem], value: MapItem) -> OpsError:
    """The error of an operation whose value is null. The hint mentions unknown keys below it, which belong to the value."""
    if beside:
        keys = " and ".join(str(item.key) for item in beside)
        error.at = beside[0].position
        error.also = [value.position.labelled("the value"), *error.also]
        error.hint = public(f"indent {keys} below value: they are keys of the operation")
    return error


def _joined(array: Array) -> str:
    """A hint for a path that is an array: its steps, or several paths."""
    texts = [item.value for item in array.items if type(item.value) is str or type(item.value) is int]
    paths = [text for text in texts if type(text) is str and text.startswith("/")]
    if not texts or len(texts) < len(array.items):
        return 'a path is a string: "/KEY/KEY"'
    if not paths:
        return f"a path is a string: path: {Pointer(tuple(KeyToken(str(text)) for text in texts))}"
    return "write an operation for each path" if len(texts) > 1 else f"without the brackets: path: {paths[0]}"


def value_of_remove(number: int, item: MapItem, at: Position, reference: str) -> OpsError:
    """The error for a `remove` operation with a value. at: the position of the operation. reference: bosh's message."""
    return OpsError(
        f'remove operation [{number}]: takes no "value"',
        at=item.position,
        also=[at.labelled("the operation")],
        hint=Hint("remove it, or replace the value with type: replace", Suggestion(REMOVE)),
        reference=reference,
        code="value-of-remove",
    )


def no_array_hint(value: Value) -> str | None:
    """A hint for an ops file that is not an array, or None."""
    if type(value) is not Map:
        return None
    if value.find("path") is not None:
        return (
            'an operation is an item of an array: put "- " before its first key, and two spaces before the lines below'
        )
    inner = [item.key for item in value.items if type(item.value) is Array]
    if len(value.items) == 1 and inner:
        return f'write the array alone: leave out "{inner[0]}:"'
    return "pass the file to change without a flag: plait patch base.yml -o ops.yml"


_WITH = Flag("with", EVERY)
# Operations of JSON Patch that have another name in operations files.
_JSON_PATCH = {
    "add": 'to add a key: type "replace" and a path that ends in /key?; to add an item: /list/-',
    "copy": Advice("write the value out; or enable the extension: ", _WITH),
    "append": Advice('type "replace", and a path that ends in /- adds an item to an array; for many, ', _WITH),
    "delete": 'type "remove"',
    "insert": 'type "replace", and a path that ends in :before or :after inserts an item next to another one',
    "merge": 'type "replace" replaces whole values; write an operation for each key',
    "set": 'type "replace"; a path that ends in ? also adds the key',
    "update": 'type "replace"',
    "move": Advice("remove the value and write it out in its new place; or enable the extension: ", _WITH),
}


def type_hint(kind: str, fields: Mapping[str, MapItem], known: Collection[str]) -> str | None:
    """A hint for an operation of an unknown type, or of none; or None. known: the types."""
    hint = did_you_mean(kind, known) or _JSON_PATCH.get(kind)
    if kind.startswith("/"):
        hint = f'that is a path: "path: {kind}"; "type" is the action'
    if not kind:
        miswritten = next((name for name in fields if name.lower() == "type" and name != "type"), None)
        hint = f'"{miswritten}" is written "type"' if miswritten is not None else "add type: replace"
    return _of_json_patch(fields, known) if kind == "add" or (not kind and "op" in fields) else hint


def _of_json_patch(fields: Mapping[str, MapItem], known: Collection[str]) -> str:
    """The form of an operation of JSON Patch in an operations file."""
    kind, path = (fields[name].value if name in fields else None for name in ("op", "path"))
    rename = "" if kind is None else '"op" is written "type"'
    last = str(path).rpartition("/")[2]
    if kind in (None, "add") and type(path) is str and last and last != "-" and not last.isdecimal():
        return f"write type: replace, and path: {path.removesuffix('?')}?"
    if kind == "add" and last == "-":
        return "write type: replace; the path stays the same"
    other = None if kind in known else _JSON_PATCH.get(str(kind or "add"))
    if other is None or not rename:
        return other or rename
    return Advice(f"{rename}; ", *(other.parts if isinstance(other, Advice) else (other,)))
