"""Data values from environment variables, named after the schema's data values: `--data-values-env-all`.

The variable APP_PORT sets the data value `app.port`: its keys in capitals, with `_` between them and in place of other
characters. A variable with exactly the name of a top-level key takes precedence. All other variables are ignored. A
value that the schema declares as a string or as any type is the text itself; all others are read as YAML.
"""

from __future__ import annotations

import re

from plait.base.errors import PlaitError, UsageError
from plait.base.source import Source
from plait.tree.nodes import Document, Map, MapItem
from plait.ytt.schema.types import MapType, NullType
from plait.ytt.workspace.render_job import ReferencedValues
from plait.ytt.workspace.values_flags import yaml_converter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plait.ytt.schema.types import Declaration

_OTHER = re.compile(r"[^A-Za-z0-9]")
# Variables that systems and shells set for themselves do not set data values with similar names.
_OF_SYSTEMS = re.compile(
    "DISPLAY|EDITOR|HOME|HOSTNAME|IFS|LANG|LANGUAGE|LINES|COLUMNS|LOGNAME|MAIL|MANPATH|OLDPWD|OS|PAGER|PATH|PPID|PS1|PWD|"
    "RANDOM|SHELL|SHLVL|TEMP|TERM|TMP|TMPDIR|TZ|UID|USER|USERNAME|VISUAL"
)


class Environment:
    """The environment as a source of data values. get: the text of a variable, or None. below: the number of a job's
    data values that the environment overrides.
    """

    __slots__ = ("below", "get")

    def __init__(self, get: Callable[[str], str | None], below: int = 0) -> None:
        self.get = get
        self.below = below

    def among(
        self, values: Sequence[ReferencedValues], schema: Declaration | None, strict: bool
    ) -> list[ReferencedValues]:
        """The data values of a job, with those of the environment inserted at their precedence.

        Raises UsageError without a schema, and for a variable that would set two data values; ReadError for invalid
        YAML.
        """
        if schema is None:
            raise UsageError(
                "the environment sets the data values of a schema, and there is none",
                expected="#@data/values-schema above --- in a file of its own, not a JSON Schema",
                hint="--data-values-env PREFIX sets data values without one",
                code="data-value-flag",
            )
        own = [_value(way, name, text, strict=strict) for way, name, text in self._set_values(schema)]
        return [*values[: self.below], *own, *values[self.below :]]

    def _set_values(self, schema: Declaration) -> Iterator[tuple[Sequence[Declaration], str, str]]:
        taken: dict[str, Sequence[Declaration]] = {}
        for way, names in names_of(schema):
            name, text = next(((one, text) for one in names if (text := self.get(one)) is not None), ("", ""))
            if not name or (not text and not _takes_text(way[-1])):
                continue
            other = taken.setdefault(name, way)
            if other is not way:
                paths = [".".join(str(one.key) for one in both) for both in (other, way)]
                raise UsageError(
                    f"the environment variable {name} would set two data values",
                    at=way[-1].position,
                    also=[other[-1].position.labelled("the other one")],
                    found=", ".join(paths),
                    hint="unset it, and set them by --data-values-env PREFIX",
                    code="data-value-flag",
                )
            yield way, name, text


def names_of(schema: Declaration) -> Iterator[tuple[Sequence[Declaration], list[str]]]:
    """The path to each data value that is not a map, with the names of its variables in order of precedence."""
    ways: list[list[Declaration]] = [[schema]]
    while ways:
        way = ways.pop()
        declared = way[-1].type
        while type(declared) is NullType:
            declared = declared.inner
        if type(declared) is MapType and (declared.declarations or declared.others):
            ways += [
                [*way, one] for one in reversed(declared.declarations.values()) if type(one.key) is str and one.key
            ]
        elif len(way) > 1:
            keys = [str(one.key) for one in way[1:]]
            name = _OTHER.sub("_", "_".join(keys)).upper()
            names = [keys[0]] if len(keys) == 1 else []
            yield way[1:], names if name in names or _OF_SYSTEMS.fullmatch(name) else [*names, name]


def _takes_text(declaration: Declaration) -> bool:
    declared = declaration.type
    while type(declared) is NullType:
        declared = declared.inner
    return declared.kinds[:1] == (str,)


def _value(way: Sequence[Declaration], name: str, text: str, *, strict: bool) -> ReferencedValues:
    source = Source("(data-values-env-all arg)", f"{name}={text}").hidden().of_flag("data-values-env-all")
    try:
        value = (
            text
            if _takes_text(way[-1])
            else yaml_converter(strict)(Source(source.name, text).hidden().of_flag(source.flag))
        )
    except PlaitError as error:
        raise error.within(f"in environment variable {name}") from None
    for declaration in reversed(way):
        value = Map([MapItem(declaration.key, value, source, 1)], source, 1)
    return ReferencedValues(Document(value, source, 1), plain=True)
