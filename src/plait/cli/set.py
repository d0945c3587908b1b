"""`plait set`: edits values of an output in their source files."""

from __future__ import annotations

import os
from shlex import quote

from plait.authoring.edit import insertion
from plait.authoring.edit.data_value_hints import data_value_hint
from plait.authoring.edit.edit_errors import EditError
from plait.authoring.edit.insertion import offers
from plait.authoring.edit.other_runs import other_changes
from plait.authoring.edit.public_functions import added, adding_hint, edited, item_hint, removed
from plait.authoring.edit.setting import EditSession, joined
from plait.authoring.edit.target import Target
from plait.authoring.edit.write_back import put_back
from plait.authoring.project.run import Run
from plait.base.content import source, sources
from plait.base.errors import PlaitError, UsageError
from plait.base.numbers import file_and_line
from plait.base.similar_names import listed, near
from plait.base.source import Source
from plait.cli.colour import cleaning, in_colour
from plait.cli.common_flags import entered, shown
from plait.cli.messages import complain_of
from plait.cli.progress import working
from plait.cli.project import RUN, chosen, is_run
from plait.cli.questions import as_run, split_question
from plait.cli.streams import complain, note, write_folded
from plait.cli.targets import check_inputs
from plait.cli.tools import table
from plait.engine import DIALECTS
from plait.engine.common import TRUST
from plait.engine.flags import Command
from plait.engine.options import Request, switch, text, texts
from plait.insight.diff import read
from plait.insight.path_resolution import IN_CODE
from plait.tree.nodes import Map
from plait.yaml.document_names import scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.edit.setting import Edit
    from plait.engine.options import Use
    from plait.insight.node_paths import NodePath
    from plait.tree.nodes import Value


class Set(Request):
    """The command line of `plait set`."""

    __slots__ = ()
    command = "set"
    summary = "Change output values by editing the source lines they come from. Prints the difference; -w writes it."
    usage = "[render|patch|layer|compose|run NAME] [its flags and arguments] PATH=VALUE|PATH-..."
    takes_words = True

    write = switch("write", "write the edited files", short="w")
    also = switch("also", "allow other output values to change")
    strings = texts("text", "set a value to this string, without parsing it as YAML", value="PATH=TEXT")
    text_files = texts("text-file", "set a value to the content of a file as one string", value="PATH=FILE")
    add = switch("add", "add the last key of PATH if it does not exist")
    at = text("at", "replace the value or expression on this line", value="FILE:LINE")
    in_ = text(
        "in",
        "add an overlay item to this file, an operation for patch, or a value to a file that the run merges",
        value="FILE",
    )
    as_ = text("as", "replace it by a data value with this name", value="value[=NAME]")
    from_ = text("from", "edit the sources so that they produce this edited output", value="PATH")
    partial = switch("partial", "with --from, skip differences that cannot be written back")
    trust = TRUST


SET = Command(Set)

# The ways to read VALUE. The last two are flags.
YAML, TEXT_ITSELF, TEXT_OF_FILE = "yaml", "text", "text-file"


class Wish:
    """One requested change. text: the argument. splits: the candidates for PATH and VALUE. is_gone: the value is
    removed.
    """

    __slots__ = ("form", "is_gone", "splits", "text")

    def __init__(self, text: str, form: str = YAML) -> None:
        """form: the way to read VALUE. Raises UsageError for an argument that is not PATH=VALUE."""
        self.text = text
        self.form = form
        self.splits = [*_splits(text)]
        self.is_gone = not self.splits and text.endswith("-")
        if self.is_gone:
            self.splits = [(text[:-1], "")]
        if not self.splits:
            raise UsageError(
                f'"{text}" sets nothing',
                expected="PATH=VALUE, such as Deployment/web:spec.replicas=3",
                hint='PATH, "=" and VALUE are one argument, without spaces' if text[:1] == "=" else None,
                code="missing-argument",
            )

    def found(self, state: EditSession) -> tuple[NodePath, str]:
        """The only value at the PATH, and the text of the VALUE. Raises UsageError."""
        first: UsageError | None = None
        for path, value in self.splits:
            try:
                return state.single_value(path), value
            except UsageError as error:
                first = first or error
        assert first is not None
        raise first

    def value(self, text: str) -> Value:
        """The parsed VALUE. `@path` is the YAML in a file. Raises ReadError, and UsageError for several documents."""
        if self.form == TEXT_ITSELF:
            return text
        if self.form == TEXT_OF_FILE:
            return source(text).text
        file = source(text[1:]) if text.startswith("@") else Source("VALUE", text)
        documents = read([file])
        if len(documents) != 1:
            raise UsageError(
                "a value is one document",
                at=documents[1].position,
                found=f"{len(documents)} documents",
                code="one-document",
            )
        value = documents[0].value
        _check_keys(value, text)
        return value

    def typed(self, text: str) -> str | None:
        """The value as the user typed it, or None."""
        return None if self.form != YAML or text.startswith("@") else text.strip()


def _check_keys(value: Value, text: str) -> None:
    """Raises UsageError for a key of a map in braces that is written without a colon after it, as in `{a:b}`."""
    for item in value.items if type(value) is Map and text[:1] == "{" else ():
        key = scalar_text(item.key)
        if item.value is None and text.rpartition(key)[2].lstrip("\"' ")[:1] in {",", "}"}:
            name, colon, rest = key.partition(":")
            form = f"{name}: {rest}" if name and colon and rest else f"{key}: VALUE"
            raise UsageError(
                f'"{key}" is a key without a value in {text}',
                expected="a space after the colon" if colon else "a colon and a value after the key",
                hint=_with_form(text, key, form),
                code="invalid-value",
            )


def _with_form(text: str, key: str, form: str) -> str | None:
    """A map with another form of a key, as a hint; None if that form has no value either."""
    written = text.replace(key, form)
    made = read([Source("VALUE", written)])[0].value
    return written if type(made) is Map and all(item.value is not None for item in made.items) else None


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """PATH and VALUE for each `=` that may separate them. A pointer may contain `=` itself."""
    quoted, depth = False, 0
    for at, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif not quoted and char in "[]":
            depth += 1 if char == "[" else -1
        elif char == "=" and not quoted and depth <= 0 and at:
            yield text[:at], text[at + 1 :]
            if not (text.startswith("/") or ":/" in text[:at]):
                return


def main(argv: Sequence[str]) -> int:
    """Runs `plait set`. Returns the exit status: 1 if more values would change than requested. Raises PlaitError."""
    flags, rest = SET.apart(argv, anywhere=True)
    if entered(flags).help or not argv:
        return shown(SET)
    try:
        target, words = _target(rest)
    except UsageError as error:
        if error.code == "unknown-flag":
            # The flags of this command are known only here.
            known = [one.name for kind in (type(error.parsed), Set) for one in getattr(kind, "options", ())]
            meant = near(f"--{error.word}", [f"--{name}" for name in known])
            error.hint = f"did you mean {listed(meant, quote=chr(34))}?" if meant else error.hint
        raise
    wishes = [Wish(word) for word in words]
    wishes += [Wish(one, TEXT_ITSELF) for one in flags.strings]
    wishes += [Wish(one, TEXT_OF_FILE) for one in flags.text_files]
    if flags.has(Set.from_):
        if wishes:
            raise UsageError("--from cannot be combined with PATH=VALUE", found=wishes[0].text, code="flag-conflict")
        return _set_from(target, flags)
    if not wishes:
        raise _nothing([one.value for one in target.uses if one.option.is_argument])
    return _set(target, wishes, flags)


def _nothing(given: Sequence[str]) -> UsageError:
    """The error for a command line without PATH=VALUE. given: its arguments."""
    hint = None
    if len(given) == 2:
        hint = f"one argument: {_argument(given[0].removesuffix(':'), given[1])}"
    elif given:
        path, colon, value = given[0].rpartition(":")
        is_value = bool(colon) and (value[:1] == " " or value.isdecimal())
        written = _argument(path, value.strip()) if is_value else _of_map(given[0])
        hint = f"an equals sign separates them: {written}" if written else f"add the value: {given[0]}=VALUE"
    return UsageError(
        "nothing to set",
        expected="PATH=VALUE, such as Deployment/web:spec.replicas=3",
        found=" ".join(given) or None,
        hint=hint,
        code="missing-argument",
    )


def _argument(path: str, value: str) -> str:
    return quote(f"{path}={value}")


def _of_map(text: str) -> str | None:
    """The PATH=VALUE for a map with one value, such as a JSON patch; None for another text."""
    try:
        value = read([Source("VALUE", text)])[0].value if text[:1] == "{" else None
    except PlaitError:
        return None
    keys: list[str] = []
    while type(value) is Map and len(value.items) == 1:
        keys.append(str(value.items[0].key))
        value = value.items[0].value
    return _argument(".".join(keys), scalar_text(value)) if keys and type(value) in (str, int, bool) else None


def _set(target: Target, wishes: Sequence[Wish], flags: Set) -> int:
    with working("looking for the lines to edit"):
        state = EditSession(target)
        edits: list[Edit] = []
        for wish in wishes:
            if edits:
                state = EditSession(target, joined(edits).texts)
            edits.append(_edit(state, wish, flags))
        edit = joined(edits)
    _show(edit)
    _finish(target, edit, flags)
    return 0


def _edit(state: EditSession, wish: Wish, flags: Set) -> Edit:
    """The edit for one value. If it fails, prints alternatives. Raises PlaitError."""
    try:
        place, text = wish.found(state)
    except UsageError as error:
        if wish.is_gone or not flags.add:
            path, typed = wish.splits[0]
            error.hint = (
                item_hint(state, path, wish.typed(typed))
                or (None if path.startswith(IN_CODE) else error.hint)
                or data_value_hint(state, path)
                or error.hint
            )
            error.hint = error.hint or (None if wish.is_gone else adding_hint(state, path, wish.typed(typed) or ""))
            raise
        path, text = wish.splits[0]
        try:
            return added(state, path, wish.value(text))
        except UsageError as missing:
            if missing.code == error.code:
                missing.hint = missing.hint or adding_hint(state, path, wish.typed(text) or "")
            raise
    if wish.is_gone:
        return removed(state, place)
    value = wish.value(text)
    try:
        edit = _chosen(state, place, value, wish.typed(text), flags)
    except EditError as refused:
        # Elsewhere, a value of another type would bypass the schema.
        is_mistyped = refused.cause == "wrong-value-type"
        if flags.has(Set.at, Set.in_, Set.as_) or refused.reason in ("secret", "link") or is_mistyped:
            raise
        raise refused.offer(offers(state, place, value)) from None
    if edit.also and not flags.also:
        _show(edit)
        raise edit.refused(str(place)).offer(offers(state, place, value))
    return edit


def _chosen(state: EditSession, node_path: NodePath, value: Value, typed: str | None, flags: Set) -> Edit:
    """The edit at the position that the flags select, or at the value's source."""
    if flags.has(Set.at):
        named = file_and_line(flags.at)
        if named is None:
            raise UsageError(f'"{flags.at}" does not name a line of a file', expected="FILE:LINE", code="invalid-value")
        return insertion.at(state, node_path, value, *named)
    if flags.has(Set.in_):
        return insertion.add_to_file(state, node_path, value, flags.in_)
    if flags.has(Set.as_):
        kind, _, name = flags.as_.partition("=")
        if kind != "value":
            raise UsageError(f'unknown kind "{kind}" of --as', expected="value, or value=NAME", code="invalid-value")
        return insertion.as_value(state, node_path, value, name)
    return edited(state, node_path, value, typed)


def _set_from(target: Target, flags: Set) -> int:
    """Writes an edited output back. Returns the exit status: 1 if some differences could not be written back."""
    wanted = read(sources(flags.from_))
    with working("looking for the lines to edit"):
        session = EditSession(target)
        _check_output(session, flags.from_)
        edit, refused = put_back(session, wanted)
    is_partial = flags.partial
    if not refused or is_partial:
        _show(edit)
        _finish(target, edit, flags)
    for one in refused:
        complain_of(one)
    if refused and not is_partial:
        complain("plait: nothing was written; --partial skips these\n")
    return 1 if refused else 0


def _check_output(session: EditSession, named: str) -> None:
    """Raises UsageError if a file, or a directory, for `--from` has inputs of the run in place of its output."""
    path = os.path.abspath(named)
    read_files = [one for one, data in session.output.view.files.items() if data is not None]
    if any(one == path or one.startswith(path + os.sep) for one in read_files):
        run = session.target.run
        command = f"run {run.name}" if run.name else f"{run.command} ..."
        raise UsageError(
            f"{named} is an input of the run",
            expected="an edited copy of its output",
            hint=f"plait {command} > out.yml, edit out.yml, then plait set {command} --from out.yml",
            code="invalid-value",
        )


def _finish(target: Target, edit: Edit, flags: Set) -> None:
    """Prints the other runs that change, and writes the files, or prints how to write them."""
    with working("checking the other runs"):
        others = other_changes(target.run, edit)
    clean = cleaning()
    write_folded("".join(f"note: {clean(one)}\n" for one in others), is_harmless=True)
    names = ", ".join(os.path.relpath(path) for path in edit.files)
    if not edit.files:
        note("plait: the output already has this value\n")
    elif flags.write:
        edit.write(also=True)
        note(f"plait: wrote {names}\n")
    else:
        note("plait: nothing was written; -w writes it\n")


def _show(edit: Edit) -> None:
    """Prints the changed lines of files, and the changed keys of the output."""
    write_folded(edit.to_text(colour=in_colour(), clean=cleaning()), is_harmless=True)


def _target(words: list[str]) -> tuple[Target, list[str]]:
    """The run, and the remaining words. Raises PlaitError."""
    if words and words[0] not in (*DIALECTS, "run") and is_run(words[0]):
        words = ["run", *words]
    is_named = bool(words) and words[0] == "run"
    if is_named or (words and words[0] not in DIALECTS and all(_is_wish(word) for word in words)):
        try:
            before, words = RUN.apart(words[1:]) if is_named else (RUN.request(), words)
            run, rest = chosen(entered(before).project, words, named=is_named, others=True)
        except UsageError as error:
            error.hint = error.hint or (None if is_named else as_run(words[0]))
            raise
        typed = entered(table(run.command).read(rest))
        uses, wishes = _apart(typed.uses)
        run.grant(uses)
    elif len(words) > 1 and words[0] not in DIALECTS and not any(map(_is_no_path, words)):
        raise _nothing(words)
    else:
        question = split_question(Request(), words, asks=False)
        own, wishes = _apart(question.request.uses)
        run, uses = Run("", question.request.command, (), None, "", None, uses=own), []
    check_inputs((*run.request().uses, *uses))
    return Target(run, uses), wishes


def _is_no_path(word: str) -> bool:
    return word.startswith("-") or _is_wish(word) or os.path.lexists(word)


def _apart(uses: Sequence[Use]) -> tuple[list[Use], list[str]]:
    """The uses of options, and the arguments that set values."""
    wishes = [one for one in uses if one.option.is_argument and _is_wish(one.value)]
    return [one for one in uses if one not in wishes], [one.value for one in wishes]


def _is_wish(word: str) -> bool:
    return ("=" in word or word[1:].endswith("-")) and not word.startswith("-") and not os.path.lexists(word)
