"""What moving over means, measured: cases that the reference programs were run on as well, and the tables of docs/compatibility/index.md.

tests/cases/moving/PROGRAM/TOPIC.txt holds cases. The first line is the topic as the table calls it; then, for each case:

    == what it shows
    # differs: why, when what plait does is not what the reference does
    plait render -f config.yml
    -- config.yml --
    a: 1
    -- theirs --
    a: 1
    -- theirs status --
    1

`theirs` is what the reference program printed to standard output when it was run on the same files, its status 0 unless
said. Whether plait does the same is found by running it, never written down: with the same status it must print the same
bytes (for Deckhand, which prints nothing itself: the same documents); where both fail their words do not count.

    pytest tests/test_moving.py --update                            writes the tables
    python tests/moving.py --ytt ytt --bosh 'bosh int' ...          runs the reference programs again and notes what they do
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import yaml

from plait.cli import main

CASES = pathlib.Path(__file__).parent / "cases" / "moving"
PAGE = pathlib.Path(__file__).parent.parent / "docs" / "compatibility" / "index.md"
PROGRAMS = {"ytt": "plait render", "bosh": "plait patch", "deckhand": "plait layer"}
SECTION = re.compile(r"^-- (.+) --\n", re.MULTILINE)
MEANT = ("stdin", "env", "theirs", "theirs status")


class Case:
    """One case. differs: why plait does something else, "" when it does not."""

    def __init__(self, topic: str, title: str, text: str) -> None:
        head, *rest = SECTION.split(text)
        self.topic = topic
        self.title = title
        self.head = head
        self.sections = dict(zip(rest[::2], rest[1::2], strict=True))
        lines = head.splitlines()
        self.differs = next((line.removeprefix("# differs: ") for line in lines if line.startswith("# differs: ")), "")
        self.commands = [line for line in lines if line and not line.startswith("#")]

    def text(self) -> str:
        return f"== {self.title}\n{self.head}" + "".join(
            f"-- {name} --\n{text}" for name, text in self.sections.items()
        )

    def make(self, directory: pathlib.Path) -> None:
        """Write its files."""
        for name, content in self.sections.items():
            if name not in MEANT:
                file = directory / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content, "utf-8")

    @property
    def environment(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in self.sections.get("env", "").splitlines())

    def ours(self) -> tuple[int, str, str]:
        """Status, standard output and standard error of plait."""
        stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        stdin = io.TextIOWrapper(io.BytesIO(self.sections.get("stdin", "").encode()))
        before = os.getcwd(), sys.stdin, dict(os.environ)
        status = 0
        with tempfile.TemporaryDirectory() as directory:
            self.make(pathlib.Path(directory))
            try:
                os.chdir(directory)
                os.environ.update(self.environment)
                sys.stdin = stdin
                with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
                    for command in self.commands:
                        status = main(shlex.split(command)[1:])
            finally:
                os.chdir(before[0])
                sys.stdin = before[1]
                os.environ.clear()
                os.environ.update(before[2])
        return status, printed(stdout), printed(stderr)

    def record(self, program: list[str], ours: str) -> None:
        """Run the reference program, and note what it does."""
        with tempfile.TemporaryDirectory() as directory:
            self.make(pathlib.Path(directory))
            out, status = "", 0
            for command in self.commands:
                assert command.startswith(ours), command
                done = subprocess.run(
                    [*program, *shlex.split(command.removeprefix(ours))],
                    cwd=directory, env=os.environ | self.environment, capture_output=True, text=True, check=False,
                    input=self.sections.get("stdin", ""),
                )  # fmt: skip
                out += done.stdout if done.returncode == 0 else ""
                status = done.returncode
        self.sections.pop("theirs status", None)
        self.sections["theirs"] = out if not out or out.endswith("\n") else out + "\n"
        if status:
            self.sections["theirs status"] = "1\n"


def printed(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    text = buffer.getvalue().decode("utf-8", "backslashreplace")
    return text if not text or text.endswith("\n") else text + "\n"


def cases(program: str) -> Iterator[Case]:
    """The cases of a program, topic by topic."""
    for file in sorted((CASES / program).glob("*.txt")):
        first, *rest = re.split(r"^== ", file.read_text("utf-8"), flags=re.MULTILINE)
        for number, part in enumerate(rest, 1):
            title, _, text = part.partition("\n")
            yield Case(first.strip(), title, text if number == len(rest) else text.removesuffix("\n"))


def same(program: str, case: Case) -> bool:
    """Whether plait does what the reference did."""
    status, out, _ = case.ours()
    failed = bool(case.sections.get("theirs status"))
    if failed or status:
        return failed == bool(status)
    theirs = case.sections["theirs"]
    if program == "deckhand":
        ours, others = (sorted(yaml.safe_load_all(text), key=_sorted) for text in (out, theirs))
        return ours == others
    return out == theirs


def _sorted(document: object) -> str:
    return json.dumps(document, sort_keys=True, default=str)


def table(program: str) -> str:
    """The table of a program: a row a topic, what is the same, and what differs and why."""
    rows: dict[str, tuple[list[str], list[str]]] = {}
    for case in cases(program):
        alike, other = rows.setdefault(case.topic, ([], []))
        if same(program, case):
            alike.append(case.title)
        else:
            other.append(f"{case.title}: {case.differs}")
    count = sum(len(alike) for alike, _ in rows.values())
    total = count + sum(len(other) for _, other in rows.values())
    out = [f"{count} of {total} cases do the same.", "", "| | the same | differs |", "|---|---|---|"]
    out += [f"| {topic} | {'; '.join(alike)} | {'; '.join(other)} |" for topic, (alike, other) in rows.items()]
    return "\n".join(out) + "\n"


def with_tables(page: str) -> str:
    """A page with the tables between its marks (`<!-- cases: ytt -->`, `<!-- end -->`) as they should be."""
    return re.sub(
        r"(<!-- cases: (\w+) -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}\n{table(found[2])}\n{found[3]}",
        page,
        flags=re.DOTALL,
    )


def record() -> None:
    parser = argparse.ArgumentParser(description="Run the reference programs on the cases and note what they do.")
    for program, ours in PROGRAMS.items():
        parser.add_argument(f"--{program}", metavar="COMMAND", help=f"the program that `{ours}` stands for")
    options = vars(parser.parse_args())
    for program, ours in PROGRAMS.items():
        if options[program] is None:
            continue
        for file in sorted((CASES / program).glob("*.txt")):
            topic = file.read_text("utf-8").partition("\n")[0]
            found = [case for case in cases(program) if case.topic == topic]
            for case in found:
                case.record(shlex.split(options[program]), ours)
            file.write_text(f"{topic}\n\n" + "\n".join(case.text() for case in found), "utf-8")


if __name__ == "__main__":
    record()
