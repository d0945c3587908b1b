"""Pages of docs/ that follow from the code: the API from docstrings, flags, modules and annotations from their tables.

`pytest --update tests/test_public_api.py tests/test_reference.py` writes them.
"""

from __future__ import annotations

import difflib
import inspect
import pathlib
import textwrap

import weft
from weft.errors import WeftError

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
    return f"```text\nweft.{name}(\n{lines}) -> {str(found.return_annotation).strip(chr(39))}\n```"


def api_page() -> str:
    """docs/api.md."""
    out = [NOTE, "# Python API", sentences(inspect.getdoc(weft.api) or "")]
    out.append("## Functions")
    for name in ("render", "patch", "layer", "diff", "read", "documents"):
        function = getattr(weft, name)
        out += [f"### weft.{name}", signature(function), docstring(function)]
    out.append("## Results")
    for kind in (weft.Documents, weft.Rendered):
        out += [f"### weft.{kind.__name__}", docstring(kind)]
        methods = [
            (name, member) for name, member in vars(kind).items() if inspect.isfunction(member) and name[0] != "_"
        ]
        if methods:
            rows = "\n".join(f"| `{name}()` | {' '.join((member.__doc__ or '').split())} |" for name, member in methods)
            out.append(f"| method | |\n|---|---|\n{rows}")
    out.append("## Errors")
    out.append(f"### weft.{WeftError.__name__}")
    out.append(docstring(WeftError))
    out.append(
        "Fields: `message`, `at` (a `weft.Position` or None), `also` (further places), `expected`, `found`, `hint`, "
        "`trail` (steps with `text` and `at`, innermost first), `findings` (a list of `weft.Finding`).\n"
        "`report()` is the whole message as the command line prints it.\n"
        "`exit_status` is the status the command line would end with."
    )
    kinds = [getattr(weft, name) for name in weft.__all__ if name.endswith("Error") and name != "WeftError"]
    rows = "\n".join(f"| `weft.{kind.__name__}` | {' '.join((kind.__doc__ or '').split())} |" for kind in kinds)
    out.append(f"| kind | raised for |\n|---|---|\n{rows}")
    out.append(f"### weft.{weft.Finding.__name__}\n\n{docstring(weft.Finding)}")
    out.append(f"### weft.{weft.Position.__name__}\n\n{docstring(weft.Position)}")
    out.append("## Version\n\n`weft.__version__` is the version as text.")
    return "\n\n".join(out) + "\n"
