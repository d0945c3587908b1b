"""The code that reads the texts of diagnostics: that compares them, takes them apart, or matches them with a pattern.

Texts are followed within a function and into the functions that it calls: through variables, containers, and parameters.
"""

from __future__ import annotations

import ast
import re
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
# Functions of these modules that return such a text.
_RENDERING = {"plait.base.errors", "plait.base.message_text", "plait.cli.messages", "plait.insight.diagnostic_formats"}
_RENDERED = {"render", "text_of", "heading", "lines_of", "message_text", "page", "block"}
# Functions that return such a text, and those that return a text if they get one.
_MAKERS = {"full", "report", "styled"}
_KEEPERS = {"list", "sorted", "tuple", "str", "set", "strip", "rstrip", "lstrip", "lower"}


# The types of errors in annotations.
_ERRORS = re.compile(r"\b(\w*Error|Finding|Diagnostic|BaseException|Exception)\b")


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


def _is_absent(node: ast.AST) -> bool:
    """True for None and ""; that there is no text is a fact."""
    return isinstance(node, ast.Constant) and node.value in (None, "")


def _is_direct(node: ast.AST) -> bool:
    """True for a text as a diagnostic has it, or several in a tuple."""
    node = node.value if isinstance(node, ast.NamedExpr) else node
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(isinstance(one, ast.Call) or getattr(one, "attr", "") in ("message", "hint") for one in parts)


def _begins_a_message(node: ast.AST) -> bool:
    """True for the text that precedes each message on standard error."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("plait: ")


def _is_error(node: ast.AST, known: set[str]) -> bool:
    """True for a variable that holds an error."""
    return isinstance(node, ast.Name) and f"{node.id}!" in known


def _names(target: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}


def _imported(tree: ast.AST) -> set[str]:
    """The names under which a module imports functions that return texts of errors."""
    return {
        one.asname or one.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in _RENDERING
        for one in node.names
        if one.name in _RENDERED
    }


def _errors_of(function: Function) -> set[str]:
    """The variables of a function that hold an error, each with an exclamation mark."""
    found = {
        f"{one.arg}!"
        for one in (*_parameters(function), *function.args.kwonlyargs)
        if one.annotation is not None and _ERRORS.search(ast.unparse(one.annotation))
    }
    for node in ast.walk(function):
        if isinstance(node, ast.ExceptHandler) and node.name:
            found.add(f"{node.name}!")
        elif isinstance(node, ast.AnnAssign) and _ERRORS.search(ast.unparse(node.annotation)):
            found |= {f"{name}!" for name in _names(node.target)}
    return found


class Readers:
    """The readers in the modules of a package. trees: of the modules, by name."""

    def __init__(self, trees: Iterable[tuple[str, ast.AST]]) -> None:
        self._functions: list[tuple[str, Function]] = []
        self._walked: dict[int, list[ast.AST]] = {}
        self._errors: dict[int, set[str]] = {}
        # The functions of errors that a module imports, and its classes of errors, by module.
        self._rendering: dict[str, set[str]] = {}
        for name, tree in trees:
            self._rendering[name] = _imported(tree)
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

    def _nodes(self, function: Function) -> list[ast.AST]:
        if id(function) not in self._walked:
            self._walked[id(function)] = list(ast.walk(function))
        return self._walked[id(function)]

    def found(self) -> list[tuple[str, str, int]]:
        """The modules, functions and lines that read a text."""
        found: set[tuple[str, str, int]] = set()
        homes = {id(function): (name, function) for name, function in self._functions}
        changed = set(homes)
        while changed:
            name, function = homes[changed.pop()]
            self._here = self._rendering[name]
            known = self._known(function)
            found |= {(name, function.name, line) for line in self._read(function, known)}
            changed |= self._pass_on(function, known)
        return sorted(found)

    def _is_text(self, node: ast.AST, known: set[str]) -> bool:
        if isinstance(node, ast.Name):
            return node.id in known
        if isinstance(node, ast.Subscript):
            return isinstance(node.slice, ast.Constant) and node.slice.value in _TEXTS
        if isinstance(node, ast.Attribute):
            is_failure = node.attr in _OF_FAILURES and self._is_failure(node.value, known)
            return isinstance(node.ctx, ast.Load) and (node.attr in _TEXTS or is_failure)
        if isinstance(node, ast.Call):
            called = _called(node)
            if called in ("text", "get") and node.args and getattr(node.args[0], "value", None) in _TEXTS:
                return True
            if isinstance(node.func, ast.Name) and (
                called in self._here or (called in ("str", "repr") and any(_is_error(one, known) for one in node.args))
            ):
                return True
            of = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
            keeps = called in _KEEPERS and any(self._is_text(one, known) for one in of)
            return called in self._makers | _MAKERS or keeps
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            inner = set(known)
            for one in node.generators:
                inner |= _names(one.target) if self._is_text(one.iter, inner) else set()
            return self._is_text(node.elt, inner)
        if isinstance(node, ast.FormattedValue) and _is_error(node.value, known):
            return True
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
        if id(function) not in self._errors:
            self._errors[id(function)] = _errors_of(function)
        known |= self._errors[id(function)]
        known |= {f"{one.arg}." for one in _parameters(function) if _is_annotated(one.annotation, {_FAILURE})}
        for node in self._nodes(function):
            if isinstance(node, ast.For | ast.comprehension) and _is_list_of_failures(node.iter):
                known |= {f"{name}." for name in _names(node.target)}
        before = -1
        while before != len(known):
            before = len(known)
            for node in self._nodes(function):
                if isinstance(node, ast.Assign) and self._is_text(node.value, known):
                    known |= {one.id for one in node.targets if isinstance(one, ast.Name)}
                elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                    is_name = isinstance(node.target, ast.Name) and self._is_text(node.value, known)
                    known |= _names(node.target) if is_name else set()
                elif isinstance(node, ast.For | ast.comprehension) and self._is_text(node.iter, known):
                    known |= _names(node.target)
        return known

    def _read(self, function: Function, known: set[str]) -> Iterator[int]:
        for node in self._nodes(function):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                if any(isinstance(one, ast.Is | ast.IsNot) for one in node.ops) or any(map(_is_absent, sides)):
                    continue
                is_literal = any(isinstance(one, ast.Constant | ast.JoinedStr) for one in sides)
                if any(self._is_text(one, known) and (is_literal or _is_direct(one)) for one in sides):
                    yield node.lineno
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                # A path, which is computed, may be shortened.
                takes_apart = node.func.attr in _READING and not (node.args and isinstance(node.args[0], ast.Call))
                # However the text came here.
                if takes_apart and any(_begins_a_message(one) for one in node.args):
                    yield node.lineno
                    continue
                matches = node.func.attr in _PATTERNS
                if (takes_apart and self._is_text(node.func.value, known)) or (
                    matches and any(self._is_text(one, known) for one in node.args)
                ):
                    yield node.lineno

    def _pass_on(self, function: Function, known: set[str]) -> set[int]:
        """Note the parameters of called functions that get such a text. Returns the functions with new ones."""
        changed = set()
        for node in self._nodes(function):
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
