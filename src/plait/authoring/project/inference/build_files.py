"""Finds shell text in build files: scripts, Makefiles, justfiles, Taskfiles, CI files, package.json, and Markdown.

Each reader yields snippets of shell text with their line and working directory. Nothing is executed.
"""

from __future__ import annotations

import os
import re
from collections import ChainMap
from shlex import quote

from plait.authoring.project.inference.text_budget import MOST_VALUE, TextBudget
from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.tree.nodes import Array, Map
from plait.yaml.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from plait.tree.nodes import Item, Value

# Files larger than this are generated or vendored.
MOST_BYTES = 1 << 18
# Programs whose command lines are searched.
PROGRAMS = ("ytt", "bosh", "bosh2", "plait")
_MENTIONED = re.compile(rb"\b(ytt|bosh2?|plait)\b")
_SHEBANG = re.compile(rb"#![^\n]*\b(ba|da|z|k)?sh\b")
_MAKE_VARIABLE = re.compile(r"^(?:export\s+|override\s+)?([A-Za-z_][\w.-]*)\s*(\?=|:?:?:?=|\+=)\s*(.*)$")
_MAKE_REFERENCE = re.compile(r"\$\(([A-Za-z_][\w.-]*)\)|\$\{([A-Za-z_][\w.-]*)\}|\$([@<^])")
_MAKE_TARGET = re.compile(r"^([^\s:=#][^:=#]*)::?(?!=)([^=]*)$")
_JOINT = " \\\n"
_MAKE_COMMENT = re.compile(r"(?<=\s)#")
_JUST_VARIABLE = re.compile(r"^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(?:'([^']*)'|\"([^\"]*)\")\s*$")
_JUST_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?:\s[^:]*)?:(?!=)")
_JUST_REFERENCE = re.compile(r"\{\{\s*([A-Za-z_][\w-]*)\s*\}\}")
_JENKINS_STEP = re.compile(r"\bsh\s*(?:\(\s*)?(?:script:\s*)?('''|\"\"\"|'|\")(.*?)\1", re.DOTALL)
_MARKDOWN = (".md", ".markdown")
_HEADING = re.compile(r"#{1,6}\s+(\S.*)$")
_FENCE = re.compile(r"(?P<indent> *)(?P<fence>`{3,}|~{3,})\s*(?P<language>[\w-]*)")
# The languages of Markdown blocks with shell text. In other blocks a command line is an illustration.
_SHELLS = frozenset(
    {"", "sh", "bash", "shell", "zsh", "console", "shell-session", "shellsession", "terminal", "plain", "text", "txt"}
)
_PROMPT = re.compile(r"[$%>] +")
# A command line with a flag, as a line of its own or as a code span. Without one it is likely a sentence.
_COMMAND = r"(?:ytt|bosh2?|plait) (?:[^`\n]*? )?--?[A-Za-z]"
_COMMAND_ROW = re.compile(rf" *+(?:[$%>] ++)?(?={_COMMAND})")
_COMMAND_SPAN = re.compile(rf"(?<!`)`(?=({_COMMAND}[^`\n]*))")
_BLOCK = re.compile(r"(?:^|[:\-]\s)\s*(?:&\S+\s+)?[|>][-+0-9]*\s*(?:#.*)?$")


class Snippet:
    """A piece of shell text. line: the line of its first line in the file. directory: absolute; None if the caller
    decides.

    group: the target, recipe or job, or "". script: absolute path of a shell script, or "".
    """

    __slots__ = ("directory", "group", "line", "script", "text")

    def __init__(self, text: str, line: int, directory: str | None, *, group: str = "", script: str = "") -> None:
        self.text = text
        self.line = line
        self.directory = directory
        self.group = group
        self.script = script


def snippets_of(path: str, content: bytes, top: str, budget: TextBudget | None = None) -> list[Snippet]:
    """The shell text of a build file; empty for any other file, and for one that does not name one of PROGRAMS.

    path, top: absolute paths of the file and of the repository. budget: counts the text; once it is spent, reading
    ends.
    """
    budget = budget or TextBudget()
    if len(content) > MOST_BYTES or _MENTIONED.search(content) is None:
        return []
    reader = _reader(os.path.basename(path), content)
    if reader is None or not budget.take(len(content)):
        return []
    found: list[Snippet] = []
    for snippet in reader(path, content.decode("utf-8", "replace").replace("\r\n", "\n"), top, budget):
        if not budget.take(len(snippet.text)):
            break
        found.append(snippet)
    return found


def _reader(name: str, content: bytes) -> Callable[[str, str, str, TextBudget], Iterator[Snippet]] | None:
    stem, extension = os.path.splitext(name)
    lower = name.lower()
    if extension in (".sh", ".bash", ".zsh") or (extension == "" and _SHEBANG.match(content)):
        return _script
    if lower in ("makefile", "gnumakefile") or extension in (".mk", ".mak") or stem == "Makefile":
        return _makefile
    if lower in ("justfile", ".justfile") or extension == ".just":
        return _justfile
    if stem.startswith("Jenkinsfile") or extension in (".jenkinsfile", ".groovy"):
        return _jenkinsfile
    if extension in (".yml", ".yaml") or name == "package.json":
        return _yaml
    return _markdown if is_documentation(name) else None


def is_documentation(name: str) -> bool:
    """True for the name of a Markdown file. Its command lines are only examples, so build files take precedence."""
    return name.lower().endswith(_MARKDOWN)


def _script(path: str, text: str, _top: str, _budget: TextBudget) -> Iterator[Snippet]:
    yield Snippet(text, 1, None, group=os.path.splitext(os.path.basename(path))[0], script=path)


def _markdown(_path: str, text: str, _top: str, _budget: TextBudget) -> Iterator[Snippet]:
    """Snippets for the fenced blocks in a shell language, and for command lines outside of blocks, named after the
    heading above.
    """
    heading, fence, language, indent, start = "", "", "", 0, 0
    rows: list[str] = []
    for number, row in enumerate(text.split("\n"), 1):
        found = _FENCE.match(row)
        begun = None if fence or rows else _COMMAND_ROW.match(row)
        if fence:
            if found is not None and found["fence"].startswith(fence) and not found["language"]:
                if language in _SHELLS:
                    lines = [
                        _PROMPT.sub("", one[min(indent, len(one) - len(one.lstrip(" "))) :], count=1) for one in rows
                    ]
                    yield Snippet("\n".join(lines), start, None, group=heading)
                fence, rows = "", []
            else:
                rows.append(row)
        elif rows or begun is not None:
            start = start if begun is None else number
            rows.append(row if begun is None else row[begun.end() :])
            if not row.endswith("\\"):
                yield Snippet("\n".join(rows), start, None, group=heading)
                rows = []
        elif found is not None:
            fence, language, indent = found["fence"], found["language"].lower(), len(found["indent"])
            start, rows = number + 1, []
        elif (title := _HEADING.match(row)) is not None:
            heading = title[1].rstrip("#").strip().lower()
        else:
            for span in _COMMAND_SPAN.finditer(row):
                yield Snippet(span[1], number, None, group=heading)


# ---- make


def _makefile(path: str, text: str, _top: str, budget: TextBudget) -> Iterator[Snippet]:
    """Snippets for recipe lines. Each is a separate shell, in the directory of the Makefile."""
    directory = os.path.dirname(path)
    variables = {"CURDIR": directory, "MAKE": "make"}
    target, needs = "", ""
    for line, joined in _joined(text):
        row = joined.replace(_JOINT, " ")
        if row.startswith("\t"):
            recipe = joined.strip().lstrip("@-+").strip()
            own = ChainMap({"@": target, "<": needs.split(" ", maxsplit=1)[0], "^": needs}, variables)
            yield Snippet(_make_expanded(recipe, own, budget), line, directory, group=target)
        elif (found := _MAKE_VARIABLE.match(row)) is not None:
            name, operator, value = found[1], found[2], _MAKE_COMMENT.split(found[3], maxsplit=1)[0].strip()
            if operator == "+=" and name in variables and budget.take(len(variables[name])):
                value = f"{variables[name]} {value}"
            if operator != "?=" or name not in variables:
                variables[name] = value
        elif (found := _MAKE_TARGET.match(row)) is not None:
            target, needs = found[1].split(maxsplit=1)[0], found[2].strip()
            if ";" in needs:
                needs, _, recipe = needs.partition(";")
                yield Snippet(_make_expanded(recipe.strip(), variables, budget), line, directory, group=target)


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """The lines, with continuation lines joined by _JOINT, which a shell reads as nothing but counts as a line."""
    start, held = 0, list[str]()
    for number, row in enumerate(text.split("\n"), 1):
        start = start or number
        line = row.strip() if held else row
        is_continued = line.endswith("\\")
        held.append(line.removesuffix("\\"))
        if not is_continued:
            yield start, _JOINT.join(held)
            start, held = 0, []


def _make_expanded(text: str, variables: Mapping[str, str], budget: TextBudget, depth: int = 0) -> str:
    """Shell text with the values of make's variables. An unknown variable stays, so that the shell treats it as
    unknown. So does a variable whose value is too long: the text has at most MOST_VALUE characters of values.
    """
    dollar = "\0"
    left = MOST_VALUE

    def value(match: re.Match[str]) -> str:
        nonlocal left
        name = match[1] or match[2] or match[3]
        found = variables.get(name)
        if found is None or depth > 10 or left <= 0 or not budget.take(len(found) + 1):
            return f"{dollar}({name})"
        expanded = _make_expanded(found, variables, budget, depth + 1).replace("$", dollar)
        left -= len(expanded) + 1
        return expanded if left > 0 else f"{dollar}({name})"

    expanded = _MAKE_REFERENCE.sub(value, text.replace("$$", dollar))
    expanded = re.sub(r"\$\((?:shell|realpath|abspath)\s+", f"{dollar}(", expanded)
    return expanded.replace(dollar, "$")


# ---- just, Jenkins


def _justfile(path: str, text: str, _top: str, budget: TextBudget) -> Iterator[Snippet]:
    directory = os.path.dirname(path)
    variables: dict[str, str] = {}
    recipe = ""
    body: list[tuple[int, str]] = []

    def value(found: re.Match[str]) -> str:
        known = variables.get(found[1])
        return found[0] if known is None or not budget.take(len(known)) else known

    def done() -> Iterator[Snippet]:
        if body and body[0][1].startswith("#!"):
            yield Snippet("\n".join(row for _, row in body), body[0][0], directory, group=recipe)
        else:
            for number, row in body:
                yield Snippet(row.lstrip("@-"), number, directory, group=recipe)
        body.clear()

    for line, joined in _joined(text):
        row = joined if joined[:1] in (" ", "\t") else joined.replace(_JOINT, " ")
        if row[:1] in (" ", "\t") and recipe:
            if row.strip():
                body.append((line, _JUST_REFERENCE.sub(value, row.strip())))
            continue
        yield from done()
        if (found := _JUST_VARIABLE.match(row)) is not None:
            variables[found[1]] = found[2] if found[2] is not None else found[3]
        elif (found := _JUST_RECIPE.match(row)) is not None:
            recipe = found[1]
    yield from done()


def _jenkinsfile(_path: str, text: str, top: str, _budget: TextBudget) -> Iterator[Snippet]:
    for found in _JENKINS_STEP.finditer(text):
        yield Snippet(found[2], text.count("\n", 0, found.start(2)) + 1, top)


# ---- YAML: GitHub, GitLab, Concourse, Taskfile, and others that run shell text


def _yaml(path: str, text: str, top: str, budget: TextBudget) -> Iterator[Snippet]:
    source = Source(path, text)
    try:
        documents = read(source)
    except PlaitError:  # a template or invalid YAML, which is not a build file
        return
    is_local = os.path.basename(path).startswith(("Taskfile", "taskfile", "package.json"))
    blocks = {number for number, row in enumerate(text.split("\n"), 1) if _BLOCK.search(row)}
    for document in documents.items:
        if budget.is_spent:
            return
        own = os.path.dirname(path) if is_local or _is_kuttl(document.value) else top
        yield from _strings(document, own, "", blocks)


def _is_kuttl(value: Value) -> bool:
    """True for a step of kuttl, whose commands run in its own directory."""
    version = value.find("apiVersion") if type(value) is Map else None
    return version is not None and str(version.value).startswith("kuttl.dev/")


# Keys whose values a shell executes.
_RUN_KEYS = frozenset({"run", "script", "before_script", "after_script", "cmds", "cmd", "command", "args", "scripts"})
_NAMING_KEYS = frozenset({"jobs", "tasks", "stages", "scripts"})


def _strings(item: Item, directory: str, group: str, blocks: set[int], *, runs: bool = False) -> Iterator[Snippet]:
    """The shell text below an item. blocks: the lines with the header of a block scalar."""
    value: Value = item.value
    if type(value) is str:
        if runs:
            line = item.line + (item.line in blocks)
            yield Snippet(value, line, directory, group=group)
    elif type(value) is Map:
        directory = _working_directory(value, directory)
        if (deployed := _deployment(value, directory)) is not None:
            yield deployed
        for inner in value.items:
            named = str(inner.key) if getattr(item, "key", None) in _NAMING_KEYS else group
            is_run = inner.key in _RUN_KEYS or getattr(item, "key", None) == "scripts" or (runs and inner.key != "env")
            yield from _strings(inner, directory, named, blocks, runs=is_run)
    elif type(value) is Array:
        if runs and value.items and _is_argv(value):
            yield Snippet(_argv_text(value), item.line, directory, group=group)
            return
        for one in value.items:
            yield from _strings(one, directory, group, blocks, runs=runs)


def _deployment(value: Map, directory: str) -> Snippet | None:
    """The command line with the effect of a step of Concourse: `put`, of a deployment of BOSH.

    The first name of each path is an input of the step. The input of a manifest that is in the repository is the
    repository.
    """
    put, params = value.find("put"), value.find("params")
    manifest = params.value.find("manifest") if params is not None and type(params.value) is Map else None
    if put is None or params is None or type(params.value) is not Map or manifest is None:
        return None
    own, _, rest = str(manifest.value).partition("/")
    own = f"{own}/" if rest and os.path.lexists(os.path.join(directory, rest)) else ""
    words = ["bosh", "deploy", str(manifest.value).removeprefix(own)]
    for key, flag in (("ops_files", "-o"), ("vars_files", "-l")):
        found = params.value.find(key)
        paths = found.value.items if found is not None and type(found.value) is Array else []
        words += [word for path in paths for word in (flag, str(path.value).removeprefix(own))]
    variables = params.value.find("vars")
    if variables is not None and type(variables.value) is Map:
        for one in variables.value.items:
            text = f"{one.key}={one.value}"
            # Variables of the pipeline, which is filled in before the step runs.
            words += [] if type(one.value) in (Map, Array) else ["-v", text.replace("((", "$((")]
    return Snippet(
        " ".join(word if "$((" in word else quote(word) for word in words), put.line, directory, group=str(put.value)
    )


def _is_argv(value: Array) -> bool:
    first = value.items[0].value
    return isinstance(first, str) and os.path.basename(first) in PROGRAMS


def _argv_text(value: Array) -> str:
    return " ".join(quote(str(one.value)) for one in value.items)


def _working_directory(value: Map, directory: str) -> str:
    """The directory of the commands in a map: `working-directory` of GitHub, `dir` of Taskfiles and Concourse."""
    for key in ("working-directory", "dir"):
        found = value.find(key)
        if found is not None and type(found.value) is str and "$" not in found.value and "{{" not in found.value:
            return os.path.normpath(os.path.join(directory, found.value))
    defaults = value.find("defaults")
    if defaults is not None and type(defaults.value) is Map:
        run = defaults.value.find("run")
        if run is not None and type(run.value) is Map:
            return _working_directory(run.value, directory)
    return directory
