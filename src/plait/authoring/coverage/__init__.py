r"""Coverage: the parts of templates, overlays, operations and layers that runs execute (docs/coverage.md).

    data        the counts; listens to evaluations (see `plait.base.events`), and can be merged and stored
    summary     lines and branches of each file, and the missed ones
    text, html, lcov, cobertura   reports
    command     `plait coverage`

From Python:

>>> from plait.authoring.coverage import Coverage
>>> from plait import render
>>> coverage = Coverage()
>>> with coverage.run("small"):
...     documents = render({"app.yml": "#@ x = 1\na: #@ x\n"})
>>> [file.percent for file in coverage.summary().files]
[100.0]
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.coverage.data import Coverage
    from plait.authoring.coverage.summary import FileSummary, Summary

__all__ = ["Coverage", "FileSummary", "Summary"]

_HOMES = {"Coverage": "data", "FileSummary": "summary", "Summary": "summary"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
