"""State shared by all evaluations of one run: files, compiled templates and modules."""

from __future__ import annotations

from plait.base.errors import PlaitError, ReadError, StarlarkError, TemplateError, replacing, warning
from plait.base.extensions import VALUES_REFER
from plait.base.source import CLAUSE, Position
from plait.tree.context import Context
from plait.ytt.templates.file import TemplateResult, YamlFile
from plait.ytt.templates.template_files import read_yaml
from plait.ytt.workspace import input_files as files
from plait.ytt.workspace.library import PRIVATE_NAME
from plait.ytt.workspace.render_job import LibraryLayout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plait.base.errors import Warning
    from plait.tree.nodes import DocumentSet, Value
    from plait.ytt.starlark.structs import Module
    from plait.ytt.templates.template import Template
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.library import Library, LibraryFile
    from plait.ytt.workspace.memory import Frame, Memory
    from plait.ytt.workspace.render_job import RenderOptions
    from plait.ytt.workspace.shared_files import SharedFiles


# Signs of a text that may need a warning.
_SIGNS = "<<<<<<<", "(@=", ".append(", ".extend(", "attr(data.values,", "):\n#@ "
# The number of evaluations of one library in one run that are remembered.
_MOST_MEMORIES = 16


class Session:
    """The files and templates of one evaluation, each read and compiled once, even if several libraries evaluate it.

    data_module: creates `@ytt:data` from data values and functions, on demand. data_functions: its functions by the
    directory of a file and its root. reached_out: set if a program reads files that it does not load. frame: the
    recorded evaluation that is running.
    """

    __slots__ = (
        "_evaluations",
        "_layouts",
        "_modules",
        "context",
        "data_functions",
        "data_module",
        "frame",
        "instruction_sets",
        "of_results",
        "reached_out",
        "shared",
    )

    def __init__(self, context: Context | None = None, shared: SharedFiles | None = None) -> None:
        """shared: the files of this and of other runs."""
        self.context = Context() if context is None else context
        self.shared = shared
        self._layouts: dict[tuple[object, ...], LibraryLayout] = {}
        # The number of evaluations of each library.
        self._evaluations: dict[LibraryLayout, int] = {}
        self._modules: dict[str, Module] = {}
        self.data_functions: dict[tuple[Library, Library], dict[str, object]] = {}
        self.data_module: Callable[[Value, Mapping[str, object]], Module] | None = None
        # Warnings that are reported unless an error says more.
        self.of_results: list[Warning] = []
        self.reached_out = False
        self.frame: Frame | None = None
        # Number of templates that ytt has compiled so far, which compiles a file again for each load.
        self.instruction_sets = 1

    def end(self) -> None:
        """Drops functions and modules, which refer back to the session."""
        self.data_functions.clear()
        self.data_module = None
        self._modules.clear()
        self.frame = None
        self._layouts.clear()
        self._evaluations.clear()

    def give(self, files: Mapping[InputFile, DocumentSet]) -> None:
        """Sets the documents of plain files that were already read."""
        traced = self.context.trace is not None
        for file, documents in files.items():
            read = YamlFile(file.source, documents, None), ()
            file.parsed[False, traced] = file.parsed[True, traced] = read

    def yaml(self, file: InputFile, options: RenderOptions) -> YamlFile:
        """The file as read. Raises ReadError."""
        return self._yaml(file, options)[0]

    def _yaml(self, file: InputFile, options: RenderOptions) -> tuple[YamlFile, Sequence[Warning]]:
        """The file as read, and its warnings. Warnings are reported each time, except while a secret decides which
        files are read.
        """
        traced = self.context.trace is not None
        key = options.strict, traced
        if self.shared is not None:
            file.touch()
        found = file.parsed.get(key)
        if found is None:
            file.source.extensions = options.extensions
            try:
                made = read_yaml(
                    file.source, strict=options.strict, plain=file.is_plain, cache=self.context.cache, traced=traced
                )
            except PlaitError as error:
                if isinstance(error, ReadError):
                    error.within("", role=CLAUSE, reference=f"Unmarshaling YAML template '{file.path}'")
                raise error.made_of_inputs() from None  # the text of a template is not a secret
            found = file.parsed[key] = made, [*_warnings(file, made)]
        for text in found[1]:
            self.context.warn(text, of=())
        return found

    def prepared(self, file: InputFile, options: RenderOptions) -> Template | TemplateResult:
        """The compiled file, or its result if it contains no code. Raises PlaitError."""
        key = options.reading, self.context.trace is not None
        if self.shared is not None:
            file.touch()
        found = file.prepared.get(key)
        if found is None:
            kind = file.type
            read: YamlFile | None = None
            warnings: Sequence[Warning] = ()
            late = warnings
            made: Template | TemplateResult
            if kind == files.YAML:
                read, warnings = self._yaml(file, options)
                made = self._compiled(file, kind, options) if read.is_template else TemplateResult({}, read.plain)
            elif kind == files.TEXT and file.is_plain:
                made = TemplateResult({}, text=file.text())
            else:
                made = self._compiled(file, kind, options)
            if kind == files.TEXT or any(sign in file.source.text for sign in _SIGNS):
                from plait.ytt.workspace.text_warnings import empty_results, text_warnings

                warnings = [*warnings, *text_warnings(file, read)]
                late = [*empty_results(file)]
            found = file.prepared[key] = made, warnings, late
        for one in found[1]:
            self.context.warn(one, of=())
        self.of_results += found[2]
        return found[0]

    def is_constant(self, file: InputFile, options: RenderOptions) -> bool:
        """True if an evaluated file is known to have the same result in every run."""
        found = self.prepared(file, options)
        return isinstance(found, TemplateResult) or found.fixed

    def _compiled(self, file: InputFile, kind: str, options: RenderOptions) -> Template:
        try:
            return self._compile(file, kind, options)
        except (StarlarkError, TemplateError) as error:
            error.made_of_inputs()
            if kind == files.TEXT and "<<<<<<<" not in file.source.text:
                raise
            from plait.ytt.templates.recovery import add_others

            ignore = options.ignore_unknown_comments
            raise add_others(error, file.source, kind, ignore_unknown_comments=ignore) from None

    def _compile(self, file: InputFile, kind: str, options: RenderOptions) -> Template:
        from plait.ytt.templates.template import compile_starlark, compile_text, compile_yaml

        traced = self.context.trace is not None
        cache = None if file.is_streamed else self.context.cache
        file.source.extensions = options.extensions
        if kind == files.YAML:
            return compile_yaml(
                self.yaml(file, options),
                ignore_unknown_comments=options.ignore_unknown_comments,
                implicit_map_key_overrides=options.implicit_map_key_overrides,
                cache=cache,
                traced=traced,
            )
        if kind == files.TEXT:
            return compile_text(file.source, cache, traced=traced)
        file.source.is_unnamed = True
        return compile_starlark(file.source, cache, traced=traced)

    def module(self, name: str) -> Module | None:
        """The module `@ytt:NAME` of the run; None for an unknown name and for modules created per file."""
        found = self._modules.get(name)
        if found is None:
            from plait.ytt.modules import MODULES, load_module

            if name in MODULES:
                found = self._modules[name] = load_module(name, self.context)
        return found

    def layout(self, library: Library, options: RenderOptions) -> LibraryLayout:
        """The roles of a library's files. Reads all its YAML templates.

        Raises ReadError for invalid YAML, TemplateError for an annotation on anything but a document.
        """
        key = (library, options.reading)
        found = self._layouts.get(key)
        if found is None:
            if self.shared is None or self.context.trace is not None:  # a traced run has its own
                found = self._laid_out(library, options)
            else:
                found = self.shared.layout(library, options, self.context, lambda: self._laid_out(library, options))
            self._layouts[key] = found
        elif self.frame is not None:
            self.frame.lays_out(found.members, lambda file: self.yaml(file, options))
        return found

    def memory(self, layout: LibraryLayout, options: RenderOptions) -> Memory | None:
        """The memory for the next evaluation of a library; None if nothing is reused."""
        context = self.context
        if self.shared is None or options.debug is not None:
            return None
        if (context.trace, context.secrets, context.silence, context.lookups) != (None,) * 4:
            return None
        # The number of the evaluation of this library in the run.
        number = self._evaluations.get(layout, 0)
        self._evaluations[layout] = number + 1
        if number >= _MOST_MEMORIES or VALUES_REFER in context.extensions:
            return None
        return self.shared.memory(layout, number, options)

    def _laid_out(self, library: Library, options: RenderOptions) -> LibraryLayout:
        schemas: list[LibraryFile] = []
        values: list[LibraryFile] = []
        members = library.accessible_files()
        for member in members:
            if member.file.type == files.YAML and member.file.is_template:
                read = self.yaml(member.file, options)
                if read.has_document_annotated("data/values-schema"):
                    schemas.append(member)
                if read.has_document_annotated("data/values"):
                    values.append(member)
        return LibraryLayout(members, schemas, values)


def _warnings(file: InputFile, found: YamlFile) -> Iterator[Warning]:
    """Warnings about parts of a YAML file without effect, or with a surprising one."""
    source = file.source
    if not found.is_template and found.plain is not found.documents:
        from plait.yaml.reading_warnings import duplicate_key_warnings

        yield from duplicate_key_warnings(source, found.documents, several=True)
    for line, name, alike, hint in found.misspelt():
        yield warning(
            f"unknown annotation @{name}; {hint}",
            code="unknown-annotation",
            at=Position(source, line),
            word=f"@{name}",
            suggestions=replacing(f"@{name}", [f"@{one}" for one in alike or [f" {name}"]], hint).suggestions,
        )
    ignored = found.ignored()
    if ignored is not None:
        message = "the text after the ... that ends the last document has no effect"
        yield warning(message, code="text-after-end", at=Position(source, ignored))
    for line, code, message in found.remarks():
        yield warning(message, code=code, at=Position(source, line))
    # The output of a library may be an overlay: overlay.apply(base, library.get(...).eval())
    unused = None if PRIVATE_NAME in source.shown.split("/") else found.unused_overlay()
    if unused is not None:
        line, name = unused
        yield warning(
            f"@{name} has no effect because no document of this file is an overlay; "
            "to make one an overlay, put #@overlay/match by=... above its ---",
            code="no-overlay",
            at=Position(source, line),
        )
