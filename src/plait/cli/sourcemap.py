"""`--source-map FILE`, which every command has that prints documents of several origins."""

from __future__ import annotations

from plait.cli.options import TEXT, Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.cli.options import Parsed
    from plait.nodes import DocumentSet
    from plait.provenance import Trace

SOURCE_MAP = Flag("source-map", TEXT, "write where each value of the output comes from, as JSON", value="FILE")


def trace_of(flags: Parsed) -> Trace | None:
    """What is to record the run, if a source map is wanted."""
    if not flags.given(SOURCE_MAP.name):
        return None
    from plait.provenance import Trace

    return Trace()


def write_source_map(
    flags: Parsed, trace: Trace | None, documents: DocumentSet, text: str | None = None, *, as_json: bool = False
) -> None:
    """Write the file, if it is wanted. text, as_json: what is printed, if not the usual YAML. Raises ReadError."""
    if trace is not None and flags.given(SOURCE_MAP.name):
        from plait.cli.endings import cleaned_up
        from plait.tools.sourcemap import write_map

        with cleaned_up():
            write_map(flags.text(SOURCE_MAP.name), trace, documents, text, as_json=as_json)
