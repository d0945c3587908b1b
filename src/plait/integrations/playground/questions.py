"""Queries of the playground's page: output (`evaluation`), steps, environments, changes, fixes, command lines.

`evaluation` describes a request; the response is plain data. All offered fixes and changes have been evaluated, and are
omitted if they do not have the stated effect.
"""

from __future__ import annotations

import json
import os
from contextlib import chdir
from importlib import import_module

from plait.base.errors import PlaitError, UsageError
from plait.base.writing.directory import temporary
from plait.base.writing.targets import strict
from plait.integrations.playground import evaluation
from plait.integrations.playground.changes import project_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plait.integrations.playground.evaluation import Request


def evaluate(request: Request) -> Mapping[str, object]:
    """The response to a request: for its query, or an Answer. Raises UsageError for an invalid request."""
    asked = request.get("ask") if isinstance(request, dict) else None
    if asked is None:
        return evaluation.evaluate(request)
    evaluation.check(request)
    try:
        module, function = _ANSWERS[asked]
        answer: Callable[[Request], Mapping[str, object]] = getattr(import_module(module), function)
        return answer(request)
    except PlaitError as error:
        return evaluation.failed(error)


def lay_out(request: Request) -> None:
    """Writes the files of a request to the working directory, if the query reads them by name. Raises UsageError."""
    evaluation.check(request)
    asked = request.get("ask")
    if request["kind"] != "compose" and asked not in ("change", "fixes"):
        return
    files = {file["name"]: file["text"] for file in request["files"]}
    if asked == "fixes" and evaluation.PIPELINE not in files:
        files[evaluation.PIPELINE] = project_text(request)
    for path, text in files.items():
        above, name = os.path.split(path)
        with strict(above, os.curdir, make=0o700) as directory:
            directory.create(name, [text.encode()], new_mode=0o600)


def respond(text: str) -> str:
    """The response to a request, both JSON, in a process that does nothing else, such as in a browser. An invalid
    request is `refused`.
    """
    request = json.loads(text)
    with temporary("plait-") as place, chdir(place.real):
        try:
            lay_out(request)
            return json.dumps(evaluate(request))
        except UsageError as error:
            return json.dumps({"refused": str(error)})


def load() -> None:
    """Imports the modules that answers need, including those that a dialect imports at its first use."""
    for module, _ in _ANSWERS.values():
        import_module(module)
    for kind, *texts in _SAMPLES:
        files = [{"name": f"{number}.yml", "text": text} for number, text in enumerate(texts)]
        for more in ({}, {"ask": "steps"}):
            respond(json.dumps({"kind": kind, "files": files, **more}))


# Each is loaded when it is first asked: in a browser, modules are compiled at each visit.
_ANSWERS = {
    "steps": ("plait.integrations.playground.steps", "steps"),
    "environments": ("plait.integrations.playground.environments", "environments"),
    "change": ("plait.integrations.playground.changes", "ways"),
    "fixes": ("plait.integrations.playground.changes", "fixes"),
    "command": ("plait.integrations.playground.commands", "command"),
}
# Small files for `load`: a command, and the texts of its files.
_LAYERED = """
---
schema: a/B/v1
metadata: {schema: metadata/Document/v1, name: %s, labels: {a: %s}, layeringDefinition: {%s}}
data: {a: 1}
"""
_SAMPLES = (
    (
        "render",
        "#@data/values-schema\n---\na: 1\n",
        """\
#@ load("@ytt:data", "data")
#@ def f(x):
#@   return [y for y in x if y]
#@ end
a: #@ data.values.a
b: #@ f([1])
#@ if True:
c: 1
#@ end
""",
        """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.all
---
b:
#@overlay/append
- 2
""",
    ),
    ("render", "a: #@ missing\n"),
    ("patch", "a: 1\n", "- {type: replace, path: /a, value: ((b))}\n"),
    (
        "layer",
        "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: a}\ndata: {layerOrder: [a, b]}\n"
        + _LAYERED % ("c", "c", "layer: a, abstract: true")
        + _LAYERED % ("d", "d", "layer: b, parentSelector: {a: c}, actions: [{method: merge, path: .}]"),
    ),
)
