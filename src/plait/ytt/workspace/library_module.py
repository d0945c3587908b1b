"""`@ytt:library`: evaluates another library from a template (docs/reference/libraries.md)."""

from __future__ import annotations

import sys

from plait.base.errors import OverlayError, PlaitError, ReadError, SchemaError, StarlarkError
from plait.base.similar_names import did_you_mean
from plait.base.source import CLAUSE, HIDDEN, Position
from plait.tree.nodes import Document, DocumentSet, Map, walk
from plait.ytt.data_values import to_struct
from plait.ytt.schema.build import build
from plait.ytt.starlark.structs import STRUCTS, Module
from plait.ytt.starlark.values import Builtin, type_of
from plait.ytt.templates.looked_up import noted_values
from plait.ytt.templates.tracing import note_argument, note_export, note_library, traced_values, windows_of
from plait.ytt.workspace.render_job import ReferencedValues
from plait.ytt.yaml_fragments import YamlFragment, to_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from plait.tree.context import Context
    from plait.tree.nodes import Value
    from plait.tree.provenance import Origin
    from plait.ytt.schema.types import Declaration
    from plait.ytt.workspace.execution import Evaluated, Execution
    from plait.ytt.workspace.library import Library

_OPTIONS = ("ignore_unknown_comments", "implicit_map_key_overrides", "strict")
_OF_VALUES = (OverlayError, SchemaError)
_DISABLE = "dangerous_data_values_disable_validation"


def library_module(
    execution: Execution,
    current: Library,
    root: Library,
    values: Sequence[ReferencedValues],
    schemas: Sequence[ReferencedValues],
) -> Module:
    """The module for files in directory `current`. values and schemas: candidates for its libraries."""

    def get(*args: object, **kwargs: object) -> Module:
        if len(args) != 1:
            raise StarlarkError("library.get: expected exactly one argument", code="argument-count")
        path = _string("library.get", args[0])
        alias = ""
        overrides: dict[str, bool] = {}
        for name, value in kwargs.items():
            if name == "alias":
                alias = _string("library.get", value)
            elif name in _OPTIONS or name == _DISABLE:
                if type(value) is not bool:
                    raise StarlarkError(
                        f"library.get: expected {name} to be a bool, but was {type_of(value)}",
                        code="wrong-argument-type",
                    )
                overrides["disable_validation" if name == _DISABLE else name] = value
            else:
                raise StarlarkError(
                    f"library.get: Unexpected kwarg '{name}'",
                    hint=did_you_mean(name, ["alias", *_OPTIONS, _DISABLE]),
                    code="unexpected-keyword",
                )
        if path.startswith("@"):
            raise StarlarkError(
                f"library.get: Expected library '{path}' to be specified without '@'", code="library-reference"
            )
        try:
            found = current.find_library(path)
        except ReadError as error:
            told = f"library.get: {error.reference}"
            inner_path = path.removeprefix("_ytt_lib/")
            hint = f'a path begins below _ytt_lib: library.get("{inner_path}")' if inner_path != path else error.hint
            if hint is None:
                from plait.ytt.workspace.misspelt_loads import misplaced_library

                hint = misplaced_library(path, current, root)
            raise StarlarkError(f"library.get: {error.message}", hint=hint, reference=told, code=error.code) from None
        if execution.session.frame is not None:
            execution.session.frame.libraries.append(found)
        inner = type(execution)(execution.session, found, execution.options.with_overrides(**overrides))
        chosen = _call_origins(execution.session.context, arguments=True)
        return _Instance(inner, path, alias, list(values), list(schemas), chosen).module()

    return Module("library", {"get": Builtin("library.get", get)})


def _string(function: str, value: object) -> str:
    if type(value) is not str:
        raise StarlarkError(f"{function}: expected a string, but was {type_of(value)}", code="wrong-argument-type")
    return value


def _call_origins(context: Context, *, arguments: bool = False) -> tuple[Origin, ...]:
    """The origins of the decision to call a library function, and of its options. arguments: include all arguments."""
    if context.secrets is None or context.trace is None:
        return ()

    window = windows_of(context.trace).stack[-1]
    given = [origin for _, shadow, name in window.arguments if arguments or name for origin in shadow]
    return (*window, *given)


def _calling_line() -> Iterator[Position]:
    """The line of the program that calls a method of a library."""
    frame: FrameType | None = sys._getframe(3)
    while frame is not None and ("$source" not in frame.f_globals or not frame.f_lineno):
        frame = frame.f_back
    if frame is not None:
        yield Position(frame.f_globals["$source"], frame.f_lineno)


class _Library(Module):
    """An instance of a library in programs. Its results carry their own provenance."""

    __slots__ = ()
    says_itself = True


STRUCTS.add(_Library)


class _Instance:
    """A library with values and schemas for its evaluation.

    chosen: the origins that selected the library, in a run that uses secrets. calls: the lines that passed the values
    and schemas.
    """

    __slots__ = ("alias", "calls", "chosen", "execution", "path", "schemas", "values")

    def __init__(
        self,
        execution: Execution,
        path: str,
        alias: str,
        values: list[ReferencedValues],
        schemas: list[ReferencedValues],
        chosen: tuple[Origin, ...],
        calls: Sequence[Position] = (),
    ) -> None:
        self.chosen = chosen
        self.calls = calls
        self.execution = execution
        self.path = path
        self.alias = alias
        self.values = values
        self.schemas = schemas

    def module(self) -> Module:
        return _Library(
            "library",
            {
                "with_data_values": Builtin("library.with_data_values", self.with_data_values),
                "with_data_values_schema": Builtin("library.with_data_values_schema", self.with_data_values_schema),
                "data_values": Builtin("library.data_values", self.data_values),
                "eval": Builtin("library.eval", self.eval),
                "export": Builtin("library.export", self.export),
            },
        )

    def with_data_values(self, *args: object, **kwargs: object) -> Module:
        if len(args) != 1:
            raise StarlarkError("library.with_data_values: expected exactly one argument", code="argument-count")
        for name in kwargs:
            if name != "plain":
                raise StarlarkError(
                    f"library.with_data_values: invalid argument name: {name}",
                    hint=did_you_mean(name, ["plain"]),
                    code="unexpected-keyword",
                )
        plain = kwargs.get("plain", False)
        if type(plain) is not bool:
            raise StarlarkError(
                f"library.with_data_values: expected plain to be a bool, but was {type_of(plain)}",
                code="wrong-argument-type",
            )
        value = to_nodes(args[0], None, 0)
        trace = self.execution.session.context.trace
        if trace is not None:
            note_argument(trace, value, args[0], f"with_data_values of library {self._shown_path()}")
        if plain:
            for item in walk(value):
                if item.annotations:
                    raise StarlarkError(
                        "library.with_data_values: Expected to be plain YAML, having no annotations "
                        "(hint: remove comments starting with `#@`)",
                        also=[item.position.labelled("the annotated item")],
                        code="plain-data-values",
                    )
        decided = self._decided_by(args[0], value, values=True)
        given = ReferencedValues(Document(value), plain=plain)
        if self.execution.session.context.lookups is not None:
            self.execution.session.context.lookups.passes(given.document)
        return self._with([*self.values, given], self.schemas, decided)

    def with_data_values_schema(self, *args: object, **_kwargs: object) -> Module:
        if len(args) != 1:
            raise StarlarkError("library.with_data_values_schema: expected exactly one argument", code="argument-count")
        document = Document(to_nodes(args[0], None, 0))
        build(document)
        given = ReferencedValues(document, noun="Schema")
        return self._with(self.values, [*self.schemas, given], self._decided_by(args[0], document.value))

    def _decided_by(self, argument: object, value: Value, *, values: bool = False) -> tuple[Origin, ...]:
        """The origins of a secret that decides all of the library's values; usually empty.

        A secret in a schema may decide the type, the default and the checks of any of them. A secret that is a key of
        values, or decides the existence of a part, decides the set of values.
        """
        trace, marks = self.execution.session.context.trace, self.execution.session.context.secrets
        if trace is None or marks is None:
            return ()
        windows = windows_of(trace)
        shadow = windows.argument(argument)
        whole = windows.shape_of(argument, shadow) if values else shadow
        items = [*walk(value)]
        is_decided = (
            marks.is_secret(*whole)
            or any(marks.is_decided_item(item) or item.source in marks.shaped for item in items)
            or any(type(one) is Map and marks.has_secret_keys(one) for one in (value, *(item.value for item in items)))
            or (not values and any(marks.is_secret(item) for item in items))
        )
        return (marks.control("library", None, 0, (*shadow, marks.unknown)),) if is_decided else ()

    def _with(
        self, values: list[ReferencedValues], schemas: list[ReferencedValues], decided: tuple[Origin, ...]
    ) -> Module:
        """The same library with other values and schemas."""
        chosen = (*self.chosen, *decided, *_call_origins(self.execution.session.context))
        calls = [*self.calls, *_calling_line()]
        return _Instance(self.execution, self.path, self.alias, values, schemas, chosen, calls).module()

    def _shown_path(self) -> str:
        marks = self.execution.session.context.secrets
        return HIDDEN if marks is not None and marks.depends(self.chosen) else self.path

    def data_values(self, *args: object, **_kwargs: object) -> object:
        if args:
            raise StarlarkError("library.data_values: expected no arguments", code="argument-count")

        def run() -> object:
            schema, _ = self._schema()
            document, _ = self._values(schema)
            trace = self.execution.session.context.trace
            if trace is not None:
                return traced_values(document.value, windows_of(trace))
            lookups = self.execution.session.context.lookups
            if lookups is not None:
                return noted_values(document.value, lookups)
            return to_struct(document.value)

        return self._described("data_values", "Exporting from library", run)

    def eval(self, *args: object, **_kwargs: object) -> object:
        if args:
            raise StarlarkError("library.eval: expected no arguments", code="argument-count")

        def run() -> object:
            evaluated = self._evaluate()
            documents = [document for file in evaluated.files for document in file.documents.items]
            trace = self.execution.session.context.trace
            if trace is not None and not trace.only_marks:
                note_library(trace, self._shown_path(), documents)
            shared = self.execution.session.shared
            return YamlFragment(DocumentSet(documents), counted=None if shared is None else shared.size_of(documents))

        return self._described("eval", "Evaluating library", run)

    def export(self, *args: object, **kwargs: object) -> object:
        def run() -> object:
            if len(args) != 1:
                raise StarlarkError("expected exactly one argument", code="argument-count")
            name = _string("library.export", args[0])
            path = ""
            for keyword, value in kwargs.items():
                if keyword != "path":
                    raise StarlarkError(
                        f"Unexpected keyword argument '{keyword}'",
                        hint=did_you_mean(keyword, ["path"]),
                        code="unexpected-keyword",
                    )
                path = _string("library.export", value)
            if name.startswith("_"):
                raise StarlarkError(
                    "Symbols starting with '_' are private, and cannot be exported", code="symbol-not-found"
                )
            exports = self._evaluate().exports
            found = [(where, names) for where, names in exports if name in names and path in ("", where)]
            if not found:
                known = [known for _, names in exports for known in names if not known.startswith("_")]
                raise StarlarkError(
                    f"Expected to find exported symbol '{name}', but did not",
                    hint=did_you_mean(name, known),
                    code="symbol-not-found",
                )
            if len(found) > 1:
                raise StarlarkError(
                    f"Expected to find exactly one exported symbol '{name}', but found multiple across files: "
                    + ", ".join(where for where, _ in found),
                    hint="choose one with path=",
                    code="symbol-not-found",
                )
            context = self.execution.session.context
            if context.lookups is not None:
                context.lookups.export(found[0][1], name)
            if context.trace is not None:
                note_export(context.trace, name, found[0][1][name])
            return found[0][1][name]

        return self._described("export", "Exporting from library", run)

    def _described(self, function: str, doing: str, run: Callable[[], object]) -> object:
        """Runs a function, and adds the library to its errors.

        If a secret selected the library, it decides all effects of the function.
        """
        name = f"{self.path}~{self.alias}" if self.alias else self.path
        context = self.execution.session.context
        try:
            if context.secrets is None or context.trace is None:
                return run()

            with windows_of(context.trace).led_by("library", (*self.chosen, *_call_origins(context))):
                return run()
        except PlaitError as error:
            # Values of code have no lines of their own.
            if (error.at is None or error.at.source is None) and isinstance(error, _OF_VALUES) and self.calls:
                error.at = self.calls[-1]
                error.also += self.calls[:-1]
            raise error.within(f"library.{function}: {doing} '{name}'", role=CLAUSE) from None

    def _evaluate(self) -> Evaluated:
        schema, library_schemas = self._schema()
        values, library_values = self._values(schema)
        return self.execution.evaluate(values, library_values, library_schemas, printed=False)

    def _schema(self) -> tuple[Declaration | None, list[ReferencedValues]]:
        reached, below = self._reaching(self.schemas)
        schema, own_below = self.execution.schema(reached)
        return schema, [*own_below, *below]

    def _values(self, schema: Declaration | None) -> tuple[Document, list[ReferencedValues]]:
        reached, below = self._reaching(self.values)
        before = [entry for entry in reached if not entry.after_library_module]
        after = [entry for entry in reached if entry.after_library_module]
        values, own_below = self.execution.values([*before, *after], schema)
        # Values that a parent passes to a nested library take precedence over those that this library passes.
        return values, [*own_below, *below]

    def _reaching(self, entries: Sequence[ReferencedValues]) -> tuple[list[ReferencedValues], list[ReferencedValues]]:
        """The entries for this instance, and those for libraries inside it."""
        reached = [found for entry in entries if (found := entry.for_library(self.path, self.alias)) is not None]
        return [entry for entry in reached if not entry.refs], [entry for entry in reached if entry.refs]
