"""`plait` without arguments, `plait init`, and shell completion."""

from __future__ import annotations

import os

from plait.cli.streams import write_out
from plait.engine.common import ALLOW_OUTPUT
from plait.engine.flags import Command
from plait.engine.options import SWITCH, TEXT, Request, switch
from plait.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from plait.engine.options import Option

    class Writer(Protocol):
        """Writes the completion script of a shell. root: the command without a name, if there is one."""

        def __call__(
            self,
            known: dict[str, Command[Any]],
            program: str = ...,
            root: Command[Any] | None = ...,
            *,
            described: bool = ...,
        ) -> str: ...


EXAMPLES = """\
plait braids changes into YAML configuration. Three things to try:

  plait init demo && plait render -f demo/config
      a small project, rendered: templates, data values, overlays
  plait patch base.yml -o ops.yml -v name=web
      operations and variables, applied to somebody else's file
  plait layer documents/
      documents that inherit from each other across layers

plait help lists the commands, plait COMMAND --help the flags of one.
"""


class Init(Request):
    """The command line of `plait init`."""

    __slots__ = ()
    command = "init"
    summary = (
        "Create a small working project in an empty directory, or a project file for an existing repository: its runs are "
        "inferred from build files and annotated YAML, shown with the evidence, and verified by rendering."
    )
    usage = "[DIRECTORY]"
    dry_run = switch("dry-run", "show the project file of an existing repository, and write nothing")
    yes = switch("yes", "write it without asking", short="y")
    output_links = ALLOW_OUTPUT


INIT = Command(Init)


class Completion(Request):
    """The command line of `plait completion`."""

    __slots__ = ()
    command = "completion"
    summary = "Print a script that completes commands and flags in a shell."
    usage = "bash|zsh|fish|powershell"


COMPLETION = Command(Completion)


# What `init` writes: path -> text.
PROJECT = {
    "config/app.yml": """\
#@ load("@ytt:data", "data")

#@ labels = {"app": data.values.name}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: #@ data.values.name
  labels: #@ labels
spec:
  replicas: #@ data.values.replicas
  selector:
    matchLabels: #@ labels
  template:
    metadata:
      labels: #@ labels
    spec:
      containers:
      - name: app
        image: #@ data.values.image
""",
    "config/schema.yml": """\
#@data/values-schema
---
#@schema/desc "How the application is called."
name: demo
#@schema/validation min=1
replicas: 1
image: registry.example/demo:1.0
""",
    "production/overlay.yml": """\
#@ load("@ytt:overlay", "overlay")

#@overlay/match by=overlay.subset({"kind": "Deployment"})
---
spec:
  template:
    spec:
      containers:
      #@overlay/match by="name"
      - name: app
        #@overlay/match missing_ok=True
        resources:
          limits: {memory: 256Mi}
""",
    "production/values.yml": """\
replicas: 3
image: registry.example/demo:1.1
""",
    "plait.yml": """\
runs:
  app:
    render:
      files: [config]
  production:
    base: app
    render:
      files: [production/overlay.yml]
      data-values-file: [production/values.yml]
""",
    "tests/app.test.yml": """\
tests:
  production has three replicas:
    run: production
    equals:
      Deployment/demo:spec.replicas: 3
  there is at least one replica:
    run: app
    set: {replicas: 0}
    fails: a value >= 1
""",
}

_NEXT = """\

Render it as it is, then for production, then run its tests:

  {cd}plait render -f config
  {cd}plait render -f config -f production/overlay.yml --data-values-file production/values.yml
  {cd}plait test
"""

_CHECKS = """
Render a run, look for mistakes, and ask where a value comes from:

  plait run NAME
  plait lint
  plait explain run NAME PATH
"""


def main_init(flags: Init) -> int:
    """Runs `plait init`. Returns the exit status: 1 if nothing was written. Raises PlaitError."""
    from plait.cli.tools import only_argument
    from plait.writing import failure

    directory = only_argument(INIT, flags, "directory", ".")
    # A fresh clone of an empty repository has only this.
    if os.path.isdir(directory) and set(os.listdir(directory)) - {".git"}:
        return _adopt(flags, directory)
    if flags.dry_run:
        write_out("".join(f"would create {os.path.normpath(os.path.join(directory, path))}\n" for path in PROJECT))
        return 0
    try:
        made = _make_project(directory)
    except OSError as error:
        raise failure(f"in {directory}", error, UsageError) from None
    cd = "" if os.path.realpath(directory) == os.path.realpath(".") else f"cd {directory} && "
    write_out("".join(f"created {path}\n" for path in made) + _NEXT.format(cd=cd))
    return 0


def _adopt(flags: Init, directory: str) -> int:
    """Writes a project file for an existing repository, after asking. Returns the exit status."""
    from plait.cli.runs import described
    from plait.cli.streams import complain
    from plait.cli.tools import confirmed
    from plait.project.drafting import draft
    from plait.writing import failure, write_file

    found = draft(directory)
    notes = "".join(f"note: {note}\n" for note in found.notes)
    if not found.runs:
        complain(notes)
        raise UsageError(
            f"no run was found in {directory}",
            expected="annotated YAML, a LayeringPolicy, or a script that calls ytt, bosh or plait",
            hint="write a plait.yml by hand, or name an empty directory: plait init demo",
            code="nothing-to-do",
        )
    write_out("".join(f"{line}\n" for run in found.runs for line in described(run)) + notes)
    write_out(f"\n{found.path}:\n" + "".join(f"  {line}\n" for line in found.text.splitlines()))
    if flags.dry_run:
        return 0
    if not flags.yes and not confirmed("Write this?", "--yes, which writes it, or --dry-run"):
        complain("plait: nothing was written\n")
        return 1
    try:
        write_file(found.path, [found.text.encode("utf-8", "surrogateescape")], new_mode=0o666)
    except OSError as error:
        raise failure(f"in {found.path}", error, UsageError) from None
    write_out(f"\ncreated {found.path}\n" + _CHECKS)
    return 0


def _make_project(directory: str) -> list[str]:
    from plait.writing import followed

    made = []
    with followed(directory, make=0o777) as top:
        for path, text in PROJECT.items():
            *folders, name = path.split("/")
            with top.below(*folders, make=0o777) as folder:
                folder.create(name, [text.encode()], new_mode=0o666)
            made.append(os.path.normpath(os.path.join(directory, *folders, name)))
    return made


def main_completion(flags: Completion) -> int:
    """Runs `plait completion`. Returns the exit status. Raises UsageError for an unknown shell."""
    shell = flags.arguments[0] if flags.arguments else os.path.basename(os.environ.get("SHELL", ""))
    write = SHELLS.get(shell)
    if write is None:
        from plait.spell import did_you_mean

        raise UsageError(
            f'no completion for the shell "{shell}"',
            expected=", ".join(SHELLS),
            hint=did_you_mean(shell, SHELLS),
            code="unknown-choice",
        )
    write_out(write(commands()))
    return 0


def commands() -> dict[str, Command[Any]]:
    """The commands and their flags: the table `NAME` of the module that has the command."""
    from importlib import import_module

    from plait.cli import COMMANDS, module_of

    found = {}
    for name in COMMANDS:
        table = getattr(import_module(module_of(name)), name.upper())
        assert isinstance(table, Command)
        found[name] = table
    return {**found, "version": Command(Request, "plait version")}


def _words(table: Command[Any]) -> str:
    """The values of the first argument if the usage lists them, such as `bash|zsh|fish`."""
    first = table.request.usage.partition(" ")[0].strip("[]")
    return first.replace("|", " ") if "|" in first else ""


def _bash(
    known: dict[str, Command[Any]], program: str = "plait", root: Command[Any] | None = None, *, described: bool = False
) -> str:
    # bash shows no descriptions.
    del described
    cases = "".join(
        f'    {name}) flags="{" ".join(f"--{flag.name}" for flag in table.flags)}" words="{_words(table)}" ;;\n'
        for name, table in known.items()
    )
    choices = "".join(
        f'    {name}:--{flag.name}{f"|{name}:-{flag.short}" if flag.short else ""}) values="{" ".join(flag.choices)}" ;;\n'
        for name, table in known.items()
        for flag in table.flags
        if flag.choices
    )
    if root is not None:
        cases += f'    -*) flags="{" ".join(f"--{flag.name}" for flag in root.flags)}" ;;\n'
    return f"""\
# {program} completion for bash: source <({program} completion bash)
_{program}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" flags="" words="" values=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]{"" if root is None else ' && [ "${current:0:1}" != - ]'}; then
    COMPREPLY=($(compgen -W "{" ".join(known)}" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}  esac
  case "${{COMP_WORDS[1]}}:$before" in
{choices}  esac
  [ "$COMP_CWORD" -eq 2 ] || words=""
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F _{program} {program}
"""


def _zsh(
    known: dict[str, Command[Any]], program: str = "plait", root: Command[Any] | None = None, *, described: bool = True
) -> str:
    listed = "\n".join(
        f"    {_quoted(f'{name}:{_plain(table.request.summary)}' if described else name)}"
        for name, table in known.items()
    )
    cases = "".join(
        f"    {name})\n      _arguments \\\n"
        + "".join(f"        {_quoted(row)} \\\n" for flag in table.flags for row in _zsh_flag(flag, described))
        + (f"        '1:argument:({_words(table)})' \\\n" if _words(table) else "")
        + "        '*:file:_files'\n      ;;\n"
        for name, table in known.items()
    )
    if root is not None:
        cases += "    -*)\n      _arguments \\\n"
        cases += "".join(f"        {_quoted(row)} \\\n" for flag in root.flags for row in _zsh_flag(flag, described))
        cases += "        '*:file:_files'\n      ;;\n"
    return f"""\
#compdef {program}
# {program} completion for zsh: source <({program} completion zsh)
_{program}() {{
  local -a {program}_commands=(
{listed}
  )
  if (( CURRENT == 2 )){"" if root is None else " && [[ $words[2] != -* ]]"}; then
    _describe command {program}_commands
    return
  fi
  local chosen=$words[2]
  shift words
  (( CURRENT-- ))
  case $chosen in
{cases}  esac
}}
# Saved as a file _{program} on the fpath it is called; sourced, it says what it completes.
if [ "$funcstack[1]" = _{program} ]; then
  _{program} "$@"
else
  compdef _{program} {program}
fi
"""


def _zsh_flag(flag: Option, described: bool) -> list[str]:
    """The arguments of zsh's `_arguments` for the long and the short form of a flag."""
    repeat = "*" if flag.kind not in (SWITCH, TEXT) else ""
    choice = f"({' '.join(flag.choices)})" if flag.choices else "_files"
    value = "" if flag.kind == SWITCH else f":{(flag.value or 'value').replace(':', ' ')}:{choice}"
    text = _plain(flag.help).replace("[", "(").replace("]", ")").replace(":", "\\:")
    shown = f"[{text}]" if described else ""
    rows = [f"{repeat}--{flag.name}{'' if flag.kind == SWITCH else '='}{shown}{value}"]
    if flag.short:
        rows.append(f"{repeat}-{flag.short}{'' if flag.kind == SWITCH else '+'}{shown}{value}")
    return rows


def _fish(
    known: dict[str, Command[Any]], program: str = "plait", root: Command[Any] | None = None, *, described: bool = True
) -> str:
    out = [
        f"# {program} completion for fish: {program} completion fish | source",
        f"complete -c {program} -f -n __fish_use_subcommand",
    ]
    for name, table in known.items():
        summary = f" -d {_fish_quoted(_plain(table.request.summary))}" if described else ""
        out.append(f"complete -c {program} -f -n __fish_use_subcommand -a {name}{summary}")
        seen = f"'__fish_seen_subcommand_from {name}'"
        if _words(table):
            out.append(f"complete -c {program} -n {seen} -a {_fish_quoted(_words(table))}")
        out += _fish_flags(program, seen, table, described)
    if root is not None:
        out += _fish_flags(program, "__fish_use_subcommand", root, described)
    return "\n".join(out) + "\n"


def _fish_flags(program: str, seen: str, table: Command[Any], described: bool) -> list[str]:
    """The lines for the flags of a command, under a condition."""
    out = []
    for flag in table.flags:
        short = f" -s {flag.short}" if flag.short else ""
        value = "" if flag.kind == SWITCH else " -r"
        if flag.choices:
            value = f" -x -a {_fish_quoted(' '.join(flag.choices))}"
        text = f" -d {_fish_quoted(_plain(flag.help))}" if described else ""
        out.append(f"complete -c {program} -n {seen} -l {flag.name}{short}{value}{text}")
    return out


def _powershell(
    known: dict[str, Command[Any]], program: str = "plait", root: Command[Any] | None = None, *, described: bool = True
) -> str:
    rows = [(name, table.request.summary, table) for name, table in known.items()]
    listed = "".join(f"    {_powershell_row(name, text, described)}\n" for name, text, _ in rows)
    tables = [(name, table) for name, _, table in rows] + ([] if root is None else [("-", root)])
    flags = "".join(
        f"    {_powershell_quoted(name)} = @(\n"
        + "".join(f"      {_powershell_row(f'--{flag.name}', flag.help, described)}\n" for flag in table.flags)
        + "".join(f"      {_powershell_row(word, '', described)}\n" for word in _words(table).split())
        + "    )\n"
        for name, table in tables
    )
    return f"""\
# {program} completion for PowerShell: {program} completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName {program} -ScriptBlock {{
  param($word, $ast, $cursor)
  $commands = @(
{listed}  )
  $flags = @{{
{flags}  }}
  $words = @($ast.CommandElements | Where-Object {{ $_.Extent.EndOffset -lt $cursor }} | ForEach-Object {{ "$_" }})
  $first = if ($words.Count -gt 1) {{ $words[1] }} elseif ("$word".StartsWith('-')) {{ '-' }} else {{ '' }}
  $found = if ($first -eq '') {{ $commands }} elseif ($first.StartsWith('-')) {{ $flags['-'] }} else {{ $flags[$first] }}
  $found | Where-Object {{ $_ -like "$word*" }} | ForEach-Object {{
    $name, $text = $_ -split "`t", 2
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $text)
  }}
}}
"""


def _powershell_row(name: str, text: str, described: bool) -> str:
    return _powershell_quoted(f"{name}\t{(described and _plain(text)) or name}")


def _powershell_quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _plain(text: str) -> str:
    return text.replace("`", "").replace("\n", " ")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: dict[str, Writer] = {"bash": _bash, "zsh": _zsh, "fish": _fish, "powershell": _powershell}
