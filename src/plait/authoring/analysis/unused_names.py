"""Names that a file binds but never reads."""

from __future__ import annotations

from plait.authoring.analysis.file_facts import TEMPLATE
from plait.ytt.templates.recovery import STARLARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.analysis.code import Occurrence
    from plait.authoring.analysis.file_facts import File

LOAD, NAME = "dead-load", "dead-name"


def unused_names(file: File) -> Iterator[tuple[Occurrence, str]]:
    """Unused loaded names, and unused local names, each with the name of its code.

    Excludes names that start with an underscore, parameters, names that other files may load, and invalid files.
    """
    if file.kind not in (TEMPLATE, STARLARK) or file.recovered.cut:
        return
    names = file.names
    loaded = {here for load in names.loads for here, _, _ in load.names}
    for one in names.occurrences:
        if not one.is_binding or one.is_parameter or len(names.same(one)) > 1 or one.name.startswith("_"):
            continue
        if one.name in loaded:
            yield one, LOAD
        elif one.scope is not None and one.scope is not names.program:
            yield one, NAME
