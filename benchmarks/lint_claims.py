"""Whether what lint says of projects is true: `python benchmarks/lint_claims.py PROJECT_FILE...`.

Each dead finding is taken out by itself, and all runs are rendered without a cache: their outputs must be equal. The files of
each order finding are put in each other's place: the output must differ, or the run be refused. All edits of `--fix` are
made together: the outputs must be equal. Prints how many findings of each code there are; exits with 1 if a claim is false.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence

from plait.authoring.analysis.verifying import output_of
from plait.authoring.lint.codes import CODES, DEAD, ORDER
from plait.authoring.lint.finding import Edit, LintFinding
from plait.authoring.lint.linter import findings_of
from plait.authoring.lint.subject import LintProject
from plait.authoring.lint.verify import kept
from plait.authoring.project.file import read
from plait.base.errors import PlaitError
from plait.base.input_view import InputView


def outputs(subject: LintProject, texts: dict[str, bytes]) -> list[object]:
    """What each run makes with some texts in the place of files, or how it is refused."""
    found: list[object] = []
    for ran in subject.runs:
        try:
            found.append(output_of(ran.run, ran.run.evaluate(view=InputView(texts))))
        except PlaitError as error:
            found.append(f"refused: {error}")
    return found


def edited(subject: LintProject, edits: Sequence[Edit]) -> dict[str, bytes]:
    """Files with edits made, from the last to the first of each; edits within others are left out."""
    texts: dict[str, str] = {}
    done: dict[str, list[tuple[int, int]]] = {}
    for edit in sorted(set(edits), key=lambda one: (one.path, -one.end, one.start)):
        if any(start <= edit.start and edit.end <= end for start, end in done.get(edit.path, ())):
            continue
        done.setdefault(edit.path, []).append((edit.start, edit.end))
        text = texts.get(edit.path, subject.text(edit.path))
        texts[edit.path] = text[: edit.start] + edit.new + text[edit.end :]
    return {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()}


def swapped(subject: LintProject, finding: LintFinding) -> dict[str, bytes]:
    """The two files of an order finding in each other's place."""
    paths = [finding.path, finding.also[0].path]
    first, second = (subject.text(path).encode("utf-8", "surrogateescape") for path in paths)
    return {paths[0]: second, paths[1]: first}


def check(path: str) -> bool:
    """Check one project; whether all claims are true."""
    project = read(path)
    start = time.process_time()
    subject = LintProject(project, list(project.runs.values()))
    found = findings_of(subject, ["dead", "order", "silent", "reading", "style"])
    seconds = time.process_time() - start
    print(f"{path}: {len(subject.runs)} runs, {len(subject.paths)} files, {seconds:.1f} s of processor time")
    for code, count in sorted(Counter(one.code for one in found).items()):
        print(f"  {code} {CODES[code].name}: {count}")
    before = outputs(subject, {})
    wrong: list[LintFinding] = []
    for finding in found:
        family = CODES[finding.code].family
        if family == DEAD and finding.removes:
            is_true = outputs(subject, edited(subject, finding.removes)) == before
        elif family == ORDER:
            is_true = outputs(subject, swapped(subject, finding)) != before
        else:
            continue
        if not is_true:
            wrong.append(finding)
    for finding in wrong:
        print(f"  not true: {finding.path}:{finding.line}: {finding.code} {finding.message}")
    mended = kept(subject, [one for one in found if one.edits])
    is_kept = outputs(subject, edited(subject, [edit for one in mended for edit in one.edits])) == before
    print(f"  --fix: {len(mended)} findings mended, outputs {'equal' if is_kept else 'NOT EQUAL'}")
    return is_kept and not wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="+", metavar="PROJECT_FILE")
    arguments = parser.parse_args()
    claims = [check(path) for path in arguments.projects]
    return 0 if all(claims) else 1


if __name__ == "__main__":
    raise SystemExit(main())
