"""Schemas of a run: files are read through the run's input view, which records the reads."""

from __future__ import annotations

import os
from contextlib import contextmanager

from plait.base.input_view import check_read, current_view
from plait.base.path_errors import read_failure
from plait.ytt.json_schema.catalogue import catalogue_of
from plait.ytt.json_schema.schema_files import note_read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.ytt.json_schema.catalogue import Catalogue


@contextmanager
def watched_catalogue(paths: Sequence[str]) -> Iterator[Catalogue]:
    """A context with the catalogue of some paths. Reads are recorded at its end.

    Raises ReadError for a missing path, UsageError without jsonschema.
    """
    for path in paths:
        check_read(path)
        if not os.path.exists(path) and not _is_seen(path):
            raise read_failure(path, subject=f'"{path}"', expected="a file of schemas, or a directory")
    view = current_view()
    catalogue = catalogue_of(paths, {} if view is None else view.texts)
    try:
        yield catalogue
    finally:
        note_read(catalogue.paths())


def _is_seen(path: str) -> bool:
    view = current_view()
    return view is not None and view.text_for(path) is not None
