"""`plait` without arguments, and `plait init`."""

from __future__ import annotations

import os
from shlex import quote

from plait.authoring.project.drafting import draft
from plait.authoring.project.inference.site_runs import site_directories
from plait.authoring.project.other_tools import other_tool
from plait.authoring.project.run_inference import top_of_templates
from plait.base.errors import UsageError
from plait.base.lines import lines_of
from plait.base.writing.real_paths import failure
from plait.base.writing.targets import followed, write_file
from plait.cli.progress import working
from plait.cli.runs import described
from plait.cli.streams import complain, note, write_answer, write_out
from plait.cli.tools import confirmed, only_argument
from plait.engine.common import ALLOW_OUTPUT
from plait.engine.flags import Command
from plait.engine.options import Request, switch
from plait.layering.sites import SITES, repositories_of
from plait.tree.nodes import Map, MapItem
from plait.yaml.writer import write_value

EXAMPLES = """\
plait patches, templates and layers YAML. Three things to try:

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
    dry_run = switch("dry-run", "print the project file of an existing repository without writing it")
    agents = switch("agents", "write an AGENTS.md instead: the project's commands and rules for AI agents")
    force = switch("force", "with --agents, replace a file that exists", requires=("agents",))
    yes = switch("yes", "write without asking for confirmation", short="y")
    output_links = ALLOW_OUTPUT


INIT = Command(Init)


# The files that `init` writes, by path.
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

  plait run {name}
  plait lint
  plait explain run {name} {path}

A test of it, in tests/{name}.test.yml; plait test runs it:

{test}"""
# Maximum number of characters of a note.
_NOTE = 400


def main_init(flags: Init) -> int:
    """Runs `plait init`. Returns the exit status: 1 if nothing was written. Raises PlaitError."""
    directory = only_argument(INIT, flags, "directory", ".")
    if os.path.isfile(directory) or directory.endswith((".yml", ".yaml")):
        raise UsageError(
            f'"{directory}" is not a directory',
            expected="the directory to write plait.yml in",
            hint=f"plait init {os.path.dirname(directory) or os.curdir}",
            code="invalid-value",
        )
    if flags.agents:
        return _write_agents(flags, directory)
    # Names that a fresh clone of an empty repository may contain.
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
    with working("looking for runs"):
        found = draft(directory, is_dry=flags.dry_run)
    notes = "".join(
        f"note: {one if len(one) <= _NOTE else one[:_NOTE].rpartition(' ')[0] + ' ...'}\n" for one in found.notes
    )
    if not found.runs:
        note(notes)
        raise UsageError(
            f"no run was found in {directory}",
            expected="annotated YAML, a LayeringPolicy, or a script that calls ytt, bosh or plait",
            hint=other_tool(directory)
            or f"write a plait.yml, such as {_by_hand(directory)}, or name an empty directory: plait init demo",
            code="nothing-to-do",
        )
    note(notes + "\n" * bool(notes))
    write_answer("".join(f"{line}\n" for run in found.runs for line in described(run)))
    write_answer(f"\n{found.path}:\n" + "".join(f"  {line}\n" for line in lines_of(found.text)))
    if flags.dry_run:
        return 0
    if not flags.yes and not confirmed("Write this?", "--yes or --dry-run"):
        complain("plait: nothing was written\n")
        return 1
    try:
        # The user did not name this file, so a link is not followed.
        top = os.path.dirname(found.path) or os.curdir
        write_file(found.path, [found.text.encode("utf-8", "surrogateescape")], new_mode=0o666, top=top)
    except OSError as error:
        raise failure(f"in {found.path}", error, UsageError) from None
    name = found.runs[0].name
    path, value = found.example or ("PATH", "VALUE")
    equals = Map([MapItem("run", name), MapItem("equals", Map([MapItem(path, value)]))])
    test = write_value(Map([MapItem("tests", Map([MapItem("a value", equals)]))]))
    lines = "".join(f"  {line}\n" for line in lines_of(test))
    write_out(f"\ncreated {found.path}\n" + _CHECKS.format(name=name, path=quote(path), test=lines))
    return 0


# The text that `init --agents` writes.
AGENTS = """\
# Configuration with plait

The YAML of this project is rendered by plait. A value of the output comes from a line of an input: edit that line, never
the output.

- `plait project` lists the runs; `plait run NAME` renders one.
- `plait explain run NAME PATH` shows every line behind a value, such as `Deployment/web:spec.replicas`.
- `plait impact run NAME FILE:LINE` lists the values that a line affects.
- `plait set run NAME PATH=VALUE` shows the edit that sets a value, and other runs that it changes; `-w` writes it.
- `plait lint`, `plait test` and `plait review main` check a change before it is committed.
- `plait help CODE` explains the code of an error, such as E0101.

`plait mcp` serves the same to agents as tools of the Model Context Protocol; it writes nothing and shows no secrets.
Do not pass `--trust` or run `plait trust`: the user decides what a project may access beyond its repository.
"""


def _write_agents(flags: Init, directory: str) -> int:
    """Writes AGENTS.md. Returns the exit status. Raises UsageError if it exists, unless --force is given."""
    path = os.path.normpath(os.path.join(directory, "AGENTS.md"))
    if flags.dry_run:
        write_out(f"would create {path}\n")
        return 0
    if not flags.force and os.path.lexists(path):
        raise UsageError(f"{path} exists", hint="--force replaces it", code="foreign-file")
    try:
        followed(directory, make=0o777).close()
        write_file(path, [AGENTS.encode()], new_mode=0o666, top=directory)
    except (OSError, ValueError) as error:
        raise failure(f"in {directory}", error, UsageError) from None
    write_out(f"created {path}\n")
    return 0


def _by_hand(directory: str) -> str:
    """A project file that a user may write instead."""
    for here, name in site_directories(directory):
        site = os.path.join(os.path.relpath(here, directory), SITES, name)
        named = ", ".join(f"{one}=DIR" for one in repositories_of(os.path.join(directory, site)))
        needed = f", repository: [{named}]" if named else ""
        return f"runs: {{{name}: {{layer: {{site: {os.path.normpath(site)}{needed}}}}}}}"
    templates = top_of_templates(directory)
    if templates:
        return f"runs: {{app: {{render: {{files: [{templates}], data-values-file: [values.yml]}}}}}} with the values that it needs"
    return "runs: {app: {patch: {base: app.yml, ops: [ops.yml]}}}"


def _make_project(directory: str) -> list[str]:
    made = []
    with followed(directory, make=0o777) as top:
        for path, text in PROJECT.items():
            *folders, name = path.split("/")
            with top.below(*folders, make=0o777) as folder:
                folder.create(name, [text.encode()], new_mode=0o666)
            made.append(os.path.normpath(os.path.join(directory, *folders, name)))
    return made
