"""Reads the project file, which is searched upwards from a path, into runs."""

from __future__ import annotations

import os

from plait.authoring import project as package
from plait.authoring.project.run import Run
from plait.authoring.project.settings import COMMANDS, commands_with, settings_of
from plait.authoring.project.variable_stores import VariableStores
from plait.base.errors import ReadError, UsageError
from plait.base.input_view import permitted
from plait.base.permissions import FILE_NAMES, READ, Need, upwards
from plait.base.source import Position
from plait.base.trust import assenting, check_owner, permissions_of
from plait.engine import dialect
from plait.engine.options import Use
from plait.engine.pipeline import check_keys, file_source, inherited, name_of, parse, runs_of, top_map, wrong
from plait.tree.nodes import Array, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from plait.authoring.project.matrix import Matrix
    from plait.base.permissions import Permissions
    from plait.base.source import Source

    # A path to resource schemas, or a pattern of file names with the path of their schema.
    Schemas: TypeAlias = "str | tuple[str, str]"

# The name of the run in a file that has only steps.
ONLY = "default"

RUN_KEYS = ("base", "abstract", "description", "matrix", "output", "schemas", "steps", *COMMANDS)


class Project:
    """Runs by name, in order.

    path: the project file; "" if inferred. directory: its directory. permissions: for its settings; None for a command line. abstract: the positions of runs that only serve as a base.
    matrices: by name. notes: remarks of the inference. lint: the section for `plait lint`, or None. schemas: files of
    resource schemas, and patterns of file names with their schemas, as absolute paths (see `plait.ytt.json_schema`).
    stores: the variables stores of all runs.
    """

    __slots__ = (
        "abstract",
        "directory",
        "lint",
        "matrices",
        "notes",
        "path",
        "permissions",
        "runs",
        "schemas",
        "stores",
    )

    def __init__(
        self,
        path: str,
        directory: str,
        runs: Sequence[Run],
        *,
        permissions: Permissions | None = None,
        abstract: Mapping[str, Position] | None = None,
        matrices: Mapping[str, Matrix] | None = None,
        notes: Sequence[str] = (),
        lint: MapItem | None = None,
        schemas: Sequence[Schemas] = (),
    ) -> None:
        self.matrices = {} if matrices is None else matrices
        self.permissions = permissions
        self.path = path
        self.directory = directory
        self.runs = {run.name: run for run in runs}
        self.stores = VariableStores(runs, self.matrices.values())
        for run in runs:
            run.project_stores = self.stores
        for matrix in self.matrices.values():
            matrix.project_stores = self.stores
        self.abstract = {} if abstract is None else abstract
        self.notes = list(notes)
        self.lint = lint
        self.schemas = tuple(schemas)

    def grant(self, needs: Iterable[Need]) -> None:
        """Grants permissions to all runs, as for paths on the command line."""
        if self.permissions is None:
            return
        self.permissions = self.permissions.granting(needs)
        for run in self.runs.values():
            run.permissions = self.permissions
        for matrix in self.matrices.values():
            matrix.permissions = self.permissions

    def run(self, name: str = "") -> Run:
        """The run with a name; without a name the only run. Raises UsageError."""
        if not name and len(self.runs) == 1 and not self.matrices:
            return next(iter(self.runs.values()))
        found = self.runs.get(name) or self._of_matrix(name)
        if found is None:
            if name in self.abstract:
                raise package.unknown_names.abstract_run(name, self)
            raise package.unknown_names.unknown_run(name, self)
        return found

    def _of_matrix(self, name: str) -> Run | None:
        """The run of an environment, or None. Raises UsageError for the name of a matrix."""
        for matrix in self.matrices.values():
            cells = matrix.cells() if name else []
            cell = next((one for one in cells if one.name == name), None)
            if cell is not None:
                return matrix.run(cell)
            if name == matrix.name:
                raise package.unknown_names.run_of_a_matrix(matrix)
        return None


def find(start: str, texts: Container[str] = ()) -> str | None:
    """The project file for a file or directory: in its directory, or the nearest one above; None if there is none.

    Searches up to the root of the repository or file system, or the home directory. texts: absolute paths of files that
    count as existing. Raises PermissionDeniedError for a file of another user.
    """
    directory = os.path.abspath(start)
    if not os.path.isdir(directory):
        directory = os.path.dirname(directory)
    for at in upwards(directory):
        for name in FILE_NAMES:
            path = os.path.join(at, name)
            if path in texts or os.path.isfile(path):
                check_found(path)
                return path
    return None


def check_found(path: str) -> None:
    """Raises PermissionDeniedError for a project file that was found, not named by the user, if it belongs to another
    user or is a link out of its repository.
    """
    check_owner(path)
    _check_link(path)


def _check_link(path: str) -> None:
    """Raises PermissionDeniedError for a project file that was found, and that is a link out of its repository."""
    if os.path.islink(path):
        permissions_of("", os.path.dirname(path)).check_read(path)


def read(path: str, directory: str | None = None, *, trust: bool = False) -> Project:
    """Reads a project file. directory: its path from the working directory; by default that of `path`.

    The file itself is read even through a link; see `check_found`. trust: grant the permissions that it needs, as
    `--trust` does. Raises ReadError, and UsageError with file and line.
    """
    if os.path.isdir(path):
        found = [name for name in FILE_NAMES if os.path.isfile(os.path.join(path, name))]
        if not found:
            raise ReadError(f'no project file in "{path}"', expected=" or ".join(FILE_NAMES), code="no-project-file")
        path = os.path.join(path, found[0])
        _check_link(path)
    directory = os.path.dirname(path) if directory is None else directory
    with assenting(assents=trust):
        permissions = permissions_of(path, directory, typed=[Need(READ, path)])
    with permitted(permissions):
        source = file_source(path)
    return of_source(source, directory, permissions)


def of_source(source: Source, directory: str, permissions: Permissions | None = None) -> Project:
    """The project described by a text. directory: the base of its paths.

    permissions: by default those of a project file in this directory. Raises UsageError, ReadError.
    """
    permissions = permissions_of(source.name, directory) if permissions is None else permissions
    with permitted(permissions):
        try:
            return _of_source(source, directory, permissions)
        except UsageError as error:
            package.indentation.relate_indentation(
                error, source, lambda changed: _of_source(changed, directory, permissions)
            )
            raise


_OF_A_RUN = "the name of a run"


def _of_source(source: Source, directory: str, permissions: Permissions) -> Project:
    top = top_map(source, "a project file")
    runs = runs_of(top)
    schemas = _schemas(top.find("schemas"), directory)
    if runs is None:
        parse(source, directory)  # faults are reported when the file is read
        run = Run(ONLY, "compose", (), None, directory, Position(source, top.line), uses=_pipeline(source.name))
        run.schemas, run.permissions = schemas, permissions
        return Project(source.name, directory, [run], permissions=permissions, lint=top.find("lint"), schemas=schemas)
    found = []
    matrices = {}
    abstract = {}
    for item in runs.items:
        chain = inherited(item, runs)
        for one in chain:
            _check(one)
        if _is_abstract(item):
            abstract[name_of(item, _OF_A_RUN)] = item.position
        elif (entry := _last(chain, "matrix")) is not None:
            matrices[name_of(item, _OF_A_RUN)] = _matrix(item, entry, chain, directory, schemas, permissions)
        else:
            found.append(_run(item, chain, source, directory, schemas))
            found[-1].permissions = permissions
    return Project(
        source.name,
        directory,
        found,
        permissions=permissions,
        abstract=abstract,
        matrices=matrices,
        lint=top.find("lint"),
        schemas=schemas,
    )


def _schemas(item: MapItem | None, directory: str) -> tuple[Schemas, ...]:
    """The paths of `schemas`: strings, and maps of a file pattern and the path of its schema. Raises UsageError."""
    if item is None or item.value is None:
        return ()
    if type(item.value) is not Array:
        raise wrong(item, "a list of paths, or of maps with files and schema")
    found: list[Schemas] = []
    for one in item.value.items:
        value = one.value
        if type(value) is str:
            found.append(os.path.abspath(os.path.join(directory, value)))
            continue
        if type(value) is not Map:
            raise wrong(item, "a list of paths, or of maps with files and schema")
        check_keys(value, ("files", "schema"), "a schema of files")
        texts = [entry.value if (entry := value.find(name)) is not None else None for name in ("files", "schema")]
        if not all(type(text) is str for text in texts):
            raise UsageError(
                'a schema of files has "files" and "schema"',
                at=one.position,
                expected="a string for each",
                code="project-form",
            )
        pattern, path = (os.path.abspath(os.path.join(directory, str(text))) for text in texts)
        found.append((pattern, path))
    return tuple(found)


def _hint_of(item: MapItem) -> str | None:
    name = str(item.key)
    return package.unknown_names.run_key_hint(name, commands_with(name))


def _check(item: MapItem) -> None:
    settings = item.value
    assert type(settings) is Map
    check_keys(settings, RUN_KEYS, "a run", _hint_of)
    kinds = [entry for entry in settings.items if entry.key in COMMANDS or entry.key == "steps"]
    if len(kinds) > 1:
        names = ", ".join(f'"{entry.key}"' for entry in kinds)
        raise UsageError(
            "a run must have exactly one command",
            at=kinds[1].position,
            also=[kinds[0].position.labelled("the first one")],
            expected=f"one of {_kinds()}",
            found=names,
            hint=package.unknown_names.steps_hint(kinds),
            code="project-form",
        )


def _kinds() -> str:
    return ", ".join((*COMMANDS, "steps"))


def _is_abstract(item: MapItem) -> bool:
    assert type(item.value) is Map
    found = item.value.find("abstract")
    if found is not None and type(found.value) is not bool:
        raise wrong(found, "true or false")
    return found is not None and found.value is True


def _last(chain: Sequence[MapItem], key: str) -> MapItem | None:
    """The setting of a run, or of the nearest base that has it, or None."""
    for one in reversed(chain):
        assert type(one.value) is Map
        if (found := one.value.find(key)) is not None:
            return found
    return None


def _matrix(
    item: MapItem,
    entry: MapItem,
    chain: Sequence[MapItem],
    directory: str,
    schemas: Sequence[Schemas],
    permissions: Permissions,
) -> Matrix:
    """A matrix. entry: its node. schemas: from the project. Raises UsageError."""
    if type(entry.value) is not Map:
        raise wrong(entry, "a map")
    command, maps = _command(item, chain)
    if command == "steps":
        raise UsageError(
            "a run with steps cannot have a matrix",
            at=entry.position,
            hint="put the steps into a file of their own: compose: {file: steps.yml, set: {...}}",
            code="project-form",
        )
    output = _last(chain, "output")
    if output is not None:
        raise UsageError("set the output of a matrix in the matrix", at=output.position, code="project-form")
    settings_of(command, maps)  # faults are reported when the file is read
    own, described = _own_schemas(chain, directory, schemas), _description(item)

    def make(name: str, maps: Sequence[Map]) -> Run:
        settings, given = settings_of(command, maps)
        run = Run(name, command, settings, given, directory, item.position)
        run.schemas = own
        run.description = described
        return run

    from plait.authoring.project.matrix import Matrix

    matrix = Matrix(name_of(item, _OF_A_RUN), entry.value, entry.position, directory, command, maps, make, permissions)
    matrix.description = described
    return matrix


def _run(item: MapItem, chain: Sequence[MapItem], source: Source, directory: str, schemas: Sequence[Schemas]) -> Run:
    """A run. chain: the run and its bases, the lowest first. schemas: from the project. Raises UsageError."""
    command, maps = _command(item, chain)
    output = _last(chain, "output")
    if output is not None and (type(output.value) is not str or not output.value):
        raise wrong(output, "a path below the directory of the fleet")
    name = name_of(item, _OF_A_RUN)
    place = "" if output is None else str(output.value)
    if command == "steps":
        parse(source, directory, name)  # faults are reported when the file is read
        run = Run(name, "compose", (), None, directory, item.position, uses=_pipeline(source.name, name), output=place)
    else:
        settings, given = settings_of(command, maps)
        run = Run(name, command, settings, given, directory, item.position, output=place)
    run.schemas = _own_schemas(chain, directory, schemas)
    run.description = _description(item)
    return run


def _description(item: MapItem) -> str:
    """The description of a run in the project file; that of a base is not its own."""
    own = _last([item], "description")
    return own.value.strip() if own is not None and type(own.value) is str else ""


def _pipeline(path: str, name: str = "") -> list[Use]:
    """The uses for the steps in a pipeline file. name: the run with them."""
    from plait.engine.compose import Compose

    return [Use(Compose.pipeline, path), *([Use(Compose.run, name)] if name else [])]


def _own_schemas(chain: Sequence[MapItem], directory: str, schemas: Sequence[Schemas]) -> Sequence[Schemas]:
    """The schemas of a run: its own, or those of the project. Raises UsageError."""
    own = _last(chain, "schemas")
    return schemas if own is None else _schemas(own, directory)


def _command(item: MapItem, chain: Sequence[MapItem]) -> tuple[str, list[Map]]:
    """The command of a run, and its settings. chain: the run and its bases, the lowest first. Raises UsageError."""
    commands: list[MapItem] = []
    for one in chain:
        assert type(one.value) is Map
        commands += [entry for entry in one.value.items if entry.key in COMMANDS or entry.key == "steps"]
    if not commands:
        raise UsageError(
            f'the run "{item.key}" has no command', at=item.position, expected=f"one of {_kinds()}", code="project-form"
        )
    command = str(commands[-1].key)
    for entry in commands:
        if entry.key != command:
            raise UsageError(
                f'the run "{item.key}" and its base have different commands',
                at=commands[-1].position,
                also=[entry.position.labelled("the first one")],
                expected=f'"{entry.key}" as there',
                found=f'"{command}"',
                code="project-form",
            )
    maps = []
    for entry in commands if command != "steps" else ():
        if entry.value is None:
            continue
        if type(entry.value) is not Map:
            inputs = dialect(command).argument.setting or "files"
            error = wrong(entry, f"a map of settings, such as {{{inputs}: PATH}}")
            error.hint = package.unknown_names.inputs_hint(entry, inputs)
            raise error
        maps.append(entry.value)
    return command, maps
