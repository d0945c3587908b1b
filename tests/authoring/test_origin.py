"""`plait origin`: formats of reports, hostile reports, and positions in the output."""

from __future__ import annotations

import json
import pathlib

import pytest

from plait.authoring.edit.setting import EditSession
from plait.authoring.edit.target import Target
from plait.authoring.origin.finding_origins import INPUT, VERIFIED, finding_origins
from plait.authoring.origin.origin_reports import as_data, as_text, messages
from plait.authoring.origin.report_files import MOST_FINDINGS, ReportFinding, read_report
from plait.authoring.project.run import Run
from plait.base.errors import UsageError
from plait.base.source import Source
from plait.engine.common import SECRETS
from plait.engine.options import Use
from plait.engine.render import Render
from plait.insight.diagnostic_formats import as_sarif
from plait.insight.node_paths import all_places
from plait.insight.source_map import source_map
from plait.tree.nodes import Map


def found(text: str) -> list[ReportFinding]:
    return read_report(Source("report", text)).findings


@pytest.mark.parametrize(
    "text",
    [
        "a.yml:3:4: error: text [rule]\n",
        "/a b/a.yml:3:4: [error] text [rule]\n",
        "\x1b[1ma.yml:3:4:\x1b[0m error: text [rule]\n\nnothing\n",
        "C:\\a.yml:3:4: error: text [rule]\n",
    ],
)
def test_lines(text: str) -> None:
    (one,) = found(text)
    assert (one.file[-5:], one.line, one.column, one.level, one.rule) == ("a.yml", 3, 4, "error", "rule")
    assert one.text.startswith("text")


def test_a_stream_of_kubeconform() -> None:
    lines = [json.dumps({"filename": "stdin", "kind": "A", "name": "a", "status": f"status{status}", "msg": "no"})
             for status in ("Invalid", "Error", "Valid", "Skipped", "Empty")]  # fmt: skip
    assert [one.rule for one in found("\n".join(lines))] == ["invalid", "error"]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"runs": ' + "[" * 200_000,
        '{"runs": 1}',
        "{}",
        "[]",
        "1",
        "no line names a file\n",
        "<testsuite>" * 200 + "</testsuite>" * 200,
        "<html/>",
        "<testsuite>",
        '<!DOCTYPE a [<!ENTITY a "x">]><testsuite/>',
        '<!DOCTYPE a SYSTEM "file:///etc/passwd"><testsuite/>',
        "<testsuite>&unknown;</testsuite>",
    ],
    ids=range(13),
)
def test_damaged_and_hostile_reports_are_rejected(text: str) -> None:
    with pytest.raises(UsageError) as told:
        found(text)
    assert told.value.code == "report-form"
    assert len(str(told.value)) < 1000


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"runs": [{"tool": 1, "results": [{"locations": [{"physicalLocation": [{"region": -1}]}], "level": []}]}, 3]}),
        json.dumps({"runs": [{"results": [{"ruleIndex": 10**9, "message": {"text": 5}, "locations": [{"physicalLocation": {"region": {"startLine": True, "startColumn": 1e9}}}]}]}]}),
        json.dumps({"resources": [{"status": [], "validationErrors": [{"path": 7, "msg": {}}, 3], "name": {}}, None]}),
        "<testsuite><testcase line='99999999999999999999' classname='@@'><failure/></testcase></testsuite>",
    ],
    ids=range(4),
)  # fmt: skip
def test_parts_of_a_wrong_type_are_left_out(text: str) -> None:
    for one in found(text):
        assert (one.line, one.column) == (0, 0)
        assert one.text


def test_findings_are_counted() -> None:
    report = read_report(Source("report", "a.yml:1: x\n" * (MOST_FINDINGS + 5)))
    assert (len(report.findings), report.left_out) == (MOST_FINDINGS, 5)


def test_a_message_is_shortened() -> None:
    (one,) = found("a.yml:1: " + "x" * 100_000)
    assert len(one.text) < 5000


TEMPLATE = """\
#@ load("@ytt:data", "data")
---
kind: A
metadata: {name: a}
text: |
  one
  two
items:
#@ for number in range(2):
- name: #@ "n" + str(number)
  size: #@ data.values.size
  list: [1, [2, 3], {a: 4}]
#@ end
empty: {}
---
kind: B
metadata: {name: b}
size: 3
"""


@pytest.fixture
def session(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> EditSession:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text(TEMPLATE, "utf-8")
    (tmp_path / "v.yml").write_text("#@data/values\n---\nsize: 1\n", "utf-8")
    uses = [Use(Render.inputs, "a.yml"), Use(Render.inputs, "v.yml")]
    return EditSession(Target(Run("", "render", (), None, "", None, uses=uses)))


@pytest.mark.parametrize("file", ["stdin", "out.yml", "a.yml", "out/a.yml"])
def test_every_position_of_the_output_is_the_value_there(session: EditSession, file: str) -> None:
    """The positions of the source map lead back to its paths."""
    assert session.output.trace is not None
    mappings = source_map(session.output.trace, session.output.made.nodes)["mappings"]
    assert isinstance(mappings, list)
    findings = [ReportFinding("wrong", file=file, line=one["line"], column=one["column"]) for one in mappings]
    places = [one.place.path if one.place else None for one in finding_origins(session, findings)]
    assert places == [one["path"] for one in mappings]


def test_every_line_of_the_output_has_a_value(session: EditSession) -> None:
    text = session.output.made.to_yaml()
    for number, line in enumerate(text.splitlines(), 1):
        (one,) = finding_origins(session, [ReportFinding("wrong", line=number)])
        assert one.place is not None or line == "---", line


def test_names_and_pointers_lead_to_every_value(session: EditSession) -> None:
    for place in all_places(session.output.documents, {}):
        kind, _, name = (place.document_name or "").partition("/")
        steps, around = [], place.document.value
        for item in place.way:
            steps.append(str(item.key) if type(around) is Map else str([*around.items].index(item)))  # type: ignore[union-attr]
            around = item.value
        finding = ReportFinding("wrong", kind=kind, name=name, pointer="/" + "/".join(steps))
        (one,) = finding_origins(session, [finding])
        assert one.place is not None
        assert one.place.path == place.path


def test_a_verified_line_is_the_one_that_set_edits(session: EditSession) -> None:
    lines = TEMPLATE.splitlines()
    texts = session.output.made.to_yaml().splitlines()
    findings = [ReportFinding("wrong", line=number) for number in range(1, len(texts) + 1)]
    verified = [one for one in finding_origins(session, findings) if one.result == VERIFIED]
    assert len(verified) > 10
    for one in verified:
        assert one.at is not None
        assert one.at.source is not None
        if one.at.source.shown == "v.yml":
            assert one.place is not None
            assert one.place.path.endswith("size")
        else:
            key = lines[one.at.line - 1].strip()
            assert key


# The forms of kubeconform's `-output json -summary` and `-output junit`.
KUBECONFORM_JSON = """\
{
  "resources": [
    {
      "filename": "stdin",
      "kind": "Deployment",
      "name": "web",
      "version": "apps/v1",
      "status": "statusInvalid",
      "msg": "problem validating schema. Check JSON formatting: jsonschema validation failed with 'https://example.org/deployment-apps-v1.json#'\\n- at '/metadata/annotations/example.org/size': got number, want null or string\\n- at '/spec/replicas': got string, want null or integer",
      "validationErrors": [
        {
          "path": "/metadata/annotations/example.org/size",
          "msg": "got number, want null or string"
        },
        {
          "path": "/spec/replicas",
          "msg": "got string, want null or integer"
        }
      ]
    }
  ],
  "summary": {
    "valid": 1,
    "invalid": 1,
    "errors": 0,
    "skipped": 0
  }
}
"""
KUBECONFORM_JUNIT = """\
<testsuites name="kubeconform" time="0.1" tests="2" failures="1" disabled="0" errors="0">
  <testsuite name="stdin" id="1" tests="2" failures="1" errors="0" disabled="0" skipped="0">
    <testcase name="shop/web" classname="Deployment@apps/v1" time="0">
      <failure message="problem validating schema. Check JSON formatting: jsonschema validation failed with &#39;https://example.org/deployment-apps-v1.json#&#39;&#xA;- at &#39;/spec/replicas&#39;: got string, want null or integer" type=""></failure>
    </testcase>
    <testcase name="shop/web" classname="Service@v1" time="0"></testcase>
  </testsuite>
</testsuites>
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  annotations:
    example.org/size: 3
spec:
  replicas: many
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
"""


@pytest.mark.parametrize(
    ("report", "lines"), [(KUBECONFORM_JSON, [7, 9]), (KUBECONFORM_JUNIT, [9])], ids=["json", "junit"]
)
def test_reports_of_kubeconform(
    report: str, lines: list[int], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys with slashes are not escaped in the paths, and JUnit names documents with their namespace."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text(DEPLOYMENT, "utf-8")
    session = EditSession(Target(Run("", "render", (), None, "", None, uses=[Use(Render.inputs, "a.yml")])))
    made = finding_origins(session, found(report))
    assert [one.at.line for one in made if one.at is not None] == lines


def made(tmp_path: pathlib.Path, text: str, report: str) -> list[int]:
    """The lines of the origins of a report about one rendered file."""
    (tmp_path / "a.yml").write_text(text, "utf-8")
    session = EditSession(Target(Run("", "render", (), None, "", None, uses=[Use(Render.inputs, "a.yml")])))
    return [0 if one.at is None else one.at.line for one in finding_origins(session, found(report))]


@pytest.mark.parametrize("style", ["|", "|-", "|2"])
def test_a_line_of_a_text_of_several_lines(style: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"# first\n\nkind: A\ndata:\n  script: {style}\n    one\n    two\n    three\n    two\n  z: 1\n"
    # The output begins at `kind`; "two" is there twice, so its line is not known.
    report = "".join(f"a.yml:{number}: text\n" for number in (4, 6, 7))
    assert made(tmp_path, text, report)[:1] == [6]
    assert made(tmp_path, text, report)[1:] == [8, made(tmp_path, text, "a.yml:5: text\n")[0]]


# The form of checkov's `-o junitxml`.
CHECKOV_JUNIT = """\
<testsuites tests="1" failures="1">
  <testsuite name="kubernetes scan" tests="1" failures="1">
    <testcase name="[NONE][CKV_K8S_14] Image Tag should be fixed" classname="/a.yml.Deployment.shop.web" file="/a.yml">
      <failure type="failure" message="Image Tag should be fixed">
Resource: Deployment.shop.web
File: /a.yml: 1-9
Guideline: None
</failure>
    </testcase>
  </testsuite>
</testsuites>
"""


def test_a_report_of_checkov(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (one,) = found(CHECKOV_JUNIT)
    assert (one.rule, one.line, one.last_line, one.file) == ("CKV_K8S_14", 1, 9, "/a.yml")
    assert made(tmp_path, DEPLOYMENT, CHECKOV_JUNIT) == [1]


# One document of each kind that `kubeconform -output json` names: of two namespaces, in a List, generated, of two versions.
SEVERAL = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: a}
spec: {replicas: 1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: b}
spec:
  replicas: many
  ports:
  - port: 80
  - port: true
  - prot: 1
---
apiVersion: batch/v1
kind: Job
metadata: {generateName: task-}
spec: {selector: 1}
---
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: inner}
  spec: {replicas: x}
---
apiVersion: apps/v1beta1
kind: Deployment
metadata: {name: old}
spec: {selector: {}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: old}
spec: {selector: 3}
"""
NESTED = (
    "problem validating schema. Check JSON formatting: jsonschema validation failed with 'file:///s/deployment.json#' "
    "- at '/spec': validation failed   - at '/spec': missing property 'selector'   - at '/spec/ports': validation failed "
    "    - at '/spec/ports/1/port': oneOf failed, none matched       - at '/spec/ports/1/port': got boolean, want string "
    "      - at '/spec/ports/1/port': got boolean, want integer     - at '/spec/ports/2': additional properties 'prot' "
    "not allowed   - at '/spec/replicas': got string, want null or integer"
)


def resource(kind: str, name: str, version: str, path: str = "", msg: str = "", whole: str = "") -> dict[str, object]:
    errors = [{"path": path, "msg": msg}] if path else []
    status = "statusInvalid" if path else "statusError"
    return {"filename": "out.yml", "kind": kind, "name": name, "version": version, "status": status, "msg": whole,
            "validationErrors": errors}  # fmt: skip


@pytest.mark.parametrize(
    ("one", "lines"),
    [
        # The outer fault is replaced by those inside, whose paths tell the two namespaces apart.
        (resource("Deployment", "web", "apps/v1", "/spec", "validation failed", NESTED), [9, 13, 14, 10]),
        (resource("Job", "task-{{ generateName }}", "batch/v1", "/spec/selector", "got number, want object"), [19]),
        (resource("Deployment", "inner", "apps/v1", "/spec/replicas", "got string, want integer"), [27]),
        (resource("Deployment", "old", "apps/v1", "/spec/selector", "got number, want object"), [37]),
        (resource("List", "", "v1", whole="could not find schema for List"), [20]),
        # Both have replicas: the report does not tell which one is meant.
        (resource("Deployment", "web", "apps/v1", "/spec/replicas", "got string, want integer"), [0]),
        (resource("Deployment", "web", "apps/v2", "/spec/ports", "got array, want object"), [0]),
    ],
    ids=["nested", "generated", "list", "version", "kind", "two", "none"],
)
def test_kubeconform_names_one_document_of_several(
    one: dict[str, object], lines: list[int], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert made(tmp_path, SEVERAL, json.dumps({"resources": [one]})) == lines


def test_the_namespace_of_junit_and_all_its_faults(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failure = NESTED.replace("'", "&#39;")
    cases = f'<testcase name="b/web" classname="Deployment@apps/v1"><failure message="{failure}"/></testcase>'
    cases += '<testcase name="a/web" classname="Deployment@apps/v1"><error message="no schema"/></testcase>'
    report = f'<testsuites><testsuite name="out.yml">{cases}</testsuite></testsuites>'
    assert made(tmp_path, SEVERAL, report) == [9, 13, 14, 10, 1]


def test_a_hostile_message_takes_linear_time() -> None:
    nested = "".join(f" - at '/a/{number}': wrong" for number in range(100_000))
    errors = [{"path": "/a", "msg": "validation failed"}] * 5_000
    report = {
        "resources": [{"kind": "A", "name": "a", "status": "statusInvalid", "msg": nested, "validationErrors": errors}]
    }
    assert len(found(json.dumps(report))) <= MOST_FINDINGS


@pytest.mark.parametrize("form", ["{}", "./{}", "{}/../{}", "absolute"])
def test_a_finding_about_an_input_stays_at_its_line(
    form: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line of the input is no line of the output, even if both have the same number of lines."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/a.yml").write_text("#@ size = 1\nkind: A\nsize: #@ size\nname: a\n", "utf-8")
    session = EditSession(Target(Run("", "render", (), None, "", None, uses=[Use(Render.inputs, "config")])))
    name = {"{}/../{}": "config/../config/a.yml", "absolute": str(tmp_path / "config/a.yml")}.get(form)
    name = name or form.format("config/a.yml")
    for line in (1, 2, 3, 4):
        (one,) = finding_origins(session, [ReportFinding("bad", file=name, line=line)])
        assert (str(one.at), one.result, one.place) == (f"config/a.yml:{line}", INPUT, None)
    (beyond,) = finding_origins(session, [ReportFinding("bad", file=name, line=5)])
    assert beyond.at is None
    # The name of an output file means the output.
    (output,) = finding_origins(session, [ReportFinding("bad", file="a.yml", line=3)])
    assert (str(output.at), output.result) == ("config/a.yml:4", VERIFIED)


def test_a_secret_line_of_an_input_is_not_shown(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text('#@ load("@ytt:data", "data")\na: #@ data.values.a\n', "utf-8")
    (tmp_path / "s.yml").write_text("a: canary\n", "utf-8")
    uses = [Use(Render.inputs, "a.yml"), Use(SECRETS, "file:s.yml")]
    session = EditSession(Target(Run("", "render", (), None, "", None, uses=uses)))
    found = [*finding_origins(session, [ReportFinding("canary is bad", file="s.yml", line=1)])]
    assert found[0].is_secret
    assert "canary" not in as_text(found) + json.dumps(as_data(found)) + as_sarif(messages(found))
    assert "s.yml:1" in as_text(found)


def test_the_text_of_kubeconform_has_its_own_hint() -> None:
    for line in (
        "stdin - Deployment web is invalid: problem",
        "a.yml - Pod x failed validation: could not find schema",
    ):
        with pytest.raises(UsageError, match="not a report") as caught:
            found(line)
        assert caught.value.hint == "kubeconform -output json writes a report"
