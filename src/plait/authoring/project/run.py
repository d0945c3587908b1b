"""A run of a project: a request with a name, and its evaluation."""

from __future__ import annotations

import os

from plait.authoring import project as package
from plait.authoring.project.settings import (
    check,
    joined,
    needs_of,
    needs_of_uses,
    uses_of,
    values_of,
)
from plait.base.errors import PlaitError, UsageError, conceal
from plait.base.input_view import may_read, permitted
from plait.engine import dialect
from plait.engine.common import CHECK_OUTPUT
from plait.engine.options import Use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from plait.authoring.project.settings import Setting
    from plait.base.code_cache import CodeCache
    from plait.base.errors import Warning
    from plait.base.input_view import InputView
    from plait.base.permissions import Need, Permissions
    from plait.base.source import Position
    from plait.engine.incremental import Engine
    from plait.engine.options import Request
    from plait.engine.results import Documents
    from plait.tree.lookups import Lookups
    from plait.tree.nodes import Map
    from plait.tree.provenance import Trace

_CHECK = "check-output"


class Run:
    """A named request.

    name: its name in the project. command: render, patch, layer or compose. settings: its flags and arguments.
    given: data values or variables in the project file.
    directory: the base of its paths.
    at: its position; None for an inferred run. why: the evidence for an inferred run.
    output: the destination of its results in a fleet, if the project file sets it.
    permissions: the permissions of its project; None for a command line.
    project_stores: the variables stores of its project's runs, absolute paths. Their values are secret in every run.
    schemas: files of resource schemas, its own or those of its project (see `plait.ytt.json_schema`).
    choices: its axis values.
    description: what the project file says of it.
    """

    __slots__ = (
        "at",
        "choices",
        "command",
        "description",
        "directory",
        "given",
        "name",
        "output",
        "permissions",
        "project_stores",
        "schemas",
        "settings",
        "uses",
        "why",
    )

    def __init__(
        self,
        name: str,
        command: str,
        settings: Sequence[Setting],
        given: Map | None,
        directory: str,
        at: Position | None,
        *,
        uses: Sequence[Use] = (),
        why: str = "",
        output: str = "",
    ) -> None:
        """uses: in addition to the settings; their paths are relative to the working directory."""
        self.name = name
        self.command = command
        self.settings = settings
        self.given = given
        self.directory = directory
        self.at = at
        self.uses = uses
        self.why = why
        self.output = output
        self.description = ""
        self.schemas: Sequence[str | tuple[str, str]] = ()
        self.permissions: Permissions | None = None
        self.project_stores: Container[str] = ()
        self.choices: Sequence[tuple[str, Position]] = ()

    def __repr__(self) -> str:
        return f"<Run {self.name!r}: {self.command}>"

    @property
    def used(self) -> frozenset[str]:
        """The attributes of the options that it uses."""
        return frozenset(
            option.attribute for option in [one.option for one in self.uses] + [one.option for one in self.settings]
        )

    @property
    def extensions(self) -> frozenset[str]:
        """The extensions that its settings enable; empty if the settings are invalid."""
        found = [one for one in self.settings if one.name == "with"]
        try:
            return frozenset(text for one in found for text, _ in one.texts())
        except UsageError:  # reported when the run is evaluated
            return frozenset()

    @property
    def checked_by(self) -> Sequence[str | tuple[str, str]]:
        """The resource schemas for its documents: its `schemas`, and those of its command's options."""
        try:
            return [*self.schemas, *(path for one in self.settings if one.name == _CHECK for path in self.paths(one))]
        except UsageError:  # reported when the run is evaluated
            return self.schemas

    @property
    def values_schema(self) -> str:
        """The file with the schema of data values in the settings, with the pointer into it; "" if there is none."""
        found = [one for one in self.settings if one.name == "schema" and self.command == "render"]
        try:
            return next((joined(self.directory, text) for one in found for text, _ in one.texts()), "")
        except UsageError:  # reported when the run is evaluated
            return ""

    def request(self, directory: str | None = None, typed: Sequence[Use] = ()) -> Request:
        """The request of the run. directory: the path of its directory from the working directory. typed: additional
        uses, after its own.

        Raises UsageError for a setting of the wrong type.
        """
        try:
            uses = [*self.uses, *uses_of(self.settings, self.directory if directory is None else directory)]
        except PlaitError as error:
            raise self._located(error) from None
        if self.given is not None:
            uses.append(Use(values_of(self.command), self.given))
        return dialect(self.command).of(uses, typed)

    def paths(self, setting: Setting) -> list[str]:
        """The absolute paths that a setting names."""
        return setting.paths(self.directory)

    def is_values_file(self, path: str) -> bool:
        """True if an absolute path is a plain values file in the settings."""
        found = [one for one in self.settings if one.option.name == "data-values-file"]
        try:
            return any(path in self.paths(one) for one in found)
        except PlaitError:  # a setting of the wrong type, which the run reports
            return False

    def directories(self) -> list[str]:
        """The absolute paths of the directories among the template inputs."""
        if self.command != "render":
            return []
        files = [path for one in self.settings if one.name == "files" for path in self.paths(one)]
        with permitted(self.permissions):
            return [path for path in files if may_read(path) and os.path.isdir(path)]

    def check(self) -> None:
        """Raises PermissionDeniedError for a setting without the required permission, ReadError for a missing path,
        UsageError for a setting of the wrong type; each with the line in the project file.
        """
        try:
            check(self.settings, self.directory, self.permissions)
        except PlaitError as error:
            raise self._located(error) from None

    def needs(self) -> list[Need]:
        """The accesses that its settings request. Raises UsageError for a setting of the wrong type."""
        return [*needs_of(self.settings, self.directory)]

    def may(self, need: Need) -> bool:
        """True if its project has permission for an access."""
        return self.permissions is None or self.permissions.grants(need)

    def is_permitted(self) -> bool:
        """True if its project has permission for every access that its settings request."""
        try:
            return all(map(self.may, self.needs()))
        except UsageError:  # reported when the run is evaluated
            return False

    def grant(self, uses: Sequence[Use]) -> None:
        """Permits the accesses of flags and arguments on the command line, and checks the others. Raises as `check`
        does.
        """
        if uses and self.permissions is not None:
            self.permissions = self.permissions.granting(needs_of_uses(uses))
        self.check()

    def evaluate(
        self,
        *,
        view: InputView | None = None,
        trace: bool | Trace = False,
        limits: Mapping[str, float] | None = None,
        uses: Sequence[Use] = (),
        cache: CodeCache | None = None,
        engine: Engine | None = None,
        checks: bool = True,
        lookups: Lookups | None = None,
        warned: list[Warning] | None = None,
    ) -> Documents:
        """Evaluates the run and returns its result. Nothing is printed or written, except a variables store.

        view, limits, cache, engine, lookups, warned: as in `World`. trace: record histories, for `explain`; a Trace is
        filled even if the run fails. uses: more flags. checks: check the documents against the run's resource schemas.
        Raises PlaitError.
        """
        from plait.engine.world import World, evaluate

        if trace is not False:
            from plait.tree.provenance import Trace

            trace = Trace() if trace is True else trace
        world = World(
            view=view,
            permissions=self.permissions,
            limits=limits,
            cache=cache,
            engine=engine,
            lookups=lookups,
            warned=warned,
        )
        self.check()
        request = self.request(typed=uses)
        if not checks:
            request = request.without(CHECK_OUTPUT)
        try:
            made = evaluate(request, world, trace or None)
        except PlaitError as error:
            package.unknown_names.relate_settings(error, request)
            self.hide_stores(view, trace or None, error)
            raise
        self.hide_stores(view, made.trace)
        return made

    def hide_stores(self, view: InputView | None, trace: Trace | None, error: PlaitError | None = None) -> None:
        """Marks values of the project's variables stores as secret, after an evaluation that read one. error: that of the
        evaluation, which then shows no values.
        """
        stores = self.project_stores
        if view is None or not stores or not any(path in stores for path in view.files):
            return
        view.uses_secrets = True
        if trace is not None:
            trace.use_secrets()
            trace.hide_files(stores)
        if error is not None:
            conceal(error)

    def _located(self, error: PlaitError) -> PlaitError:
        for choice, at in self.choices:
            error.within(f"with {choice}", at)
        return error if self.at is None else error.within(f'in the run "{self.name}"', self.at)


def relative_to_cwd(directory: str) -> str:
    """The path of a directory relative to the working directory; "" for the working directory itself."""
    try:
        path = os.path.relpath(directory)
    except ValueError:  # another drive
        return directory
    return "" if path == os.curdir else path
