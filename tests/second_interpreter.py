"""What the second interpreter of continuous integration can change, and what it cannot (`pytest --again`).

Every test function that it can change runs there with its first case and a third of the others: another third at the next
commit. A property is tried with a third of its examples, always the same (tests/conftest.py). So a fault of an interpreter that
neither the conformance cases nor the first cases show is found some merges later, and the gate takes minutes less each time. Of
the tests that are listed here fewer cases are enough, or none.
"""

from __future__ import annotations

import pathlib
import subprocess
import zlib
from collections.abc import Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

TESTS = pathlib.Path(__file__).parent


class Cases(Enum):
    """The cases of a test function that run."""

    # The first, and one of TURNS parts of the others.
    IN_TURN = auto()
    NONE = auto()
    FIRST = auto()
    # As IN_TURN, of cases that have each value of each parameter, but not each combination.
    EACH_VALUE = auto()


IN_TURN, NONE, FIRST, EACH_VALUE = Cases
TURNS = 3
NO_VALUE = ("", "")
# Directories whose tests stand above the engine and ask it in no way of its own: with `--traced`, their runs are not recorded.
ABOVE = ("lsp", "service", "website")
# By directory, file or test function; the longest entry that fits counts.
SOME: dict[str, Cases] = {
    # They read sources and documents, whose texts are the same everywhere.
    "test_changelog.py": NONE,
    "test_docs.py::test_command_lines_have_flags_that_exist": NONE,
    "test_portable.py::test_files_are_opened_as_bytes_or_as_utf_8": NONE,
    "test_portable.py::test_modules_of_one_system_are_imported_where_they_can_be_missing": NONE,
    "test_diagnostics.py::test_every_place_has_a_code": NONE,
    "test_diagnostics.py::test_every_warning_has_a_code": NONE,
    "test_diagnostics.py::test_no_place_reads_a_message": NONE,
    "test_diagnostics.py::test_registered_codes_are_used": NONE,
    "test_diagnostics.py::test_texts_of_reference_programs_are_found": NONE,
    "test_diagnostics.py::test_texts_of_reference_programs_belong_to_codes": NONE,
    "test_diagnostics.py::test_texts_of_reference_programs_are_listed": NONE,
    "test_layers.py": NONE,
    "test_reference.py": NONE,
    "test_reference.py::test_every_variable_store_example_runs": IN_TURN,
    "test_reference.py::test_example_of_a_flag": IN_TURN,
    "test_render_docs.py": NONE,
    "test_supply.py": NONE,
    "test_words.py": NONE,
    "base/test_lines.py::test_no_other_rule_splits_lines": NONE,
    "engine/test_requests.py::test_a_text_names_no_flag_that_is_not_declared": NONE,
    "engine/test_requests.py::test_only_the_command_line_parses_and_builds_command_lines": NONE,
    "engine/test_requests.py::test_no_command_line_is_searched_for_a_flag": NONE,
    "security/test_children.py": NONE,
    "security/test_one_writer.py": NONE,
    "security/test_patterns.py": NONE,
    "security/test_promises.py": NONE,
    "security/test_workspaces.py": NONE,
    # A type checker, an editor or a browser does the work.
    "api/test_typing.py": NONE,
    "lsp/test_neovim.py": NONE,
    "website/test_page.py": NONE,
    "website/test_scripts.py": NONE,
    # What stands above the engine asks it in no way of its own: its cases are about requests, places in a text, roles,
    # projects, repositories of Git and caches.
    **dict.fromkeys(ABOVE, FIRST),
    "agents": FIRST,
    "authoring": FIRST,
    "authoring/test_lint_cases.py": IN_TURN,
    "fleet": FIRST,
    # Processes, and signals to them.
    "fleet/test_fleet.py::test_a_fleet_that_was_ended_goes_on": EACH_VALUE,
    "review": FIRST,
    "service/test_cases.py": EACH_VALUE,
    # One program, which every command or every kind of path is tried with; programs, which several commands are tried with.
    "agents/test_attacks.py": EACH_VALUE,
    "cli": EACH_VALUE,
    "cli/test_at_a_terminal.py": FIRST,
    "security": EACH_VALUE,
    "security/test_asked_paths.py": FIRST,
    "security/test_compared.py": FIRST,
    "security/test_fleet_cache.py": FIRST,
    "security/test_interrupts.py": FIRST,
    "security/test_pipes.py": FIRST,
    # The other test of the file starts every command as well.
    "security/test_poisoned_directory.py::test_a_command_starts_processes_if_its_entry_says_so": FIRST,
    "security/test_terminal.py": FIRST,
    "security/test_trust.py": FIRST,
    "security/test_written_paths.py": FIRST,
    # It runs the examples of flags, as test_reference.py does there, to see that a table is complete.
    "security/test_written_paths.py::test_every_command_and_flag_that_writes_is_here": NONE,
    "test_portable.py::test_a_command_does_the_same_elsewhere": FIRST,
}


def missing() -> list[str]:
    """Entries of SOME for which there is nothing."""
    return [entry for entry in SOME if not _is_there(*entry.partition("::"))]


def _is_there(path: str, _: str, function: str) -> bool:
    place = TESTS / path
    return place.exists() and (not function or f"def {function}(" in place.read_text("utf-8"))


def left_out(items: list[pytest.Item], turn: int) -> list[pytest.Item]:
    """The tests that do not run. turn: a number that differs between commits."""
    seen: dict[tuple[str, str], set[tuple[str, str]]] = {}
    found = []
    for item in items:
        path = item.path.relative_to(TESTS).as_posix()
        function = item.name.partition("[")[0]
        cases = next((SOME[entry] for entry in _entries(path, function) if entry in SOME), IN_TURN)
        before = seen.setdefault((path, function), set())
        values = _values(item)
        is_more = bool(before) and (cases is FIRST or not _is_in_turn(item, turn))
        if cases is NONE or is_more or (cases is EACH_VALUE and values <= before):
            found.append(item)
        before |= values
    return found


def _is_in_turn(item: pytest.Item, turn: int) -> bool:
    # Texts of cases, not their numbers: parameters of one test often alternate.
    return (zlib.crc32(item.nodeid.encode()) + turn) % TURNS == 0


def commit_number() -> int:
    """The number of commits so far; 0 outside of a repository."""
    command = ["git", "-C", str(TESTS), "rev-list", "--count", "HEAD"]
    counted = subprocess.run(command, capture_output=True, check=False)
    return int(counted.stdout) if counted.returncode == 0 else 0


def _values(item: pytest.Item) -> set[tuple[str, str]]:
    """The values of the parameters of a test: name and text of each."""
    call = getattr(item, "callspec", None)
    found = call.params.items() if call else ()
    return {NO_VALUE, *((name, _text(value)) for name, value in found)}


def _text(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # a number of many digits has no text
        return str(id(value))


def _entries(path: str, function: str) -> Iterator[str]:
    yield f"{path}::{function}"
    yield path
    yield path.partition("/")[0]
