"""Imports go one way: a package imports those on lower levels, and never one beside it."""

from __future__ import annotations

import ast
import functools
import pathlib
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

import plait

PACKAGE = pathlib.Path(plait.__file__).parent

LEVELS = [
    ["base"],
    ["tree"],
    ["yaml"],
    ["ytt.starlark"],
    ["ytt", "ops", "layering"],
    ["insight"],
    ["engine"],
    ["api"],
    ["authoring"],
    ["fleet"],
    ["review"],
    ["service"],
    ["integrations"],
    ["cli"],
    ["__main__"],
]
LEVEL_OF = {name: level for level, names in enumerate(LEVELS) for name in names}


def package_of(module: str) -> str:
    """The innermost package with a level that contains a module. module: its name under plait, such as `yaml.nodes`."""
    first, second, *_ = [*module.split("."), ""]
    return f"{first}.{second}" if f"{first}.{second}" in LEVEL_OF else first


def module_of(file: pathlib.Path, package: pathlib.Path) -> str:
    return ".".join(file.relative_to(package).with_suffix("").parts).removesuffix(".__init__")


def directory_of(name: str) -> pathlib.Path:
    return PACKAGE.joinpath(*name.split("."))


class Import(NamedTuple):
    """An import. names: as `a.b` for `import a.b`, and for `from a import b`. module: the `a` of the latter."""

    names: list[str]
    module: str
    line: int
    is_for_types: bool
    is_inside: bool


@functools.cache
def imports_of_file(file: pathlib.Path) -> list[Import]:
    return [*imports_of_tree(ast.parse(file.read_text("utf-8")))]


def imports_of_tree(tree: ast.Module) -> Iterator[Import]:
    """Every import of a module, whichever form it has. Imports are statements: expressions are not looked at."""
    waiting: list[tuple[ast.AST, bool, bool]] = [(tree, False, False)]
    while waiting:
        node, is_for_types, is_inside = waiting.pop()
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield Import(names, node.module or "", node.lineno, is_for_types, is_inside)
        elif isinstance(node, ast.Import):
            yield Import([alias.name for alias in node.names], "", node.lineno, is_for_types, is_inside)
        is_inside |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        is_checked = node in tree.body and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, ())
            if isinstance(inner, list):  # the body of a lambda is an expression
                waiting += [(one, is_for_types or (is_checked and field == "body"), is_inside) for one in inner]


def imported(file: pathlib.Path) -> Iterator[tuple[str, int]]:
    """(package under plait, line) of every import in a module."""
    for one in sorted(imports_of_file(file), key=lambda one: one.line):
        for name in one.names:
            if name.startswith("plait."):
                yield package_of(name.removeprefix("plait.")), one.line


def upward_imports(package: pathlib.Path) -> Iterator[str]:
    for file in sorted(package.rglob("*.py")):
        here = package_of(module_of(file, package))
        if here == "__init__":
            continue
        for there, line in imported(file):
            if there != here and there in LEVEL_OF and LEVEL_OF[there] >= LEVEL_OF[here]:
                yield f"{file.relative_to(package)}:{line}: {here} imports {there}"


def test_every_package_has_a_level() -> None:
    found = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert found - {"__init__"} <= set(LEVEL_OF)


def test_no_package_imports_upward_or_sideways() -> None:
    assert list(upward_imports(PACKAGE)) == []


def test_an_upward_import_is_found(tmp_path: pathlib.Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "nodes.py").write_text("from plait.yaml import read\n", "utf-8")
    (tmp_path / "ytt" / "starlark").mkdir(parents=True)
    (tmp_path / "ytt" / "starlark" / "scan.py").write_text("from plait.ytt.templates import text\n", "utf-8")
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops" / "walk.py").write_text(
        "import plait.layering.data_paths\nfrom plait.tree.nodes import Map\n", "utf-8"
    )
    assert list(upward_imports(tmp_path)) == [
        "ops/walk.py:1: ops imports layering",
        "tree/nodes.py:1: tree imports yaml",
        "ytt/starlark/scan.py:1: ytt.starlark imports ytt",
    ]


def test_text_speaks_of_plait_alone() -> None:
    """No machine's paths in what is published."""
    for file in PACKAGE.rglob("*.py"):
        for word in ("/work/", "/root/", "/home/"):
            assert word not in file.read_text("utf-8"), f"{file}: {word}"


ARCHITECTURE = pathlib.Path(__file__).parents[1] / "docs" / "architecture.md"  # the package may be installed
PICTURE = re.compile(r"(?<=<!-- packages -->\n)```text\n.*?```\n(?=<!-- end -->)", re.DOTALL)


def imports_of(name: str) -> set[str]:
    path = directory_of(name)
    files = path.rglob("*.py") if path.is_dir() else [path.with_suffix(".py")]
    own = [file for file in files if package_of(module_of(file, PACKAGE)) == name]
    return {there for file in own for there, _ in imported(file)} & set(LEVEL_OF)


def purpose(package: pathlib.Path) -> str:
    """The first sentence of a package's docstring."""
    file = package / "__init__.py" if package.is_dir() else package.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return re.split(r"(?<=[.]) |\n\n|\s\(docs/", text)[0].replace("\n", " ").rstrip(".:")


def picture() -> str:
    """Each level as a block of lines: its packages, their purpose, and the packages that they import."""
    lines = []
    for names in LEVELS:
        for name in names:
            lines.append(f"{name:<12} {purpose(directory_of(name))}")
            used = sorted(imports_of(name) - {name}, key=lambda other: (LEVEL_OF[other], other))
            lines.append(f"{'':<12}   uses {', '.join(used)}" if used else "")
        lines.append("")
    return "```text\n" + re.sub(r"\n{2,}", "\n\n", "\n".join(lines)).rstrip() + "\n```\n"


def test_the_picture_of_the_packages_is_current(request: pytest.FixtureRequest) -> None:
    text = ARCHITECTURE.read_text("utf-8")
    if request.config.getoption("--update"):
        ARCHITECTURE.write_text(PICTURE.sub(lambda _: picture(), text), "utf-8")
        return
    assert PICTURE.findall(text) == [picture()], "pytest --update tests/test_layers.py writes it"


def test_the_table_of_the_architecture_names_files_that_exist() -> None:
    table = ARCHITECTURE.read_text("utf-8").partition("## To change something, open")[2].partition("\n## ")[0]
    paths = [found for found in re.findall(r"`([a-z_/]+(?:/|\.py))`", table) if "/" in found]
    assert len(paths) > 40
    assert [path for path in paths if not (PACKAGE / path).exists()] == []


# Debts, which only get smaller: modules that import each other if imports for types count, and imports inside functions.
# An import stands inside a function if a small run must not load the module (tests/test_startup.py), if the module needs
# an extra, or in `plait.cli`, which loads the module of one command.
MOST_CIRCLES = 3
MOST_INSIDE_FUNCTIONS = 350


def modules_of(package: pathlib.Path) -> dict[str, list[Import]]:
    """The imports of each module, less the packages themselves."""
    return {
        ".".join(file.relative_to(package.parent).with_suffix("").parts): imports_of_file(file)
        for file in package.rglob("*.py")
        if file.stem not in ("__init__", "__main__")
    }


def graph_of(modules: dict[str, list[Import]], *, types: bool = True) -> dict[str, set[str]]:
    """The modules that each module imports, also inside functions. types: also imports that only types need."""
    graph: dict[str, set[str]] = {}
    for name, imports in modules.items():
        named = {each for one in imports if types or not one.is_for_types for each in (*one.names, one.module)}
        graph[name] = (named & modules.keys()) - {name}
    return graph


def circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Groups of modules that reach each other."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            new = graph[waiting.pop()] - seen
            seen |= new
            waiting.extend(new)
        return seen

    reach = {name: reached(name) for name in graph}
    groups = {frozenset({name, *(other for other in reach[name] if name in reach[other])}) for name in graph}
    return [set(group) for group in groups if len(group) > 1]


def test_circles_of_modules_get_fewer() -> None:
    found = circles(graph_of(modules_of(PACKAGE)))
    assert len(found) <= MOST_CIRCLES, sorted(map(sorted, found))
    assert len(found) >= MOST_CIRCLES, "lower the number"


def test_no_modules_import_each_other_at_run_time() -> None:
    assert circles(graph_of(modules_of(PACKAGE), types=False)) == []


def test_a_circle_is_found() -> None:
    texts = {
        "p.a": "if TYPE_CHECKING:\n    from p.b import B",
        "p.b": "try:\n    pass\nexcept E:\n    def f():\n        import p.a",
        "p.c": "",
    }
    modules = {name: [*imports_of_tree(ast.parse(text))] for name, text in texts.items()}
    assert circles(graph_of(modules)) == [{"p.a", "p.b"}]
    assert circles(graph_of(modules, types=False)) == []


def test_imports_inside_functions_get_fewer() -> None:
    found = {
        (file, one.line)
        for file in PACKAGE.rglob("*.py")
        for one in imports_of_file(file)
        if one.is_inside and one.module.partition(".")[0] == "plait"
    }
    assert len(found) <= MOST_INSIDE_FUNCTIONS
    assert len(found) > MOST_INSIDE_FUNCTIONS - 20, "lower the number"
