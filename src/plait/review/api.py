"""`plait.review.review`: compares the output of a project at two revisions."""

from __future__ import annotations

import os

from plait.base.errors import PlaitError, ReadError, UsageError
from plait.base.git_repository import Repository
from plait.base.input_view import InputView, use_view
from plait.base.permissions import FILE_NAMES
from plait.base.similar_names import did_you_mean
from plait.base.writing.directory import temporary
from plait.fleet.plan import chosen, tasks_of
from plait.fleet.project_lookup import project_file
from plait.review.comparing import Comparison
from plait.review.cpu_budget import DEFAULT, CpuBudget
from plait.review.rendering import rendered
from plait.review.result import Review
from plait.review.revisions import Sides

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.base.writing.directory import Directory
    from plait.fleet.plan import Task
    from plait.review.revisions import Entry
    from plait.tree.context import Context


def review(
    base: str,
    head: str = "",
    *,
    project: str | os.PathLike[str] = "",
    runs: Sequence[str] = (),
    where: Sequence[str] = (),
    prove: bool = False,
    budget: float = DEFAULT,
    trust: bool = False,
    documents: bool = False,
    output: bool = False,
    progress: Context | None = None,
) -> Review:
    """Compares the output of all runs of a project at two Git revisions, and finds the changed lines that caused each
    difference, as `plait review` does. The working directory and the repository do not change.

    base: a revision, or `BASE...HEAD` for the changes of HEAD since its merge base with BASE. head: a revision; by
    default the working directory. project: project file or its directory; by default found from the working directory.
    runs: names of runs and matrices, or patterns; by default all. where: select environments of matrices by axis, such
    as `region=eu`. prove: revert each unit alone. budget: the CPU seconds for the search for causes, 0 for no limit;
    what is not verified within it is reported as such. trust: grant the accesses that BASE's project file asks for.
    documents: also return the lines of changed documents, for `to_html`. output: also render all selected runs of
    HEAD's side, for `Review.output`. progress: shown by the caller.

    Raises UsageError for an unknown revision, and PlaitError for an invalid project.

    >>> from plait.review import review
    >>> review("main")  # doctest: +SKIP
    <Review: 4 values changed in 1 of 1 runs>
    """
    first, dots, second = base.partition("...")
    if dots and head:
        raise UsageError("BASE...HEAD already names HEAD", found=head, code="unexpected-argument")
    named = base if dots or head else base.replace("..", "...", 1)
    head = second if dots else head
    file = project_file(os.fspath(project))
    if os.path.isdir(file):
        file = project_file_in(file)
    repository = Repository(os.path.realpath(os.path.dirname(file) or os.curdir))
    if named != base:
        for one in named.split("..."):
            repository.commit(one or "HEAD")
        raise UsageError(f'"{base}" is not a revision', hint=f'did you mean "{named}"?', code="git")
    old = repository.commit(first or "HEAD")
    new = repository.commit(head or "HEAD") if head or dots else ""
    result = Review(base, head)
    result.is_backwards = _is_backwards(repository, old, new)
    if dots:
        old = repository.merge_base(old, new)
    result.commits = old, new
    with temporary("plait-review-") as directory:
        _fill(
            result,
            repository,
            file,
            directory,
            old,
            new,
            runs,
            where,
            prove,
            budget,
            trust,
            documents,
            output,
            progress,
        )
    return result


def _is_backwards(repository: Repository, base: str, head: str) -> bool:
    """True if HEAD is an ancestor of BASE."""
    try:
        return head not in ("", base) and repository.merge_base(base, head) == head
    except UsageError:  # they have no common ancestor
        return False


def project_file_in(directory: str) -> str:
    """The project file in a directory. Raises ReadError."""
    found = [name for name in FILE_NAMES if os.path.isfile(os.path.join(directory, name))]
    if not found:
        raise ReadError(f'no project file in "{directory}"', expected=" or ".join(FILE_NAMES), code="no-project-file")
    return os.path.join(directory, found[0])


def _fill(
    result: Review,
    repository: Repository,
    file: str,
    directory: Directory,
    old: str,
    new: str,
    runs: Sequence[str],
    where: Sequence[str],
    prove: bool,
    budget: float,
    trust: bool,
    documents: bool,
    output: bool,
    progress: Context | None,
) -> None:
    sides = Sides(repository, file, directory, old, new, trust=trust)
    result.permissions = [(need.access, sides.text(need.name)) for need in sides.requested]
    result.new_project = sides.name if sides.project_from else ""
    result.project_from = sides.project_from
    with use_view(InputView()) as view:
        before = _tasks(sides, sides.base, "base", result)
    after = _tasks(sides, sides.changes_after(view), "head", result)
    selected = _chosen(
        [*after, *(task for task in before if task.name not in {one.name for one in after})], runs, where
    )
    result.proven = prove
    comparison = Comparison(
        sides,
        result,
        before,
        after,
        prove=prove,
        cpu_budget=CpuBudget(budget),
        documents=documents,
        progress=progress,
    )
    comparison.run(selected)
    if output:
        names = {task.name for task in selected}
        result.output = rendered(sides, [task for task in after if task.name in names])


def _tasks(sides: Sides, files: Mapping[str, Entry | None], side: str, result: Review) -> list[Task]:
    """The runs of a side; none if it has no project file, or an invalid one, which is a failure. Raises PlaitError if
    neither side has one.
    """
    sides.show(files)
    if not sides.has_project():
        return []
    try:
        return tasks_of(sides.project())
    except PlaitError as error:
        if sides.name not in sides.head:
            raise
        failure = sides.failure(side, error, caused=True)
        failure.where = "the project file"
        result.failures.append(failure)
        return []


def _chosen(tasks: Sequence[Task], names: Sequence[str], where: Sequence[str]) -> list[Task]:
    """The selected runs. Raises UsageError for an unknown name or axis."""
    found = chosen(tasks, names) if names else list(tasks)
    axes = {axis for task in tasks for axis in task.choices}
    for text in where:
        axis, equals, value = text.partition("=")
        if not equals or axis not in axes:
            raise UsageError(
                f'"{text}" does not select environments',
                expected=", ".join(f"{one}=VALUE" for one in sorted(axes)) or "a project with a matrix",
                hint=did_you_mean(axis, axes) if axes else "without a matrix, --run NAME selects a run",
                code="invalid-value",
            )
        values = dict.fromkeys(task.choices[axis].text for task in tasks if axis in task.choices)
        if value not in values:
            raise UsageError(
                f'no environment has "{value}" on the axis "{axis}"',
                expected=", ".join([*values][:_MOST_VALUES]) + (", ..." if len(values) > _MOST_VALUES else ""),
                hint=did_you_mean(value, values) or f"such as --where {axis}={next(iter(values))}",
                code="invalid-value",
            )
        found = [task for task in found if axis in task.choices and task.choices[axis].text == value]
    if where and not found:
        raise UsageError(
            "no environment is selected: each value exists, but no environment has all of them",
            found=" and ".join(where),
            code="invalid-value",
        )
    return found


# Values of an axis in a message.
_MOST_VALUES = 12
