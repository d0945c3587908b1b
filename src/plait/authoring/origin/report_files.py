"""Reads reports of other tools about a rendered output: SARIF, JUnit, kubeconform's JSON, and `FILE:LINE:COLUMN: text`.

A report is untrusted: its size, its nesting and the number of its findings are bounded, and XML with a document type is
rejected, because only a document type can declare entities.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import NamedTuple

from plait.base.errors import PlaitError, UsageError
from plait.base.lines import lines_of
from plait.base.similar_names import counted
from plait.tree.nodes import Map
from plait.yaml.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plait.base.source import Source

LEVELS = ("error", "warning", "note")
# Maximum number of findings that are read from a report.
MOST_FINDINGS = 10_000
# Maximum nesting of the elements of a JUnit report. Real reports have four levels.
_DEEPEST = 100
# Maximum number of characters of a message.
_LONGEST = 4_000

# A line of kubeconform's text, which names no line of the output.
_KUBECONFORM = re.compile(r" - \S+ \S+ (?:is (?:in)?valid|failed validation)\b")


class ReportFinding(NamedTuple):
    """One finding of a report.

    tool, rule: "" if unknown. level: one of LEVELS. file: as the report names it, "" if it names none. line, column:
    from 1; 0 if unknown. last_line: the last line of the region; 0 if it is one line. kind, name, version: the kind,
    name and version of the document, "" if unknown. namespace: "" if the document has none, None if unknown. pointer:
    the path in the document, such as `/spec/replicas`; None if unknown. pointers: those of the first findings about the
    document.
    """

    text: str
    level: str = "error"
    tool: str = ""
    rule: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    kind: str = ""
    name: str = ""
    pointer: str | None = None
    last_line: int = 0
    version: str = ""
    namespace: str | None = None
    pointers: tuple[str, ...] = ()


class Report(NamedTuple):
    """The findings of a report. left_out: the number of findings above the maximum."""

    findings: list[ReportFinding]
    left_out: int


def read_report(source: Source) -> Report:
    """The findings of a report, whose format is detected. Raises UsageError for an unknown or damaged format."""
    text = source.text.lstrip("\ufeff \t\r\n")
    if text.startswith(("{", "[")) and not _LINE.match(text.partition("\n")[0]):
        found: Iterable[ReportFinding] = _of_json(text, source)
    elif text.startswith("<"):
        found = _of_junit(text, source)
    else:
        found = _of_lines(text, source)
    findings: list[ReportFinding] = []
    left_out = 0
    for one in found:
        if len(findings) < MOST_FINDINGS:
            findings.append(one._replace(text=one.text.strip()[:_LONGEST] or "no message"))
        else:
            left_out += 1
    return Report(findings, left_out)


def _invalid(source: Source, reason: str, hint: str | None = None) -> UsageError:
    return UsageError(
        f"{source.shown} is not a report in a known format",
        expected="SARIF, JUnit, kubeconform's JSON, or lines FILE:LINE:COLUMN: text",
        found=reason,
        hint=hint,
        code="report-form",
    )


# ---- JSON


def _of_json(text: str, source: Source) -> Iterator[ReportFinding]:
    try:
        documents = [json.loads(text)]
    except RecursionError:
        raise _invalid(source, "JSON that is nested too deeply") from None
    except ValueError as error:
        documents = _json_lines(text, source, error)
    for document in documents:
        if isinstance(document, dict) and isinstance(document.get("runs"), list):
            yield from _of_sarif(document)
        elif isinstance(document, dict) and isinstance(document.get("resources"), list):
            for one in document["resources"]:
                yield from _of_kubeconform(_map(one))
        elif isinstance(document, dict) and "status" in document and "kind" in document:
            yield from _of_kubeconform(document)
        else:
            raise _invalid(source, 'JSON without "runs" or "resources"', _output_hint(source))


def _json_lines(text: str, source: Source, error: ValueError) -> list[object]:
    """The values of a text with one JSON value per line, as kubeconform prints for a stream."""
    try:
        return [json.loads(line) for line in lines_of(text) if line.strip()]
    except (ValueError, RecursionError):
        where = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise _invalid(source, f"invalid JSON{where}") from None


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if type(value) is int and 0 < value < 1 << 31 else 0


def _of_sarif(document: Mapping[str, object]) -> Iterator[ReportFinding]:
    """Reads SARIF 2.1.0, section 3.27."""
    for run in map(_map, _list(document.get("runs"))):
        driver = _map(_map(run.get("tool")).get("driver"))
        rules = [*map(_map, _list(driver.get("rules")))]
        for result in map(_map, _list(run.get("results"))):
            if _text(result.get("kind")) in ("pass", "notApplicable", "informational") or result.get("suppressions"):
                continue
            number = result.get("ruleIndex")
            rule = rules[number] if type(number) is int and 0 <= number < len(rules) else {}
            default = _text(_map(rule.get("defaultConfiguration")).get("level"))
            level = _text(result.get("level")) or default or "warning"
            places = [*map(_map, _list(result.get("locations")))] or [{}]
            for place in places:
                physical = _map(place.get("physicalLocation"))
                region = _map(physical.get("region"))
                yield ReportFinding(
                    _sarif_text(result, rule),
                    level if level in LEVELS else "note",
                    _text(driver.get("name")),
                    _text(result.get("ruleId")) or _text(_map(result.get("rule")).get("id")) or _text(rule.get("id")),
                    _path(_text(_map(physical.get("artifactLocation")).get("uri"))),
                    _number(region.get("startLine")),
                    _number(region.get("startColumn")),
                    last_line=_number(region.get("endLine")),
                )


def _sarif_text(result: Mapping[str, object], rule: Mapping[str, object]) -> str:
    message = _map(result.get("message"))
    if text := _text(message.get("text")):
        return text
    strings = _map(_map(rule.get("messageStrings")).get(_text(message.get("id"))))
    text = _text(strings.get("text"))
    for number, argument in enumerate(_list(message.get("arguments"))[:20]):
        text = text.replace(f"{{{number}}}", str(argument))
    return text


def _path(uri: str) -> str:
    """The path of a URI reference."""
    from urllib.parse import unquote

    return unquote(uri.removeprefix("file://"))


# The status of kubeconform's resources without a fault.
_FINE = frozenset({"statusValid", "statusSkipped", "statusEmpty"})
# The path in kubeconform's messages of older versions.
_POINTER = re.compile(r"'(/[^'\n]{0,1000})'")


def _of_kubeconform(resource: Mapping[str, object]) -> Iterator[ReportFinding]:
    if _text(resource.get("status")) in _FINE:
        return
    whole = ReportFinding(
        _text(resource.get("msg")),
        tool="kubeconform",
        rule="invalid" if resource.get("status") == "statusInvalid" else "error",
        file=_text(resource.get("filename")),
        kind=_text(resource.get("kind")),
        name=_text(resource.get("name")),
        version=_text(resource.get("version")),
    )
    errors = [*map(_map, _list(resource.get("validationErrors")))]
    yield from _faults(whole, [(_text(one.get("path")), _text(one.get("msg"))) for one in errors])


def _faults(whole: ReportFinding, errors: Sequence[tuple[str, str]]) -> Iterator[ReportFinding]:
    """The faults of a resource. whole: with the complete message. errors: the path and the text of each outer fault."""
    inner = [*islice(_inner_faults(whole.text), _MOST_FAULTS)]
    faults: list[tuple[str, str]] = []
    for pointer, text in errors or [("", _OUTER)]:
        is_outer = text == _OUTER and len(faults) <= _MOST_FAULTS
        found = [one for one in inner if f"{one[0]}/".startswith(f"{pointer}/")] if is_outer else []
        faults += found or ([(pointer, text)] if errors else [])
    pointers = tuple(pointer for pointer, _ in faults[:_MOST_POINTERS])
    for pointer, text in faults:
        yield whole._replace(text=text, pointer=pointer, pointers=pointers)
    if not faults:
        yield whole._replace(pointer=_pointer_in(whole.text))


def _inner_faults(message: str) -> Iterator[tuple[str, str]]:
    """The path and the text of each fault in a message, without those of alternatives that do not apply."""
    choice: str | None = None
    for part in _FAULT.split(message)[1:]:
        pointer, mark, text = part.partition("': ")
        text = text.strip()
        path = pointer.replace("~1", "/").replace("~0", "~")
        if not mark or text == _OUTER or (choice is not None and f"{path}/".startswith(f"{choice}/")):
            continue
        choice = path if "Of failed" in text else None
        yield path, text


# Maximum number of faults inside of others, and of pointers by which a document is recognized.
_MOST_FAULTS = 1_000
_MOST_POINTERS = 20
_FAULT = re.compile(r"[ \n]- at '")
# The text of a fault that consists of others.
_OUTER = "validation failed"


def _pointer_in(message: str) -> str | None:
    found = _POINTER.search(message)
    return None if found is None else found[1]


# ---- JUnit


class _JUnit:
    """Collects the failed test cases of a JUnit report."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._suites: list[str] = []
        self._case: dict[str, str] = {}
        self._fault: dict[str, str] | None = None
        self._texts: list[str] = []
        self._depth = 0
        self.found: list[ReportFinding] = []
        self.is_junit = False

    def doctype(self, *_: object) -> None:
        raise _invalid(self._source, "XML with a document type")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _invalid(self._source, "XML that is nested too deeply")
        if name in ("testsuites", "testsuite"):
            self.is_junit = True
            self._suites.append(attributes.get("name", ""))
        elif name == "testcase":
            self._case = attributes
        elif name in ("failure", "error"):
            self._fault, self._texts = attributes, []

    def text(self, data: str) -> None:
        if self._fault is not None and len(self._texts) < _LONGEST:
            self._texts.append(data)

    def end(self, name: str) -> None:
        self._depth -= 1
        if name in ("testsuites", "testsuite"):
            self._suites.pop()
        elif name == "testcase":
            self._case = {}
        elif name in ("failure", "error") and self._fault is not None:
            found = self._finding(self._fault)
            self.found += _faults(found, ()) if found.version else [found]
            self._fault = None

    def _finding(self, fault: Mapping[str, str]) -> ReportFinding:
        case = self._case
        body = "".join(self._texts).strip()
        message = fault.get("message", "").strip() or body
        where = {**case, **fault}
        line = _LINE.match(message)
        file = where.get("file", "") or (line["file"] if line else "") or (self._suites[-1] if self._suites else "")
        region = _REGION.search(body)
        number = where.get("line", "") or (line["line"] if line else "") or (region["first"] if region else "")
        # kubeconform: the class is KIND@VERSION, the name is NAMESPACE/NAME or NAME, and the suite is the file.
        kind, at, version = case.get("classname", "").partition("@")
        namespace, _, name = case.get("name", "").rpartition("/")
        return ReportFinding(
            message if line is None else line["text"],
            rule=check["rule"] if (check := _CHECK.match(case.get("name", ""))) else fault.get("type", ""),
            file=file,
            line=int(number) if number.isdecimal() and len(number) < 10 else 0,
            last_line=int(region["last"]) if region and number == region["first"] else 0,
            column=int(line["column"] or 0) if line else 0,
            kind=kind if at else "",
            name=name if at else "",
            version=version,
            namespace=namespace if at else None,
        )


# checkov: a line of the text names the region, and the name of the case begins with the severity and the check.
_REGION = re.compile(r"^File: [^\n]{1,1000}: (?P<first>[0-9]{1,9})-(?P<last>[0-9]{1,9})$", re.MULTILINE)
_CHECK = re.compile(r"\[[A-Z]{1,20}\]\[(?P<rule>[A-Z0-9_]{1,100})\] ")


def _of_junit(text: str, source: Source) -> list[ReportFinding]:
    from xml.parsers import expat

    reader = _JUnit(source)
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise _invalid(source, f"invalid XML, line {error.lineno}") from None
    if not reader.is_junit:
        raise _invalid(source, 'XML without "testsuite"')
    return reader.found


# ---- lines

_LINE = re.compile(
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^:\s][^:\n]{0,1000}):(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?:?[ \t]+(?P<text>\S[^\n]*)"
)
_LEVEL = re.compile(
    r"(?:\[(?P<level>error|warning|warn|note|info|style)\]|(?P<word>error|warning|warn|note|info|style)[ \t]*:)",
    re.IGNORECASE,
)
_RULE = re.compile(r"[(\[](?P<rule>[A-Za-z0-9][A-Za-z0-9_.-]{0,80})[)\]][ \t]*\Z")
_COLOUR = re.compile("\x1b\\[[0-9;]{0,20}m")


def _of_lines(text: str, source: Source) -> list[ReportFinding]:
    found: list[ReportFinding] = []
    lines = [line for line in lines_of(_COLOUR.sub("", text)) if line.strip()]
    for line in lines:
        parts = _LINE.match(line.strip())
        if parts is None:
            continue
        message = parts["text"]
        level = _LEVEL.match(message)
        rule = _RULE.search(message)
        found.append(
            ReportFinding(
                message[level.end() :].lstrip(": ") if level else message,
                _level(level["level"] or level["word"]) if level else "error",
                rule=rule["rule"] if rule else "",
                file=parts["file"],
                line=int(parts["line"]),
                column=int(parts["column"] or 0),
            )
        )
    if lines and not found:
        of_text = "kubeconform -output json writes a report" if any(map(_KUBECONFORM.search, lines)) else None
        raise _invalid(source, f"{counted(len(lines), 'line')} without FILE:LINE", of_text or _output_hint(source))
    return found


def _output_hint(source: Source) -> str | None:
    """A hint for what looks like the output itself, and not like a report about it; or None."""
    try:
        documents = read(source).items
    except PlaitError:
        return None
    if not any(type(one.value) is Map for one in documents):
        return None
    return f"this is YAML: pass what a validator prints about it, such as kubeconform -output json {source.shown}"


def _level(word: str) -> str:
    word = word.lower()
    return "warning" if word in ("warning", "warn") else "error" if word == "error" else "note"
