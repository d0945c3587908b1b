"""Inputs: the input files for `-f PATH` and the other path flags (docs/guide-render.md).

A PATH is `-`, a URL, a file, a pipe or a directory; `NEW=PATH` renames a single file. Directories are listed at once,
files are read on demand. Nothing outside the given paths is opened: symbolic links are rejected unless their target was
allowed.
"""

from __future__ import annotations

import os
import stat

from plait.base.content import NO_LINKS, LinkPolicy, file_content, files_below, note_stream, standard_input
from plait.base.errors import ReadError, UsageError
from plait.base.input_view import check_read, check_request, current_view
from plait.base.limits import current_budget, limit_error
from plait.base.source import Advice, Flag, reason
from plait.ytt.workspace.input_files import InputFile, in_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

STDIN_PATH = "stdin.yml"


class Inputs:
    """Reads the inputs of one run. Tracks if standard input was used, and which symbolic links may be followed.

    links: symbolic links that may be followed. stdin: returns all of standard input. fetch: returns the content of a
    URL. offline: reject URLs. named: messages show a file by its path below its argument, as ytt does, instead of its
    path from the working directory.
    """

    __slots__ = ("_fetch", "_links", "_named", "_offline", "_stdin", "_stdin_used")

    def __init__(
        self,
        *,
        links: LinkPolicy = NO_LINKS,
        stdin: Callable[[], bytes] | None = None,
        fetch: Callable[[str], bytes] | None = None,
        offline: bool = False,
        named: bool = False,
    ) -> None:
        self._offline = offline
        self._named = named
        self._links = links
        self._stdin = standard_input if stdin is None else stdin
        self._fetch = fetch_url if fetch is None else fetch
        self._stdin_used = False

    def files(self, arguments: Iterable[str]) -> list[InputFile]:
        """The files of the arguments of one flag, with sequence numbers from 1.

        Arguments stay in order; within a directory files are ordered by the bytes of their relative paths.
        Raises ReadError and UsageError.
        """
        found: list[InputFile] = []
        for argument in arguments:
            found += self._of_argument(argument)
        for order, file in enumerate(found, 1):
            file.order = order
            if self._named:
                file.shown = None
        return found

    def _of_argument(self, argument: str) -> list[InputFile]:
        new_path, path = _split_new_path(argument)
        if path == "-":
            return [self._of_stdin(new_path)]
        if path.startswith(("http://", "https://")):
            return [self._of_url(path, new_path)]
        check_read(path)
        try:
            status = os.lstat(path)
        except (OSError, ValueError) as error:
            view = current_view()
            if view is not None and view.text_for(path) is not None:  # a file that has not been written yet
                return [_file(path, os.path.basename(path), os.path.normpath(path), new_path)]
            reference = f"Checking file '{path}': lstat {path}: {reason(error)}"
            raise _failure(path, error, reference, hint=_misuse(path), extensions=(".yaml", ".yml")) from None
        if stat.S_ISDIR(status.st_mode):
            return self._of_directory(path)
        name = os.path.basename(path.rstrip(os.sep)) or path
        self._links.check_file(path, status.st_mode)
        return [_file(path, name, os.path.normpath(path), new_path)]

    def _of_stdin(self, new_path: str) -> InputFile:
        # A file that is named twice can be listed, but not read.
        content = _used_up if self._stdin_used else self._stdin
        self._stdin_used = True
        return InputFile(STDIN_PATH, content, new_path=new_path, described="standard input", comes_from_stream=True)

    def _of_url(self, url: str, new_path: str) -> InputFile:
        if self._offline:
            raise ReadError(
                f"Requesting URL '{url}': this run is offline",
                hint="leave out --offline, or use a file",
                code="url-not-fetched",
            )
        check_request(url)
        name = url.rstrip("/").rpartition("/")[2]
        return InputFile(
            name, lambda: self._fetch(url), new_path=new_path, described=f"HTTP URL '{url}'", comes_from_stream=True
        )

    def _of_directory(self, top: str) -> list[InputFile]:
        shown = os.path.normpath(os.path.join(top, "_"))[:-1]
        found = [
            _file(path, name, shown + name.replace("/", os.sep), in_directory=True)
            for path, name in files_below(top, self._links)
        ]
        found.sort(key=lambda file: os.fsencode(file.original_path))
        return found


def _misuse(path: str) -> str | None:
    """A hint for an argument that is not just a path, or None."""
    if path.startswith("@") and ":" in path:
        return "a library is named only by the data value flags, such as --data-values-file @library:values.yml"
    if any(char in path for char in "*?["):
        return f"patterns are not expanded here: name the directory {os.path.dirname(path) or '.'}"
    return None


def _used_up() -> bytes:
    raise UsageError(
        "Standard input has already been read, has the '-' argument been used in more than one flag?",
        code="standard-input",
    )


def bulk_files(text: str) -> list[InputFile]:
    """The inputs of `--bulk-in`: `{"files": [{"name": ..., "data": ...}]}`, in order. Raises ReadError."""
    import json

    shape = 'Expected bulk input to be JSON such as {"files":[{"name":"a.yml","data":"a: 1"}]}'
    try:
        read = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReadError(
            f"Reading bulk input: {error}",
            expected='JSON, {"files":[{"name":"a.yml","data":"a: 1"}]}',
            code="bulk-input",
        ) from None
    # Go's reader, which ytt uses, accepts null for any absent value and ignores unknown keys.
    entries = (read.get("files") or []) if isinstance(read, dict) else None
    if not isinstance(entries, list):
        raise ReadError(shape, code="bulk-input")
    found = []
    for order, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            raise ReadError(shape, code="bulk-input")
        name, data = entry.get("name") or "", entry.get("data") or ""
        if not isinstance(name, str) or not isinstance(data, str):
            raise ReadError(shape, code="bulk-input")
        # A lone surrogate written as \ud800 cannot be encoded; it represents no character.
        found.append(in_memory(name, data.encode("utf-8", "replace"), order))
    return found


def fetch_url(url: str) -> bytes:
    """The content of an http or https URL. Raises ReadError, also for a status outside 200..299 and after the limit
    `url`; LimitError if it is larger than the limit `input`. Redirects are followed, but only to http and https.
    """
    from plait.base.http import fetched, split_login

    check_request(url)
    note_stream(url)
    run = current_budget()
    seconds, largest = run.limits.url, run.limits.input
    shown, _ = split_login(url)
    try:
        data = fetched(url, seconds=seconds, maximum=largest)
    except TimeoutError:
        raise ReadError(
            f"Requesting URL '{shown}': no complete answer within {seconds:g} seconds",
            hint=Advice("wait longer: ", Flag("limit", "url=N")),
            code="limit-url",
        ) from None
    if len(data) > largest:
        raise limit_error(f"URL '{shown}'", "input", largest, expected=f"at most {largest} bytes")
    run.take(len(data))
    return data


def _split_new_path(argument: str) -> tuple[str, str]:
    head, equals, tail = argument.partition("=")
    # "https://example.com/a.yml?v=1" is not a rename.
    if not equals or "://" in head:
        return "", argument
    if "=" in tail and "://" not in tail:
        raise UsageError(
            f"Expected file '{argument}' to only have single '=' sign to for relative path assignment",
            expected="NEW=PATH",
            code="file-argument",
        )
    return head, tail


def _file(path: str, name: str, shown: str, new_path: str = "", *, in_directory: bool = False) -> InputFile:
    return InputFile(
        name,
        lambda: _read_file(path),
        new_path=new_path,
        described=f"file '{path}'",
        in_directory=in_directory,
        shown=shown,
    )


def _read_file(path: str) -> bytes:
    try:
        return file_content(path, f"file '{path}'")
    except (OSError, ValueError) as error:
        raise _failure(path, error, f"Reading file '{path}': {reason(error)}") from None


def _failure(
    path: str, error: OSError | ValueError, reference: str, hint: str | None = None, extensions: Sequence[str] = ()
) -> ReadError:
    from plait.base.path_errors import read_failure

    return read_failure(path, error, hint=hint, reference=reference, extensions=extensions)
