"""The layout of a YAML text is known by one tree: no other code searches dashes, colons and indentation in its lines."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TOP = Path(__file__).parents[2] / "src" / "plait"
# The packages and modules that show, check or change the text of a YAML file.
PLACES = (
    "authoring/analysis",
    "authoring/edit",
    "authoring/formatting",
    "authoring/lint",
    "authoring/lsp",
    "base/extents.py",
    "base/text_edits.py",
    "insight",
    "tree/provenance",
    "yaml",
    "ytt/json_schema",
    "ytt/templates",
)
_FINDING = {"partition", "rpartition", "split", "find", "index", "rfind", "rindex", "startswith", "removeprefix"}
_STRIPPING = {"lstrip", "strip"}
# A dash or a colon with what follows it, as a pattern for lines would have it.
_SIGNS = re.compile(r"(?<!\[)(?<!\\w)- |-\\s|: \+|: \*|:\\s|:\(\?[:=]|:\)\? \*|\[&!\]|\[\|>\]|&\(?\\S")

# Where signs may be searched by hand, with the reason.
ALLOWED: dict[str, str] = {
    place: reason
    for reason, places in {
        "shortens a place for a terminal: a file's name and a line, not YAML": "insight/history_text.py:_narrow_place insight/path_resolution.py:no_document",
        "moves lines, and so counts their spaces; which lines these are comes from the tree": """
            authoring/formatting/formatter.py:_of_lines authoring/formatting/formatter.py:_written authoring/formatting/formatter.py:_with_one_space
            authoring/formatting/formatter.py:_of_block_scalar authoring/formatting/formatter.py:_moved authoring/formatting/formatter.py:_of_comments
            authoring/formatting/formatter.py:_is_mark authoring/formatting/formatter.py:_below authoring/formatting/structure.py:_Planner._shift
            authoring/formatting/structure.py:_Planner._block_scalar""",
        "orders candidates, each of which is verified by evaluating": "insight/untaken_conditions.py:_end_of_node",
        "reads one anchor, tag or header at a place that the tree knows": """
            authoring/formatting/structure.py:_HEADER authoring/formatting/structure.py:_PROPERTY""",
        "reads the lines of common texts, and is compared with libyaml": """
            yaml/lines/flow.py:_simple yaml/lines/multiline.py:block yaml/lines/multiline.py:quoted
            yaml/lines/multiline.py:continued yaml/lines/shapes.py:plain_text yaml/lines/shapes.py:_shape
            yaml/lines/shapes.py:_key yaml/lines/shapes.py:_quoted""",
        "looks at a text before it is read": """
            ytt/json_schema/schema_index.py:_WORDS ytt/templates/compiler.py:plan yaml/document_start.py:ends_first
            yaml/document_start.py:is_second""",
        "looks at a line that cannot be read, which no tree has": """
            authoring/lint/mending.py:_VALUE ytt/templates/recovery.py:_without yaml/parse_errors.py:_go_yaml
            yaml/parse_errors.py:_indentation yaml/parse_errors.py:_key_column yaml/parse_errors.py:_before yaml/parse_errors.py:_too_far_out
            yaml/parse_errors.py:_is_joined yaml/parse_errors.py:_lacks_space yaml/foreign_syntax.py:_NO_BREAK
            ytt/json_schema/schema_files.py:_parsed""",
        "looks at code, an annotation or a comment": """
            insight/blocks.py:_OPENS authoring/analysis/name_positions.py:_openings authoring/edit/sites.py:Text.is_computed
            authoring/lint/mending.py:_argument authoring/lint/style.py:_code_on authoring/lsp/completion.py:_all authoring/lsp/inlay_hints.py:hints
            authoring/lsp/renaming.py:_Search.lines ytt/templates/directives.py:read ytt/templates/directives.py:unknown_comment
            ytt/templates/statement_lines.py:of_nodes ytt/templates/template.py:_annotation_hint ytt/templates/text.py:parse""",
        "needs the first character of a line, whatever it is, where nothing of it is known": """
            authoring/analysis/file_facts.py:File.text_on base/extents.py:extent authoring/lint/layout.py:LintedFile.column
            insight/source_map.py:_Columns.of""",
        "looks at a value, a name or an output": """
            authoring/edit/write_back.py:_is_moved authoring/edit/insertion.py:offers authoring/lint/dead_values.py:modules
            authoring/lint/yaml_versions.py:_base_60 authoring/lsp/renaming.py:_has_other_variable insight/history_text.py:_narrow
            yaml/fmt.py:joined yaml/scalar_styles.py:decimal yaml/scalar_styles.py:_plain_allowed
            yaml/scalars.py:resolve_strict yaml/scalars.py:is_base60 yaml/scalars.py:is_timestamp""",
    }.items()
    for place in places.split()
}


def found() -> Iterator[tuple[str, str]]:
    """The functions that search signs in text by hand, each with its line."""
    for place in PLACES:
        top = TOP / place
        assert top.exists(), f"{place} is no package of plait: say in PLACES what became of it"
        for path in [top] if top.is_file() else sorted(top.rglob("*.py")):
            name = path.relative_to(TOP).as_posix()
            if name.startswith(("yaml/lossless/", "yaml/embedded/")):  # the tree itself, and formats that are not YAML
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for scope, node in _scoped(tree, ""):
                if _is_search(node):
                    yield f"{name}:{scope}", f"{path}:{node.lineno}"  # type: ignore[attr-defined]


def _scoped(node: ast.AST, scope: str) -> Iterator[tuple[str, ast.AST]]:
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
            yield from _scoped(inner, f"{scope}.{inner.name}" if scope else inner.name)
        else:
            target = inner.targets[0] if isinstance(inner, ast.Assign) else None
            here = scope or (target.id if isinstance(target, ast.Name) else "")
            yield here, inner
            yield from _scoped(inner, here)


def _is_search(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    called = node.func.attr
    words = [word for argument in node.args for word in _texts(argument)]
    if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
        return any(_SIGNS.search(word) for word in words[:1])
    if called == "lstrip":
        return not words or any(set(word) <= {" ", "-", "\t"} for word in words)
    if called in _STRIPPING:
        return any("-" in word and " " in word for word in words)
    return called in _FINDING and any(word in {":", ": ", "-", "- ", "? ", "---", " -"} for word in words)


def _texts(node: ast.AST) -> Iterator[str]:
    """The string constants in an argument, those of an f-string too."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def test_layout_is_asked_of_the_tree() -> None:
    here = dict(found())
    assert {place: line for place, line in here.items() if place not in ALLOWED} == {}, (
        "ask the tree (plait.yaml.lossless), or give a reason in ALLOWED"
    )


def test_every_exception_is_needed() -> None:
    assert ALLOWED.keys() - dict(found()).keys() == set()


def test_a_search_is_seen() -> None:
    searches = [
        'line.lstrip(" -")', "line.lstrip()", 'line.partition(":")', 'line.startswith("- ")', 'line.find(": ")',
        r're.compile(r"^\s*(?:- )?path:")', r're.match(r"([\w-]+):\s", line)', r're.compile(r"&(\S+)")',
    ]  # fmt: skip
    for one in searches:
        assert _is_search(ast.parse(one, mode="eval").body), one
    assert not _is_search(ast.parse('line.partition("=")', mode="eval").body)
