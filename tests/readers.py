"""The code that reads the texts of diagnostics: that compares them, takes them apart, or matches them with a pattern.

Texts are followed within a function and into the functions that it calls: through variables, containers, and parameters.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_TEXTS = {"message", "hint", "expected", "found"}
_READING = {
    *("startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition"),
    *("split", "rsplit", "splitlines", "find", "index", "replace"),
}
_PATTERNS = {"search", "match", "fullmatch", "finditer", "findall", "sub", "split"}
# Classes whose instances are texts of diagnostics.
_CLASSES = {"Hint", "Wording", "Advice", "Warning", "Quoted"}
# Functions that return such a text, and those that return a text if they get one.
_MAKERS = {"full", "report"}
_KEEPERS = {"list", "sorted", "tuple", "str", "set", "strip", "rstrip", "lstrip", "lower"}


# The failures of a test have a text, and its lines.
_FAILURE = "ExpectationFailure"
_OF_FAILURES = {"text", "lines"}


def _is_annotated(node: ast.AST | None, classes: set[str] = _CLASSES) -> bool:
    return node is not None and any(
        (isinstance(one, ast.Name) and one.id in classes)
        or (isinstance(one, ast.Constant) and isinstance(one.value, str) and any(x in one.value for x in classes))
        for one in ast.walk(node)
    )


def _is_list_of_failures(node: ast.AST) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == "failures") or (
        isinstance(node, ast.Name) and node.id == "failures"
    )


def _called(node: ast.Call) -> str:
    function = node.func
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


def _parameters(function: Function) -> list[ast.arg]:
    found = [*function.args.posonlyargs, *function.args.args]
    return found[1:] if found and found[0].arg in ("self", "cls") else found


def _names(target: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}


class Readers:
    """The readers in the modules of a package. trees: of the modules, by name."""

    def __init__(self, trees: Iterable[tuple[str, ast.AST]]) -> None:
        self._functions: list[tuple[str, Function]] = []
        for name, tree in trees:
            body = [one for one in getattr(tree, "body", []) if not isinstance(one, ast.ClassDef | Function)]
            wrapped = ast.parse("def module(): pass").body[0]
            assert isinstance(wrapped, ast.FunctionDef)
            wrapped.body = body
            self._functions += [(name, one) for one in (wrapped, *ast.walk(tree)) if isinstance(one, Function)]
        by_name: dict[str, list[Function]] = defaultdict(list)
        for _, function in self._functions:
            by_name[function.name].append(function)
        self._unique = {name: found[0] for name, found in by_name.items() if len(found) == 1}
        self._makers = {name for name, found in by_name.items() if all(_is_annotated(one.returns) for one in found)}
        # The names of parameters that get such a text, by function.
        self._given = {
            id(function): {
                one.arg for one in (*_parameters(function), *function.args.kwonlyargs) if _is_annotated(one.annotation)
            }
            for _, function in self._functions
        }

    def found(self) -> list[tuple[str, int]]:
        """The modules and lines that read a text."""
        found: set[tuple[str, int]] = set()
        homes = {id(function): (name, function) for name, function in self._functions}
        changed = set(homes)
        while changed:
            name, function = homes[changed.pop()]
            known = self._known(function)
            found |= {(name, line) for line in self._read(function, known)}
            changed |= self._pass_on(function, known)
        return sorted(found)

    def _is_text(self, node: ast.AST, known: set[str]) -> bool:
        if isinstance(node, ast.Name):
            return node.id in known
        if isinstance(node, ast.Attribute):
            is_failure = node.attr in _OF_FAILURES and self._is_failure(node.value, known)
            return isinstance(node.ctx, ast.Load) and (node.attr in _TEXTS or is_failure)
        if isinstance(node, ast.Call):
            called = _called(node)
            if called == "text" and node.args and getattr(node.args[0], "value", None) in _TEXTS:
                return True
            of = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
            keeps = called in _KEEPERS and any(self._is_text(one, known) for one in of)
            return called in self._makers | _MAKERS or keeps
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            inner = set(known)
            for one in node.generators:
                inner |= _names(one.target) if self._is_text(one.iter, inner) else set()
            return self._is_text(node.elt, inner)
        parts: list[ast.AST] = []
        if isinstance(node, ast.BoolOp):
            parts = [*node.values]
        elif isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            parts = [*node.elts]
        elif isinstance(node, ast.NamedExpr | ast.Starred | ast.FormattedValue):
            parts = [node.value]
        elif isinstance(node, ast.JoinedStr):
            parts = [*node.values]
        return any(self._is_text(one, known) for one in parts)

    def _is_failure(self, node: ast.AST, known: set[str]) -> bool:
        """True for a failure of a test, `failures[0]` or a variable."""
        if isinstance(node, ast.Subscript):
            return _is_list_of_failures(node.value)
        return isinstance(node, ast.Name) and f"{node.id}." in known

    def _known(self, function: Function) -> set[str]:
        """The variables of a function that hold such a text; and those that hold a failure of a test, with a dot."""
        known = set(self._given[id(function)])
        known |= {f"{one.arg}." for one in _parameters(function) if _is_annotated(one.annotation, {_FAILURE})}
        for node in ast.walk(function):
            if isinstance(node, ast.For | ast.comprehension) and _is_list_of_failures(node.iter):
                known |= {f"{name}." for name in _names(node.target)}
        before = -1
        while before != len(known):
            before = len(known)
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and self._is_text(node.value, known):
                    known |= {one.id for one in node.targets if isinstance(one, ast.Name)}
                elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                    is_name = isinstance(node.target, ast.Name) and self._is_text(node.value, known)
                    known |= _names(node.target) if is_name else set()
                elif isinstance(node, ast.For | ast.comprehension) and self._is_text(node.iter, known):
                    known |= _names(node.target)
        return known

    def _read(self, function: Function, known: set[str]) -> Iterator[int]:
        for node in ast.walk(function):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                is_literal = any(
                    isinstance(one, ast.Constant | ast.JoinedStr) and getattr(one, "value", "") not in (None, "")
                    for one in sides
                )
                if is_literal and any(self._is_text(one, known) for one in sides):
                    yield node.lineno
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                # A path, which is computed, may be shortened.
                takes_apart = node.func.attr in _READING and not (node.args and isinstance(node.args[0], ast.Call))
                matches = node.func.attr in _PATTERNS
                if (takes_apart and self._is_text(node.func.value, known)) or (
                    matches and any(self._is_text(one, known) for one in node.args)
                ):
                    yield node.lineno

    def _pass_on(self, function: Function, known: set[str]) -> set[int]:
        """Note the parameters of called functions that get such a text. Returns the functions with new ones."""
        changed = set()
        for node in ast.walk(function):
            called = self._unique.get(_called(node)) if isinstance(node, ast.Call) else None
            if called is None:
                continue
            assert isinstance(node, ast.Call)
            given = {
                name.arg for name, one in zip(_parameters(called), node.args, strict=False) if self._is_text(one, known)
            }
            given |= {one.arg for one in node.keywords if one.arg and self._is_text(one.value, known)} - _TEXTS
            if not given <= self._given[id(called)]:
                self._given[id(called)] |= given
                changed.add(id(called))
        return changed
