"""Pages of docs/ that follow from the code: the API from docstrings, flags, modules and annotations from their tables.

`pytest --update tests/test_public_api.py tests/test_reference.py` writes them.
"""

from __future__ import annotations

import difflib
import inspect
import pathlib
import textwrap

import plait
from plait.errors import PlaitError

NOTE = (
    "<!-- Written by `pytest --update tests/test_public_api.py tests/test_reference.py`; edit the code instead. -->\n"
)


def check(page: pathlib.Path, text: str, update: str | None) -> None:
    """Compare a page with what it should be, or write it."""
    if update == "write":
        page.write_text(text, "utf-8")
    old = page.read_text("utf-8") if page.exists() else ""
    shown = "".join(difflib.unified_diff(old.splitlines(keepends=True), text.splitlines(keepends=True), "is", "should"))
    assert not shown, f"run pytest --update\n{shown}"


def sentences(text: str) -> str:
    """Prose with one sentence a line; indented examples become Python blocks."""
    out = []
    for part in textwrap.dedent(text).strip().split("\n\n"):
        if part.startswith(">>>"):
            out.append(f"```python\n{part}\n```")
        elif part.startswith("    "):
            out.append(f"```python\n{textwrap.dedent(part)}\n```")
        else:
            out.append(" ".join(part.split()).replace(". ", ".\n").replace("e.g.\n", "e.g. "))
    return "\n\n".join(out)


def docstring(thing: object) -> str:
    return sentences(inspect.getdoc(thing) or "")


def signature(function: object) -> str:
    found = inspect.signature(function)  # type: ignore[arg-type]
    parameters = []
    star = False
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parameters.append("*")
            star = True
        parameters.append(str(parameter).replace("'", ""))
    name = function.__name__  # type: ignore[attr-defined]
    lines = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"```text\nplait.{name}(\n{lines}) -> {str(found.return_annotation).strip(chr(39))}\n```"


def api_page() -> str:
    """docs/api.md."""
    out = [NOTE, "# Python API", sentences(inspect.getdoc(plait.api) or "")]
    out.append("## Functions")
    for name in ("render", "patch", "layer", "compose", "explain", "diff", "read", "documents"):
        function = getattr(plait, name)
        out += [f"### plait.{name}", signature(function), docstring(function)]
    out.append("## Results")
    for kind in (
        plait.Documents,
        plait.Rendered,
        plait.Composed,
        plait.ComposeStep,
        plait.History,
        plait.Entry,
        plait.Differences,
        plait.Difference,
    ):
        out += [f"### plait.{kind.__name__}", docstring(kind)]
        members = [
            (f"{name}()" if inspect.isfunction(member) else name, " ".join((member.__doc__ or "").split()))
            for name, member in vars(kind).items()
            if name[0] != "_" and (inspect.isfunction(member) or isinstance(member, property))
        ]
        if members:
            rows = "\n".join(f"| `{name}` | {text} |" for name, text in members)
            out.append(f"| method | |\n|---|---|\n{rows}")
    out.append("## Errors")
    out.append(f"### plait.{PlaitError.__name__}")
    out.append(docstring(PlaitError))
    out.append(
        "Fields: `message`, `at` (a `plait.Position` or None), `also` (further places), `expected`, `found`, `hint`, "
        "`trail` (steps with `text` and `at`, innermost first), `findings` (a list of `plait.Finding`).\n"
        "`report()` is the whole message as the command line prints it.\n"
        "`exit_status` is the status the command line would end with."
    )
    kinds = [getattr(plait, name) for name in plait.__all__ if name.endswith("Error") and name != "PlaitError"]
    rows = "\n".join(f"| `plait.{kind.__name__}` | {' '.join((kind.__doc__ or '').split())} |" for kind in kinds)
    out.append(f"| kind | raised for |\n|---|---|\n{rows}")
    out.append(f"### plait.{plait.Finding.__name__}\n\n{docstring(plait.Finding)}")
    out.append(f"### plait.{plait.Position.__name__}\n\n{docstring(plait.Position)}")
    out.append("## Version\n\n`plait.__version__` is the version as text.")
    return "\n\n".join(out) + "\n"


ANNOTATIONS = {
    "assert/validate": "rules that the node's value must keep, anywhere in a template",
    "data/values": "this document holds data values",
    "data/values-schema": "this document declares data values: types, defaults, rules",
    "library/ref": "the data values or schema of this document are for a library",
    "overlay/append": "add the item (or document) behind the last one",
    "overlay/assert": "the value must equal this one, or satisfy `via=`",
    "overlay/insert": "put the item `before=True` or `after=True` the one matched",
    "overlay/match": "what of the left side is changed: `by=`, `expects=`, `missing_ok=`, `when=`",
    "overlay/match-child-defaults": "`expects=`, `missing_ok=`, `when=` for everything below",
    "overlay/merge": "merge, the default",
    "overlay/remove": "take what is matched out",
    "overlay/replace": "put this value in place of what is matched; `via=`, `or_add=`",
    "schema/default": "the default, in place of the value written",
    "schema/deprecated": "a notice for the OpenAPI document",
    "schema/desc": "a description for the OpenAPI document",
    "schema/examples": "pairs of description and value for the OpenAPI document",
    "schema/nullable": "null is allowed, and the default",
    "schema/title": "a title for the OpenAPI document",
    "schema/type": "`any=True`: every value is allowed, here and below",
    "schema/validation": "rules: pairs of text and function, `min=`, `max=`, `min_len=`, `max_len=`, `one_of=`, "
    "`not_null=`, `one_not_null=`, `when=`",
    "template/code": "the long form of `#@` on a line of its own",
    "template/value": "the long form of `#@` behind a key or item",
    "yaml/map-key-override": "this item may repeat a key, and takes the place of the earlier one",
    "yaml/text-templated-strings": "the strings here and below are text templates",
}
STATUSES = (
    ("0", "all is well"),
    ("1", "an input cannot be used; also every error of `render` and `patch`, as in their references"),
    ("2", "a wrong flag, argument or command"),
    ("3", "a limit was reached"),
    ("70", "a fault of plait itself"),
    ("130", "interrupted"),
)
FROM_WORKSPACE = {"data": ["list", "read", "values"], "library": ["get"]}


def reference_page() -> str:
    """docs/reference.md."""
    from plait.cli.start import commands
    from plait.context import Context
    from plait.modules import MODULES, load_module

    out = [NOTE, "# Reference", "## Flags"]
    for name, table in commands().items():
        if name == "version":
            continue
        out += [f"### plait {name}", sentences(table.summary)]
        out.append(f"```text\n{' '.join(filter(None, (table.name, '[flags]', table.arguments)))}\n```")
        rows = "\n".join(
            f"| `{flag.shown}{' ' + flag.value if flag.value else ''}` | {cell(flag.help)} |" for flag in table.flags
        )
        out.append(f"| flag | |\n|---|---|\n{rows}")
    rows = "\n".join(f"| `#@{name}` | {cell(text)} |" for name, text in ANNOTATIONS.items())
    out += ["## Annotations", f"| annotation | |\n|---|---|\n{rows}"]
    members = {name: sorted(load_module(name, Context()).attr_names()) for name in MODULES} | FROM_WORKSPACE
    rows = "\n".join(
        f"| `@ytt:{name}` | {', '.join(f'`{member}`' for member in members[name])} |" for name in sorted(members)
    )
    out += [
        "## Modules",
        'A template loads a module by `load("@ytt:NAME", "NAME")`.',
        f"| module | members |\n|---|---|\n{rows}",
    ]
    out += [
        "## Limits",
        (
            "`--limit NAME=VALUE` sets one, in every command that reads inputs; `limits={NAME: VALUE}` in the Python API.\n"
            "`K`, `M` and `G` are units of 1024; [Security](security.md#limits) says more."
        ),
        limits_table(),
    ]
    rows = "\n".join(f"| {status} | {text} |" for status, text in STATUSES)
    out += ["## Exit status", f"| status | means |\n|---|---|\n{rows}"]
    out += [
        "## Errors",
        (
            "Every message has one layout: what is wrong and where, the lines concerned, what was expected, "
            "what was found, a hint, and the trail of how plait came there.\n"
            "The kinds are listed in the [Python API](api.md#errors)."
        ),
    ]
    return "\n\n".join(out) + "\n"


def limits_table() -> str:
    """The limits by name, as rows of a table."""
    from plait.limits import GROWS, TABLE

    def shown(name: str) -> str:
        value, _, unit = TABLE[name]
        size = int(value)
        text = f"{size >> 20}M" if size % (1 << 20) == 0 else f"{size >> 10}K" if size % 1024 == 0 else f"{size:,}"
        more = f", and {GROWS[name]} for each byte of the inputs beyond 64 KiB" if name in GROWS else ""
        return f"{text} {unit}{more}"

    rows = "\n".join(f"| `{name}` | {cell(TABLE[name][1])} | {shown(name)} |" for name in TABLE)
    return f"| limit | of what | default |\n|---|---|---|\n{rows}"


def cell(text: str) -> str:
    return text.replace("|", "\\|")
