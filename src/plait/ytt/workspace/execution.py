"""The phases of a render for one library. The root is a library too."""

from __future__ import annotations

from plait.base.errors import OverlayError, PlaitError, TemplateError
from plait.base.events import current_listener
from plait.base.extensions import ALTERNATIVES, OUTPUT_FILE, REQUIRED, SECRETS, TAGS, VALUES_REFER
from plait.base.source import CLAUSE
from plait.tree.nodes import Document, DocumentSet, Map, is_empty
from plait.ytt.workspace.loader import Loader
from plait.ytt.workspace.render_job import DOCUMENTS, EXPORTS, NOTHING, TEXT, DocumentFile, ReferencedValues, TextFile
from plait.ytt.workspace.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from plait.base.source import Source
    from plait.ytt.json_schema.values_schema import ValuesSchema
    from plait.ytt.overlay.apply import Plans
    from plait.ytt.schema.types import Declaration
    from plait.ytt.starlark.structs import Module
    from plait.ytt.templates.file import TemplateResult
    from plait.ytt.workspace.library import Library, LibraryFile
    from plait.ytt.workspace.library_references import LibraryRefs
    from plait.ytt.workspace.memory import Memory, Recording
    from plait.ytt.workspace.render_job import LibraryLayout, RenderOptions
    from plait.ytt.workspace.value_references import ReferredValues

VALUES = "data/values"
SCHEMA = "data/values-schema"
LIBRARY_REF = "library/ref"


class Evaluated:
    """The results of one library's templates. exports: (path, names) of each library file."""

    __slots__ = ("exports", "files", "texts")

    def __init__(
        self,
        files: list[DocumentFile],
        texts: list[TextFile],
        exports: list[tuple[str, Mapping[str, object]]],
    ) -> None:
        self.files = files
        self.texts = texts
        self.exports = exports


class Execution:
    """The phases for one library (the root is one too); each phase can run any number of times."""

    __slots__ = ("_layout", "_outside", "_referred", "library", "options", "session")

    def __init__(self, session: Session, library: Library, options: RenderOptions) -> None:
        self.session = session
        self.library = library
        self.options = options
        self._layout: LibraryLayout | None = None
        self._outside: ValuesSchema | None = None
        self._referred: ReferredValues | None = None
        if VALUES_REFER in options.extensions:
            from plait.ytt.workspace.value_references import ReferredValues

            self._referred = ReferredValues(session.context.trace)

    @property
    def outside(self) -> ValuesSchema | None:
        """The external schema of data values, or None. Raises PlaitError."""
        if self.options.values_schema and self._outside is None:
            from plait.ytt.json_schema.values_schema import values_schema

            self._outside = values_schema(self.options.values_schema)
            for note in self._outside.notes:
                self.session.context.warn(note, of=())
        return self._outside

    @property
    def layout(self) -> LibraryLayout:
        """The roles of the library's files. Raises PlaitError."""
        if self._layout is None:
            self._layout = self.session.layout(self.library, self.options)
        return self._layout

    def schema(self, given: Sequence[ReferencedValues]) -> tuple[Declaration | None, list[ReferencedValues]]:
        """The schema of this library, or None, and the schemas in it that are for other libraries.

        given: external schemas, applied after the library's own (docs/reference/schemas.md). Raises PlaitError.
        """
        # Each evaluation begins here, and records that the files give the library its layout.
        layout = self._layout = self.session.layout(self.library, self.options)
        own = layout.schemas
        if not own and not given:
            return None, []
        try:
            entries = [*self._documents(own, SCHEMA), *given]
            documents = [entry.document for entry in entries]
            schema = layout.schema.get(documents, self.session.context, lambda: self._built(entries))
            if self.session.context.lookups is not None:
                own_entries = [entry.document for entry in entries if not entry.refs]
                self.session.context.lookups.declared(schema, own_entries)
        except PlaitError as error:
            if not given:  # the schema is built only from files of the library, which see no data values
                error.made_of_inputs()
            order = _order(own, "additional data value schema" if given else None)
            raise error.within(f"Overlaying data values schema (in following order: {order})", role=CLAUSE) from None
        if schema is not None and self.outside is not None:
            from plait.ytt.workspace.external_schema import two_schemas

            raise two_schemas(schema, self.outside, own[0].file.path)
        return schema, [entry for entry in entries if entry.refs]

    def _built(self, entries: Sequence[ReferencedValues]) -> Declaration | None:
        """The combined schema. All entries must be schemas, including those for other libraries."""
        from plait.ytt.schema.build import build

        merged: Document | None = None
        built: Declaration | None = None
        for entry in entries:
            declared = build(entry.document, self.session.context.warn, self.options.extensions)
            if entry.refs:
                continue
            built = declared
            if merged is None:
                merged = entry.document
            else:
                context = self.session.context
                merged = _overlays().apply_document(merged, entry.document, trace=context.trace, warn=context.warn)
                built = build(merged, extensions=self.options.extensions)
        return built

    def values(
        self, given: Sequence[ReferencedValues], schema: Declaration | None
    ) -> tuple[Document, list[ReferencedValues]]:
        """The final data values of this library, and those for other libraries.

        given: external values (flags, references, `with_data_values`), applied after the library's own
        (docs/reference/data-values.md). Raises PlaitError.
        """
        layout = self.layout
        own = layout.values
        merged = None
        if schema is not None:
            from plait.ytt.schema.defaults import defaults

            merged = defaults(schema)
        elif self.outside is not None:
            merged = self.outside.defaults()
        trace = self.session.context.trace
        if trace is not None:
            trace.label = "data values"
            if merged is not None and not trace.only_marks:
                trace.written(merged.value, "schema default")
        try:
            entries = self._documents(own, VALUES)
            if entries:
                made_of = [schema, self.outside, *(entry.document for entry in entries)]
                first = merged
                merged = layout.defaults.get(
                    made_of, self.session.context, lambda: self._merged(first, entries, schema)
                )
            merged = self._merged(merged, given, schema)
        except PlaitError as error:
            has_more = any(not entry.refs for entry in given)
            order = _order(own, "additional data values" if has_more else None)
            if schema is not None and isinstance(error, OverlayError) and error.declared_hint is not None:
                error.hint = error.declared_hint
            raise error.within(f"Overlaying data values (in following order: {order})", role=CLAUSE) from None
        if merged is None:
            merged = Document(Map([]))
        entries = [*entries, *given]
        sources = [one.document.source for one in entries if one.document.source is not None]
        sources += self.options.prefixes
        if schema is not None and REQUIRED in self.options.extensions:
            from plait.ytt.schema.required import check_required

            check_required(schema, merged, sources)
        if self._referred is not None:
            merged = self._referred.computed(merged, trace)
            if schema is not None:
                self._hide_secrets(merged, schema)
        if self.session.context.lookups is not None:
            own_entries = [entry.document for entry in entries if not entry.refs]
            self.session.context.lookups.complete(self.library.name, schema, own_entries, merged)
        if trace is not None:
            trace.label = None
            trace.stage(trace.DATA_VALUES, [merged])
        listener = current_listener()
        if listener is not None and schema is not None:
            from plait.ytt.schema.points import report_points

            report_points(listener, schema, merged)
        if self.outside is not None and not self.options.disable_validation:
            self.outside.check(merged, sources)
        if not self.options.disable_validation and (
            schema is not None or any(not entry.plain for entry in entries if not entry.refs)
        ):
            from plait.ytt.schema.types import ANY
            from plait.ytt.schema.validations import validate

            validate(schema or ANY, merged)
        return merged, [entry for entry in entries if entry.refs]

    def _merged(
        self, merged: Document | None, entries: Sequence[ReferencedValues], schema: Declaration | None
    ) -> Document | None:
        """The data values merged with the entries for this library. Raises PlaitError."""
        trace = self.session.context.trace
        if merged is not None and schema is not None:
            self._hide_secrets(merged, schema)
        for entry in entries:
            if entry.refs:
                continue
            before = merged
            document = entry.document
            if schema is not None:
                self._hide_secrets(document, schema)
            if trace is not None and entry.secret:
                trace.hide(document.value)
            if merged is None:
                merged = document
            elif self.outside is not None:
                from plait.ytt.workspace.external_schema import merge_values

                merged = merge_values(self.outside, merged, document, plain=entry.plain, trace=trace)
            else:
                if not entry.plain:
                    from plait.ytt.overlay.chance import OF_STRINGS, warn_of_siblings, warn_of_string

                    if schema is not None:
                        warn_of_siblings(document, self.session.context.warn_openly)
                    elif document.source is not None and document.source.flag in OF_STRINGS:
                        warn_of_string(document, merged, self.session.context.warn)
                # Values unknown to the schema are reported by the check.
                warn = self.session.context.warn if schema is None else None
                if schema is not None and ALTERNATIVES in self.options.extensions:
                    from plait.ytt.schema.alternatives import without_replaced_alternatives

                    before = merged = without_replaced_alternatives(schema, document, merged, trace)
                merged = _overlays().apply_document(merged, document, plain=entry.plain, trace=trace, warn=warn)
                if trace is not None and entry.plain and before is not None and not trace.only_marks:
                    trace.relate(before.value, merged.value, "data values")
            if schema is not None:
                from plait.ytt.schema.check import check
                from plait.ytt.schema.defaults import fill

                filled = fill(schema, merged, before)
                if trace is not None and not trace.only_marks:
                    trace.relate(merged.value, filled.value, "schema default")
                merged = filled
                findings = check(schema, merged, before)
                if findings:
                    raise _mistakes().invalid_values(findings, self.library)
        return merged

    def _hide_secrets(self, document: Document, schema: Declaration) -> None:
        """Marks the data values that the schema declares secret."""
        if SECRETS in self.options.extensions:
            from plait.ytt.schema.secret_declarations import hide_secrets

            hide_secrets(schema, document.value, self.session.context.trace)

    def _documents(self, members: Sequence[LibraryFile], name: str) -> list[ReferencedValues]:
        """The documents annotated `@name` that these files evaluate to."""
        if not members:
            return []
        layout = self.layout
        if name in layout.documents:
            return layout.documents[name]
        found: list[ReferencedValues] = []
        if self._referred is None:
            loader = self._loader(None, (), ())
        else:
            self._referred.begin()
            loader = self._loader(self._referred, (), ())
        for member in members:
            try:
                documents = _only(loader.run(member.file, member.library, self.library), member.file.path, name)
            except PlaitError as error:
                raise error.within("", role=CLAUSE, reference=f"Templating file '{member.file.path}'") from None
            found += [_referenced(document, name) for document in documents]
        if (
            all(self.session.is_constant(member.file, self.options) for member in members)
            and not any(entry.refs for entry in found)  # the use of library values is recorded
            and self.options.debug is None
        ):
            layout.documents[name] = found
        return found

    def evaluate(
        self,
        values: Document,
        library_values: Sequence[ReferencedValues],
        library_schemas: Sequence[ReferencedValues],
        *,
        printed: bool,
    ) -> Evaluated:
        """Runs the templates, then the overlays (docs/guide-render.md). printed: False for the result of a library.

        Raises PlaitError.
        """
        layout = self.layout
        memory = self.session.memory(layout, self.options)
        recording = None
        if memory is not None and type(values.value) is Map:
            session, options = self.session, self.options
            root = None if library_values or library_schemas else self.library
            recording = memory.recording(session, values.value, root, lambda file: session.prepared(file, options))
        loader = self._loader(values, library_values, library_schemas, recording)
        documents: list[tuple[LibraryFile, DocumentSet]] = []
        texts: list[TextFile] = []
        exports: list[tuple[str, Mapping[str, object]]] = []
        context = self.session.context
        for member, purpose in layout.members:
            context.begin(member.path)
            context.done += 1
            if purpose == NOTHING:
                continue
            if purpose == EXPORTS:
                if recording is not None and printed:
                    recording.check_exports(member, loader, self.library)
                    continue
                exports.append((member.path, loader.exports(member, self.library)))
                if context.lookups is not None:
                    context.lookups.defines(member.file.source, exports[-1][1])
                continue
            file = member.file
            if recording is None:
                outcome = loader.run(file, member.library, self.library)
            else:
                outcome = recording.outcome(member, loader, self.library)
            if purpose == DOCUMENTS:
                assert outcome.documents is not None
                documents.append((member, outcome.documents))
                if context.originals is not None and not self.session.yaml(file, self.options).is_template:
                    context.originals.add(outcome.documents, _read)
            elif purpose == TEXT:
                texts.append(TextFile(member.path, outcome.text))
                if context.trace is not None:
                    from plait.ytt.templates.traced_text import note_text

                    note_text(context.trace, texts[-1].text, file.source)
            else:
                raise TemplateError(
                    f"Unknown file type of '{file.path}'",
                    expected="a YAML or text file for output",
                    found=f"a {file.type} file",
                    hint=f"--file-mark '{file.original_path}:type=yaml-template' would make it one",
                    code="unknown-file-type",
                )
        if OUTPUT_FILE in self.options.extensions and any(
            "@output/file" in one.file.text() for one, _ in layout.members
        ):
            from plait.ytt.workspace.outputs import check_placed

            check_placed(found for _, found in documents)
        if library_values or library_schemas:
            _mistakes().check_used(library_values, library_schemas, self.library)
        if TAGS in self.options.extensions:
            from plait.ytt.workspace.tag_overlays import replacing

            for place, (member, found) in enumerate(documents):
                items: list[Document] = [replacing(one) if _is_overlay(one) else one for one in found.items]  # type: ignore[misc]
                documents[place] = member, found.with_items(items)
        context.begin("overlays")
        if memory is not None:
            documents = memory.known_again(documents)
        return Evaluated(_overlaid(documents, self.session, layout.plans, memory, printed=printed), texts, exports)

    def exports(
        self, member: LibraryFile, values: Document, library_values: Sequence[ReferencedValues]
    ) -> Mapping[str, object]:
        """The names that a library file defines. Raises PlaitError."""
        return self._loader(values, library_values, ()).exports(member, self.library)

    def _loader(
        self,
        values: Document | ReferredValues | None,
        library_values: Sequence[ReferencedValues],
        library_schemas: Sequence[ReferencedValues],
        recording: Recording | None = None,
    ) -> Loader:
        def make_library(current: Library, root: Library) -> Module:
            from plait.ytt.workspace.library_module import library_module

            return library_module(self, current, root, library_values, library_schemas)

        shown = Map([]) if values is None else values.value if isinstance(values, Document) else values
        return Loader(self.session, self.options, shown, make_library, recording)


def _read(source: Source) -> DocumentSet:
    """The documents of a file that is not a template."""
    from plait.yaml.reader import read
    from plait.yaml.repeats import deduplicate

    return deduplicate(read(source))


def _order(members: Sequence[LibraryFile], additional: str | None) -> str:
    names = [member.file.path for member in members]
    return ", ".join([*names, additional] if additional else names)


def _overlays() -> ModuleType:
    """The module of overlays. Loaded if there are any."""
    from plait.ytt.overlay import apply

    return apply


def _mistakes() -> ModuleType:
    """The module of mistakes about libraries. Loaded if there may be one."""
    from plait.ytt.workspace import library_mistakes

    return library_mistakes


def _is_overlay(document: Document) -> bool:
    return bool(_overlays().is_overlay(document))


def is_dropped(document: Document) -> bool:
    """True if a document is dropped: null, or an empty map or array that is not the result of an expression."""
    return document.value is None or (is_empty(document.value) and not document.computed)


def _only(made: TemplateResult, path: str, name: str) -> list[Document]:
    """The documents of a file, all annotated `@name`. Raises TemplateError if there are others."""
    assert made.documents is not None
    found = []
    for document in made.documents.items:
        if document.annotations is not None and name in document.annotations:
            found.append(document)
        elif not is_dropped(document):
            what = "data values file" if name == VALUES else "schema file"
            kind = "data values" if name == VALUES else "schema"
            raise TemplateError(
                f"Expected {what} '{path}' to only have {kind} documents",
                at=document.position,
                hint=f"remove this ---, or write #@{name} above it; a template is a file of its own",
                code="only-documents",
            )
    return found


def _referenced(document: Document, name: str) -> ReferencedValues:
    """A document with the library reference in its annotations. Raises TemplateError."""
    annotations = document.annotations or {}
    refs: LibraryRefs = ()
    if LIBRARY_REF in annotations:
        from plait.ytt.workspace.library_references import refs_of

        refs = refs_of(annotations[LIBRARY_REF])
    after = False
    if name == VALUES and annotations[VALUES].kwargs:
        from plait.ytt.workspace.library_references import is_after_module

        after = is_after_module(annotations[VALUES], refs)
    return ReferencedValues(
        document, refs, after_library_module=after, noun="Data Value" if name == VALUES else "Schema"
    )


def _overlaid(
    documents: list[tuple[LibraryFile, DocumentSet]],
    session: Session,
    plans: Plans,
    memory: Memory | None,
    *,
    printed: bool,
) -> list[DocumentFile]:
    """Separates the overlays, and applies them to all others (docs/reference/overlays.md)."""
    documents.sort(key=lambda found: found[0].file.order)
    overlays: list[Document] = []
    overlay_files: list[str] = []
    kept: list[tuple[LibraryFile, DocumentSet]] = []
    marks = session.context.secrets
    for member, found in documents:
        rest: list[Document] = []
        if marks is not None:
            marks.may_drop(found.items)
        for document in found.items:
            if document.annotations is not None and _is_overlay(document):
                overlays.append(document)
                if member.file.path not in overlay_files:
                    overlay_files.append(member.file.path)
            elif not is_dropped(document):
                rest.append(document)
        if rest:
            kept.append((member, found if len(rest) == len(found.items) else found.with_items(rest)))
    trace = session.context.trace
    groups = [found for _, found in kept]
    if trace is not None:
        trace.stage("templates", [document for group in groups for document in group.items])
    if marks is not None and marks.shaped:
        from plait.ytt.templates.tracing import shapes_overlays

        if shapes_overlays(marks, (member.file.source for member, _ in documents)):
            # Changes of an overlay that a secret removed are unknown.
            marks.hide_all()
    if overlays:
        try:
            from plait.ytt.overlay.apply import apply_documents

            warn = session.context.warn_openly  # overlays withhold secret-dependent text themselves
            applied = None if memory is None else memory.applied(session.context)
            groups = apply_documents(
                groups, overlays, plans=plans, applied=applied, trace=trace, warn=warn, printed=printed
            )
        except PlaitError as error:
            raise error.within(f"Overlaying (in following order: {', '.join(overlay_files)})", role=CLAUSE) from None
    result = [
        DocumentFile(member.path, member.file.order, group) for (member, _), group in zip(kept, groups, strict=False)
    ]
    # Overlays that append to an empty output have created a group.
    result += [DocumentFile(overlay_files[-1], 0, group) for group in groups[len(kept) :]]
    return result
