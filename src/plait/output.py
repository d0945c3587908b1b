"""Results to where they go: one text for standard output, a directory of files, or JSON (spec ytt 1.7 to 1.9).

FORMATS names the forms of standard output; files are always YAML. Nothing is half written: files are made aside and
take their places when all of them are complete.
"""

from __future__ import annotations

import os
import stat

from plait.errors import ReadError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from plait.context import Originals
    from plait.nodes import DocumentSet
    from plait.source import Position

    # A file to write: its path relative to the output directory, and its text.
    OutputFile: TypeAlias = "tuple[str, str]"

OPENAPI = "openapi-v3"
JSON_SCHEMA = "json-schema"

_MODE = 0o700


def _write_yaml(documents: DocumentSet) -> str:
    from plait.yaml import write

    return write(documents)


def _write_json(documents: DocumentSet) -> str:
    from plait.yaml import write_json

    return "".join([write_json(document.value) for document in documents.items])


def _write_positions(documents: DocumentSet) -> str:
    from plait.yaml import write_positions

    return write_positions(documents)


FORMATS: dict[str, Callable[[DocumentSet], str]] = {"yaml": _write_yaml, "json": _write_json, "pos": _write_positions}


def _write_tagged(documents: DocumentSet) -> str:
    from plait.yaml.tags import write_tagged

    return write_tagged(documents)


def _write_untagged_json(documents: DocumentSet) -> str:
    from plait.yaml.tags import check_untagged

    check_untagged(documents, "JSON")
    return _write_json(documents)


# The same where maps with a tag as their key stand for tags.
TAGGED = {**FORMATS, "yaml": _write_tagged, "json": _write_untagged_json}
SCHEMA_FORMATS = (OPENAPI, JSON_SCHEMA)


def text_of(documents: DocumentSet, form: str = "yaml", originals: Originals | None = None) -> str:
    """Documents in a form, one of FORMATS; or in that in which they were read, where a run keeps it."""
    return FORMATS[form](documents) if originals is None else originals.write(documents)


def choose_formats(names: Sequence[str]) -> tuple[str, str | None]:
    """The document format and the schema format among the words of `-o`: the first of each kind.

    Raises UsageError for a word that is neither.
    """
    known = [*FORMATS, *SCHEMA_FORMATS]
    for name in names:
        if name not in known:
            from plait.spell import did_you_mean

            hint = did_you_mean(name, known)
            if "." in name or "/" in name:
                hint = (
                    f"-o is the form of the output; it goes into a file by > {name}, into a directory by --output-files"
                )
            raise UsageError(f"Unknown output type '{name}'", expected=", ".join(known), hint=hint)
    return (
        next((name for name in names if name in FORMATS), "yaml"),
        next((name for name in names if name in SCHEMA_FORMATS), None),
    )


def add_files(directory: str, files: Sequence[OutputFile], announce: Callable[[str], None]) -> None:
    """Write files into a directory and keep what else is there (`--output-files`).

    Of two files with one path the later stays. announce: gets a line `creating: PATH` a file.
    Raises UsageError for a path that leads out of the directory, ReadError when writing fails or when a directory on
    the way is a symbolic link.
    """
    places = [(inside(path), text) for path, text in files]
    made: list[tuple[str, str]] = []
    try:
        make_directory(directory)
        for place, text in places:
            check_no_link(directory, place)
            target = os.path.join(directory, place)
            make_directory(os.path.dirname(target))
            # A name of its own: that of the target may be as long as a name can be.
            aside = os.path.join(os.path.dirname(target), f".plait-{os.urandom(6).hex()}.new")
            made.append((aside, target))
            write_aside(aside, target, text)
        while made:
            aside, target = made[0]
            announce(f"creating: {os.path.normpath(target)}")
            os.replace(aside, target)
            made.pop(0)
    except (OSError, ValueError) as error:
        raise write_error(directory, error) from None
    finally:
        for aside, _ in made:
            _remove(aside)


def replace_directory(
    directory: str, files: Sequence[OutputFile], announce: Callable[[str], None], aside: str = ""
) -> None:
    """Make a directory hold these files and nothing else (`--dangerous-emptied-output-directory`).

    announce: gets a line `creating: PATH` a file. aside: where it is made first; by default beside it. Raises UsageError for two files with one path, a path that leads out
    of the directory, and a directory that nobody wants to lose; ReadError when writing fails, the old content kept.
    """
    places: dict[str, str] = {}
    for path, text in files:
        place = inside(path)
        if place in places:
            raise UsageError(f"Multiple files have same output destination paths: {path}")
        places[place] = text
    _check_expendable(directory)
    target = os.path.normpath(directory)
    aside = aside or f"{target}.new-{os.getpid()}"
    try:
        make_directory(os.path.dirname(target) or ".")
        os.mkdir(aside, _MODE)
        for place, text in places.items():
            path = os.path.join(aside, place)
            make_directory(os.path.dirname(path))
            write_aside(path, path, text)
        for place in places:
            announce(f"creating: {os.path.join(target, place)}")
        _swap(aside, target)
    except (OSError, ValueError) as error:
        raise write_error(directory, error) from None
    finally:
        _remove(aside)


def bulk_json(files: Sequence[OutputFile], errors: str = "") -> str:
    """The result as JSON, `{"files":[{"name":...,"data":...}]}` or `{"errors":...}` (`--bulk-out`)."""
    from plait.yaml import write_json

    # write_json sorts keys; the reference has a file's name before its data.
    listed = [f'{{"name":{write_json(path)},"data":{write_json(text)}}}' for path, text in files]
    parts = [f'"files":[{",".join(listed)}]'] if files else []
    if errors:
        parts.append(f'"errors":{write_json(errors)}')
    return f"{{{','.join(parts)}}}"


def inside(path: str, at: Position | None = None, hint: str = "rename it with a file mark") -> str:
    """The path, normal and relative. at, hint: of what says it. Raises UsageError when it leads out of the output directory."""
    place = os.path.normpath(path.lstrip("/")) if path.strip("/") else ""
    if (
        place in ("", ".")
        or place.split(os.sep)[0] == os.pardir
        or os.path.isabs(place)
        or os.path.splitdrive(place)[0]
    ):
        raise UsageError(f"Expected output file path '{path}' to be inside the output directory", at=at, hint=hint)
    if _ON_WINDOWS and (name := no_name_on_windows(place)) is not None:
        raise UsageError(
            f"Expected output file path '{path}' to be a path that Windows can hold",
            at=at,
            expected="no device's name, none of < > : \" | ? *, no dot or space at the end of a name",
            found=name,
            hint=hint,
        )
    return place


_ON_WINDOWS = os.name == "nt"
_DEVICES = frozenset(
    (
        "CON",
        "PRN",
        "AUX",
        "NUL",
        "CONIN$",
        "CONOUT$",
        *(f"{name}{digit}" for name in ("COM", "LPT") for digit in "123456789¹²³"),
    )
)


def no_name_on_windows(place: str) -> str | None:
    """The first part of a path that is no file's name on Windows, or None: one that means a device, or another file."""
    for part in place.replace("\\", "/").split("/"):
        if (
            part.partition(".")[0].rstrip(" ").upper() in _DEVICES
            or part.endswith((".", " "))
            or any(char < " " or char in '<>:"|?*' for char in part)
        ):
            return part
    return None


def _check_expendable(directory: str) -> None:
    message = "Expected output directory path to not be one of '/', '.', './', ''"
    if directory in ("/", ".", "./", ""):
        raise UsageError(message, found=directory)
    place = os.path.realpath(directory)
    here = os.path.realpath(os.getcwd())
    kept = "the working directory" if place == here else "a directory around the working directory"
    if place == here or here.startswith(place.rstrip(os.sep) + os.sep):
        raise UsageError(message, found=f"{directory}, {kept}")
    home = os.path.realpath(os.path.expanduser("~"))
    if place == home or home.startswith(place.rstrip(os.sep) + os.sep):
        kept = "the home directory" if place == home else "a directory around the home directory"
        raise UsageError(message, found=f"{directory}, {kept}")


def _swap(aside: str, target: str) -> None:
    """Put the directory aside in the place of target, and remove what was there."""
    if not os.path.lexists(target):
        os.rename(aside, target)
        return
    if _exchange(aside, target):
        _remove(aside, ignore_errors=False)
        return
    old = f"{target}.old-{os.getpid()}"
    try:
        os.rename(target, old)
    except OSError as error:
        from errno import EBUSY, EXDEV

        if error.errno not in (EBUSY, EXDEV):
            raise
        # A mount point cannot be renamed: empty it, then move in piece by piece.
        for name in os.listdir(target):
            _remove(os.path.join(target, name), ignore_errors=False)
        for name in os.listdir(aside):
            os.rename(os.path.join(aside, name), os.path.join(target, name))
        return
    try:
        os.rename(aside, target)
    except OSError:
        os.rename(old, target)
        raise
    _remove(old, ignore_errors=False)


def _exchange(left: str, right: str) -> bool:
    """Let two directories change places in one step, so that a run killed at any time loses neither; False if the system
    cannot (it is Linux that can).
    """
    try:
        import ctypes

        rename = ctypes.CDLL(None).renameat2
    except (ImportError, OSError, AttributeError, TypeError):
        return False
    here, exchange = -100, 2
    done: int = rename(here, os.fsencode(left), here, os.fsencode(right), exchange)
    return done == 0


def check_no_link(directory: str, place: str) -> None:
    """Raises ReadError when a directory below the output directory, on the way to a file, is a symbolic link."""
    way = directory
    for name in place.split(os.sep)[:-1]:
        way = os.path.join(way, name)
        if os.path.islink(way):
            raise ReadError(f"Writing '{os.path.join(directory, place)}': '{way}' is a symbolic link")


def make_directory(path: str) -> None:
    # Like the file's, the mode of each new directory; os.makedirs would give it to the last one only.
    missing = []
    while path and not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for place in reversed(missing):
        try:
            os.mkdir(place, _MODE)
        except FileExistsError:
            if not os.path.isdir(place):
                raise


def write_aside(aside: str, target: str, text: str) -> None:
    """Write a file that will take the place of target, a file or a link, and get its mode. Raises OSError."""
    try:
        before = os.lstat(target)
    except FileNotFoundError:
        before = None
    if before is not None and not (stat.S_ISREG(before.st_mode) or stat.S_ISLNK(before.st_mode)):
        from errno import EEXIST

        reason = "Is a directory" if stat.S_ISDIR(before.st_mode) else "Is not a regular file"
        raise OSError(EEXIST, reason, target)
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), _MODE)
    with open(descriptor, "wb") as stream:
        stream.write(text.encode("utf-8", "surrogateescape"))
    if before is not None and stat.S_ISREG(before.st_mode):
        os.chmod(aside, before.st_mode & 0o7777)


def _remove(path: str, *, ignore_errors: bool = True) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil

        shutil.rmtree(path, ignore_errors=ignore_errors)
    elif os.path.lexists(path):
        try:
            os.remove(path)
        except OSError:
            if not ignore_errors:
                raise


def write_error(directory: str, error: OSError | ValueError) -> ReadError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    place = error.filename if isinstance(error, OSError) and error.filename else directory
    return ReadError(f"Writing '{os.fsdecode(place)}': {reason[:1].lower()}{reason[1:]}")
