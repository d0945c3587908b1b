"""Machine-readable reports: JUnit XML, TAP and GitHub annotations. Each function converts results to text."""

from __future__ import annotations

from plait.base.lines import lines_of
from plait.insight.diagnostic_formats import annotated_place, message_of
from plait.insight.workflow import annotation
from plait.tree.nodes import from_plain
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.authoring.testing.results import CaseResult, ExpectationFailure


def junit(results: Sequence[CaseResult]) -> str:
    """JUnit XML: a suite per file, a test case per case."""
    from xml.etree import ElementTree as ET

    files: dict[str, list[CaseResult]] = {}
    for one in results:
        files.setdefault(one.file, []).append(one)
    top = ET.Element("testsuites", {"name": "plait", **_counts(results)})
    for file, of_file in files.items():
        suite = ET.SubElement(top, "testsuite", {"name": file, **_counts(of_file)})
        for one in of_file:
            case = ET.SubElement(
                suite,
                "testcase",
                {
                    "classname": file.replace("/", "."),
                    "name": one.name,
                    "file": file,
                    "line": str(one.line),
                    "time": f"{one.seconds:.3f}",
                },
            )
            if one.failures:
                failure = ET.SubElement(case, "failure", {"message": _first(one), "type": _codes(one)})
                failure.text = "\n".join(_placed(each) for each in one.failures)
            if one.printed:
                ET.SubElement(case, "system-out").text = "\n".join(one.printed)
    for element in top.iter():
        element.attrib = {name: _xml(value) for name, value in element.attrib.items()}
        element.text = None if element.text is None else _xml(element.text)
    ET.indent(top)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(top, encoding="unicode") + "\n"


def _counts(results: Sequence[CaseResult]) -> dict[str, str]:
    return {
        "tests": str(len(results)),
        "failures": str(sum(not one.passed for one in results)),
        "errors": "0",
        "skipped": "0",
        "time": f"{sum(one.seconds for one in results):.3f}",
    }


def _xml(text: str) -> str:
    """The text with escapes for characters that XML does not allow."""
    return "".join(
        char
        if char in "\t\n" or " " <= char <= "\ud7ff" or "\ue000" <= char <= "\ufffd" or char > "\uffff"
        else _escape(char)
        for char in text
    )


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode()


def tap(results: Iterable[CaseResult]) -> str:
    """TAP, version 14: a line per case, and a YAML block for each failed one."""
    out = []
    count = 0
    for count, one in enumerate(results, 1):
        name = one.id.replace("\\", "\\\\").replace("#", "\\#").replace("\n", " ")
        out.append(f"{'ok' if one.passed else 'not ok'} {count} - {name}")
        if one.failures:
            data = {
                "message": _first(one),
                "code": _codes(one),
                "at": f"{one.file}:{one.line}",
                "failures": [each.text for each in one.failures],
            }
            lines = lines_of(write_value(from_plain(data)))
            out += ["  ---", *(f"  {line}" for line in lines), "  ..."]
    return "\n".join(["TAP version 14", f"1..{count}", *out]) + "\n"


def github(results: Iterable[CaseResult]) -> str:
    """Workflow commands of GitHub: an error per failure, with its file and line."""
    out = []
    for one in results:
        for failure in one.failures:
            title = f"{one.id} [{failure.code}]" if failure.code else one.id
            place = annotated_place(message_of(failure.diagnostic))
            place = place or {"file": one.file, "line": str(max(one.line, 1))}
            out.append(annotation("error", {**place, "title": title}, failure.text))
    return "".join(out)


def _first(result: CaseResult) -> str:
    return result.failures[0].lines[0]


def _codes(result: CaseResult) -> str:
    return " ".join(dict.fromkeys(one.code for one in result.failures if one.code))


def _placed(failure: ExpectationFailure) -> str:
    # The text of an error begins with its position.
    is_expectation = not failure.same
    return f"{failure.file}:{failure.line}: {failure.text}" if failure.file and is_expectation else failure.text
