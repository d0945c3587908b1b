"""Completion of command lines. The shell scripts only call `plait completion suggest -- WORDS`, which computes the
answer from the declarations of options, the project file, and the documents of a run. Scripts for ytt call `ytt
__complete` (`plait.cli.ytt_commands`). The output format is that of cobra.
"""

from __future__ import annotations

import os

from plait.authoring.lint.codes import CODES, FAMILIES
from plait.base.errors import PlaitError, UsageError, did_you_mean
from plait.base.extensions import (
    ALTERNATIVES,
    BY_COMMAND,
    EMBEDDED,
    F_STRINGS,
    KEYS,
    OPERATIONS,
    OUTPUT_FILE,
    REQUIRED,
    SECRETS,
    TAGS,
    VALUES_REFER,
)
from plait.base.limits import TABLE, RunBudget, budget_scope, parse
from plait.cli.commands import GROUPS, Node, node_of
from plait.cli.streams import write_out
from plait.engine.flags import Command
from plait.engine.options import SWITCH, Option, Request
from plait.insight.explain import Explainer
from plait.insight.node_paths import all_places
from plait.tree.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.project.file import Project

# The description of each extension.
_EXTENSIONS = {
    ALTERNATIVES: "@schema/one-of: data values of one of several types",
    OPERATIONS: "* in the paths of operations, and the types append, copy and move",
    EMBEDDED: "@overlay/inside, and !FORMAT in the paths of operations: documents embedded in strings",
    F_STRINGS: 'f"...{expression}..." in the code of templates',
    KEYS: "@schema/key: maps with keys that the schema does not name",
    OUTPUT_FILE: "@output/file: the output file of a document",
    REQUIRED: "@schema/required: data values that must be set",
    SECRETS: "@schema/secret: secret data values",
    TAGS: "preserves YAML tags such as !Ref",
    VALUES_REFER: "data.values in data values and schemas: values computed from other values",
}


class Completion(Request):
    """The command line of `plait completion`."""

    __slots__ = ()
    command = "completion"
    summary = "Print a script that completes commands and flags in a shell."
    usage = "bash|zsh|fish|powershell"


COMPLETION = Command(Completion)


# The word that scripts pass before the words to complete.
SUGGEST = "suggest"
# The directive that files complete the word as well.
FILES = ":0"
# Time limit in seconds for evaluating a run to complete a PATH.
_SECONDS = "seconds=3"
# Commands whose last argument is a PATH in the output.
_OF_PATHS = ("explain", "set")


class Candidate:
    """A candidate for the last word, with a description; "" for none."""

    __slots__ = ("about", "text")

    def __init__(self, text: str, about: str = "") -> None:
        self.text = text
        self.about = " ".join(about.replace("`", "").split())

    def __str__(self) -> str:
        return f"{self.text}\t{self.about}" if self.about else self.text


def answer(words: Sequence[str]) -> str:
    """The candidates for the last word, one per line."""
    *before, current = words or [""]
    current = current.lstrip("'\"")
    try:
        found = [one for one in _found(before, current) if one.text.startswith(current) or one.text == FILES]
    except PlaitError:  # a mistake has no completions; running the command reports it
        return ""
    return "".join(dict.fromkeys(f"{one}\n" for one in found))


def _found(before: Sequence[str], current: str) -> Iterator[Candidate]:
    if not before:
        for group in GROUPS.values():
            yield from (Candidate(name, about) for name, about in group.items())
        return
    if before[0] == "help" and not current.startswith("-"):
        yield from _of_help(before[1:])
        return
    root, before = node_of(before[0]), before[1:]
    node, arguments, pending = _read(root, before)
    flag, equals, _ = current.partition("=")
    if pending is not None:
        yield from _values(pending, node, current)
    elif equals and flag.startswith("--"):
        option = _option(node, flag)
        if option is not None:
            for one in _values(option, node, current):
                yield one if one.text == FILES else Candidate(f"{flag}={one.text}", one.about)
    elif current.startswith("-"):
        yield from (Candidate(f"--{one.name}", one.help) for one in node.command.flags)
    else:
        yield from _arguments(node, arguments, [*before, current])


def _of_help(before: Sequence[str]) -> Iterator[Candidate]:
    if not before:
        yield from _found([], "")
    elif len(before) == 1:
        node = node_of(before[0])
        yield from (Candidate(name, one.command.request.summary) for name, one in node.children.items())


def _read(node: Node, words: Sequence[str]) -> tuple[Node, list[str], Option | None]:
    """The selected subcommand, its arguments, and the last flag if it lacks its value."""
    arguments: list[str] = []
    pending: Option | None = None
    for word in words:
        if pending is not None:
            pending = None
        elif word.startswith("-") and word != "-":
            option = _option(node, word)
            takes_value = option is not None and option.kind != SWITCH and "=" not in word
            pending = option if takes_value and (word.startswith("--") or len(word) == len("-f")) else None
        elif not arguments and word in node.children:
            node = node.children[word]
        else:
            arguments.append(word)
            if len(arguments) == 1 and (command := _command_of_run(node, word)):
                node = _with_flags_of(node, command)
    return node, arguments, pending


def _option(node: Node, word: str) -> Option | None:
    """The option of a flag, with or without a value."""
    if word.startswith("--"):
        name = word[2:].partition("=")[0]
        return next((one for one in node.command.flags if one.name == name), None)
    return next((one for one in node.command.flags if one.short == word[1:2]), None)


def _takes_run(node: Node) -> bool:
    """True if the first argument of a command may be the name of a run."""
    words = list(node.words)
    return words[-1:] == ["run"] or (len(words) == 1 and "run" in node.children)


def _command_of_run(node: Node, name: str) -> str:
    """The command of the named run if a name is allowed here, else ""."""
    project = _project() if _takes_run(node) else None
    run = None if project is None else project.runs.get(name)
    return "" if run is None else run.command


def _with_flags_of(node: Node, command: str) -> Node:
    """The node of a run, with the flags of its command."""
    above = node_of(node.words[0])
    other = above.children[command] if command in above.children else node_of(command)
    return Node([*node.words, command], other.command)


def _project() -> Project | None:
    from plait.authoring.project.file import find, read

    try:
        found = find(os.curdir)
        return None if found is None else read(found)
    except PlaitError:  # the command reports the fault of the file
        return None


def _runs() -> Iterator[Candidate]:
    project = _project()
    for run in () if project is None else project.runs.values():
        yield Candidate(run.name, f"a run of plait {run.command}")
    for matrix in () if project is None else project.matrices.values():
        for cell in matrix.cells():
            yield Candidate(cell.name, f"an environment of {matrix.name}")


def _values(option: Option, node: Node, current: str) -> Iterator[Candidate]:
    """Candidates for the value of a flag."""
    if option.choices:
        yield from map(Candidate, option.choices)
    elif option.name == "with":
        command = next((word for word in reversed(node.words) if word in BY_COMMAND), "render")
        yield from (Candidate(name, _EXTENSIONS[name]) for name in BY_COMMAND[command])
    elif option.name == "limit":
        yield from (Candidate(f"{name}=", about) for name, (_, about, _) in TABLE.items())
    elif option.name in ("select", "ignore") and node.words[0] == "lint":
        before = current[: current.rfind(",") + 1]
        names = [*FAMILIES, *(name for one in CODES.values() for name in (one.code, one.name))]
        about = {name: one.summary for one in CODES.values() for name in (one.code, one.name)}
        yield from (Candidate(before + name, about.get(name, "")) for name in names)
    elif option.name == "only":
        yield from _runs()
    else:
        yield Candidate(FILES)


def _arguments(node: Node, arguments: Sequence[str], words: Sequence[str]) -> Iterator[Candidate]:
    listed = node.command.request.usage.partition(" ")[0].strip("[]")
    if not arguments:
        yield from (Candidate(name, one.command.request.summary) for name, one in node.children.items())
        if "|" in listed and listed.islower() and not node.children:
            yield from map(Candidate, listed.split("|"))
            return
        if _takes_run(node) or node.words[0] == "coverage":
            yield from _runs()
    if list(node.words) == ["fleet", "diff"]:
        yield from _runs()
    if list(node.words) == ["fleet", "diff"] or (not arguments and list(node.words[-1:]) == ["run"]):
        return
    if node.words[0] in _OF_PATHS and len(node.words) > 1:
        try:
            yield from _paths(node.words[0], words)
        except PlaitError:  # the run fails, or is incomplete
            return
    yield Candidate(FILES)


def _paths(command: str, words: Sequence[str]) -> Iterator[Candidate]:
    """The documents of a run, or the paths in one of them, that match the last word. Evaluation writes nothing and
    starts no program. words: after the command.
    """
    from plait.cli.questions import split_question

    typed = node_of(command).command
    own, rest = typed.apart([*words[:-1], words[-1] or "."])
    question = split_question(own, rest)
    request = question.request
    question.request = request.without(*(one for one in type(request).options if one.program))
    with budget_scope(RunBudget(parse([_SECONDS]))):
        documents, trace = question.run(Context(print_line=lambda _: None))
        explainer = Explainer(trace)
        visible = explainer.visible(documents.items)
        places = [*all_places(visible, {}, explainer.names)]
    current = words[-1]
    ending = "=" if command == "set" else ""
    for place in places:
        name, path = place.parts
        head = "" if name is None else f"{name}:"
        text = f"{head}{path}"
        if not text.startswith(current):
            continue
        part = head if len(current) < len(head) else _part(text, len(current))
        yield Candidate(part if part != text or not path else f"{part}{ending}")


def _part(text: str, typed: int) -> str:
    """A path up to the end of the step after the typed text. typed: its length."""
    ends = [place for char in ".[" if (place := text.find(char, typed + 1)) >= 0]
    return text[: min(ends)] if ends else text


SCRIPTS = {
    "bash": """\
# {program} completion for bash: source <({program} completion bash)
_{program}() {{
  local rest="${{COMP_LINE:0:$COMP_POINT}}" trimmed word line files="" i
  local -a words=() found=()
  # Bash splits words at = and :, which belong to them here.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="${{COMP_WORDS[i]}}"
    trimmed="${{rest#"${{rest%%[![:space:]]*}}"}}"
    if [ "${{#words[@]}}" -eq 0 ] || [ "$trimmed" != "$rest" ]; then
      words+=("$word")
    else
      words[${{#words[@]}}-1]+="$word"
    fi
    rest="${{trimmed#"$word"}}"
  done
  local current="${{words[${{#words[@]}}-1]}}"
  while IFS= read -r line; do
    case "$line" in "{files}") files=1 ;; :[0-9]*) ;; *) found+=("${{line%%$'\\t'*}}") ;; esac
  done < <({program} {ask} "${{words[@]:1}}" 2>/dev/null)
  local prefix="${{current%"${{current##*[=:]}}"}}"
  # Names come from files, perhaps from those of others: the shell must take them for text.
  COMPREPLY=()
  for line in "${{found[@]#"$prefix"}}"; do printf -v word %q "$line"; COMPREPLY+=("$word"); done
  case "${{found[0]-}}" in *[:=]) compopt -o nospace 2>/dev/null ;; esac
  if [ -n "$files" ]; then
    # Readline quotes the names of files, but then everything else as well.
    [ "${{#found[@]}}" -gt 0 ] || compopt -o filenames 2>/dev/null
    while IFS= read -r line; do
      [ "${{#found[@]}}" -eq 0 ] || printf -v line %q "$line"
      COMPREPLY+=("$line")
    done < <(compgen -f -- "${{current##*[=:]}}")
  fi
}}
complete -F _{program} {program}
""",
    "zsh": """\
#compdef {program}
# {program} completion for zsh: source <({program} completion zsh)
_{program}() {{
  local -a values descriptions open open_descriptions
  local line value about files
  for line in "${{(@f)$({program} {ask} "${{(@Q)words[2,CURRENT]}}" 2>/dev/null)}}"; do
    [[ -z $line ]] && continue
    if [[ $line == "{files}" ]]; then files=1; continue; fi
    [[ $line == :[0-9]* ]] && continue
    value=${{line%%$'\\t'*}}
    about=$value
    [[ $line == *$'\\t'* ]] && about="$value  -- ${{line#*$'\\t'}}"
    if [[ $value == *[:=] ]]; then
      open+=("$value"); open_descriptions+=("$about")
    else
      values+=("$value"); descriptions+=("$about")
    fi
  done
  (( $#values )) && compadd -l -d descriptions -a values
  (( $#open )) && compadd -S '' -l -d open_descriptions -a open
  if [[ -n $files ]]; then
    compset -P '--*='
    _files
  fi
}}
# Saved as a file _{program} on the fpath it is called; sourced, it says what it completes.
if [ "$funcstack[1]" = _{program} ]; then
  _{program} "$@"
else
  compdef _{program} {program}
fi
""",
    "fish": """\
# {program} completion for fish: {program} completion fish | source
function __{program}_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ({program} {ask} $words[2..-1] 2>/dev/null)
    if test "$line" = "{files}"
      __fish_complete_path (string replace -r -- '^--[^=]*=' '' (commandline -ct))
    else if not string match -qr '^:[0-9]' -- "$line"
      echo $line
    end
  end
end
complete -c {program} -f -a '(__{program}_complete)'
""",
    "powershell": """\
# {program} completion for PowerShell: {program} completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName {program} -ScriptBlock {{
  param($word, $ast, $cursor)
  $words = @($ast.CommandElements | Where-Object {{ $_.Extent.EndOffset -lt $cursor }} | ForEach-Object {{ "$_" }} | Select-Object -Skip 1)
  # An empty argument does not reach a program.
  $last = if ("$word" -eq '') {{ '""' }} else {{ "$word" }}
  & {program} {ask} @words $last 2>$null | Where-Object {{ $_ -notmatch '^:\\d' }} | ForEach-Object {{
    $name, $text = $_ -split "`t", 2
    if (-not $text) {{ $text = $name }}
    # Names come from files, perhaps from those of others: the shell must take them for text.
    $typed = $name
    if ($name -match '[^\\w./:=+-]') {{
      $typed = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($name) + "'"
    }}
    [System.Management.Automation.CompletionResult]::new($typed, $name, 'ParameterValue', $text)
  }}
}}
""",
}


def script(shell: str, program: str = "plait", ask: str = "completion suggest --") -> str:
    """The completion script for a shell of SCRIPTS. ask: the command of the program that receives the words."""
    return SCRIPTS[shell].format(program=program, files=FILES, ask=ask)


def main_completion(flags: Completion) -> int:
    """Runs `plait completion`. Returns the exit status. Raises UsageError for an unknown shell."""
    shell = flags.arguments[0] if flags.arguments else os.path.basename(os.environ.get("SHELL", ""))
    if shell == SUGGEST:
        write_out(answer(flags.arguments[1:]))
        return 0
    if shell not in SCRIPTS:
        raise UsageError(
            f'no completion for the shell "{shell}"',
            expected=", ".join(SCRIPTS),
            hint=did_you_mean(shell, SCRIPTS),
            code="unknown-choice",
        )
    write_out(script(shell))
    return 0
