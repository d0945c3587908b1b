"""Case files: input, a line `+++`, and the expected output or, after `ERR:`, the whole expected message.

An input may have several files: a line `=== PATH` starts one. Without such a line it is `config.yml`.
Run pytest with PLAIT_UPDATE_CASES=1 to rewrite expectations after a change that is meant.
"""

from __future__ import annotations

import os
from pathlib import Path

from plait.base.errors import PlaitError, render
from plait.tree.context import Context
from plait.tree.provenance import Trace
from plait.yaml.output_formats import FORMATS
from plait.ytt.workspace.input_files import InputFile, in_memory
from plait.ytt.workspace.phases import run
from plait.ytt.workspace.render_job import RenderJob, RenderOptions

CASES = Path(__file__).parent / "cases"


def found(area: str) -> list[Path]:
    """The case files of an area, by name."""
    return sorted((CASES / area).glob("*.tpltest"))


def files_of(given: str) -> list[InputFile]:
    """The input files that the first part of a case describes."""
    if not given.startswith("=== "):
        return [in_memory("config.yml", given)]
    files: list[InputFile] = []
    for part in given.split("=== ")[1:]:
        name, _, text = part.partition("\n")
        files.append(in_memory(name.strip(), text, order=len(files)))
    return files


def outcome(given: str, *, traced: bool = False) -> str:
    """What a render of the input prints: its output, or `ERR:` and the message. traced: while origins are recorded."""
    context = Context()
    context.trace = Trace() if traced else None
    try:
        result = run(RenderJob(files_of(given), RenderOptions()), context)
        text = FORMATS["yaml"](result.documents)
    except PlaitError as error:
        return "ERR:\n" + render(error)
    return text + "".join(f"=== {file.path}\n{file.text}" for file in result.texts)


def check(case: Path) -> None:
    """Fail when a case's outcome is not the one it expects."""
    given, mark, expected = case.read_text("utf-8").partition("\n+++\n")
    assert mark, f"{case.name} has no line '+++'"
    got = outcome(given + "\n")
    if os.environ.get("PLAIT_UPDATE_CASES"):
        case.write_text(f"{given}\n+++\n{got}", "utf-8")
        return
    assert got == expected
    assert outcome(given + "\n", traced=True) == expected
