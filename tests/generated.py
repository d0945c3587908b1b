"""What follows from the code in docs/: the API from docstrings, flags, annotations and limits from their tables.

`pytest tests/api/test_public_api.py tests/test_reference.py --update` writes them.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import itertools
import pathlib
import re
from collections.abc import Iterator
from html import escape

import yaml

import ci
import plait
from plait.api import asynchronous
from plait.base.codes import BY_CODE
from plait.base.errors import PlaitError
from plait.engine import types
from plait.engine.options import SHARED
from plait.tree import plain_data

FUNCTIONS = (
    "render", "patch", "layer", "compose", "explain", "diff", "read", "documents",
    "fmt", "data_values", "data_values_schema", "import_schema", "export_schema", "check_data_values", "check_layers", "project", "run", "inspect", "lint", "test",
    "set",
)  # fmt: skip
AWAITED = ("render", "patch", "layer", "compose")

DOCSTRINGS = ci.load("docstrings")
FLAGS = pathlib.Path(__file__).parent / "cases" / "flags.yml"
NOTE = "<!-- Written by `pytest tests/api/test_public_api.py tests/test_reference.py --update`; edit the code instead. -->\n"


def check(page: pathlib.Path, text: str, update: str | None) -> None:
    """Compare a page with what it should be, or write it."""
    if update == "write":
        page.write_text(text, "utf-8")
    old = page.read_text("utf-8") if page.exists() else ""
    shown = "".join(difflib.unified_diff(old.splitlines(keepends=True), text.splitlines(keepends=True), "is", "should"))
    assert not shown, f"run pytest --update\n{shown}"


def sentences(text: str) -> str:
    """Prose with one sentence a line; examples become Python blocks, descriptions of parameters a list."""
    found: str = DOCSTRINGS.markdown(text)
    return found


def docstring(thing: object) -> str:
    return sentences(inspect.getdoc(thing) or "")


def shown_parameter(parameter: inspect.Parameter) -> str:
    """A parameter as code has it: `limits: Limits | None = None`."""
    kind = parameter.kind
    stars = "*" if kind is kind.VAR_POSITIONAL else "**" if kind is kind.VAR_KEYWORD else ""
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}".replace("'", '"')
    annotation = str(parameter.annotation).strip("'").replace("'", '"')
    return f"{stars}{parameter.name}: {annotation}{default}"


def signature(function: object) -> str:
    found = inspect.signature(function)  # type: ignore[arg-type]
    parameters = []
    star = False
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parameters.append("*")
            star = True
        parameters.append(shown_parameter(parameter))
    name = function.__name__  # type: ignore[attr-defined]
    lines = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"```text\nplait.{name}(\n{lines}) -> {str(found.return_annotation).strip(chr(39))}\n```"


def api_page() -> str:
    """docs/api.md."""
    out = [NOTE, "# Python API", sentences(inspect.getdoc(plait.api) or "")]
    out.append("## Functions")
    for name in FUNCTIONS:
        function = getattr(plait, name)
        out += [f"### plait.{name}", signature(function), docstring(function)]
    rows = "\n".join(f"| `await plait.a{name}(...)` | `plait.{name}(...)` |" for name in AWAITED)
    out += [
        "## Async",
        sentences(inspect.getdoc(asynchronous) or ""),
        f"| for `await` | the same as |\n|---|---|\n{rows}",
    ]
    out.append("## Engine")
    out += [part for kind in (plait.Engine, plait.Event, plait.Counts) for part in class_parts(kind)]
    out.append("## Results")
    results = (
        plait.Documents,
        plait.Rendered,
        plait.Composed,
        plait.ComposeStep,
        plait.History,
        plait.Entry,
        plait.Differences,
        plait.Difference,
        plait.Formatted,
        plait.Findings,
        plait.Project,
        plait.Inspection,
        plait.FoundValue,
        plait.Impact,
        plait.SchemaText,
    )
    out += [part for kind in results for part in class_parts(kind)]
    out.append("## Errors")
    out.append(f"### plait.{PlaitError.__name__}")
    out.append(docstring(PlaitError))
    out.append(
        "Fields: `message`, `at` (a `plait.Position` or None), `also` (further places), `expected`, `found`, `hint`, "
        "`stack` (steps with `text` and `at`, innermost first), `findings` (a list of `plait.Finding`).\n"
        "`report()` is the whole message as the command line prints it.\n"
        "`exit_status` is the status the command line would end with."
    )
    raised = [getattr(plait, name) for name in plait.__all__ if name.endswith("Error") and name != "PlaitError"]
    rows = "\n".join(f"| `plait.{kind.__name__}` | {' '.join((kind.__doc__ or '').split())} |" for kind in raised)
    out.append(f"| kind | raised for |\n|---|---|\n{rows}")
    out.append(f"### plait.{plait.Finding.__name__}\n\n{docstring(plait.Finding)}")
    out.append(f"### plait.{plait.Position.__name__}\n\n{docstring(plait.Position)}")
    out += ["## Types", sentences(inspect.getdoc(types) or "")]
    for name, definition, text in aliases():
        out.append(f"### plait.{name}\n\n{sentences(text)}\n\n```text\n{definition}\n```")
    names = ", ".join(f"`{name}`" for name in plait.Limits.__annotations__)
    out.append(f"### plait.Limits\n\n{docstring(plait.Limits)}\n\nNames: {names}.")
    out.append("## Version\n\n`plait.__version__` is the version as text.")
    return "\n\n".join(out) + "\n"


def class_parts(kind: type) -> Iterator[str]:
    """The title, the text and the members of a class, for a page."""
    yield f"### plait.{kind.__name__}"
    yield docstring(kind)
    members = [
        (f"{name}()" if inspect.isfunction(member) else name, " ".join((member.__doc__ or "").split()))
        for name, member in vars(kind).items()
        if name[0] != "_" and (inspect.isfunction(member) or isinstance(member, property))
    ]
    if members:
        rows = "\n".join(f"| `{name}` | {text} |" for name, text in members)
        yield f"| method | |\n|---|---|\n{rows}"


def aliases() -> Iterator[tuple[str, str, str]]:
    """Name, definition and description of the public type aliases, as they stand in their module."""
    body = [node for module in (plain_data, types) for node in ast.parse(inspect.getsource(module)).body]
    for node, after in itertools.pairwise(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in plait.__all__:
            assert node.value is not None
            assert isinstance(after, ast.Expr)
            assert isinstance(after.value, ast.Constant)
            value = node.value.value if isinstance(node.value, ast.Constant) else ast.unparse(node.value)
            yield node.target.id, str(value).replace("'", ""), str(after.value.value)


ANNOTATIONS = {
    "assert/validate": "rules for the value of the node, in a document of data values",
    "data/values": "this document holds data values",
    "data/values-schema": "this document declares data values: types, defaults, rules",
    "library/ref": "the data values or schema of this document are for a library",
    "overlay/append": "adds the item (or document) after the last one",
    "overlay/assert": "the value must contain this one, or satisfy `via=`",
    "overlay/insert": "inserts the item `before=True` or `after=True` the one matched",
    "overlay/match": "which nodes are changed: `by=`, `expects=`, `missing_ok=`, `when=`",
    "overlay/match-child-defaults": "`expects=`, `missing_ok=`, `when=` for everything below",
    "overlay/merge": "merges, the default",
    "overlay/remove": "removes what is matched",
    "overlay/replace": "replaces what is matched; `via=`, `or_add=`",
    "schema/default": "the default, instead of the value written",
    "schema/deprecated": "a notice for the OpenAPI document",
    "schema/desc": "a description for the OpenAPI document",
    "schema/examples": "pairs of description and value for the OpenAPI document",
    "schema/nullable": "null is allowed, and is the default",
    "schema/title": "a title for the OpenAPI document",
    "schema/type": "`any=True`: every value is allowed, here and below",
    "schema/validation": "rules: pairs of text and function, `min=`, `max=`, `min_len=`, `max_len=`, `one_of=`, "
    "`not_null=`, `one_not_null=`, `when=`",
    "template/code": "the long form of `#@` on a line of its own",
    "template/value": "the long form of `#@` after a key or dash",
    "yaml/map-key-override": "this item may repeat a key, and replaces the earlier one",
    "yaml/text-templated-strings": "the strings here and below are text templates",
}
STATUSES = (
    ("0", "success; a question has an answer, a check found nothing"),
    (
        "1",
        (
            "an input cannot be used; a check found something: a finding, a failed test, a file to format, a difference with "
            "`--exit-code`, a line without effect; every error of `render` and `patch`, as with `ytt` and `bosh`"
        ),
    ),
    ("2", "a wrong flag, argument or command; a PATH of `explain` that does not exist"),
    ("3", "a limit was reached, or memory ran out; the answer of `impact` is unknown"),
    ("5", "`test` found no tests"),
    ("70", "a bug in plait"),
    ("130", "interrupted"),
    ("141", "the reader of the output is gone"),
)
FROM_WORKSPACE = {"data": ["list", "read", "values"], "library": ["get"]}


def flags_page() -> str:
    """docs/reference/flags.md."""
    from plait.cli.commands import commands, node_of
    from plait.engine.common import NO_EFFECT

    examples = flag_examples()
    out = [
        NOTE,
        "# Commands and flags",
        (
            "Every command prints its flags with `--help`, and has one error layout and the "
            "[exit statuses](limits.md#exit-status) in common.\n"
            "A flag that can be repeated is read in the order of the command line."
        ),
        "`plait help --man COMMAND` prints the same as a page for `man`.",
        "## Flags of all commands",
        (
            "They have the same meaning in every command.\n"
            "`--quiet` also leaves out notes, progress and summaries, not the answer of a question or a check.\n"
            "`--debug` adds the time of each step, and the traceback of an internal error; `plait render` prints what ytt "
            "prints."
        ),
        "| flag | does |\n|---|---|\n"
        + "\n".join(
            f"| `{flag.shown}{' ' + cell(flag.value) if flag.value else ''}` | {cell(flag.help)} |"
            for flag in SHARED.shared
        ),
    ]
    for name, table in commands().items():
        if name == "version":
            continue
        out += [f"## plait {name}", sentences(table.request.summary)]
        out.append(f"```text\n{' '.join(filter(None, (table.name, '[flags]', table.request.usage)))}\n```")
        below = {one: node_of(name).children[one] for one, _ in table.request.commands}
        if below:
            rows = "\n".join(
                f"| `{one}` | {cell(text)}<br>{code(below[one].example)} |" for one, text in table.request.commands
            )
            out.append(f"| command | does, and an example |\n|---|---|\n{rows}")
        for heading, flags in table.groups.items():
            if len(table.groups) > 1:
                out.append(f"### plait {name}: {heading}")
            if heading == NO_EFFECT:
                names = ", ".join(f"`{flag.shown}`" for flag in flags)
                of = (
                    "These flags of `bosh` concern its server or its terminal"
                    if name == "patch"
                    else "Clients add these flags"
                )
                out.append(f"{of}: {names}.")
                continue
            rows = "\n".join(
                f"| `{flag.shown}{' ' + flag.value if flag.value else ''}` | {cell(flag.help)}<br>"
                f"{code(examples[name][flag.name][0])} |"
                for flag in flags
            )
            out.append(f"| flag | does, and an example |\n|---|---|\n{rows}")
        for one in below.values():
            own = [flag for flag in one.command.flags if flag not in table.flags]
            if own:
                rows = "\n".join(f"| `{flag.shown}` | {cell(flag.help)} |" for flag in one.command.flags)
                out += [f"### {one.command.name}", sentences(one.command.request.summary)]
                out.append(f"| flag | does |\n|---|---|\n{rows}")
    return "\n\n".join(out) + "\n"


def flag_examples() -> dict[str, dict[str, tuple[str, int]]]:
    """For each command and flag a command line, and its exit status."""
    found = yaml.safe_load(FLAGS.read_text("utf-8"))["commands"]
    return {
        name: {flag: (line, 0) if isinstance(line, str) else tuple(line) for flag, line in lines.items()}
        for name, lines in found.items()
    }


def tables() -> dict[str, str]:
    """What stands between marks in pages that are written by hand."""
    rows = "\n".join(f"| `#@{name}` | {cell(text)} |" for name, text in ANNOTATIONS.items())
    statuses = "\n".join(f"| {status} | {text} |" for status, text in STATUSES)
    return {
        "annotations": f"| annotation | meaning |\n|---|---|\n{rows}",
        "codes": codes_table(),
        "limits": limits_table(),
        "statuses": f"| status | meaning |\n|---|---|\n{statuses}",
    }


def with_tables(page: str) -> str:
    """A page with the tables between its marks (`<!-- table: limits -->`, `<!-- end -->`) as they should be."""
    return re.sub(
        r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}\n{tables()[found[2]]}\n\n{found[3]}",
        page,
        flags=re.DOTALL,
    )


def codes_table() -> str:
    """Every code with its page, its name and what it means."""
    rows = "\n".join(
        f"| [{one.code}](codes/{one.code}.md) | `{one.name}` | {one.severity} | {cell(one.summary)} |"
        for one in sorted(BY_CODE.values())
    )
    return f"| code | name | is | means |\n|---|---|---|---|\n{rows}"


def limits_table() -> str:
    """The limits by name, as rows of a table."""
    from plait.base.limits import GROWS, TABLE

    def shown(name: str) -> str:
        value, _, unit = TABLE[name]
        size = int(value)
        text = f"{size >> 20}M" if size % (1 << 20) == 0 else f"{size >> 10}K" if size % 1024 == 0 else f"{size:,}"
        more = f", and {GROWS[name]} for each byte of the inputs beyond 64 KiB" if name in GROWS else ""
        return f"{text} {unit.removesuffix('s') if size == 1 else unit}{more}"

    rows = "\n".join(f"| `{name}` | {cell(TABLE[name][1])} | {shown(name)} |" for name in TABLE)
    return f"| limit | meaning | default |\n|---|---|---|\n{rows}"


def members() -> dict[str, list[str]]:
    """Every module of `@ytt:`, and what is in it."""
    from plait.tree.context import Context
    from plait.ytt.modules import MODULES, load_module

    return {name: sorted(load_module(name, Context()).attr_names()) for name in MODULES} | FROM_WORKSPACE


def code(text: str) -> str:
    """Code in a cell of a table; a bar would end the cell on some sites, and be shown with its backslash on others."""
    return f"`{text}`" if "|" not in text else f"<code>{escape(text).replace('|', '&#124;')}</code>"


def cell(text: str) -> str:
    return text.replace("|", "\\|")
