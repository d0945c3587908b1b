"""The state between the steps of a pipeline, and the paths in a step."""

from __future__ import annotations

import os

from plait.base.errors import ReadError
from plait.base.input_view import check_read
from plait.base.path_errors import read_failure
from plait.engine.options import READ_PATH
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.errors import PlaitError
    from plait.engine.options import PathForm
    from plait.engine.pipeline import Pipeline, Step
    from plait.tree.context import Context
    from plait.tree.nodes import Document
    from plait.ytt.workspace.render_job import ReferencedValues


class PipelineState:
    """The state between steps: documents and data values, and the running pipelines, to detect cycles.

    included: number of nested pipelines run so far.
    """

    __slots__ = ("documents", "included", "last_values", "running", "values")

    def __init__(self, last_values: Sequence[ReferencedValues] = ()) -> None:
        self.documents: list[Document] = []
        self.values: list[ReferencedValues] = []
        self.last_values = list(last_values)  # from the command line, overriding those of steps
        self.running: list[str] = []
        self.included = 0


def paths_of(step: Step, pipeline: Pipeline, key: str, form: PathForm = READ_PATH) -> list[str]:
    """Returns the paths in a setting, resolved against the directory of the pipeline, each with the text before it.

    Raises UsageError for a missing path or a URL.
    """
    item = step.item_of(key)
    out: list[str] = []
    for text in step.texts(key):
        before, path = form.split(text)
        path = os.path.join(pipeline.directory, path)
        assert item is not None
        places = item.value.items if type(item.value) is Array else [item]
        at = next((one.position for one in places if one.value == text), item.position)
        if "://" not in text:
            check_read(path, at)
        if "://" in text or not os.path.lexists(path):
            if "://" in text:
                # A pipeline file must not cause requests to servers without permission.
                raise ReadError(
                    f'"{text}" is a URL',
                    at=at,
                    expected="a file: a pipeline does not read URLs",
                    code="url-not-fetched",
                )
            raise read_failure(path, subject=f'"{path}"', at=at)
        out.append(before + path)
    return out


def made_of(error: PlaitError, documents: Iterable[Document], context: Context) -> PlaitError:
    """Sets the documents as origins of an error about them, and returns the error.

    The error depends on all values of the documents. If a secret may decide the existence of items, the error depends
    on that secret as well.
    """
    marks = context.secrets
    origins: list[object] = [] if marks is None or not marks.decides_places else [marks.unknown]
    for one in documents:
        origins.append(one)
        if isinstance(one.value, (Map, Array)):
            origins.append(one.value)
    return error.made_of(*origins)
