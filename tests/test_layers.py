"""Imports go one way: a package imports those on lower levels, and never one beside it."""

from __future__ import annotations

import ast
import pathlib
import re
from collections.abc import Iterator

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


def imported(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """(package under plait, line) of every import in a module, whichever form it has."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            whole = [alias.name for alias in node.names]
        else:
            continue
        for name in whole:
            if name.startswith("plait."):
                yield package_of(name.removeprefix("plait.")), node.lineno


def upward_imports(package: pathlib.Path) -> Iterator[str]:
    for file in sorted(package.rglob("*.py")):
        here = package_of(module_of(file, package))
        if here == "__init__":
            continue
        for there, line in imported(ast.parse(file.read_text("utf-8"))):
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
    return {there for file in own for there, _ in imported(ast.parse(file.read_text("utf-8")))} & set(LEVEL_OF)


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


def modules_of(package: pathlib.Path) -> dict[str, ast.Module]:
    """Each module with its tree, less the packages themselves."""
    found = {}
    for file in package.rglob("*.py"):
        if file.stem not in ("__init__", "__main__"):
            name = ".".join(file.relative_to(package.parent).with_suffix("").parts)
            found[name] = ast.parse(file.read_text("utf-8"))
    return found


def graph_of(modules: dict[str, ast.Module], *, types: bool = True) -> dict[str, set[str]]:
    """The modules that each module imports, also inside functions. types: also imports that only types need."""
    graph: dict[str, set[str]] = {}
    for name, tree in modules.items():
        named: set[str] = set()
        checked = [node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
        skipped = set() if types else {inner for node in checked for one in node.body for inner in ast.walk(one)}
        for node in ast.walk(tree):
            if node in skipped:
                continue
            if isinstance(node, ast.Import):
                named |= {a.name for a in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                named |= {node.module, *(f"{node.module}.{a.name}" for a in node.names)}
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
    trees = {
        "p.a": ast.parse("if TYPE_CHECKING:\n    from p.b import B"),
        "p.b": ast.parse("import p.a"),
        "p.c": ast.parse(""),
    }
    assert circles(graph_of(trees)) == [{"p.a", "p.b"}]
    assert circles(graph_of(trees, types=False)) == []


def test_imports_inside_functions_get_fewer() -> None:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = {
        (file, node.lineno)
        for file in PACKAGE.rglob("*.py")
        for function in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(function, functions)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "plait"
    }
    assert len(found) <= MOST_INSIDE_FUNCTIONS
    assert len(found) > MOST_INSIDE_FUNCTIONS - 20, "lower the number"
