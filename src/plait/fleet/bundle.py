"""Inputs on the way to processes that do not see them: packed once, sent once to each, and laid out there as they were."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plait.fleet.plan import Task
    from plait.project.file import Project


def packed(project: Project, tasks: Iterable[Task]) -> dict[str, bytes]:
    """The files that the settings of runs name, and those in directories that they name, by their absolute paths.

    Also the directory of the project, as an entry that ends in a slash. Raises PlaitError.
    """
    from plait.content import NO_LINKS, file_content, files_below
    from plait.project.settings import holds_paths

    top = os.path.abspath(project.directory or os.curdir)
    found: dict[str, bytes] = {os.path.join(top, ""): b""}
    seen: set[str] = set()
    for task in tasks:
        run = task.run(project)
        places = [path for one in run.settings if holds_paths(run.command, one.name) for path in run.paths(one)]
        for place in [*places, *([project.path] if run.words else [])]:
            path = os.path.abspath(place)
            if path in seen:
                continue
            seen.add(path)
            inner = [one for one, _ in files_below(path, NO_LINKS)] if os.path.isdir(path) else [path]
            for one in inner:
                if os.path.isfile(one):
                    found[one] = file_content(one, f"file '{one}'")
    return found


class Unpacked:
    """A bundle laid out in a directory of its own, which goes when nobody uses it any more."""

    def __init__(self, bundle: Mapping[str, bytes]) -> None:
        from tempfile import TemporaryDirectory

        self._temporary = TemporaryDirectory(prefix="plait-fleet-")
        self.directory = ""
        for path, content in bundle.items():
            place = self._temporary.name + os.path.splitdrive(path)[1]
            if path.endswith(os.sep):
                os.makedirs(place, exist_ok=True)
                self.directory = place.rstrip(os.sep)
                continue
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as file:
                file.write(content)

    def hidden(self, text: str) -> str:
        """A message with the paths that the files have at home, as far as they are below the project."""
        here = os.path.relpath(self.directory)
        for start in (here, self.directory):
            text = text.replace(f"{start}{os.sep}", "")
        return text.replace(self._temporary.name, "")
