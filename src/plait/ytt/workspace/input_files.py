"""Input files: the path in messages, the content read on demand, and the role of the file (docs/guide-render.md).

The role follows from the name unless a mark overrides it. It has four independent parts: the `type`; template or not;
library file (evaluated and loadable) or not; output or not.
"""

from __future__ import annotations

import os

from plait.base.input_view import current_view
from plait.base.limits import current_budget
from plait.base.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.base.errors import Warning
    from plait.ytt.templates.file import TemplateResult, YamlFile
    from plait.ytt.templates.template import Template

YAML = "yaml"
TEXT = "text"
STARLARK = "starlark"
DATA = "data"

# The first characters of code, by type.
CODE_BEGINS = {YAML: "#@", TEXT: "(@", STARLARK: ""}
# Files of other tools, which are read as plain documents.
CHART = "Chart.yaml"
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml")

# Suffixes are case-sensitive: `.YML` is data, and a file named `.yml` is YAML.
_TYPES_BY_SUFFIX = ((".yaml", YAML), (".yml", YAML), (".star", STARLARK), (".txt", TEXT))


class InputFile:
    """One input.

    original_path: the path under its input directory, or the base name; marks are matched against it. path: the path
    after `NEW=PATH` or a `path` mark; names the file in messages, libraries and output. order: its place among the
    files; orders documents, overlays, data values and schemas. described: its origin in messages
    ("file 'a/b.yml'"). in_directory: found by walking a directory. shown: the path in messages, from the working
    directory. comes_from_stream: read from standard input or a URL.

    parsed, prepared: the content as read and as compiled, by options, each with its warnings.

    Only file marks set the marked_* attributes, before the file is passed on.
    """

    __slots__ = (
        "_data",
        "_found",
        "_place",
        "_read",
        "_source",
        "comes_from_stream",
        "described",
        "in_directory",
        "marked_output",
        "marked_template",
        "marked_type",
        "order",
        "original_path",
        "parsed",
        "path",
        "prepared",
        "shown",
    )

    def __init__(
        self,
        path: str,
        read: Callable[[], bytes],
        *,
        order: int = 0,
        new_path: str = "",
        described: str | None = None,
        in_directory: bool = False,
        shown: str | None = None,
        comes_from_stream: bool = False,
    ) -> None:
        self.original_path = path
        self.path = new_path or path
        self.order = order
        self.described = path if described is None else described
        self.in_directory = in_directory
        self.shown = shown
        self.comes_from_stream = comes_from_stream
        self.parsed: dict[object, tuple[YamlFile, Sequence[Warning]]] = {}
        self.prepared: dict[object, tuple[Template | TemplateResult, Sequence[Warning], Sequence[Warning]]] = {}
        self.marked_type: str | None = None
        self.marked_template: bool | None = None
        self.marked_output: bool | None = None
        self._read = read
        self._data: bytes | None = None
        self._place = ""
        self._found: tuple[str, str | None, str, bool, bool] | None = None
        self._source: Source | None = None

    def bytes(self) -> bytes:
        """The content; read once. Raises ReadError."""
        if self._data is None:
            self._data = self._read()
        else:
            self.touch()
        return self._data

    def touch(self) -> None:
        """Records that the current run reads the file, which an earlier run has read."""
        view = current_view()
        if view is None or self._data is None or self.shown is None:
            return
        self._place = self._place or os.path.abspath(self.shown)
        if self._place not in view.files:
            view.record_file(self._place, self._data)
            current_budget().take(len(self._data))

    def text(self) -> str:
        """The content as text. Bytes that are not UTF-8 become lone surrogates. Raises ReadError."""
        return self.source.text

    @property
    def source(self) -> Source:
        """The content as a source named by `path`; the same object each time. Raises ReadError."""
        found = self._source
        if found is None or found.name != self.path:
            found = self._source = Source(self.path, self.bytes().decode("utf-8", "surrogateescape"))
            if self.shown is not None:
                found.shown = self.shown
        return found

    @property
    def is_read(self) -> bool:
        """True if the content was read."""
        return self._data is not None

    @property
    def is_streamed(self) -> bool:
        """True for standard input, a URL or a pipe. Their content may be decrypted, so it is stored nowhere."""
        return self.comes_from_stream or (self.shown is not None and not os.path.isfile(self.shown))

    @property
    def name(self) -> str:
        """The last piece of the path."""
        return self.path.rpartition("/")[2]

    def _nature(self) -> tuple[str, str | None, str, bool, bool]:
        """The path and `type` mark that determine the properties, and the properties: type, library file, template.
        Cached.
        """
        found = self._found
        if found is None or found[0] is not self.path or found[1] is not self.marked_type:
            name = self.name
            kind = self.marked_type or next((kind for suffix, kind in _TYPES_BY_SUFFIX if name.endswith(suffix)), DATA)
            pieces = name.split(".")
            is_library = kind == STARLARK or (len(pieces) > 2 and pieces[-2] == "lib")
            is_template = not is_library and kind in (YAML, TEXT)
            found = self._found = (self.path, self.marked_type, kind, is_library, is_template)
        return found

    @property
    def type(self) -> str:
        """`yaml`, `text`, `starlark` or `data`."""
        return self._nature()[2]

    @property
    def is_library(self) -> bool:
        """True for a library file: `.star`, or `lib` as the second-last of three or more name parts."""
        return self._nature()[3]

    @property
    def is_template(self) -> bool:
        """True if it is a YAML or text template and not a library file. A `type` mark overrides this.

        Schemas and data values are searched in files that are templates and YAML.
        """
        if self.marked_template is not None:
            return self.marked_template
        return self._nature()[4]

    @property
    def is_plain(self) -> bool:
        """True if the file is not evaluated. YAML loses its comments; text is copied."""
        return not self.is_template and not self.is_library

    @property
    def for_output(self) -> bool:
        """True if its documents or text are part of the output."""
        if self.marked_output is not None:
            return self.marked_output
        # A `*-plain` mark disables evaluation, not output; a `*-template` mark enables output even for `.lib.` names.
        return self.marked_template is True or self._nature()[4]

    @property
    def kind(self) -> str:
        """The role of the file, as the value of a `type` mark."""
        kind = self.type
        if kind in (STARLARK, DATA):
            return kind
        return f"{kind}-plain" if self.is_plain else f"{kind}-template"


def in_memory(path: str, data: bytes | str, order: int = 0) -> InputFile:
    """An input file with known content."""
    content = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    return InputFile(path, lambda: content, order=order)
