"""`plait ci`: the jobs that review each change, and their comment."""

from __future__ import annotations

import os

from plait.authoring.project.file import read as read_project
from plait.base.content import source
from plait.base.errors import UsageError, did_you_mean
from plait.base.lines import lines_of
from plait.base.similar_names import counted
from plait.base.writing.real_paths import failure, repository_of
from plait.base.writing.targets import strict, write_file
from plait.cli.streams import complain, write_answer, write_out
from plait.cli.tools import confirmed
from plait.engine.common import ALLOW_OUTPUT, PROJECT
from plait.engine.flags import Command
from plait.engine.options import Request, switch, text
from plait.fleet.project_lookup import project_file
from plait.review.comments import FORK, post
from plait.review.jobs import FILES, check, file_of, is_own, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Ci(Request):
    """The command line of `plait ci`."""

    __slots__ = ()
    command = "ci"
    summary = (
        "Write the job that reviews each pull request or merge request, or post the comment of a review in such a job."
    )
    usage = "COMMAND github|gitlab [FILE]"
    commands = (
        ("init", "write the job for the project into the repository"),
        ("comment", "post the review in FILE as a comment, or update that comment"),
    )
    project = PROJECT
    plait = text(
        "plait",
        "what the job installs: the directory of plait's repository in this one, OWNER/REPOSITORY@COMMIT of a repository "
        "on GitHub, or for GitLab a requirement of pip",
        value="PATH",
        default=("plait",),
    )
    name = text("name", "name of the review, if a repository has several", value="NAME", default=("plait.yml",))
    dry_run = switch("dry-run", "print the file without writing it")
    yes = switch("yes", "write without asking for confirmation", short="y")
    output_links = ALLOW_OUTPUT


CI = Command(Ci)

_NEXT = {
    "github": "\nCommit it; the next pull request gets a review.\n",
    "gitlab": """
Add it to .gitlab-ci.yml:

  include:
  - local: .gitlab/plait-review.yml

Store a project access token with the scope api in the variable PLAIT_GITLAB_TOKEN: masked, for the environment plait-review.
""",
}


def main(flags: Ci) -> int:
    """Runs `plait ci`. Returns the exit status: 1 if nothing was written. Raises PlaitError."""
    words: Sequence[str] = flags.arguments
    known = [name for name, _ in Ci.commands]
    if not words or words[0] not in known:
        raise UsageError(
            f'unknown command "ci {words[0]}"' if words else "plait ci needs a command",
            expected=", ".join(known),
            hint=did_you_mean(words[0], known) if words else "plait ci init github --dry-run",
            code="unknown-command",
        )
    if len(words) != 2 + (words[0] == "comment"):
        form = "plait ci comment github|gitlab FILE" if words[0] == "comment" else "plait ci init github|gitlab"
        raise UsageError(
            f"plait ci {words[0]} has other arguments",
            expected=form,
            found=" ".join(words[1:]) or None,
            code="missing-argument",
        )
    service = words[1]
    if service not in FILES:
        raise UsageError(
            f'unknown service "{service}"',
            expected=" or ".join(FILES),
            hint=did_you_mean(service, list(FILES)),
            code="unknown-choice",
        )
    return _init(flags, service) if words[0] == "init" else _comment(flags, service, words[2])


def _init(flags: Ci, service: str) -> int:
    file = project_file(flags.project)
    project = read_project(file)
    real = os.path.realpath(project.path)
    top = repository_of(real) or os.path.dirname(real)
    inside = os.path.relpath(real, top).replace(os.sep, "/")
    made = text_of(service, inside, flags.plait)
    path = os.path.join(os.path.relpath(top), FILES[service])
    shown = os.path.normpath(path)
    names = [*project.runs]
    write_answer(f"{inside}: {counted(len(names), 'run')}{_listed(names)}\n{_evidence(service, top, flags.plait)}\n")
    old = _existing(path, top)
    if flags.dry_run:
        write_answer(_indented(shown, made))
        return 0
    if old is not None and not is_own(old):
        raise UsageError(
            f"{shown} was not created by plait ci init, or has been edited",
            hint="move it away, or edit it by hand; --dry-run prints the text",
            code="foreign-file",
        )
    if old == made.encode():
        write_out(f"{shown} is up to date\n")
        return 0
    write_answer(_indented(shown, made))
    if not flags.yes and not confirmed("Write this?", "--yes or --dry-run"):
        complain("plait: nothing was written\n")
        return 1
    try:
        # The user did not name this file, so a link is not followed.
        write_file(path, [made.encode()], new_mode=0o666, top=os.path.relpath(top), make=0o777)
    except (OSError, ValueError) as error:
        raise failure(f'the job "{shown}"', error) from None
    write_out(f"\n{'created' if old is None else 'updated'} {shown}\n{_NEXT[service]}")
    return 0


def _indented(shown: str, made: str) -> str:
    return f"\n{shown}:\n" + "".join(f"  {line}\n" for line in lines_of(made))


def _existing(path: str, top: str) -> bytes | None:
    """The content of the file in the repository; None if there is none. Raises ReadError if it is not a file."""
    directory, name = os.path.split(path)
    try:
        with strict(directory, os.path.relpath(top), reads=True) as folder:
            return folder.read(name)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise failure(f'the job "{os.path.normpath(path)}"', error) from None


_NAMED = 5


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f" ({', '.join(names[:_NAMED])}{more})" if names else ""


def _evidence(service: str, top: str, plait: str) -> str:
    wanted = file_of(service, plait)
    if wanted is None:
        return f"plait: {plait}"
    if os.path.isfile(os.path.join(top, wanted)):
        return f"plait: {wanted} is in the repository"
    return f"plait: {wanted} is missing; copy plait's repository to {plait}/, or name another one with --plait"


def _comment(flags: Ci, service: str, file: str) -> int:
    check("value of --name", flags.name)
    done = post(service, source(file).text, flags.name)
    if done == FORK:
        write_out("the request comes from a fork, whose job may not comment; nothing was posted\n")
    else:
        write_out(f"comment {done}\n")
    return 0
