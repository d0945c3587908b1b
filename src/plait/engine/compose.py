"""`plait compose`: the request, and its evaluation. See docs/compose.md."""

from __future__ import annotations

from plait.base.content import variables
from plait.base.errors import UsageError
from plait.base.input_view import current_permissions, permitted
from plait.base.permissions import READ, Need
from plait.base.trust import permissions_of
from plait.engine import common
from plait.engine.common import Dialect, keep_limits, keep_originals, output_by_of, result_of
from plait.engine.options import (
    DELIVERY,
    READ_PATH,
    TEXT,
    VALUES_PATH,
    Heading,
    declared,
    located,
    positional,
    switch,
    text,
    texts,
    value_map,
)
from plait.engine.pipeline import read
from plait.engine.pipeline_steps import compose, has_secrets
from plait.tree.nodes import Map
from plait.yaml.output_formats import text_of
from plait.ytt.json_schema.output import check_output
from plait.ytt.workspace.inputs import Inputs as Reader
from plait.ytt.workspace.render_job import values_of_map
from plait.ytt.workspace.values_flags import ValuesFlags, read_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plait.engine.pipeline import Step
    from plait.engine.results import Documents
    from plait.engine.types import Input, Inputs, Texts
    from plait.tree.context import Context
    from plait.tree.nodes import Document, DocumentSet
    from plait.tree.plain_data import Plain
    from plait.ytt.workspace.render_job import ReferencedValues

FORMS = ("yaml", "json")


class Compose(Dialect):
    """A pipeline file: its steps (render, layer, patch, overlay, values) in order."""

    __slots__ = ()
    command = "compose"
    summary = "Run the steps of a pipeline file in order: render, layer, patch, overlay and values."
    usage = "PIPELINE"

    pipeline: Input = positional(
        "", TEXT, "the inputs", is_argument=True, setting="file", path=READ_PATH, kw_only=False
    )
    values: Mapping[str, Plain] | None = value_map("inline data values, which override those of flags", setting="set")
    data_value = texts("data-value", "set one data value to a string", short="v", value="KEY=VALUE")
    data_value_yaml = texts("data-value-yaml", "set one data value, read as YAML", value="KEY=YAML")
    values_files: Inputs = texts(
        "data-values-file",
        "set data values from plain YAML, or toml:PATH, dotenv:PATH, dotenv-yaml:PATH",
        short="d",
        value="PATH",
        path=VALUES_PATH,
    )
    run = text("run", "the run to use, if the file defines several", value="NAME", setting="")
    until: str | None = text("step", "stop after this step", value="NAME")
    diff = switch("diff", "print what each step changed instead of the result", part=DELIVERY)
    cleartext_secrets = switch("cleartext-secrets", "with --diff, show the data of encrypted documents")
    output = declared(
        "output",
        TEXT,
        "output format: yaml or json",
        short="o",
        value="FORMAT",
        default=("yaml",),
        choices=FORMS,
    )
    output_files = common.OUTPUT_FILES.replaced(
        help="write each document into a directory, to the file named by --output-by; other files there are preserved"
    )
    check_output: Texts = common.CHECK_OUTPUT
    output_by = common.OUTPUT_BY
    keep_format: bool = common.KEEP_FORMAT
    source_map = common.SOURCE_MAP
    trust: bool = common.TRUST
    watch = common.WATCH
    _1 = Heading(common.SAFETY)
    _rows = Dialect.rows
    quote_values = common.QUOTE_VALUES


def evaluate(request: Compose, context: Context) -> Documents:
    """Evaluates a request without printing or writing. Raises PlaitError."""
    keep_limits(request, context)
    form: str = request.output
    keep_originals(request, context, form)
    result = composed(request, context)
    pattern = output_by_of(request)
    return result_of(result, pattern, lambda documents: text_of(documents, form, context.originals), context)


def composed(
    request: Compose, context: Context, watch: Callable[[Step, list[Document]], None] | None = None
) -> DocumentSet:
    """The documents after the last step. watch: called with the documents after each step. Raises PlaitError."""
    if len(request.arguments) != 1:
        raise UsageError(
            "plait compose needs exactly one pipeline file",
            expected="plait compose plait.yml",
            found=" ".join(request.arguments) or None,
            code="missing-argument",
        )

    values = _values(request, context)
    if isinstance(request.values, Map):
        values.append(values_of_map(request.values))
    path: str = request.value(Compose.pipeline)
    with permitted(None if current_permissions() is not None else permissions_of(path, typed=[Need(READ, path)])):
        result = _after_steps(request, path, context, watch, values)
    if request.has(Compose.check_output):
        check_output(result.items, request.check_output, context.warn, quotes=False)
    return result


def _values(request: Compose, context: Context) -> list[ReferencedValues]:
    found: list[ReferencedValues] = []
    for option, name in (
        (Compose.values_files, "files"),
        (Compose.data_value, "values"),
        (Compose.data_value_yaml, "values_yaml"),
    ):
        with located(request, option) as given:
            found += read_values(ValuesFlags(**{name: given}), Reader(), variables, warn=context.warn)
    return found


def _after_steps(
    request: Compose,
    path: str,
    context: Context,
    watch: Callable[[Step, list[Document]], None] | None,
    values: Sequence[ReferencedValues],
) -> DocumentSet:
    pipeline = read(path, request.run)
    if watch is not None and not request.cleartext_secrets and has_secrets(pipeline):
        raise UsageError(
            "--diff would print secrets",
            hint="--cleartext-secrets allows it",
            code="flag-conflict",
        )
    return compose(
        pipeline,
        context,
        values=values,
        until=request.until or None,
        watch=watch,
        tells_secrets=request.quote_values,
    )
