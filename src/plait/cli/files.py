"""Results that go into files: what the commands do with --output-files and --output-by."""

from __future__ import annotations

from plait.cli.streams import write_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.context import Context
    from plait.destinations import Pattern
    from plait.engine.results import Documents
    from plait.nodes import DocumentSet
    from plait.output import OutputFile


def write_files(directory: str, files: Sequence[OutputFile]) -> None:
    """Add files to a directory, and print the path of each. Raises PlaitError."""
    from plait.cli.endings import cleaned_up
    from plait.output import add_files

    with cleaned_up():
        add_files(directory, files, _print_line)


def replace_files(directory: str, files: Sequence[OutputFile]) -> None:
    """Have a directory hold these files alone, and print the path of each. Raises PlaitError."""
    from plait.cli.endings import cleaned_up
    from plait.output import replace_directory

    with cleaned_up():
        replace_directory(directory, files, _print_line)


def _print_line(line: str) -> None:
    write_out(f"{line}\n")


def result_of(
    nodes: DocumentSet, pattern: Pattern | None, write: Callable[[DocumentSet], str], context: Context
) -> Documents:
    """What a run gives, with a file for each document where a pattern says. Raises UsageError."""
    from plait.engine.results import Documents, Rendered

    if pattern is None:
        return Documents(nodes, write=write, warnings=context.warnings, trace=context.trace)
    from plait.destinations import files_of, places_by

    placed = places_by(pattern, nodes.items)
    return Rendered(
        nodes,
        files=lambda: files_of(placed, write),
        paths=[path for path, _ in placed],
        write=write,
        warnings=context.warnings,
        trace=context.trace,
    )
