"""A Git repository: revisions, their files, differences, and the commits of lines.

Nothing is checked out, and no program that the repository names is run.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from plait.base.children.programs import GIT, run
from plait.base.content import open_regular
from plait.base.errors import LimitError, ReadError, UsageError
from plait.base.limits import current_budget
from plait.base.numbers import number_of
from plait.base.permissions import is_within
from plait.base.similar_names import counted, did_you_mean, listed, near
from plait.base.suggestions import replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

_FIRST_COMMIT = 'git add . && git commit -m "first"'


class Commit(NamedTuple):
    """A commit. name: its full hash. parents: their full hashes. date: the date of the author, as ISO 8601."""

    name: str
    parents: Sequence[str]
    date: str
    author: str
    subject: str


def _date(seconds: str, zone: str) -> str:
    """The ISO 8601 date of a time as git prints it, or ""."""
    from datetime import UTC, datetime, timedelta, timezone

    if not seconds.isdecimal() or len(seconds) > 11:
        return ""
    offset = int(zone[1:3]) * 60 + int(zone[3:5]) if len(zone) == 5 and zone[1:].isdecimal() else 0
    at = timezone(timedelta(minutes=-offset if zone.startswith("-") else offset)) if offset < 24 * 60 else UTC
    return datetime.fromtimestamp(int(seconds), at).isoformat()


# Maximum seconds of one git command, and maximum bytes of its output, a list of files.
_SECONDS = 300
_MOST = 256 << 20
# Maximum number of branches and tags in a message.
_MOST_NAMES = 8
# The usual names of a repository's main branch.
_MAIN = ("main", "master", "trunk", "develop")
# Dates in words.
_DATES = ("yesterday", "today", "noon", "midnight", "last week", "last month", "last year")
# The files of a revision may have as many bytes as this number of inputs of the maximum size.
_INPUTS = 8
# The settings of filters that a repository can declare for its files. Each is a program.
_FILTER = re.compile(r"filter\.(?P<name>.+)\.(?:clean|smudge|process|required)", re.DOTALL | re.IGNORECASE)


class Repository:
    """The Git repository of a directory. top: its directory. Raises UsageError if there is none.

    Programs in its configuration are not run: `plait.base.children.programs` disables those with a switch, and this
    class disables filters.

    seconds: the time limit of each git command.
    """

    def __init__(self, directory: str, seconds: float = _SECONDS) -> None:
        self.top = directory
        self._seconds = seconds
        self._settings: list[str] = []
        self.top = os.path.realpath(self._git("rev-parse", "--show-toplevel").rstrip("\n"))
        if not is_within(os.path.realpath(directory), self.top):
            raise UsageError("the git configuration names another working directory", found=self.top, code="git")
        self._check_data()
        self._settings = self._without_filters()

    def _check_data(self) -> None:
        """Raises UsageError if a file of the working directory refers to the data of another repository.

        Data outside of the working directory, as for a linked worktree or a submodule, must refer back to this working
        directory. GIT_DIR and GIT_COMMON_DIR are trusted.
        """
        if {"GIT_DIR", "GIT_COMMON_DIR"} & os.environ.keys():
            return
        words = self._git("rev-parse", "--absolute-git-dir", "--git-common-dir").split("\n")
        data, common = (os.path.realpath(os.path.join(self.top, word)) for word in words[:2])
        if not is_within(data, self.top):
            if not self._is_named_by(data):
                raise UsageError(
                    "the git data is outside of the working directory and does not refer to it",
                    found=data,
                    expected=f"data in {self.top}, or of a worktree or submodule there",
                    code="git",
                )
        elif not is_within(common, self.top):
            raise UsageError("the git data of the working directory is outside of it", found=common, code="git")
        else:
            self._check_links(data)

    def _is_named_by(self, data: str) -> bool:
        """True if git data refers to this working directory, through its `.git` or `core.worktree`."""
        try:
            with open_regular(os.path.join(data, "gitdir")) as file:
                named = os.fsdecode(file.read(1 << 16)).rstrip("\n")
            return os.path.realpath(os.path.join(data, named)) == os.path.join(self.top, ".git")
        except OSError:
            named = self._git("config", "--get", "core.worktree", fine=(0, 1)).rstrip("\n")
        return bool(named) and os.path.realpath(os.path.join(data, named)) == self.top

    def _check_links(self, data: str) -> None:
        """Raises UsageError for a link in git data, or among its refs, to another directory."""
        refs = (top for top, _, _ in os.walk(os.path.join(data, "refs")))
        for top in (data, *refs):
            with os.scandir(top) as entries:
                for entry in entries:
                    if entry.is_symlink() and not is_within(os.path.realpath(entry.path), data):
                        raise UsageError("a link in the git data points outside of it", found=entry.path, code="git")

    def commit(self, revision: str) -> str:
        """The full name of a revision. Raises UsageError."""
        try:
            return self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").strip()
        except UsageError:
            names = self._git("for-each-ref", "--format=%(refname:short)").split()
            base = re.split("[~^]", revision, maxsplit=1)[0]
            raise UsageError(
                f'the repository has no revision "{revision}"',
                expected="a commit, a branch or a tag",
                found=listed(names[:_MOST_NAMES]) or "no branch and no tag",
                hint=self._revision_hint(base, revision[len(base) :], names) or self._fetch_hint(base, names),
                code="git",
            ) from None

    def _revision_hint(self, base: str, steps: str, names: Sequence[str]) -> str | None:
        """A hint about the oldest ancestor of a commit, or with similar names that exist, or for what is not a
        revision; or None. steps: such as ~10.
        names: the names of branches and tags.
        """
        if steps and self._known(base):
            return self._ancestor_hint(base, re.findall(r"[~^][0-9]*", steps))
        if not names and base == "HEAD":
            return f"the repository has no commit yet: {_FIRST_COMMIT} creates the first one"
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"HEAD:{base}")
        if base and self._git(*words, fine=(0, 1, 128)).strip():
            return "this is a path in the newest commit; HEAD is that commit"
        remote, slash, branch = base.rpartition("/")
        usual = [f"{remote}{slash}{name}" for name in _MAIN if branch in _MAIN and f"{remote}{slash}{name}" in names]
        meant = [f"{name}{steps}" for name in near(base, names) or usual[:1] if self._known(f"{name}{steps}")]
        return replacing(base + steps, meant, f"did you mean {listed(meant, quote=chr(34))}?") if meant else None

    def _ancestor_hint(self, base: str, steps: Sequence[str]) -> str | None:
        """A hint for an ancestor that a commit does not have, such as HEAD~10."""
        for step in steps:
            if self._known(f"{base}{step}"):
                base += step
                continue
            count = int(self._git("rev-list", "--count", "--first-parent", base, "--")) - 1
            oldest = f"{base}~{count}" if count else base
            if self._git("rev-parse", "--is-shallow-repository").strip() == "true":
                return f"the clone is shallow, and {oldest} is its oldest commit: git fetch --unshallow"
            if step[0] == "~":
                ancestors = f"{base} has {counted(count, 'ancestor')}: the first commit is {oldest}"
                return ancestors if count else f"{base} is the first commit"
            parents = len(self._git("rev-list", "--parents", "-1", base, "--").split()) - 1
            return f"{base} has {counted(parents, 'parent')}"
        return None

    def _known(self, revision: str) -> str:
        """The full name of a commit, or "" if there is none."""
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        return self._git(*words, fine=(0, 1, 128)).strip()

    def check_date(self, date: str) -> None:
        """Raises UsageError for a date that git does not understand; `git log --since` takes it for the present."""
        if not self._git("-c", f"plait.date={date}", "config", "--type=expiry-date", "plait.date", fine=(0, 1, 128)):
            raise UsageError(
                f'"{date}" is not a date',
                expected='a date such as 2026-01-31, yesterday or "2 weeks ago"',
                hint=did_you_mean(date, _DATES),
                code="invalid-value",
            )

    def _fetch_hint(self, revision: str, names: Sequence[str]) -> str | None:
        """A hint for a revision that may be in a remote repository, or be a local branch."""
        remotes = self._git("remote").split()
        remote, _, branch = revision.partition("/")
        if not branch or remote in remotes:
            return "git fetch downloads branches and commits of the remote repository" if remotes else None
        local = branch if branch in names else next(iter(names), "HEAD")
        there = f"the remotes are {', '.join(remotes)}" if remotes else f'the repository has no remote "{remote}"'
        return f"{there}; {local} is here, and git remote add {remote} URL adds the remote"

    def changed(self, commit: str) -> set[str]:
        """The absolute paths of files that differ from a commit: changed, new or removed. Ignored files are not
        included.
        """
        # A submodule has its own configuration, and its files do not belong to this repository.
        flags = ("--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
        names = self._git("diff", "--name-only", *flags, "-z", commit, "--").split("\0")
        names += self._git("ls-files", "--others", "--exclude-standard", "-z").split("\0")
        return {os.path.join(self.top, name) for name in names if name}

    def merge_base(self, first: str, second: str) -> str:
        """The best common ancestor of two commits. Raises UsageError if they have none, or a shallow clone lacks it."""
        found = self._git("merge-base", "--end-of-options", first, second, fine=(0, 1)).split()
        if not found:
            raise UsageError(
                "the revisions have no common ancestor in this repository",
                found=f"{first[:12]} and {second[:12]}",
                hint="a shallow clone lacks the older commits: git fetch --unshallow",
                code="git",
            )
        return found[0]

    def changed_between(self, before: str, after: str) -> set[str]:
        """The paths from the top, with slashes, of files that differ between two commits."""
        flags = ("--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
        names = self._git("diff", "--name-only", *flags, "-z", before, after, "--").split("\0")
        return {name for name in names if name}

    def local_files(self) -> list[str]:
        """The paths from the top, with slashes, of the files in the working directory that git ignores."""
        flags = ("--others", "--ignored", "--exclude-standard", "-z", "--full-name")
        return [name for name in self._git("ls-files", *flags).split("\0") if name]

    def lay_out(self, commit: str, directory: str, only: Container[str] | None = None) -> None:
        """Writes the files of a commit into a directory, except those that are too large for an input.

        only: the paths from the top, with slashes; all by default. Raises LimitError if they are too many, or too large
        together.
        """
        environment = {"GIT_INDEX_FILE": os.path.join(directory, ".git-index")}
        names = "\0".join(name for name in self._inputs(commit) if only is None or name in only)
        self._git("read-tree", commit, environment=environment)
        if names:
            words = ("checkout-index", "-z", "--stdin", f"--prefix={directory}{os.sep}")
            self._git(*words, given=names, environment=environment)

    def _inputs(self, commit: str) -> Iterator[str]:
        """The paths of a commit's files that a run may read. Raises LimitError."""
        budget = current_budget()
        one = budget.most("input")
        left = most = one * _INPUTS
        for entry in self._git("ls-tree", "-r", "-l", "-z", "--full-tree", commit).split("\0"):
            budget.visit(self.top)
            about, _, name = entry.partition("\t")
            size = number_of(about.rpartition(" ")[2])
            if size is None or size > one:  # a submodule has no size
                continue
            left -= size
            if left < 0:
                error = LimitError(
                    f"the files of revision {commit[:12]} are too large together",
                    expected=f"at most {most} bytes, which is {_INPUTS} times the limit input",
                    code="limit-input",
                )
                error.limit = "input"
                raise error
            yield name

    def commits(self, revision: str, since: str = "", *, first_parent: bool = False) -> list[Commit]:
        """The commits that lead to a revision, newest first. since: only those after this date."""
        # A configured display of signatures would start a program.
        flags = ["--no-show-signature", "--no-color", "--topo-order", "-z", "--format=%H%x00%P%x00%aI%x00%an%x00%s"]
        flags += [f"--since={since}"] if since else []
        flags += ["--first-parent"] if first_parent else []
        words = self._git("log", *flags, self.commit(revision), "--").split("\0")
        found = zip(*(words[number::5] for number in range(5)), strict=False)
        return [Commit(name, parents.split(), date, author, subject) for name, parents, date, author, subject in found]

    def hunks(self, before: str, after: str, path: str) -> list[tuple[int, int, int, int]]:
        """The changed parts of a file: first line and number of lines before and after, as in the diff."""
        flags = ("-U0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
        text = self._git("diff", *flags, before, after, "--", f":(top,literal){path}")
        found = re.findall(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", text, re.MULTILINE)
        return [(int(a), int(b or 1), int(c), int(d or 1)) for a, b, c, d in found]

    def blame(self, path: str, lines: Sequence[int], text: str | None = None) -> dict[int, Commit]:
        """The commits that last touched lines of a file of the working directory, by line. Lines that are not committed
        are left out, and those that are as old as a shallow clone. path: from the top. text: in place of the file's.
        """
        ranges = [f"-L{line},{line}" for line in lines]
        contents = () if text is None else ("--contents", "-")
        words = ("blame", "--line-porcelain", "--no-textconv", *contents, *ranges, "--", path)
        found: dict[int, Commit] = {}
        oldest: set[int] = set()
        facts: dict[str, str] = {}
        line, name = 0, ""
        for row in self._git(*words, given=text or "", fine=(0, 128)).split("\n"):
            if row.startswith("\t"):
                if name.strip("0"):
                    date = _date(facts.get("author-time", ""), facts.get("author-tz", ""))
                    found[line] = Commit(name, [], date, facts.get("author", ""), facts.get("summary", ""))
                    oldest |= {line} if "boundary" in facts else set()
                facts, name = {}, ""
            elif not name:
                parts = row.split()
                if len(parts) >= 3 and parts[2].isdecimal():
                    name, line = parts[0], int(parts[2])
            else:
                key, _, value = row.partition(" ")
                facts[key] = value
        # The oldest commit of a shallow clone contains the lines of all commits before it.
        if oldest and self._git("rev-parse", "--is-shallow-repository").strip() == "true":
            return {line: commit for line, commit in found.items() if line not in oldest}
        return found

    def ignored(self, paths: Iterable[str]) -> list[str]:
        """The absolute paths that git ignores; a revision does not contain them."""
        inside = [path for path in paths if path.startswith(os.path.join(self.top, ""))]
        told = self._git("check-ignore", "-z", "--stdin", given="\0".join(inside), fine=(0, 1)) if inside else ""
        return [path for path in told.split("\0") if path]

    def _without_filters(self) -> list[str]:
        """Git settings that clear all filters of the configuration files that git reads."""
        listed = self._git("config", "--list", "--name-only", "-z").split("\0")
        names = sorted({found["name"] for name in listed if (found := _FILTER.fullmatch(name))})
        settings: list[str] = []
        for name in names:
            if "=" in name:
                raise UsageError(
                    f'the git configuration has a filter "{name}" whose name cannot be passed to git', code="git"
                )
            for part, value in (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")):
                settings += ["-c", f"filter.{name}.{part}={value}"]
        return settings

    def _git(
        self, *words: str, environment: dict[str, str] | None = None, given: str = "", fine: Sequence[int] = (0,)
    ) -> str:
        try:
            done = run(
                GIT, [*self._settings, *words], seconds=self._seconds, maximum=_MOST, directory=self.top,
                given=given.encode("utf-8", "surrogateescape"), environment=environment,
            )  # fmt: skip
        except ReadError as error:
            raise UsageError("git cannot be run", found=error.message, code="git") from None
        if done.status not in fine:
            raise UsageError(
                "this directory is not in a git repository",
                expected="the directory of a clone, or one below it",
                found=done.errors.partition("\n")[0] or self.top,
                hint=f"change to the repository, or create one: git init && {_FIRST_COMMIT}",
                code="git",
            )
        return done.output.decode("utf-8", "surrogateescape")
