"""Mistakes about libraries: data values for a library that nothing evaluates, or that are set without its name."""

from __future__ import annotations

from plait.base.errors import SchemaError, TemplateError, warning
from plait.base.similar_names import did_you_mean
from plait.base.source import public
from plait.ytt.workspace.input_files import CODE_BEGINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.base.errors import Finding
    from plait.base.source import Source
    from plait.tree.context import Context
    from plait.ytt.workspace.library import Library
    from plait.ytt.workspace.render_job import ReferencedValues, RenderJob


def check_used(values: Sequence[ReferencedValues], schemas_given: Sequence[ReferencedValues], library: Library) -> None:
    """Raises TemplateError for a reference that reached no library (docs/reference/libraries.md). library: the one that
    contains the libraries.
    """
    unused_values = [entry for entry in values if not entry.used]
    unused_schemas = [entry for entry in schemas_given if not entry.used]
    kinds = [kind for kind, unused in (("data values", unused_values), ("schema", unused_schemas)) if unused]
    if kinds:
        unused = [*unused_values, *unused_schemas]
        first = unused[0].document
        raise TemplateError(
            public(
                f"Expected all provided library {', and '.join(kinds)} documents to be used but found unused: "
                + ", ".join(entry.description for entry in unused)
            ),
            at=next(
                (said.position for name, said in (first.annotations or {}).items() if name == "library/ref"),
                first.position,
            ),
            hint=_unused_hint(unused[0], library),
            code="unused-library-documents",
        )


def _unused_hint(entry: ReferencedValues, library: Library) -> str | None:
    """A hint with the libraries that a reference may mean, or None."""
    known = list(_library_paths(library))
    path = entry.refs[0].path if entry.refs else ""
    if path in known:
        alias = entry.refs[0].alias
        called = f'library.get("{path}"' + (f', alias="{alias}")' if alias else ")")
        return f"the library exists, but nothing evaluates {called}, or its alias differs"
    near = did_you_mean(f"@{path}", [f"@{one}" for one in known]) if path else None
    if near is not None:
        return near
    names = ", ".join(f"@{name}" for name in known[:_NAMES_SHOWN])
    return f"the libraries here are {names}" if known and path else None


_NAMES_SHOWN = 9


def _library_paths(library: Library) -> Iterator[str]:
    """The paths of the private libraries of a library."""
    pending = [(child, "") for child in library.children if child.private]
    for directory, prefix in pending:  # the list grows during the iteration
        for child in directory.children:
            path = f"{prefix}{child.name}"
            if child.files:
                yield path
            elif not child.private:
                pending.append((child, f"{path}/"))


def values_of_library(job: RenderJob, context: Context) -> None:
    """Warns about flags that set a data value under the name of a library, if no file outside libraries reads any."""
    texts = [member.file.text() for member in job.library.accessible_files() if member.file.type in CODE_BEGINS]
    # A file of a library that is loaded reads the data values of the template.
    if any("@ytt:data" in text or text.count("load(") > text.count("@ytt:") for text in texts):
        return
    for entry in job.values:
        meant = None if entry.refs else _flag_of_library(entry.document.source, job.library)
        if meant is not None:
            message = f"this data value has no effect because no template outside libraries reads data values; {meant}"
            context.warn(warning(message, code="values-without-template", at=entry.document.position), of=())


def invalid_values(findings: Sequence[Finding], library: Library) -> SchemaError:
    """The error for data values that a schema rejects."""
    for finding in findings:
        if finding.code == "undeclared-value" and not finding.hint and finding.at is not None:
            meant = _flag_of_library(finding.at.source, library)
            finding.hint = None if meant is None else public(meant)
    return SchemaError("One or more data values were invalid", findings=findings, code=findings[0].code).made_of()


def _flag_of_library(source: Source | None, library: Library) -> str | None:
    """The flag that sets a data value in a library, if `NAME.KEY=VALUE` begins with the name of one; or None."""
    if source is None or source.flag not in ("data-value", "data-value-yaml"):
        return None
    name, _, rest = (source.line(1) or "").partition(".")
    is_meant = rest and name in _library_paths(library)
    return f"--{source.flag} @{name}:{rest} sets it in the library {name}" if is_meant else None
