"""The input and the result of one `render`, shared by reading inputs, the phases, and writing output."""

from __future__ import annotations

from plait.base.extensions import F_STRINGS, TAGS
from plait.tree.nodes import Document, DocumentSet
from plait.yaml.output_formats import FORMATS, TAGGED
from plait.ytt.workspace import input_files as files
from plait.ytt.workspace.library import build_library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias, TypeVar

    from plait.base.output_files import OutputFile
    from plait.base.source import Source
    from plait.tree.context import Context, FormatPreserver
    from plait.tree.nodes import Map
    from plait.yaml.output_paths import OutputPattern
    from plait.yaml.reusing_writer import ReusingWriter
    from plait.ytt.overlay.apply import Plans
    from plait.ytt.schema.types import Declaration
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.library import Library, LibraryFile
    from plait.ytt.workspace.library_references import LibraryRefs
    from plait.ytt.workspace.memory import Memory

    Made = TypeVar("Made")
    FromEnvironment: TypeAlias = (
        "Callable[[Sequence[ReferencedValues], Declaration | None, bool], list[ReferencedValues]]"
    )
    Merged: TypeAlias = "Callable[[Sequence[DocumentFile], Context], list[DocumentFile]]"

# The phase after which a run stops: the schema, in one of two formats, or the data values of the root library.
INSPECT_SCHEMA = "schema"
INSPECT_JSON_SCHEMA = "json-schema"
INSPECT_VALUES = "values"

# Extensions that change how a file is read.
_READING = frozenset((F_STRINGS, TAGS))


class RenderOptions:
    """Options of reading and evaluating templates. `with_overrides` returns the options of a library.

    strict: YAML's strict subset. ignore_unknown_comments: accept plain comments in templates.
    implicit_map_key_overrides: a duplicate key in a template overrides. disable_validation: do not validate data
    values, here and in all libraries. inspect: None, or the phase after which the run stops. values_schema: a file with
    a schema of the root library's data values, `FILE` or `FILE#/pointer`, or "". debug: receives each line of the
    trace, or None. extensions: to the dialect, by name (`plait.base.extensions`). output_schemas: files and directories
    with schemas of the output's documents, by kind. output_by: the pattern for the file of each document; by default
    that of its template. prefixes: the flags that name prefixes of environment variables with data values. reading: the
    options that affect how files are read.
    """

    __slots__ = (
        "debug",
        "disable_validation",
        "extensions",
        "ignore_unknown_comments",
        "implicit_map_key_overrides",
        "inspect",
        "output_by",
        "output_schemas",
        "prefixes",
        "reading",
        "strict",
        "values_schema",
    )

    def __init__(
        self,
        *,
        strict: bool = False,
        ignore_unknown_comments: bool = False,
        implicit_map_key_overrides: bool = False,
        disable_validation: bool = False,
        inspect: str | None = None,
        debug: Callable[[str], None] | None = None,
        extensions: frozenset[str] = frozenset(),
        values_schema: str = "",
        output_schemas: Sequence[str] = (),
        output_by: OutputPattern | None = None,
        prefixes: Sequence[Source] = (),
    ) -> None:
        self.strict = strict
        self.ignore_unknown_comments = ignore_unknown_comments
        self.implicit_map_key_overrides = implicit_map_key_overrides
        self.disable_validation = disable_validation
        self.inspect = inspect
        self.debug = debug
        self.extensions = extensions
        self.values_schema = values_schema
        self.output_schemas = output_schemas
        self.output_by = output_by
        self.prefixes = prefixes
        self.reading = (strict, ignore_unknown_comments, implicit_map_key_overrides, extensions & _READING)

    def with_overrides(
        self,
        *,
        strict: bool | None = None,
        ignore_unknown_comments: bool | None = None,
        implicit_map_key_overrides: bool | None = None,
        disable_validation: bool = False,
    ) -> RenderOptions:
        """These options with overrides of a library instance. None keeps an option; validation can only be
        disabled.
        """

        def choose(own: bool, override: bool | None) -> bool:
            return own if override is None else override

        return RenderOptions(
            strict=choose(self.strict, strict),
            ignore_unknown_comments=choose(self.ignore_unknown_comments, ignore_unknown_comments),
            implicit_map_key_overrides=choose(self.implicit_map_key_overrides, implicit_map_key_overrides),
            disable_validation=self.disable_validation or disable_validation,
            inspect=None,
            debug=self.debug,
            extensions=self.extensions,
            output_by=self.output_by,
        )


class ReferencedValues:
    """Data values (or a schema) in one document, and the library they are for.

    document: an overlay on the previous data values; with `plain` it has no annotations and merges plainly (maps
    deeply, everything else replaces, new keys are added; docs/reference/data-values.md).
    refs: the libraries on the path to the target, outermost first; empty for the current library.
    all_refs: the reference as first written.
    after_library_module: it follows `with_data_values`.
    noun: its name in the message about unused references.
    used: set by `for_library` once it reached a library instance.
    secret: the values are secret.
    """

    __slots__ = ("after_library_module", "all_refs", "document", "noun", "plain", "refs", "secret", "used")

    def __init__(
        self,
        document: Document,
        refs: LibraryRefs = (),
        *,
        plain: bool = False,
        after_library_module: bool = False,
        noun: str = "Data Value",
        all_refs: LibraryRefs | None = None,
    ) -> None:
        self.document = document
        self.refs = refs
        self.all_refs = refs if all_refs is None else all_refs
        self.plain = plain
        self.after_library_module = after_library_module
        self.noun = noun
        self.used = False
        self.secret = False

    def __repr__(self) -> str:
        return f"ReferencedValues({self.description!r})"

    def for_library(self, path: str, alias: str) -> ReferencedValues | None:
        """The values for the library instance with this path and alias, or None. Their reference is one part shorter;
        if it is empty, they are for the instance itself. Marks values that reach an instance as used.
        """
        if not self.refs:
            self.used = True
            return self._shorter(())
        if not self.refs[0].matches(path, alias):
            return None
        self.used = True
        return self._shorter(self.refs[1:])

    def _shorter(self, refs: LibraryRefs) -> ReferencedValues:
        shorter = ReferencedValues(
            self.document,
            refs,
            plain=self.plain,
            after_library_module=self.after_library_module,
            noun=self.noun,
            all_refs=self.all_refs,
        )
        shorter.secret = self.secret
        return shorter

    @property
    def description(self) -> str:
        """The values in messages about unused references."""
        from plait.ytt.workspace.library_references import show_refs

        return f"{self.noun} belonging to library '{show_refs(self.all_refs)}' on line {self.document.position}"


def values_of_map(values: Map, *, secret: bool = False) -> ReferencedValues:
    """The data values of a map, for the current library, merged plainly. secret: the values are secret."""
    found = ReferencedValues(Document(values, values.source, values.line), plain=True)
    found.secret = secret
    return found


class RenderJob:
    """The options and inputs of one evaluation of `plait render`.

    files: every input, marks applied, by sequence number.
    library: their tree.
    values: from flags, in order of precedence, including those for libraries.
    environment: adds the data values that the environment sets by their names in the schema (see `environment`), or
    None.
    tells_secrets: messages may depend on secret values.
    merged: merges documents into the output files.
    after_schema: called once the schema is known.
    """

    __slots__ = ("after_schema", "environment", "files", "library", "merged", "options", "tells_secrets", "values")

    def __init__(
        self,
        files: Sequence[InputFile],
        options: RenderOptions | None = None,
        values: Sequence[ReferencedValues] = (),
        library: Library | None = None,
        environment: FromEnvironment | None = None,
    ) -> None:
        self.files = files
        self.library = build_library(files) if library is None else library
        self.options = RenderOptions() if options is None else options
        self.values = values
        self.environment = environment
        self.tells_secrets = False
        self.merged: Merged | None = None
        self.after_schema: Callable[[], None] | None = None


class DocumentFile:
    """The documents of one output file, after overlays. path: relative to the evaluated library."""

    __slots__ = ("documents", "order", "path")

    def __init__(self, path: str, order: int, documents: DocumentSet) -> None:
        self.path = path
        self.order = order
        self.documents = documents


class TextFile:
    """One output file of text."""

    __slots__ = ("path", "text")

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text


class RenderResult:
    """The result of a render.

    files: documents by output file, in order. A file whose documents were all removed by overlays is present and empty;
    a file without documents before overlays is absent.
    texts: text files in tree order.
    documents: all documents in one stream. An inspection has documents but no files.
    is_schema: the document is a schema of data values, which ytt prints without line numbers.
    originals: the texts as read, if the format is preserved.
    has_tags: maps with a tag as their key are printed as tags.
    reusing: prints documents of which most were printed before; or None.
    """

    __slots__ = ("documents", "files", "has_tags", "is_schema", "originals", "reusing", "texts")

    def __init__(
        self,
        files: Sequence[DocumentFile] = (),
        texts: Sequence[TextFile] = (),
        documents: DocumentSet | None = None,
        originals: FormatPreserver | None = None,
        *,
        is_schema: bool = False,
    ) -> None:
        self.originals = originals
        self.is_schema = is_schema
        self.files = files
        self.texts = texts
        self.has_tags = False
        self.reusing: ReusingWriter | None = None
        if documents is None:
            documents = DocumentSet([document for file in files for document in file.documents.items])
        self.documents = documents

    def paths(self) -> list[str]:
        """The path of every output file, text files first."""
        return [*(file.path for file in self.texts), *(file.path for file in self.files)]

    def write(self, form: str) -> Callable[[DocumentSet], str]:
        """The function that prints documents in an output format."""
        if self.originals is not None:
            return self.originals.write
        if form == "pos" and self.is_schema:
            from plait.yaml.position_listing import write_positions

            return lambda documents: write_positions(documents, are_shown=False)
        return self.reusing_writer(form) or (TAGGED if self.has_tags else FORMATS)[form]

    def reusing_writer(self, form: str) -> ReusingWriter | None:
        """The writer of documents that were printed before; None if it does not write this output."""
        return self.reusing if form == "yaml" and self.originals is None and not self.has_tags else None

    def output_files(self) -> list[OutputFile]:
        """Path and text of every output file, text files first."""
        write = self.write("yaml")
        texts: list[OutputFile] = [(file.path, file.text) for file in self.texts]
        return texts + [(file.path, write(file.documents)) for file in self.files]


class Memo:
    """The last result of a computation, reused for equal inputs.

    A result with a warning or a cost in steps is not cached, so that every run warns and is charged.
    """

    __slots__ = ("_made", "_of")

    def __init__(self) -> None:
        self._of: Sequence[object] | None = None
        self._made: Any = None

    def get(self, of: Sequence[object], context: Context, make: Callable[[], Made]) -> Made:
        """The result of `make` for these objects, cached. Raises its errors."""
        if self._of == of:
            return self._made  # type: ignore[no-any-return]
        from plait.ytt.starlark.step_budget import budget_of

        budget = budget_of(context)
        before = budget.spent, context.told
        made = make()
        if (budget.spent, context.told) == before:
            self._of, self._made = of, made
        return made


# The purpose of evaluating a file: its documents, its text, its exported names, or none. A file for output may have a
# type that has no output.
DOCUMENTS = "documents"
TEXT = "text"
EXPORTS = "exports"
NOTHING = "nothing"
UNKNOWN = "unknown"


class LibraryLayout:
    """The roles of a library's files, computed once. See docs/reference/libraries.md.

    members: all files with their roles, in tree order. schemas, values: files with schemas and data values, by sequence
    number; they are not output. documents: the documents of schemas and data values by annotation, if their evaluation
    always has the same result. schema: built from the schemas. defaults: the data values without external ones. plans:
    of the overlays applied last. memories: the memories of its evaluations in the last run, by their number in the run.
    """

    __slots__ = ("defaults", "documents", "members", "memories", "plans", "schema", "schemas", "values")

    def __init__(self, members: list[LibraryFile], schemas: list[LibraryFile], values: list[LibraryFile]) -> None:
        self.documents: dict[str, list[ReferencedValues]] = {}
        self.plans: Plans = {}
        self.memories: list[Memory] = []
        self.schema = Memo()
        self.defaults = Memo()
        self.schemas = sorted(schemas, key=lambda member: member.file.order)
        self.values = sorted(values, key=lambda member: member.file.order)
        without_output = {member.file for member in (*schemas, *values)}
        self.members = [
            (member, _purpose(member.file, output=member.file.for_output and member.file not in without_output))
            for member in members
        ]


def _purpose(file: InputFile, *, output: bool) -> str:
    if output:
        return DOCUMENTS if file.type == files.YAML else TEXT if file.type == files.TEXT else UNKNOWN
    return EXPORTS if file.is_library and file.type != files.DATA else NOTHING
