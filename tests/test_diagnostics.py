"""Diagnostics are data: they have codes, and no code reads a message.

Each place that constructs a diagnostic has a code, and none takes a text of one apart or compares it.
"""

from __future__ import annotations

import ast
import functools
import pathlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import TypeGuard

import pytest

import plait
from generated import check
from plait.base.codes import BY_CODE, CODES
from plait.base.errors import Finding, PlaitError, render, warning
from plait.base.limits import TABLE
from plait.base.source import Position, Source, quotation
from plait.base.suggestions import REPLACE, Hint, Suggestion
from plait.cli.pages import page_of
from plait.layering.failures import STATUSES
from readers import Readers

PACKAGE = pathlib.Path(plait.__file__).parent

# They lay texts out in lines.
_RENDERERS = {"base/errors.py", "base/message_text.py", "base/report_lines.py", "cli/messages.py"}
# Functions that compare or cut a text, and read no meaning of ours from it.
_REPEATED = "drops a diagnostic that reads as one before"
_OTHERS = "the text is that of another program, which has no data for it"
_COMPARED = "compares the text with that of the same error in another input, where numbers differ"
_ALLOWED = {
    ("authoring/reduce/behaviours.py", "_traits"): _COMPARED,
    ("authoring/lsp/resource_schemas.py", "problems"): _REPEATED,
    ("authoring/lsp/resource_schemas.py", "of_schemas"): _REPEATED,
    ("ytt/json_schema/schema_files.py", "_parsed"): _OTHERS,
    ("ytt/json_schema/schema_files.py", "report"): _REPEATED,
    ("ytt/json_schema/schema_files.py", "report_part"): _REPEATED,
    ("authoring/origin/report_files.py", "_finding"): _OTHERS,
    ("fleet/dask.py", "connect"): _OTHERS,
    ("fleet/remote_files.py", "__init__"): _OTHERS,
    ("service/keystone.py", "_mistake"): _OTHERS,
    ("yaml/embedded/toml.py", "_parsed"): _OTHERS,
    ("ytt/workspace/values_formats.py", "_toml"): _OTHERS,
    ("ytt/starlark/exceptions.py", "_call_fault"): _OTHERS,
    ("ytt/starlark/exceptions.py", "_unbound"): _OTHERS,
}
_WARNERS = {"warn", "warn_openly"}


@functools.cache
def _trees() -> list[tuple[str, ast.AST]]:
    return [
        (str(file.relative_to(PACKAGE)), ast.parse(file.read_text("utf-8"))) for file in sorted(PACKAGE.rglob("*.py"))
    ]


@functools.cache
def _classes() -> set[str]:
    """Finding and the classes of errors, read from the sources: which of them are imported depends on other tests."""
    bases: dict[str, set[str]] = {}
    for _, tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases.setdefault(node.name, set()).update(one.id for one in node.bases if isinstance(one, ast.Name))
    found = {"Finding", "PlaitError"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found


def _class_code(node: ast.AST) -> str:
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
        return ""
    return str(node.value.value) if [ast.unparse(one) for one in node.targets] == ["code"] else ""


@functools.cache
def _with_code() -> set[str]:
    """Classes whose instances all have one code, or one by the reason or kind of the error."""
    classes = _classes()
    return {
        node.name
        for _, tree in _trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name in classes and any(map(_class_code, node.body))
    } | {"LayeringError", "LayeringFailure", "EditError"}


@pytest.fixture(autouse=True, scope="module")
def trees_are_dropped() -> Iterator[None]:
    """They are a million objects, which slow down each garbage collection."""
    yield
    _trees.cache_clear()


def _called(node: ast.AST) -> str:
    function = node.func if isinstance(node, ast.Call) else None
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


def without_code(tree: ast.AST) -> list[int]:
    """The lines that construct an error or a finding without `code=`."""
    # The findings of lint have their code as the first argument.
    classes = _classes() - _with_code() - {"LintFinding"}
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and _called(node) in classes
        and not any(one.arg == "code" for one in node.keywords)
    ]


def warned_without_code(tree: ast.AST) -> list[int]:
    """The lines that give a text as a warning, rather than a call of `warning`, or a variable."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and _called(node) in _WARNERS
        and node.args
        and isinstance(node.args[0], ast.JoinedStr | ast.Constant | ast.BinOp)
    ]


def test_every_place_has_a_code() -> None:
    found = [f"{name}:{line}" for name, tree in _trees() for line in without_code(tree)]
    assert found == [], "give the place a code, and register it in plait.base.codes"


def test_every_warning_has_a_code() -> None:
    found = [f"{name}:{line}" for name, tree in _trees() for line in warned_without_code(tree)]
    assert found == []


def test_no_place_reads_a_message() -> None:
    found = [one for one in Readers(_trees()).found() if one[0] not in _RENDERERS]
    others = [f"{name}:{line}" for name, function, line in found if (name, function) not in _ALLOWED]
    assert others == [], "read the code, the word, the facts or the suggestions of the diagnostic instead"
    assert _ALLOWED.keys() - {one[:2] for one in found} == set(), "these read no text any more"


def _codes(tree: ast.AST) -> Iterator[str]:
    """The names of codes: keyword arguments, defaults of parameters and attributes of classes that are called `code`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "code":
            values = [node.value]
            values += [node.value.body, node.value.orelse] if isinstance(node.value, ast.IfExp) else []
            yield from (one.value for one in values if isinstance(one, ast.Constant) and isinstance(one.value, str))
        elif isinstance(node, ast.arguments):
            named = [*zip(node.args[::-1], node.defaults[::-1], strict=False)]
            named += [(one, value) for one, value in zip(node.kwonlyargs, node.kw_defaults, strict=True) if value]
            yield from (
                value.value
                for one, value in named
                if one.arg == "code" and isinstance(value, ast.Constant) and isinstance(value.value, str)
            )
        elif isinstance(node, ast.ClassDef):
            yield from (found for one in node.body if (found := _class_code(one)))


def test_codes_are_registered_once() -> None:
    unknown = {f"{name}: {code}" for name, tree in _trees() for code in _codes(tree) if code and code not in CODES}
    assert unknown == set()
    numbers = Counter(one.code for one in CODES.values())
    assert [code for code, count in numbers.items() if count > 1] == []


def test_registered_codes_are_used() -> None:
    """Those of findings of lint are numbers in the code; limits and edits make theirs of other names."""
    texts = {
        node.value
        for name, tree in _trees()
        if name != "codes.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    made = {f"limit-{name}" for name in TABLE} | {f"edit-{name.replace(' ', '-')}" for name in texts}
    unused = {
        one.name
        for one in CODES.values()
        if one.name not in texts | made and not (one.severity == "finding" and one.code in texts)
    }
    assert unused == set()
    assert {f"limit-{name}" for name in TABLE} | set(STATUSES) <= set(CODES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('if error.message == "x": pass', 1),
        ('if "x" in (finding.hint): pass', 1),
        ('error.message.startswith("x")', 1),
        ('PATTERN.search(f"{one.hint} {one.message}")', 1),
        ("if error.hint is None: pass", 0),
        ("print(error.message)", 0),
        ("text = error.message\nif text.startswith('x'): pass", 1),
        ("def hint() -> Hint | None: ...\ndef f():\n  meant = hint()\n  return meant.replace('a', 'b')", 1),
        ("def f(): g([one.hint for one in found])\ndef g(texts):\n  return any('x' in one for one in texts)", 1),
        ("error.report().removeprefix('plait: ')", 1),
        ("def f(x: Wording): return x.split('y')", 1),
        ("def f(x: str): return x.split('y')", 0),
        ("error.message.replace(os.path.join(directory, ''), '')", 0),
        ("result.failures[0].text.partition('x')", 1),
        ("for one in result.failures:\n  if 'x' in one.text: pass", 1),
        ("def f(x: ExpectationFailure): return x.lines[0] == 'y'", 0),
        ("def f(x: ExpectationFailure): return x.text.split('y')", 1),
        ("from plait.base.errors import text_of\nx = text_of(error).split('\\n')[1:]", 1),
        ("from x import text_of\nx = text_of(error).split('\\n')[1:]", 0),
        ("from plait.base.errors import render as r\nif 'x' in r(error): pass", 1),
        ("try: pass\nexcept KeyError as e: x = str(e).split(':')", 1),
        ("try: pass\nexcept KeyError as e: x = f'{e}'.startswith('x')", 1),
        ("def f(e: PlaitError | None): return re.match('x', str(e))", 1),
        ("def f(e: int): return re.match('x', str(e))", 0),
        ("text.removeprefix('plait: ')", 1),
        ("if one['message'].startswith('x'): pass", 1),
        ("if one.get('hint', '') == 'x': pass", 1),
        ("if made(name) == one.message: pass", 1),
        ("if (one.line, one.message) in seen: pass", 1),
        ("if one.message: pass\nif one.message == '': pass", 0),
        ("for one in result.failures:\n  print(one.text, one.code == 'E1003')", 0),
    ],
)
def test_readers_are_found(text: str, expected: int) -> None:
    assert len(Readers([("a.py", ast.parse(text))]).found()) == expected


def test_constructions_without_a_code_are_found() -> None:
    tree = ast.parse('raise OpsError("x")\nraise OpsError("x", code="y")\nwarn(f"{x}")\nwarn(warning("x", code="y"))\n')
    assert (without_code(tree), warned_without_code(tree)) == ([1], [3])


def test_a_warning_is_its_text() -> None:
    at = Position(Source("a.yml", "a: 1\n"), 1)
    made = warning("wrong", code="repeated-key", at=at)
    assert made == "a.yml:1: wrong"
    found = made.diagnostic
    assert (found.code, found.severity, found.at, found.message) == ("repeated-key", "warning", at, "wrong")


def test_suggestions_go_with_their_hint() -> None:
    suggestion = Suggestion(REPLACE, "b", old="a")
    assert list(Finding("x", hint=Hint("did you mean b?", suggestion)).suggestions) == [suggestion]
    private = Position(Source("values.yml", "a: 1\n").hidden(), 1)
    assert list(Finding("x", at=private, hint=Hint("did you mean b?", suggestion)).suggestions) == []
    hint = quotation("did you mean b?")
    assert list(PlaitError("x", at=private, hint=hint, suggestions=[suggestion]).suggestions) == []


DOCUMENTS = """\
---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [site]}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: NAME
  layeringDefinition: {layer: site, actions: [{method: merge, path: .}]}
data: {}
"""


@pytest.mark.parametrize("name", ["url-pattern", "url-regex"])
def test_a_name_does_not_decide_a_code(name: str) -> None:
    result = plait.layer({"a.yml": DOCUMENTS.replace("NAME", name)}, warnings="keep")
    assert [one.diagnostic.code for one in result.warned] == ["actions-without-parent"]


_EXAMPLE = re.compile(r"^```(?:console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_each_code_has_a_page_whose_example_reports_it() -> None:
    """tests/test_docs.py runs the examples. A command shows the number of a code, an error of the API its name."""
    pages = {
        path.stem: path.read_text("utf-8")
        for path in (pathlib.Path(__file__).parents[1] / "docs" / "reference" / "codes").glob("*.md")
    }
    assert sorted(pages) == sorted(BY_CODE)
    for code, text in pages.items():
        name = BY_CODE[code].name
        assert text.startswith(f"# {code} {name}\n"), code
        shown = re.compile(rf"(?<!\w)(?:{code}|{re.escape(name)})(?!\w)")
        assert any(shown.search(block) for block in _EXAMPLE.findall(text)), f"no example reports {code}"


@pytest.mark.parametrize("width", [60, 120])
def test_pages_are_plain_text_in_a_terminal(width: int) -> None:
    for code in BY_CODE:
        page = page_of(code, width)
        assert page.startswith(f"{code} {BY_CODE[code].name}\n\n")
        assert "```" not in page
        assert "](" not in page, code
        # Lines of examples are indented, and stay as they are.
        assert all(len(line) <= width for line in page.splitlines() if not line.startswith("    ")), code


@pytest.mark.parametrize(
    ("files", "labels"),
    [
        ({"a.yml": "#@ replicas = 1\na: #@ replica\n"}, ["the nearest name"]),
        ({"a.yml": "#@ def f(x):\n#@   return x\n#@ end\na: #@ f()\n"}, ["the definition"]),
        ({"a.yml": "a: 1\na: 2\n#@ x = 1\n"}, ["the first one"]),
        (
            {"s.yml": "#@data/values-schema\n---\nhost: a\n", "v.yml": "#@data/values\n---\nhots: 1\n"},
            ["the nearest candidate"],
        ),
    ],
)
def test_related_places_say_their_part(files: dict[str, str], labels: list[str]) -> None:
    with pytest.raises(PlaitError) as failed:
        plait.render(files)
    found = failed.value.findings[0] if failed.value.findings else failed.value
    assert [one.label for one in found.also if one.label] == labels
    report = render(failed.value, codes=True)
    assert all(f"  <-- {label}\n" in report for label in labels)
    assert "<--" not in failed.value.report()


def test_related_places_of_layers_and_operations_say_their_part() -> None:
    with pytest.raises(PlaitError) as failed:
        plait.patch({"base.yml": "jobs: []\n"}, operations={"o.yml": "- {type: remove, path: /job}\n"})
    assert [one.label for one in failed.value.also] == ["the map"] * (len(failed.value.also) - 1) + ["the nearest key"]


# Calls that add an outer frame, which has no code of its own.
_FRAMES = {"within", "Frame"}
PORTED = pathlib.Path(__file__).parent / "cases" / "reference" / "own_texts.txt"


def ported(text: str) -> Iterator[tuple[str, str]]:
    """The places that give the text of ytt or bosh in its own field: the called name with its code, and the text."""

    lines = text.encode().split(b"\n")

    def written(node: ast.expr) -> str:
        assert node.end_lineno is not None
        found = lines[node.lineno - 1 : node.end_lineno]
        found[-1] = found[-1][: node.end_col_offset]
        found[0] = found[0][node.col_offset :]
        return " ".join(b" ".join(found).decode().split())

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            given = {one.arg: one.value for one in node.keywords}
            if "reference" in given:
                code = written(given["code"]) if "code" in given else "-"
                yield f"{_called(node)} {code}", written(given["reference"])
        elif isinstance(node, ast.Assign):
            for one in node.targets:
                if isinstance(one, ast.Attribute) and one.attr == "reference":
                    yield f"{written(one)} =", written(node.value)


def _ported() -> Iterator[tuple[str, str, str]]:
    for name, _ in _trees():
        text = (PACKAGE / name).read_text("utf-8")
        if "reference" in text:
            yield from ((name, who, told) for who, told in ported(text))


def test_texts_of_reference_programs_are_listed(update: str | None) -> None:
    """A new one needs an entry, and a change of one shows; rewording plait's own message changes no entry."""
    lines = sorted(" ".join(one) + "\n" for one in _ported())
    check(PORTED, "".join(lines), update)


def test_texts_of_reference_programs_belong_to_codes() -> None:
    """A class or a function with a code of its own need not give one."""
    coded = _with_code() | _FRAMES | {node.name for _, tree in _trees() for node in ast.walk(tree) if _has_code(node)}
    found = [
        f"{name}: {who}" for name, who, _ in _ported() if who.endswith(" -") and who.removesuffix(" -") not in coded
    ]
    assert found == []


def _has_code(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    """True for a function that gives a code to what it makes, whatever its callers say."""
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(one, ast.Call) and any(each.arg == "code" for each in one.keywords) for one in ast.walk(node)
    )


def test_texts_of_reference_programs_are_found() -> None:
    text = 'OpsError("x", reference="y", code="z")\nerror.reference = told\nerror.within("", reference="w")'
    assert {*ported(text)} == {('OpsError "z"', '"y"'), ("error.reference =", "told"), ("within -", '"w"')}
