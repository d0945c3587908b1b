"""Whether what coverage says is true: a point is used if and only if breaking it changes what some run gives.

    python tests/coverage/claims.py                  the case files, the programs of programs.yml, 100 at random
    python tests/coverage/claims.py --random 500     more at random
    python tests/coverage/claims.py FILE...          case files of the same form (see casefiles.py); directories of cases
                                                     with a case.json, its `argv`, and files in `in`

Prints how many points of each kind were broken, how many could not be, and each claim that is false; exits with 1 if there
is any.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

import yaml
from breaking import MARK, Text

import casefiles
from operations import operations_program
from plait.authoring.coverage.data import Coverage
from plait.cli import main
from programs import template_program

if TYPE_CHECKING:
    from plait.authoring.coverage.summary import FileData
    from plait.base.events import Point

Outcomes = Sequence[tuple[int, str, str]]
# They are part of the printed output, done or not.
_PRINTED = frozenset({"action", "substitution"})
_UNDOING = re.compile(r"#@overlay/(replace|remove)")
# What is said to be used, or not, and yet can be broken without a difference, or cannot.
EXCEPTIONS = {
    "templates/function_of_map_items_and_documents: config.yml:4": "the statement that adds the line fails at one above",
    "modules/encoding_options: config.yml:18": "it is only asked whether it fails, and it does in either case",
    "libraries/options_of_get: _ytt_lib/rules/schema.yml:3": "it is only asked whether it fails, and it does in either case",
    "overlay/child_defaults: config.yml:18": "its key is a part of a message that is caught",
}
HERE = Path(__file__).parent


class Program:
    """Files, and the command lines that are run with them."""

    def __init__(self, name: str, files: Mapping[str, str], runs: Sequence[Sequence[str]]) -> None:
        self.name = name
        self.files = dict(files)
        self.runs = runs


def of_case(path: Path) -> Program:
    """A case file as a program."""
    given = path.read_text("utf-8").partition("\n+++\n")[0] + "\n"
    files = {file.path: file.text() for file in casefiles.files_of(given)}
    return Program(f"{path.parent.name}/{path.stem}", files, [render_all(files)])


def render_all(files: Mapping[str, str]) -> list[str]:
    return ["render", *(word for name in files for word in ("-f", f"{name}={name}"))]


def of_list(path: Path = HERE / "programs.yml") -> Iterator[Program]:
    """The programs of a list: `files`, and `runs`, each the words of a command line, or data values of a render."""
    for one in yaml.safe_load(path.read_text("utf-8")):
        runs = [run.split() if isinstance(run, str) else _with_values(one["files"], run) for run in one["runs"]]
        yield Program(one["name"], one["files"], runs)


def _with_values(files: Mapping[str, str], values: Mapping[str, Any]) -> list[str]:
    return [*render_all(files), *(f"--data-value-yaml={key}={value}" for key, value in values.items())]


def of_directory(path: Path) -> Program:
    """A case of a directory; without runs where it needs more than its files."""
    case = json.loads(path.read_text("utf-8"))
    verb, *words = case["argv"]
    command = {"ytt": "render", "int": "patch", "layer": "layer"}[verb]
    top = path.parent / "in"
    files = {}
    for file in sorted(top.rglob("*")):
        with contextlib.suppress(UnicodeDecodeError):
            if file.is_file():
                files[file.relative_to(top).as_posix()] = file.read_text("utf-8")
    needs_more = (
        case.get("stdin") or case.get("env") or any(word.startswith(("http", "--output-files")) for word in words)
    )
    return Program(path.parent.as_posix(), files, [] if needs_more else [[command, *words]])


def at_random(seed: int, kind: str) -> Program:
    made = template_program(seed) if kind == "render" else operations_program(seed)
    return Program(f"{kind} {seed}", made.files, [[kind, *made.arguments]])


@contextlib.contextmanager
def laid_out(files: Mapping[str, str]) -> Iterator[None]:
    """A working directory with these files."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as directory:
        for name, text in files.items():
            file = Path(directory) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        os.chdir(directory)
        try:
            yield
        finally:
            os.chdir(before)


def ran(argv: Sequence[str]) -> tuple[int, str, str]:
    """What a command line in the working directory gives: status, output, errors."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([*argv])
    return status, *(stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[return-value]


class Claims:
    """Breaks the points of programs.

    broken, skipped: how many of each kind. false: what was found to be false; excepted: the same, where it is known why.
    undone: overlay items that matched, or were brought in, of which nothing is left: later ones replace or remove it, or
    the run fails.
    """

    def __init__(self) -> None:
        self.broken: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.false: list[str] = []
        self.excepted: list[str] = []
        self.undone = 0

    def check(self, program: Program) -> None:
        coverage = Coverage()
        with laid_out(program.files):
            top = Path.cwd()
            before = []
            for argv in program.runs:
                with coverage.run():
                    before.append(ran(argv))
            found = {os.path.relpath(path, top): file for path, file in coverage.files.items() if os.path.isabs(path)}
            for name, file in found.items():
                if name in program.files:
                    self._check_file(program, before, name, file)

    def _check_file(self, program: Program, before: Sequence[tuple[int, str, str]], name: str, file: FileData) -> None:
        text = Text(name, program.files[name])

        def differs(texts: Sequence[str], *, must_fail: bool) -> bool | None:
            """Whether some run gives something else with one of these; None if they cannot be read."""
            found: list[bool | None] = []
            for new in texts:
                Path(name).write_text(new, "utf-8")
                found.append(_differs(before, [ran(argv) for argv in program.runs], must_fail=must_fail))
            Path(name).write_text(program.files[name], "utf-8")
            return True if True in found else False if False in found else None

        for kind, place, claimed, texts in _claims(text, file):
            if len(texts) != len(claimed):
                self.skipped[kind] += len(claimed)
                continue
            found = [differs(new, must_fail=kind in _PRINTED) for new in texts]
            if None in found:
                self.skipped[kind] += len(claimed)
                continue
            self.broken[kind] += len(claimed)
            if kind == "effect":
                # A change may be undone by a later operation; but what changes nothing can go.
                is_true = not any(x and not y for x, y in zip(found, claimed, strict=True)) or any(
                    status for status, _, _ in before
                )
            else:
                is_true = sum(map(bool, found)) == sum(claimed)
            if not is_true:
                fails = any(status for status, _, _ in before)
                self._note(program, f"{name}:{place}", kind, claimed, [one is True for one in found], fails=fails)

    def _note(
        self, program: Program, place: str, kind: str, claimed: list[bool], found: list[bool], *, fails: bool
    ) -> None:
        """Note what seems to be false of a program. fails: it does so anyway."""
        where = f"{program.name}: {place}"
        if where in EXCEPTIONS:
            self.excepted.append(f"{where}: {kind}: {EXCEPTIONS[where]}")
        elif kind == "overlay" and claimed > found and (fails or any(map(_UNDOING.search, program.files.values()))):
            self.undone += 1
        elif kind == "nodes" and fails and claimed > found:
            self.excepted.append(f"{where}: {kind}: its statement, of several lines, fails half-way")
        elif kind == "overlay" and fails:
            self.excepted.append(f"{where}: {kind}: it fails by its own annotations, which were exchanged")
        else:
            self.false.append(f"{where}: {kind}: said {claimed}, found {found}")


def _differs(before: Outcomes, after: Outcomes, *, must_fail: bool) -> bool | None:
    """Whether something else is given; None if what is broken cannot be read. must_fail: only failing is something else.

    Of runs that fail anyway only the new failure counts: their messages may name other lines.
    """
    unreadable = False
    for (status, out, _), (new_status, new_out, new_err) in zip(before, after, strict=True):
        if _says_mark(new_err):
            return True
        if new_status != 0 and re.search(
            r"syntax error|got '|unindent|Expected code|not allowed in this context", new_err
        ):
            unreadable = True
        elif status != new_status or (out != new_out and not must_fail):
            return True
    return None if unreadable else False


def _says_mark(error: str) -> bool:
    """Whether a message, not a line that it quotes, names what was broken."""
    return any(MARK in line for line in error.splitlines() if " | " not in line)


def _claims(text: Text, file: FileData) -> Iterator[tuple[str, object, list[bool], list[Sequence[str]]]]:
    """Kind, place, what is said of it; and in the same order texts that break it, any of which is enough."""
    groups: dict[Point, list[list[int]]] = defaultdict(list)
    lines: dict[int, bool] = {}
    for (point, _), counts in file.counts.items():
        if point[0] == "nodes":
            for line in point[1]:
                lines[line] = lines.get(line, False) or counts[0] > 0
        else:
            groups[point].append(counts)
    for line, is_used in lines.items():
        yield "nodes", line, [is_used], each(text.nodes(line))
    yield from _operations(text, groups)
    starts = Counter(point[1][0] for point in groups if point[0] == "statement" for _ in groups[point])
    for point, several in groups.items():
        kind, (line, *_), name, _ = point
        flat = [count > 0 for counts in several for count in counts]
        if kind == "part":
            yield f"part: {name}", line, flat, each(text.parts(line, name))
        elif kind == "statement":
            yield kind, line, flat, each(text.statement(line) if starts[line] == 1 else [])
        elif kind in ("condition", "loop"):
            for way, new in enumerate(getattr(text, kind)(line) or ("", "")):
                yield f"{kind}: {point[3][way]}", line, flat[way::2], [(new,)] if new else []
        elif kind == "overlay":
            yield kind, line, flat, [tuple(text.overlay(line))]
        elif kind == "validation":
            yield kind, line, [any(flat)], each(text.validation(line))
        elif kind in ("function", "action", "substitution"):
            yield kind, line, flat, each(getattr(text, kind)(line))


def each(texts: Sequence[str]) -> list[Sequence[str]]:
    return [(text,) for text in texts]


def _operations(
    text: Text, groups: Mapping[Point, list[list[int]]]
) -> Iterator[tuple[str, object, list[bool], list[Sequence[str]]]]:
    """Those of an operations file, in the order in which they stand."""
    for kind, broken in (("operation", text.operations), ("effect", text.without_operations)):
        there = sorted((point[1], counts[0][0]) for point, counts in groups.items() if point[0] == kind)
        if there:
            texts = each(broken())
            if kind == "effect":  # tests have none
                tests = [" test" in new for new in re.split(r"(?m)^(?=- |-$)", "\n".join(text.lines))[1:]]
                texts = [new for new, is_test in zip(texts, tests, strict=False) if not is_test]
            yield kind, "all", [count > 0 for _, count in there], texts


def run_claims(programs: Iterator[Program]) -> Claims:
    """Check what is said of programs."""
    claims = Claims()
    for program in programs:
        claims.check(program)
    return claims


def every_program(words: Sequence[str]) -> Iterator[Program]:
    """Those that a command line means."""
    count = 100
    if words[:1] == ["--random"]:
        count, words = int(words[1]), words[2:]
    if words:
        for word in words:
            if os.path.isdir(word):
                yield from map(of_directory, sorted(Path(word).rglob("case.json")))
            else:
                yield of_case(Path(word))
        return
    yield from of_list()
    for area in ("templates", "text", "overlay", "schema", "modules", "libraries"):
        yield from map(of_case, casefiles.found(area))
    for seed in range(count):
        yield at_random(seed, "render" if seed % 4 else "patch")


def main_() -> int:
    os.environ["PLAIT_CACHE_DIR"] = ""
    claims = run_claims(every_program(sys.argv[1:]))
    for kind in sorted({*claims.broken, *claims.skipped}):
        print(f"{kind:24} {claims.broken[kind]:6} broken, {claims.skipped[kind]:5} not")
    print(f"{sum(claims.broken.values())} claims, {len(claims.false)} false")
    print(f"{claims.undone} overlay items undone later")
    print("\n".join([*claims.false, *(f"known: {text}" for text in claims.excepted)]))
    return int(bool(claims.false))


if __name__ == "__main__":
    sys.exit(main_())
