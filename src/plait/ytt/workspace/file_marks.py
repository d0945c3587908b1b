"""File marks: `--file-mark PATH:KEY=VALUE` changes the role of an input (docs/guide-render.md).

Marks apply in order, each to every file whose original path its pattern matches; a mark that matches no file is an
error.
"""

from __future__ import annotations

from plait.base.errors import UsageError, replacing
from plait.base.similar_names import did_you_mean, listed
from plait.ytt.workspace.input_files import DATA, STARLARK, TEXT, YAML

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.ytt.workspace.input_files import InputFile

# Maps the value of a `type` mark to the file's type, and to True if the file is a template.
TYPES = {
    "yaml-template": (YAML, True),
    "yaml-plain": (YAML, False),
    "text-template": (TEXT, True),
    "text-plain": (TEXT, False),
    "starlark": (STARLARK, False),
    "data": (DATA, False),
}

# The values that each key accepts; None for any.
KEYS: dict[str, tuple[str, ...] | None] = {
    "path": None,
    "exclude": ("true",),
    "type": tuple(TYPES),
    "for-output": ("true",),
    "exclusive-for-output": ("true",),
}


_SUCH_AS = "such as app.yml:exclude=true, or app.yml:type=yaml-plain"


class Mark:
    """One mark. text: as written; pattern, key, value: its parts."""

    __slots__ = ("key", "pattern", "text", "value")

    def __init__(self, text: str, pattern: str, key: str, value: str) -> None:
        self.text = text
        self.pattern = pattern
        self.key = key
        self.value = value


def parse_mark(text: str) -> Mark:
    """Parses `PATH:KEY=VALUE`. Raises UsageError for invalid syntax, an unknown key or an unknown value."""
    pattern, colon, rest = text.partition(":")
    if not colon:
        raise UsageError(f"Expected file mark '{text}' to be in format path:key=value", hint=_SUCH_AS, code="file-mark")
    key, equals, value = rest.partition("=")
    if not equals:
        raise UsageError(
            f"Expected file mark '{text}' key-value portion to be in format key=value", hint=_SUCH_AS, code="file-mark"
        )
    if key not in KEYS:
        raise UsageError(
            f"Unknown key in file mark '{text}'",
            expected=", ".join(KEYS),
            found=key,
            hint=did_you_mean(key, KEYS),
            code="file-mark",
        )
    values = KEYS[key]
    if values is not None and value not in values:
        raise UsageError(
            f"Unknown value in file mark '{text}'",
            expected=", ".join(values),
            found=value,
            hint=did_you_mean(value, values),
            code="file-mark",
        )
    return Mark(text, pattern, key, value)


def _no_match(text: str) -> str:
    return f"Expected file mark '{text}' to match at least one file by path, but did not"


def _unmatched(mark: Mark, paths: Sequence[str], all_paths: Sequence[str]) -> UsageError:
    """The error for a mark that matches no file. paths: the files that are left of all."""
    pattern, is_pattern = mark.pattern, "*" in mark.pattern
    name = pattern.rpartition("/")[2]
    # Paths are relative to the directory of -f, and one star stays in its directory.
    same = [path for path in paths if path.rpartition("/")[2] == name or path.endswith(f"/{pattern}")]
    below = f"**/{name}" if is_pattern and not name.startswith("**") else ""
    hint = None
    if any(matches(pattern, path) for path in all_paths):
        hint = "an earlier mark excludes these files; remove one of the marks"
    elif same:
        hint = replacing(pattern, same[:_NAMED], f"did you mean {listed(same[:_NAMED], quote=chr(34))}?")
    elif below and any(matches(below, path) for path in paths):
        hint = replacing(pattern, [below], f'did you mean "{below}"? * does not match /')
    else:
        hint = did_you_mean(pattern, paths)
    more = len(paths) - _NAMED
    return UsageError(
        _no_match(mark.text),
        expected="the path of an input, relative to the directory that -f names, or a pattern",
        found=", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "") or "no files",
        hint=hint,
        code="unmatched-file-mark",
    )


_NAMED = 6


def apply_marks(files: Sequence[InputFile], marks: Iterable[str]) -> list[InputFile]:
    """The remaining files, with marks applied. Raises UsageError as `parse_mark` does, and for a mark that matches
    nothing.
    """
    left = list(files)
    exclusive: list[InputFile] = []
    for text in marks:
        try:
            mark = parse_mark(text)
        except UsageError as error:
            pattern, _, rest = text.partition(":")
            if "=" in rest and not any(matches(pattern, file.original_path) for file in left):
                error.reference = _no_match(text)  # ytt looks for files first
            raise
        matched = [file for file in left if matches(mark.pattern, file.original_path)]
        if not matched:
            raise _unmatched(mark, [file.original_path for file in left], [file.original_path for file in files])
        if mark.key == "path":
            for file in matched:
                file.path = mark.value
        elif mark.key == "exclude":
            for file in matched:
                file.marked_output = False
            gone = set(map(id, matched))
            left = [file for file in left if id(file) not in gone]
        elif mark.key == "type":
            for file in matched:
                file.marked_type, file.marked_template = TYPES[mark.value]
        elif mark.key == "for-output":
            for file in matched:
                file.marked_output = True
        else:
            exclusive += matched
    if exclusive:
        for file in left:
            file.marked_output = False
        for file in exclusive:
            file.marked_output = True
    return left


def matches(pattern: str, path: str) -> bool:
    """True if a mark's pattern matches a whole path.

    The first `**/*` matches one or more characters, then the first remaining `*` matches one or more characters except
    `/`; everything else is literal.
    """
    before, deep, after = pattern.partition("**/*")
    # Each alternative is (text before the star, text after it); the deep star, if any, is in one of the two halves.
    if not deep:
        head, star, tail = pattern.partition("*")
        if not star:
            return pattern == path
        return _ends_match(path, head, tail) and "/" not in path[len(head) : len(path) - len(tail)]
    head, star, tail = before.partition("*")
    if star:
        return any(_ends_match(path[cut:], tail, after) for cut in _cuts(path, head))
    head, star, tail = after.partition("*")
    if star:
        # The single star is after the deep one: match the path from its end.
        return any(_ends_match(path[: len(path) - cut], before, head) for cut in _cuts(path[::-1], tail[::-1]))
    return _ends_match(path, before, after)


def _ends_match(path: str, head: str, tail: str) -> bool:
    """True if the path starts with head, ends with tail, and has at least one character in between."""
    return len(path) > len(head) + len(tail) and path.startswith(head) and path.endswith(tail)


def _cuts(path: str, head: str) -> list[int]:
    """The indexes at which a single star after `head` can end."""
    if not path.startswith(head):
        return []
    end = path.find("/", len(head))
    return list(range(len(head) + 1, (len(path) if end < 0 else end) + 1))
