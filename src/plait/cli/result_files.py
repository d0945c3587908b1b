"""Writes results to files: --output-files and --output-by."""

from __future__ import annotations

from plait.base.content import encoded
from plait.base.output_files import add_files, replace_directory
from plait.cli.signals import cleanup_on_signal
from plait.cli.streams import write_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.base.output_files import OutputFile


def write_files(directory: str, files: Sequence[OutputFile]) -> None:
    """Adds files to a directory, and prints the path of each. Raises PlaitError."""
    with cleanup_on_signal():
        add_files(directory, _contents(files), _print_line)


def replace_files(directory: str, files: Sequence[OutputFile]) -> None:
    """Replaces the content of a directory by these files, and prints the path of each. Raises PlaitError."""
    with cleanup_on_signal():
        replace_directory(directory, _contents(files), _print_line)


def _contents(files: Sequence[OutputFile]) -> Iterator[tuple[str, bytes]]:
    return ((path, encoded(text)) for path, text in files)


def _print_line(line: str) -> None:
    write_answer(f"{line}\n")
