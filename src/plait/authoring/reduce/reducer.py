"""Reduces a candidate: first leaves out all lines that do not contribute according to the record of the evaluation,
then part by part.

Hierarchical delta debugging: at each level, from files down to lines, single parts and growing chunks are left out
while the behaviour shows. Each candidate is evaluated. The levels are repeated until no single part can be left out.
"""

from __future__ import annotations

from plait.authoring.analysis.source_paths import path_of
from plait.authoring.edit.sites import Text
from plait.authoring.reduce import parts
from plait.authoring.reduce.candidates import path_of_use
from plait.base.errors import PlaitError, ReadError, UsageError
from plait.base.source import Source
from plait.engine.options import Use
from plait.engine.secret_sources import DIRECTORY, FILE, Named
from plait.tree.nodes import Array, Map
from plait.tree.provenance import Trace
from plait.yaml.lossless.nodes import Collection
from plait.yaml.reader import read, read_value
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from plait.authoring.reduce.behaviours import Behaviour
    from plait.authoring.reduce.candidates import Candidate, Workspace
    from plait.authoring.reduce.parts import Level
    from plait.tree.nodes import Value

# The text in place of a secret.
WITHHELD = "withheld"
_SECONDS = 60.0


class Reducer:
    """Reduces candidates. evaluations: the number so far. is_minimal: False if the budget ended the reduction.

    budget: the maximum number of evaluations. step: called with the current candidate after each reduction.
    """

    def __init__(
        self, workspace: Workspace, behaviour: Behaviour, budget: int, step: Callable[[Candidate], None] | None = None
    ) -> None:
        self.evaluations = 0
        self.is_minimal = True
        self._workspace = workspace
        self._behaviour = behaviour
        self._budget = budget
        self._step = step
        self._known: dict[bytes, bool] = {}

    def shows(self, candidate: Candidate) -> bool:
        """True if a candidate shows the behaviour. False once the budget is exhausted."""
        known = self._known.get(candidate.key)
        if known is None and not self._behaviour.can_show(candidate):
            known = self._known[candidate.key] = False
        if known is None:
            if self.evaluations >= self._budget:
                self.is_minimal = False
                return False
            self.evaluations += 1
            self._workspace.fill(candidate)
            known = self._known[candidate.key] = self._behaviour.shows(self._workspace, candidate)
            if known and self._step is not None:
                self._step(candidate)
        return known

    def reduced(self, first: Candidate) -> Candidate:
        """The reduced candidate. Raises UsageError if the first one does not show the behaviour."""
        if not self.shows(first):
            self._workspace.fill(first)
            expected, found, hint = self._behaviour.absence(self._workspace, first)
            raise UsageError(
                "the run does not show this behaviour",
                expected=expected,
                found=found,
                hint=hint,
                code="behaviour-not-shown",
            )
        current = self._seeded(first)
        while True:
            before = current.key
            for level in parts.levels(current):
                current = self._minimal(current, level(current))
            if current.key == before or not self.is_minimal:
                return current

    # ---- provenance

    def _seeded(self, first: Candidate) -> Candidate:
        """The candidate with only the lines that its error or the record of an evaluation names, if it still shows the
        behaviour.

        The named lines are tried with their neighbours and parents. If they are not enough, all other lines are left
        out level by level.
        """
        arguments = {path_of_use(use) for use in first.uses if use.option.is_argument}
        named: dict[str, set[int]] = {}
        for look_up, tried in ((self._told, _OF_ERROR), (self._recorded, _OF_RECORD)):
            before, named = named, look_up(first)
            if named == before:
                break
            for more, is_around in tried:
                lines = {
                    name: {line + n for line in some for n in range(-more, more + 1)} for name, some in named.items()
                }
                if is_around:
                    lines = {name: parts.with_lines_around(first, name, some) for name, some in lines.items()}
                trial = parts.only(first, lines, arguments, is_whole=is_around)
                if trial.size < first.size and self.shows(trial):
                    return trial
        return self._by_level(first, named, arguments)

    def _by_level(self, current: Candidate, named: dict[str, set[int]], arguments: set[str]) -> Candidate:
        levels = [parts.files, parts.documents]
        levels += [lambda one, depth=depth: parts.items(one, depth) for depth in range(1, _DEEPEST)]  # type: ignore[misc]
        for level_of in [*levels, parts.lines]:
            if not named:
                break
            level = level_of(current)
            if level_of is parts.lines:
                named = {name: parts.with_lines_around(current, name, lines) for name, lines in named.items()}
            gone = [number for number, part in enumerate(level.parts) if not _is_named(part, named)]
            if level_of is parts.files:  # without the base of `plait patch` there is no run
                gone = [number for number in gone if level.parts[number] not in arguments]
            if level_of is parts.lines:
                # A file without a named line may be needed as it is.
                gone = [number for number in gone if level.parts[number].file in named]  # type: ignore[attr-defined]
            trial = level.without(gone) if gone else None
            if trial is not None and trial.key != current.key and self.shows(trial):
                current, named = trial, self._recorded(trial)
        return current

    def _told(self, candidate: Candidate) -> dict[str, set[int]]:
        """The lines that the error itself names, by file."""
        return self._in_files(self._behaviour.places(), candidate)

    def _recorded(self, candidate: Candidate) -> dict[str, set[int]]:
        """The lines that contribute to the behaviour according to the record of an evaluation, by file."""
        self._workspace.fill(candidate)
        found = self._behaviour.lines(self._workspace, candidate)
        self.evaluations += found is not None
        return self._in_files(found or (), candidate)

    def _in_files(self, lines: Iterable[tuple[str, int]], candidate: Candidate) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for shown, line in lines:
            path = path_of(Source(shown))
            name = "" if path is None else self._workspace.name(path)
            if name in candidate.files:
                found.setdefault(name, set()).add(line)
        return found

    # ---- delta debugging

    def _minimal(self, current: Candidate, level: Level) -> Candidate:
        """The candidate without the parts of a level that are not needed. Parts are removed from the last to the first.

        A chunk begins with one part. It doubles with each success and is halved after each failure: parts that are not
        needed are often neighbours, and a part that is needed costs one evaluation.
        """
        gone: set[int] = set()
        unread: set[str] = set()
        end, size = level.count, 1
        while end > 0:
            start = max(end - size, 0)
            trial = level.without(sorted(gone.union(range(start, end))))
            if trial is not None and trial.key != current.key and self._shows(current, trial, unread):
                current = trial
                gone.update(range(start, end))
                end, size = start, size * 2
            elif end - start > 1:
                size = (end - start) // 2
            else:
                end, size = start, 1
        return current

    def _shows(self, current: Candidate, trial: Candidate, unread: set[str]) -> bool:
        """True if a candidate shows the behaviour.

        unread: the files that did not show it with a text that is not YAML. Such a text ends every run that reads it,
        so others like it are not evaluated.
        """
        broken = {
            name
            for name, data in (trial.files.items() if self._behaviour.is_plain else ())
            if data != current.files[name] and not _is_yaml(name, data) and _is_yaml(name, current.files[name])
        }
        if broken & unread:
            return False
        found = self.shows(trial)
        if len(broken) == 1 and not found:
            unread |= broken
        return found

    # ---- secrets

    def without_secrets(self, candidate: Candidate) -> Candidate:
        """The candidate with other values in place of secrets. Raises UsageError if the behaviour needs them."""
        changed = self._replaced(candidate)
        if changed.key == candidate.key:
            return candidate
        self._budget += 1
        self._behaviour.compares_texts = False
        if not self.shows(changed):
            raise UsageError(
                "the behaviour does not show without the secret values of the inputs",
                hint="--cleartext-secrets writes them to the result",
                code="secret-needed",
            )
        return changed

    def _replaced(self, candidate: Candidate) -> Candidate:
        self._workspace.fill(candidate)
        trace = Trace()
        try:
            self._workspace.evaluate(candidate, _SECONDS, trace=trace)
        except PlaitError:
            # The behaviour may be a failure; secrets were read before it.
            pass
        lines: dict[str, set[int]] = {}
        flags: set[str] = set()
        for source, first, end in trace.secrets:
            if source is None:
                continue
            if source.flag:
                flags |= {source.text, source.argument}
            elif (path := path_of(source)) is not None and (name := self._workspace.name(path)) in candidate.files:
                lines.setdefault(name, set()).update(range(first, min(end, candidate.files[name].count(b"\n") + 2)))
        whole = {name: mask for use in candidate.uses for name, mask in _secret_files(use, candidate)}
        files = {
            name: whole[name](data) if name in whole else _masked(data, lines.get(name, set()))
            for name, data in candidate.files.items()
        }
        uses = [_masked_use(use) if type(use.value) is str and use.value in flags else use for use in candidate.uses]
        return candidate.with_files(files).with_uses(uses)


# The numbers of lines before and after a named one that are tried with it; true: with what they are inside of.
_OF_ERROR = ((1, False), (1, True), (4, True))
_OF_RECORD = ((0, True), (2, True))
# Maximum depth of a tree whose items are looked at by provenance.
_DEEPEST = 50


def _is_yaml(name: str, data: bytes) -> bool:
    """False for a YAML file that cannot be read."""
    if not name.endswith((".yml", ".yaml")):
        return True
    try:
        read(Source(name, data.decode("utf-8")))
    except (PlaitError, UnicodeDecodeError):
        return False
    return True


def _is_named(part: object, found: dict[str, set[int]]) -> bool:
    if isinstance(part, parts.Part):
        return any(part.first <= line <= part.last for line in found.get(part.file, ()))
    return part in found


def _secret_files(use: Use, candidate: Candidate) -> Iterator[tuple[str, Callable[[bytes], bytes]]]:
    """The files of a source of secrets, and of a variables store, each with the function that replaces its values."""
    path = path_of_use(use)
    if not path or not (use.option.path.is_source or use.option.name in ("vars-store", "secrets-file")):  # type: ignore[union-attr]
        return
    named = Named(use.value) if use.option.path.is_source else None  # type: ignore[union-attr]
    is_text = named is not None and (named.kind == DIRECTORY or (named.kind == FILE and named.key))
    for name in candidate.files:
        if name == path or name.startswith(f"{path}/"):
            yield name, _other_text if is_text else _other_values


def _other_text(data: bytes) -> bytes:
    """The text in place of one that is a secret as a whole."""
    return b"1" if data.strip().isdigit() else WITHHELD.encode()


def _other_values(data: bytes) -> bytes:
    """A YAML text with the same keys and other values, and without comments, anchors and tags."""
    count = 0

    def other(value: Value) -> Value:
        nonlocal count
        if type(value) is Map or type(value) is Array:
            return value.with_values([other(item.value) for item in value.items])
        count += 1
        if value is None or type(value) is bool:
            return None if value is None else True
        if type(value) is int or (type(value) is str and value.isdecimal()):
            return count if type(value) is int else str(count)
        return count + 0.5 if type(value) is float else f"{WITHHELD}-{count}"

    try:
        value = read_value(Source("", data.decode("utf-8", "surrogateescape")))
        return write_value(other(value)).encode()
    except (PlaitError, RecursionError):
        return WITHHELD.encode()


def _masked(data: bytes, lines: set[int]) -> bytes:
    """A text with other scalars on some lines."""
    if not lines:
        return data
    try:
        text = Text(data.decode("utf-8", "surrogateescape"))
    except ReadError:
        return WITHHELD.encode()
    edits: list[tuple[int, int]] = []
    for site in text.sites:
        value = site.value
        if isinstance(value, Collection) or not (site.line in lines or site.last_line in lines):
            continue
        written = text.text[value.start : value.end]
        if written and not written.startswith("*") and not (written.startswith("(@=") and written.endswith("@)")):
            edits.append((value.start, value.end))
    for root in text.roots:
        if not isinstance(root, Collection) and root.start < root.end:
            edits.append((root.start, root.end))
    out = text.text
    for number, (start, end) in reversed([*enumerate(edits, 1)]):
        was = out[start:end]
        out = out[:start] + (str(number) if was.isdecimal() else f"{WITHHELD}-{number}") + out[end:]
    return out.encode("utf-8", "surrogateescape")


def _masked_use(use: Use) -> Use:
    name, sign, _ = use.value.partition("=")
    return Use(use.option, f"{name}{sign}{WITHHELD}" if sign else WITHHELD, use.origin)
