"""Numbers in texts that users and files choose have any length, and Python converts no more than 4,300 digits."""

from __future__ import annotations

import ast
import io
import sys
from pathlib import Path

import pytest

import plait
from plait.base.numbers import number_of
from plait.cli import main

PACKAGE = Path(plait.__file__).parent
LONG = "9" * 5000
PATHS = (
    "A/x:list[{0}]", "A/x:list.{0}", "A/x#{0}:list", "#{0}:list", "{0}:list", "{0}", "t.txt:{0}", "a.yml:{0}", "/list/{0}",
    "A/x:list[-{0}]",
)  # fmt: skip
COMMANDS = {
    "explain": "explain render -f a.yml -f t.txt -- PATH",
    "impact": "impact render -f a.yml -f t.txt -- PATH",
    "why-not": "why-not a.yml:LONG render -f a.yml",
    "set": "set PATH=3 render -f a.yml",
    "set --at": "set A/x:list[0]=3 --at a.yml:LONG render -f a.yml",
    "fleet impact": "fleet impact a.yml:LONG",
    "help": "help ULONG",
}
KRM = """kind: ResourceList
items:
- {{kind: A, apiVersion: v1, metadata: {{name: x, annotations: {{internal.config.kubernetes.io/path: a,
    internal.config.kubernetes.io/index: "{0}"}}}}}}
functionConfig: {{spec: {{operations: [{{type: remove, path: /a/b}}]}}}}
"""


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yml").write_text("kind: A\nmetadata: {name: x}\nlist: [1, 2]\n", "utf-8")
    Path("t.txt").write_text("hello\n", "utf-8")
    Path("plait.yml").write_text("runs: {app: {render: {files: [a.yml]}}}\n", "utf-8")


@pytest.mark.parametrize("digits", [LONG, "²", "٣" * 20], ids=["long", "no decimal", "other digits"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_number_in_an_argument_is_never_an_internal_error(
    command: str, digits: str, capfd: pytest.CaptureFixture[str]
) -> None:
    line = COMMANDS[command].replace("LONG", digits)
    for path in PATHS if "PATH" in line else ("",):
        status = main([word.replace("PATH", path.format(digits)) for word in line.split(" ")])
        told = capfd.readouterr().err
        assert status in (0, 1, 2), (path, told[-300:])
        assert "internal error" not in told, path


@pytest.mark.parametrize("reference", ["#/$defs/a/{0}", "#/$defs/{0}", "s.json#/properties/x/{0}"])
def test_a_number_in_a_schema_is_never_an_internal_error(reference: str, capfd: pytest.CaptureFixture[str]) -> None:
    text = '{"$defs": {"a": [{"type": "string"}]}, "properties": {"x": {"$ref": "REF"}, "kind": {"type": "number"}}}'
    for digits in (LONG, "²"):
        Path("s.json").write_text(text.replace("REF", reference.format(digits)), "utf-8")
        assert main(["render", "-f", "a.yml", "--schema", "s.json"]) in (1, 2)
        assert "internal error" not in capfd.readouterr().err


DOCUMENTS = {
    "overlay": (
        """#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.all, expects="{0}+"
---
a: 1
""",
        "render -f a.yml -f made.yml",
    ),
    "operations": ("- {{type: replace, path: '/list/{0}', value: 1}}\n", "patch a.yml -o made.yml"),
    "layering": (
        """schema: deckhand/LayeringPolicy/v1
metadata: {{schema: metadata/Control/v1, name: order}}
data: {{layerOrder: [site]}}
---
schema: a/A/v1
metadata: {{schema: metadata/Document/v1, name: x, layeringDefinition: {{layer: site}}}}
data: {{list: [1]}}
---
schema: a/A/v1
metadata:
  schema: metadata/Document/v1
  name: y
  layeringDefinition: {{layer: site}}
  substitutions: [{{src: {{schema: a/A/v1, name: x, path: ".list[{0}]"}}, dest: {{path: ".b[{0}]"}}}}]
data: {{}}
""",
        "layer made.yml",
    ),
}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_number_in_a_document_is_never_an_internal_error(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    text, line = DOCUMENTS[kind]
    for digits in (LONG, "²"):
        Path("made.yml").write_text(text.format(digits), "utf-8")
        assert main(line.split(" ")) in (1, 2)
        assert "internal error" not in capfd.readouterr().err


def test_the_index_of_an_item_is_never_an_internal_error(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(KRM.format(LONG).encode())))
    assert main(["krm"]) == 1
    assert "internal error" not in capfd.readouterr().err


def test_number_of() -> None:
    assert [number_of(text) for text in ("0", "12", "9" * 18)] == [0, 12, 10**18 - 1]
    assert [number_of(text) for text in ("", "-1", "1.0", " 1", "²", "9" * 19, LONG)] == [None] * 7


def test_a_text_that_is_tested_for_digits_alone_is_not_converted() -> None:
    """A condition with `isdigit` or `isdecimal` on a text says nothing of its length: `number_of` does."""
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, (ast.IfExp, ast.BoolOp, ast.If)):
                continue
            test = node if isinstance(node, ast.BoolOp) else node.test
            text = ast.unparse(test)
            converted = ast.unparse(node)
            if (".isdigit()" in text or ".isdecimal()" in text) and "int(" in converted and "len(" not in converted:
                found.append(f"{file.relative_to(PACKAGE).as_posix()}:{node.lineno}")
    assert found == []
