"""The reference in docs/ has every name that the tables in the code have, each with an example."""

from __future__ import annotations

import pathlib
import re
import shlex
from typing import NoReturn

import pytest
import yaml

import generated
import test_docs
from plait.base.extensions import BY_COMMAND
from plait.cli import main
from plait.cli.commands import commands
from plait.engine.common import NO_EFFECT
from plait.layering import ignored
from plait.layering.actions import ACTIONS
from plait.ops import pointer
from plait.ops.certificates import OPTIONS
from plait.ops.generate import GENERATORS
from plait.ops.operation_files import OPERATIONS
from plait.ops.operations import FIELDS
from plait.ytt.overlay.plan import ACTION_ANNOTATIONS
from plait.ytt.schema.validations import KEYWORDS
from plait.ytt.starlark.table.methods import METHODS
from plait.ytt.starlark.table.universal import UNIVERSAL
from plait.ytt.templates.directives import ADDED, KNOWN_BY_NAME
from plait.ytt.workspace.file_marks import KEYS, TYPES

DOCS = pathlib.Path(__file__).parent.parent / "docs"
PAGES = DOCS / "reference"
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def sections(page: str, level: str) -> dict[str, str]:
    """The sections of a page by their heading."""
    text = (PAGES / page).read_text("utf-8")
    marked = BLOCK.sub(lambda found: found[0].replace("\n#", "\n\0#"), text)
    parts = re.split(rf"^{level} (.+)\n", marked, flags=re.MULTILINE)
    return {name: part.replace("\0", "") for name, part in zip(parts[1::2], parts[2::2], strict=True)}


def blocks(text: str) -> str:
    return "".join(BLOCK.findall(text))


def prose(text: str) -> str:
    return BLOCK.sub("", text)


def lacking(names: list[str], text: str, form: str = "`{}") -> list[str]:
    """Names that the prose does not have, or the examples do not."""
    return [name for name in names if form.format(name) not in prose(text) or name not in blocks(text)]


def test_page_of_flags_is_what_the_tables_say(update: str | None) -> None:
    generated.check(PAGES / "flags.md", generated.flags_page(), update)


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.name)
def test_tables_are_what_the_code_says(page: pathlib.Path, update: str | None) -> None:
    generated.check(page, generated.with_tables(page.read_text("utf-8")), update)


def test_every_flag_has_an_example() -> None:
    examples = generated.flag_examples()
    for name, table in commands().items():
        flags = [flag for heading, flags in table.groups.items() if heading != NO_EFFECT for flag in flags]
        if name != "version":
            assert sorted(examples[name]) == sorted(flag.name for flag in flags)
        for flag in flags if name != "version" else []:
            line = examples[name][flag.name][0]
            assert f"plait {name}" in line
            assert f"--{flag.name}" in line or (flag.short and f"-{flag.short} " in line)


FILES: dict[str, str] = yaml.safe_load(generated.FLAGS.read_text("utf-8"))["files"]
EXAMPLES = [
    pytest.param(line, status, id=f"{name} {flag}")
    for name, lines in generated.flag_examples().items()
    for flag, (line, status) in lines.items()
]


def interrupted(*_: object) -> NoReturn:
    """What a user does who has seen what `--watch` shows first."""
    raise KeyboardInterrupt


@pytest.mark.parametrize(("line", "status"), EXAMPLES)
def test_example_of_a_flag(
    line: str,
    status: int,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / ".git").mkdir()  # projects are checkouts
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APP_name", "shop")
    monkeypatch.setattr("plait.authoring.watch.changes._Watcher.next_change", interrupted)
    if " | " in line:
        test_docs.output(line, "", monkeypatch)
    else:
        assert main(shlex.split(line)[1:]) == status, capfdbinary.readouterr().err.decode()


def test_every_annotation_is_described() -> None:
    assert sorted(f"@{name}" for name in generated.ANNOTATIONS) == sorted(KNOWN_BY_NAME)
    found = {
        name.removeprefix("#@"): text
        for page in ("annotations.md", "overlays.md", "schemas.md")
        for name, text in sections(page, "###").items()
        if name.startswith("#@")
    }
    assert sorted(found) == sorted([*generated.ANNOTATIONS, *(name[1:] for name in ADDED)])
    shown = "".join(blocks(page.read_text("utf-8")) for page in PAGES.glob("*.md"))
    assert [name for name in found if f"#@{name}" not in shown] == []
    assert set(ACTION_ANNOTATIONS) <= set(found)


@pytest.mark.parametrize(("module", "names"), generated.members().items())
def test_every_function_of_a_module_is_described(module: str, names: list[str]) -> None:
    text = sections("modules.md", "##")[f"@ytt:{module}"]
    assert lacking([f"{module}.{name}" for name in names], text) == []


def test_every_builtin_is_described() -> None:
    found = sections("language.md", "##")
    headings = sections("language.md", "###")
    assert [name for name in UNIVERSAL if name not in headings] == []
    assert lacking([f"{name}(" for name in UNIVERSAL], found["Functions"]) == []
    for kind, rows in METHODS.items():
        heading = f"Methods of {'strings' if kind is str else kind.__name__.lower() + 's'}"
        assert [name for name in rows if f".{name}(" not in prose(found[heading])] == []
        assert [name for name in rows if f".{name}(" not in blocks(found[heading])] == []


def test_every_rule_of_a_schema_is_described() -> None:
    text = sections("schemas.md", "###")["#@schema/validation"]
    assert lacking([f"{name}=" for name in KEYWORDS], text) == []


def test_every_operation_is_described() -> None:
    text = (PAGES / "operations.md").read_text("utf-8")
    found = sections("operations.md", "###")
    assert [name for name in OPERATIONS if f"type: {name}" not in blocks(found[name])] == []
    assert lacking(list(FIELDS), text) == []


def test_every_part_of_a_path_is_described() -> None:
    text = (PAGES / "operations.md").read_text("utf-8")
    assert lacking([f":{name}" for name in pointer.MODIFIERS], text) == []
    assert lacking([f"~{digit}" for digit in "017"], text) == []
    kinds = {type(token) for path in re.findall(r"path: (/\S*)", blocks(text)) for token in pointer.parse(path).tokens}
    assert kinds == {pointer.KeyToken, pointer.IndexToken, pointer.MatchingIndexToken, pointer.AfterLastIndexToken}


def test_every_type_of_variable_is_described() -> None:
    found = sections("variables.md", "###")
    assert [name for name in GENERATORS if f"type: {name}" not in blocks(found[name])] == []
    assert lacking(list(OPTIONS), found["certificate"]) == []


def test_every_part_of_a_layered_document_is_described() -> None:
    text = (PAGES / "layering.md").read_text("utf-8")
    found = sections("layering.md", "###")
    assert [name for name in ACTIONS if name not in found or f"method: {name}" not in blocks(text)] == []
    keys = ignored.METADATA_KEYS | ignored.DEFINITION_KEYS | ignored.ACTION_KEYS
    assert lacking(sorted(keys), text) == []
    fields = [f"src.{key}" for key in ignored.SOURCE_KEYS] + [f"dest.{key}" for key in ignored.DESTINATION_KEYS]
    assert [field for field in fields if f"`{field}" not in prose(text)] == []
    assert [field for field in fields if f"{field.partition('.')[2]}:" not in blocks(text)] == []


def test_every_file_mark_is_described() -> None:
    text = prose((PAGES / "templates.md").read_text("utf-8"))
    assert [key for key in KEYS if f"`{key}=" not in text] == []
    assert [name for name in TYPES if f"`type={name}`" not in text] == []


def test_every_variable_store_example_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is generated differs each time, so that the page does not show it."""
    (tmp_path / ".git").mkdir()  # projects are checkouts
    monkeypatch.chdir(tmp_path)
    text = (PAGES / "variables.md").read_text("utf-8")
    for name, content in re.findall(r'^```yaml title="([^"]+)"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(content, "utf-8")
    lines = re.findall(r"^plait (patch .*--vars-store .*)$", text, re.MULTILINE)
    assert len(lines) == len(GENERATORS)
    for line in lines:
        assert main(shlex.split(line)) == 0
    assert "((" not in yaml.safe_dump(yaml.safe_load((tmp_path / "store.yml").read_text("utf-8")))


def test_every_addition_is_listed() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| `([a-z]+)` \|", (PAGES / "extensions.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted((name, command) for command, names in BY_COMMAND.items() for name in names)
    assert {name for name, _ in rows} == {name for names in BY_COMMAND.values() for name in names}
