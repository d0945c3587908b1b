"""`weft layer`: render layered documents (spec layering).

Reads files, directories and standard input, renders all documents together, and prints the concrete ones. Checks before
and after rendering, secrets, choice and form of what is printed are flags.
"""

from __future__ import annotations

import os
import sys

from weft.cli.options import SWITCH, TEXT, TEXTS, Command, Flag
from weft.cli.streams import write_out
from weft.content import file_content, standard_input
from weft.context import Context
from weft.errors import LimitError, ReadError, UsageError, WeftError, conceal, render
from weft.layering import (
    ORDERS,
    EnvironmentSecrets,
    FileSecrets,
    Options,
    Selection,
    in_order,
    plain_values,
    plan,
    read_documents,
    render_plan,
    written,
)
from weft.source import Source
from weft.yaml import deduplicate, read, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.cli.options import Parsed
    from weft.layering.secrets import SecretSource
    from weft.nodes import DocumentSet

LAYER = Command(
    "weft layer",
    "Render layered documents: inheritance, replacement and substitution between them.",
    (
        Flag("validate", SWITCH, "check the form of all documents first"),
        Flag("validate-data", SWITCH, "check rendered data against the DataSchema documents"),
        Flag("lenient", SWITCH, "warn of missing substitution sources instead of failing"),
        Flag("relaxed", SWITCH, "ignore documents that match a selector and cannot be the parent"),
        Flag("strict", SWITCH, "like --validate; also fail when a parentSelector matches nothing"),
        Flag("schema", TEXTS, "print documents of this schema, namespace/Kind or namespace", value="SCHEMA"),
        Flag("name", TEXTS, "print documents of this name", value="NAME"),
        Flag("layer", TEXTS, "print documents of this layer", value="LAYER"),
        Flag("label", TEXTS, "print documents that have this label", value="KEY=VALUE"),
        Flag("short", SWITCH, "print schema, name and data only"),
        Flag("order", TEXT, f"order of documents: {', '.join(ORDERS)}", value="ORDER", default=("dependency",)),
        Flag("cleartext-secrets", SWITCH, "print encrypted documents and what was substituted from them"),
        Flag("secrets-file", TEXTS, "resolve secret references from a YAML map", value="PATH"),
        Flag("secrets-env", TEXTS, "resolve secret references from variables PREFIX + UUID", value="PREFIX"),
        Flag("tree", SWITCH, "print who inherits from whom"),
        Flag("dot", SWITCH, "the same for Graphviz"),
        Flag("source-map", TEXT, "write where each value of the output comes from, as JSON", value="FILE"),
    ),
    arguments="PATH...",
)

_EXTENSIONS = (".yaml", ".yml")
# Deeper than the reference can go; what walks data here may recurse.
_DEPTH = 300


def main(argv: Sequence[str]) -> int:
    """Run `weft layer`; the exit status (1 for any error but a wrong command line)."""
    flags = LAYER.parse(argv)
    if flags.on("help"):
        sys.stdout.write(LAYER.help_text())
        return 0
    if not flags.arguments:
        raise UsageError(
            "weft layer needs the documents to render",
            expected="files, directories, or - for standard input",
            hint="weft layer documents/",
        )
    if flags.text("order") not in ORDERS:
        in_order([], flags.text("order"))
    # The trees live until the end and have no cycles: looking for garbage took a fifth of a large run.
    import gc

    gc.disable()
    context = Context()
    try:
        try:
            return _run(flags, context)
        except RecursionError:
            # Substitution can put deep data into deep data.
            raise LimitError("rendered documents are nested too deeply") from None
    except WeftError as error:
        _warn(context)
        sys.stdout.flush()
        sys.stderr.write(render(error))
        return error.exit_status
    finally:
        gc.enable()


def documents(argv: Sequence[str], context: Context) -> DocumentSet:
    """What a command line would print, with the run's state given. Raises WeftError."""
    found: list[DocumentSet] = []
    flags = LAYER.parse(argv)
    if not flags.arguments:
        raise UsageError("no documents to layer", expected="files, directories, or - for standard input")
    _run(flags, context, found)
    if not found:
        raise UsageError("--tree and --dot print no documents")
    return found[0]


def _run(flags: Parsed, context: Context, only: list[DocumentSet] | None = None) -> int:
    """Do the work. only: gets the result, which is then not printed."""
    if flags.given("source-map") and context.trace is None:
        from weft.provenance import Trace

        context.trace = Trace()
    selection = _selection(flags)
    options = Options(
        lenient=flags.on("lenient"),
        relaxed=flags.on("relaxed"),
        strict=flags.on("strict"),
        cleartext_secrets=flags.on("cleartext-secrets"),
        secret_sources=_secret_sources(flags),
    )
    timed = "WEFT_BENCH" in os.environ
    clock = _Clock() if timed else None
    sets = [
        deduplicate(read(source, keep_mark=False, plain=plain_values, depth=_DEPTH))
        for source in _sources(flags.arguments)
    ]
    if clock:
        clock.lap("parse")
    if flags.on("validate") or flags.on("strict"):
        from weft.layering import check_documents

        check_documents(sets)
    documents = read_documents(sets)
    planned = plan(documents, options, context)
    if flags.on("tree") or flags.on("dot"):
        from weft.layering import dot, tree

        chosen = [document for document in planned.documents if selection.takes(document)]
        write_out((dot if flags.on("dot") else tree)(planned, chosen))
        _warn(context)
        return 0
    rendered = render_plan(planned, options, context)
    if clock:
        clock.lap("engine")
    if flags.on("validate-data"):
        from weft.layering import check_data

        check_data(rendered, planned.documents)
    if selection:
        shown = [document for document in rendered if selection.takes(document)]
        if not shown:
            hint = selection.hint(rendered)
            context.warn("no document is chosen" + (f" ({hint})" if hint else ""))
        rendered = shown
    result = written(
        in_order(rendered, flags.text("order")),
        short=flags.on("short"),
        cleartext_secrets=options.cleartext_secrets,
    )
    if context.trace is not None:
        from weft.layering.tracing import inherited

        inherited(
            context.trace,
            in_order(rendered, flags.text("order")),
            result,
            secret=[] if options.cleartext_secrets else planned.documents,
        )
    if only is not None:
        only.append(result)
        return 0
    if context.trace is not None:
        from weft.tools.sourcemap import write_map

        write_map(flags.text("source-map"), context.trace, result)
    _warn(context)
    write_out(write(result))
    if clock:
        clock.lap("print")
        clock.report()
    return 0


def _selection(flags: Parsed) -> Selection:
    labels = []
    for text in flags.texts("label"):
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError(f'"{text}" is no label', expected="KEY=VALUE")
        labels.append((key, value))
    return Selection(
        schemas=flags.texts("schema"), names=flags.texts("name"), layers=flags.texts("layer"), labels=labels
    )


def _secret_sources(flags: Parsed) -> list[SecretSource]:
    sources: list[SecretSource] = []
    for path in flags.texts("secrets-file"):
        from weft.nodes import Map

        try:
            for document in deduplicate(read(_file(path), plain=plain_values)).items:
                if type(document.value) is not Map:
                    raise ReadError("a secrets file is a map of references to data", at=document.position)
                sources.append(FileSecrets(path, document.value))
        except WeftError as error:
            raise conceal(error) from None
    sources.extend(EnvironmentSecrets(prefix, os.environ) for prefix in flags.texts("secrets-env"))
    return sources


def _sources(paths: Sequence[str]) -> Iterator[Source]:
    """Every input as a source: files as given, directories with their YAML files below in the order of their names."""
    for path in paths:
        if path == "-":
            yield Source("stdin.yml", _decoded(standard_input(), "stdin.yml"))
        elif os.path.isdir(path):
            found = False
            for folder, folders, names in os.walk(path):
                folders.sort()
                for name in sorted(names):
                    if name.endswith(_EXTENSIONS):
                        found = True
                        yield _file(os.path.join(folder, name))
            if not found:
                raise ReadError(f"directory {path} has no YAML files", expected="files named *.yaml or *.yml")
        else:
            yield _file(path)


def _file(path: str) -> Source:
    try:
        data = file_content(path, path)
    except OSError as error:
        raise ReadError(f"cannot read {path}: {error.strerror}", hint=_near(path)) from None
    except ValueError as error:
        raise ReadError(f"cannot read {path}: {error}") from None
    return Source(path, _decoded(data, path))


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{name} is not UTF-8 text: byte {error.start}") from None


def _near(path: str) -> str | None:
    from weft.spell import did_you_mean

    folder, name = os.path.split(path)
    try:
        return did_you_mean(name, sorted(os.listdir(folder or ".")))
    except OSError:
        return None


def _warn(context: Context) -> None:
    for text in context.warnings:
        sys.stderr.write(f"weft: warning: {text}\n")
    context.warnings.clear()


class _Clock:
    """Seconds of each phase, for the benchmarks (`WEFT_BENCH`)."""

    def __init__(self) -> None:
        from time import perf_counter

        self._now = perf_counter
        self._last = perf_counter()
        self._laps: list[str] = []

    def lap(self, name: str) -> None:
        now = self._now()
        self._laps.append(f"{name}={now - self._last:.4f}")
        self._last = now

    def report(self) -> None:
        sys.stderr.write(f"bench: {' '.join(self._laps)}\n")
