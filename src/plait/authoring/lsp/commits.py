"""The commits of the lines in a hover text, as `plait blame` names them."""

from __future__ import annotations

import os

from plait.authoring.lsp.markdown import code, plain
from plait.base.errors import PlaitError
from plait.base.git_repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.lsp.features import SourceLine

# Maximum seconds for the commits of a hover text. A long history takes longer; the text is shown without commits then.
SECONDS = 2.0


def commits_text(sources: Sequence[SourceLine]) -> str:
    """A paragraph for each line with a commit, in Markdown; "" without any."""
    repositories: dict[str, Repository] = {}
    found: list[str] = []
    try:
        for source in sources:
            if source.directory not in repositories:
                repositories[source.directory] = Repository(source.directory, SECONDS)
            found.append(_commit_text(repositories[source.directory], source))
    except PlaitError:  # no repository, no git, or no time
        pass
    return "\n\n".join(filter(None, found))


def _commit_text(repository: Repository, source: SourceLine) -> str:
    path = os.path.relpath(os.path.realpath(source.path), repository.top)
    if path.startswith(os.pardir):
        return ""
    text = None if source.content is None else source.content.decode("utf-8", "surrogateescape")
    commit = repository.blame(path, [source.line], text).get(source.line)
    if commit is None:
        return ""
    place = f"{os.path.relpath(source.path, source.directory)}:{source.line}"
    about = f"{commit.date[:10]} {commit.author}: {commit.subject}".encode("utf-8", "replace").decode("utf-8")
    return f"{plain(place)} was last changed in {code(commit.name[:10])} {plain(about)} *(git blame, not verified)*"
