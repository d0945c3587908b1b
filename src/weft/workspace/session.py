"""What all evaluations of one run share: files read once, templates compiled once (design 4)."""

from __future__ import annotations

from weft.context import Context
from weft.templates import read_yaml
from weft.workspace import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weft.nodes import DocumentSet
    from weft.templates import Template, YamlFile
    from weft.workspace.files import InputFile
    from weft.workspace.job import Options
    from weft.workspace.library import Library, LibraryFile


class AnnotatedFiles:
    """The files of a library that hold schemas, and those that hold data values, by sequence number."""

    __slots__ = ("schemas", "values")

    def __init__(self, schemas: list[LibraryFile], values: list[LibraryFile]) -> None:
        self.schemas = schemas
        self.values = values


class Session:
    """One run's files and templates, each read and compiled once however many libraries evaluate it."""

    __slots__ = ("_annotated", "_templates", "_yaml", "context")

    def __init__(self, context: Context | None = None) -> None:
        self.context = Context() if context is None else context
        self._yaml: dict[tuple[InputFile, bool], YamlFile] = {}
        self._templates: dict[tuple[object, ...], Template] = {}
        self._annotated: dict[tuple[Library, bool], AnnotatedFiles] = {}

    def give(self, files: Mapping[InputFile, DocumentSet]) -> None:
        """Take the documents of these plain files as read."""
        from weft.templates import YamlFile

        for file, documents in files.items():
            self._yaml[file, False] = self._yaml[file, True] = YamlFile(file.source, documents, None)

    def yaml(self, file: InputFile, options: Options) -> YamlFile:
        """The file as read. Raises ReadError."""
        key = (file, options.strict)
        found = self._yaml.get(key)
        if found is None:
            found = self._yaml[key] = read_yaml(file.source, strict=options.strict, plain=file.is_plain)
            for line, name, hint in found.misspelt():
                self.context.warn(f"{file.source.shown}:{line}: nothing is known of the annotation @{name}; {hint}")
            braces = found.braces()
            if braces is not None:
                self.context.warn(
                    f"{file.source.shown}:{braces}: {{{{ }}}} is a map within a map here; quotes around it make a text of it"
                )
            unused = found.unused_overlay()
            if unused is not None:
                line, name = unused
                self.context.warn(
                    f"{file.source.shown}:{line}: @{name} has no effect, since no document of this file is an overlay; "
                    "one is by #@overlay/match by=... above its ---"
                )
        return found

    def template(self, file: InputFile, options: Options) -> Template:
        """The file compiled: YAML (which must be a template), text or Starlark. Raises WeftError."""
        from weft.templates import compile_starlark, compile_text, compile_yaml

        kind = file.type
        traced = self.context.trace is not None
        cache = None if traced else self.context.cache
        if kind == files.YAML:
            ignore, implicit = options.ignore_unknown_comments, options.implicit_map_key_overrides
            return self._compiled(
                (file, options.strict, ignore, implicit),
                lambda: compile_yaml(
                    self.yaml(file, options),
                    ignore_unknown_comments=ignore,
                    implicit_map_key_overrides=implicit,
                    cache=cache,
                    traced=traced,
                ),
            )
        if kind == files.TEXT:
            return self._compiled((file,), lambda: compile_text(file.source, cache, traced=traced))
        return self._compiled((file,), lambda: compile_starlark(file.source, cache, traced=traced))

    def _compiled(self, key: tuple[object, ...], make: Callable[[], Template]) -> Template:
        found = self._templates.get(key)
        if found is None:
            found = self._templates[key] = make()
        return found

    def annotated(self, library: Library, options: Options) -> AnnotatedFiles:
        """Which files of a library hold schemas and data values; reads every YAML template of it (spec ytt 1.6).

        Raises ReadError for broken YAML, TemplateError for an annotation on something else than a document.
        """
        key = (library, options.strict)
        found = self._annotated.get(key)
        if found is None:
            schemas: list[LibraryFile] = []
            values: list[LibraryFile] = []
            for member in library.accessible_files():
                if member.file.type == files.YAML and member.file.is_template:
                    read = self.yaml(member.file, options)
                    if read.has_document_annotated("data/values-schema"):
                        schemas.append(member)
                    if read.has_document_annotated("data/values"):
                        values.append(member)
            schemas.sort(key=lambda member: member.file.order)
            values.sort(key=lambda member: member.file.order)
            found = self._annotated[key] = AnnotatedFiles(schemas, values)
        return found
