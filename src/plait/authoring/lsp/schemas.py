"""Facts about a data value from its schema: type, default, description, allowed values."""

from __future__ import annotations

import re

from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lsp.evaluation import descend
from plait.authoring.lsp.markdown import code, plain
from plait.base.errors import PlaitError
from plait.base.input_view import InputView, use_view
from plait.base.limits import Limits, budget_scope
from plait.insight.history_text import shown
from plait.tree.nodes import Array, Map
from plait.yaml.writer import write_value
from plait.ytt.json_schema.values_schema import values_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.evaluation import Evaluation
    from plait.authoring.lsp.state import ServerState
    from plait.tree.nodes import Item
    from plait.ytt.json_schema.subschema import Subschema

# Limits for reading a schema.
_LIMITS = Limits(seconds=5)
_TEXT = re.compile(r"^@schema/(?:desc|title) +[\"'](.*)[\"']$")
_CHOICES = re.compile(r"^@schema/validation .*\bone_of *= *[\[(](.*?)[\])]")
_CHOICE = re.compile(r"\"([^\"]*)\"|'([^']*)'|([\w.+-]+)")
_TYPES = {str: "string", int: "integer", float: "float", bool: "boolean"}


class Declared:
    """The declaration of a data value. path, line: its position. choices: the valid values, if limited."""

    __slots__ = ("choices", "default", "description", "line", "path", "type")

    def __init__(
        self, path: str, line: int, type_: str, default: str, description: str, choices: Sequence[str]
    ) -> None:
        self.path = path
        self.line = line
        self.type = type_
        self.default = default
        self.description = description
        self.choices = choices

    def text(self) -> str:
        """The declaration in one line of Markdown."""
        said = f"{plain(self.type)}, default {code(self.default)}" if self.default else plain(self.type)
        if self.choices:
            said += f", one of {', '.join(map(code, self.choices))}"
        return f"{said}: {plain(self.description)}" if self.description else said


def declared(state: ServerState, evaluation: Evaluation, keys: Sequence[str], path: str) -> Declared | None:
    """The schema's declaration of the data value with these keys in a file, or None."""
    outside = of_values(state, evaluation)
    if outside is not None:
        found = outside.at(keys)
        return None if found is None else _of_schema(found)
    for instance in evaluation.instances(path):
        for document in instance.schemas:
            place = descend(document, keys)
            where = None if place is None or not place.way else path_of(place.item.source)
            file = None if where is None else state.file(where)
            if place is None or file is None:
                continue
            way = file.ancestors_at(place.item.line)
            if way and way[-1].line == place.item.line:
                return _of_item(file, way[-1])
    return None


def of_values(state: ServerState, evaluation: Evaluation) -> Subschema | None:
    """The schema of data values that the run's `schema` setting names; None if there is none, or if the file cannot be
    read.
    """
    name = evaluation.run.values_schema
    if not name:
        return None

    texts = {path: text.encode("utf-8", "surrogateescape") for path, text in [*state.texts.items()]}
    with budget_scope(_LIMITS), use_view(InputView(texts)):
        try:
            return values_schema(name).schema
        except PlaitError:  # the run reports the error
            return None


def _of_schema(place: Subschema) -> Declared:
    choices = [write_value(one).strip() for one in place.choices() if not isinstance(one, (dict, list))]  # type: ignore[arg-type] # JSON has no other scalars
    default = next((part.node["default"] for part in place.certain() if "default" in part.node), None)
    text = "" if default is None or isinstance(default, (dict, list)) else write_value(default).strip()  # type: ignore[arg-type] # as above
    return Declared("", 0, place.type_text(), text, place.description(), choices)


def _documentation(file: File, item: Item) -> list[str]:
    comments = None if file.recovered.file is None else file.recovered.file.comments
    return [] if comments is None else [comment.text.strip() for comment in comments.at(item)]


def _of_item(file: File, item: Item) -> Declared:
    said = _documentation(file, item)
    names = {text.partition(" ")[0] for text in said}
    value = item.value
    kind = "map" if type(value) is Map else "array" if type(value) is Array else _TYPES.get(type(value), "any")
    if any(text.startswith("@schema/type") and "any=True" in text.replace(" ", "") for text in said):
        kind = "any"
    if "@schema/nullable" in names:
        kind += " or null"
    default = "" if kind in ("map", "array") else shown(value)
    for text in said:
        if text.startswith("@schema/default "):
            default = text.removeprefix("@schema/default ").strip()
    if "@schema/nullable" in names:
        default = "null"
    described = [found[1] for text in reversed(said) if (found := _TEXT.match(text)) is not None]
    choices = [
        next(group for group in one.groups() if group is not None)
        for text in said
        for listed in _CHOICES.findall(text)
        for one in _CHOICE.finditer(listed)
    ]
    return Declared(file.path, item.line, kind, default, ": ".join(described), choices)
