"""Command lines: a table of flags in, typed values out.

One small parser serves all commands, because importing a general one costs more than a small render. A `Command` lists
its flags; `parse` reads a command line by it, `help_text` prints it. Two families of programs are followed, and they
differ in two points (`GO_FLAGS`, spec ops 15):

- after pflag (`plait render`, and plait's own commands) a switch may be given a value, `--strict=false`, and a flag's
  value may look like a flag, `-f -s`;
- after go-flags (`plait patch`) a switch has no value, and a value that looks like a flag is missing.

Both read `--name value`, `--name=value`, `-n value`, `-nvalue`, `-n=value`, combined short flags (`-sf -`), flags
after arguments, and take everything after `--` as arguments.
"""

from __future__ import annotations

from plait.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# What a flag holds: one text (the last wins), each text given, comma separated texts, a text that is an integer (after
# go-flags alone), or on and off.
TEXT = "text"
TEXTS = "texts"
CSV = "csv"
NUMBER = "number"
SWITCH = "switch"

PFLAG = "pflag"
GO_FLAGS = "go-flags"

_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})


class Names:
    """What the value of a flag names, and where the name is in the value.

    access: what a project file needs to set the flag: "read" or "write". after: the character that ends what comes before
    the path, "" for a value that is a path. may_be_missing: the path need not exist. is_source: the value is a source of
    secrets. has_pointer: a pointer may follow, `FILE#/pointer`. may_be_url: an http or https URL may take the place.
    is_pattern: the path may have wildcards.
    """

    __slots__ = ("access", "after", "has_pointer", "is_pattern", "is_source", "may_be_missing", "may_be_url")

    def __init__(
        self,
        access: str,
        after: str = "",
        *,
        may_be_missing: bool = False,
        is_source: bool = False,
        has_pointer: bool = False,
        may_be_url: bool = False,
        is_pattern: bool = False,
    ) -> None:
        self.access = access
        self.is_pattern = is_pattern
        self.after = after
        self.may_be_missing = may_be_missing
        self.is_source = is_source
        self.has_pointer = has_pointer
        self.may_be_url = may_be_url

    def split(self, text: str) -> tuple[str, str]:
        """What comes before the path in a value, and the path; "" where the value has none."""
        if self.is_source:
            from plait.secrets.sources import Named

            path = Named(text).path
            return text.removesuffix(path), path
        if not self.after or (self.after == ":" and not text.startswith("@")):
            return "", text
        if self.may_be_url and "://" in text.partition(self.after)[0]:
            return "", text
        before, found, path = text.partition(self.after)
        if found:
            return before + found, path
        # A new name before an input file is optional.
        return ("", text) if self.may_be_url else (text, "")

    def path(self, text: str) -> str:
        """The path in a value, without a pointer; "" where the value has none."""
        path = self.split(text)[1]
        return path.rpartition("#")[0] or path if self.has_pointer else path


READ_PATH = Names("read")
WRITTEN_PATH = Names("write", may_be_missing=True)
# A link may be found only behind the path that is allowed.
LINKED_PATH = Names("read", may_be_missing=True)


class Flag:
    """A row of the table.

    names: the path, URL or program that its value names, if it does. program: what the switch lets sources of secrets start,
    as of `plait.permissions`. is_setting: a project file may set it.
    value: what help calls its value. default: shown by help, and used when it is not given. choices: all that its value
    can be, where that is known. is_last: nothing behind it is looked at, not even for mistakes.
    """

    __slots__ = (
        "choices", "default", "help", "is_last", "is_setting", "kind", "name", "names", "program", "short",
        "value",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        kind: str,
        help: str,
        *,
        short: str = "",
        value: str = "",
        default: Sequence[str] = (),
        choices: Sequence[str] = (),
        is_last: bool = False,
        names: Names | None = None,
        program: str = "",
        is_setting: bool = True,
    ) -> None:
        self.name = name
        self.names = names
        self.program = program
        self.is_setting = is_setting
        self.kind = kind
        self.help = help
        self.short = short
        self.value = value
        self.default = default
        self.choices = choices
        self.is_last = is_last

    def __repr__(self) -> str:
        return f"Flag({self.shown!r})"

    @property
    def shown(self) -> str:
        return f"-{self.short}, --{self.name}" if self.short else f"--{self.name}"

    def help_lines(self) -> list[str]:
        """The lines about it in the help of its command."""
        from textwrap import wrap

        head = f"  {'-' + self.short + ',' if self.short else '   '} --{self.name} {self.value}".rstrip()
        text = self.help
        if self.kind in (TEXTS, CSV):
            text += " (repeatable)"
        if self.default:
            text += f" (default {','.join(self.default)})"
        lines = [" " * _COLUMN + line for line in wrap(text, _WIDTH - _COLUMN, break_on_hyphens=False)]
        if len(head) > _COLUMN - 2:
            return [head, *lines]
        return [head.ljust(_COLUMN) + lines[0].lstrip(), *lines[1:]]


# Its paths hold until the command ends (`plait.cli.shared.within_limits`).
OUTPUT_LINKS = "allow-symlink-output"
HELP = Flag("help", SWITCH, "print this help", short="h", is_setting=False)
# Headings of help that commands share; flags under the last are named only.
GENERAL = "General"
SAFETY = "Limits and safety"
NO_EFFECT = "Accepted for compatibility, no effect"
_WIDTH = 80
_COLUMN = 32


class Command:
    """A command: how it is called, what it does, its flags.

    flags: in the order in which help lists them; a string among them is the heading of those that follow.
    arguments: how usage shows its positional arguments ("" for none). commands: (name, summary) of those under it.
    groups: the flags by heading. program: the program that it is a command of, "plait", or the reference program in whose
    place plait runs.
    """

    __slots__ = (
        "_by_name",
        "_by_short",
        "arguments",
        "commands",
        "flags",
        "groups",
        "name",
        "program",
        "style",
        "summary",
    )

    def __init__(
        self,
        name: str,
        summary: str,
        flags: Iterable[Flag | str] = (),
        *,
        arguments: str = "",
        commands: Sequence[tuple[str, str]] = (),
        style: str = PFLAG,
        program: str = "plait",
    ) -> None:
        self.name = name
        self.program = program
        self.summary = summary
        self.groups: dict[str, list[Flag]] = {}
        heading = "Flags"
        for row in flags:
            if isinstance(row, str):
                heading = row
            else:
                self.groups.setdefault(heading, []).append(row)
        self.groups.setdefault(GENERAL if len(self.groups) > 1 else heading, []).append(HELP)
        self.flags = [flag for group in self.groups.values() for flag in group]
        self.arguments = arguments
        self.commands = commands
        self.style = style
        self._by_name = {flag.name: flag for flag in self.flags}
        self._by_short = {flag.short: flag for flag in self.flags if flag.short}

    def parse(self, argv: Sequence[str]) -> Parsed:
        """Read a command line (without the words that chose the command).

        Raises UsageError for an unknown flag, a missing or superfluous value, a switch that is neither on nor off, and
        arguments where the command takes none. With `--help` the rest is read as well, but arguments do not matter.
        """
        found = self._read(argv)
        if found.given(OUTPUT_LINKS):
            from plait.content import OUTPUT_LINKS as ALLOWED
            from plait.content import Links

            ALLOWED.set(Links(found.texts(OUTPUT_LINKS)))
        if found.arguments and not self.arguments and not found.on("help"):
            from plait.spell import did_you_mean

            extra = ", ".join(found.arguments)
            known = [name for name, _ in self.commands]
            raise UsageError(
                f"command '{self.name}' does not accept extra arguments '{extra}'",
                hint=did_you_mean(found.arguments[0], known) or _argument_hint(found),
            )
        return found

    def read(self, argv: Sequence[str]) -> Parsed:
        """The same, also with arguments where the command takes none. Raises UsageError."""
        return self._read(argv)

    def first_argument(self, argv: Sequence[str]) -> int | None:
        """Where in the command line its first positional argument stands; None if there is none.

        Flags are skipped with their values; one that is not in the table counts as a switch.
        """
        index = 0
        while index < len(argv):
            word = argv[index]
            index += 1
            if word == "--":
                return index if index < len(argv) else None
            if not word.startswith("-") or word == "-":
                return index - 1
            if word.startswith("--"):
                flag = self._by_name.get(word[2:])
                takes_next = flag is not None and flag.kind != SWITCH
            else:
                takes_next = self._short_wants_next(word[1:])
            if takes_next:
                index += 1
        return None

    def _short_wants_next(self, letters: str) -> bool:
        for place, letter in enumerate(letters):
            flag = self._by_short.get(letter)
            if flag is not None and flag.kind != SWITCH:
                return place == len(letters) - 1
            if letters[place + 1 : place + 2] == "=":
                return False
        return False

    def _read(self, argv: Sequence[str]) -> Parsed:
        found = Parsed(self)
        words = iter(argv)
        for word in words:
            if word == "--":
                found.arguments += words
            elif not word.startswith("-") or word == "-":
                found.arguments.append(word)
            elif word.startswith("--"):
                self._read_long(word, words, found)
            else:
                self._read_short(word, words, found)
            if found.occurrences and found.occurrences[-1][0].is_last:
                break
        return found

    def _read_long(self, word: str, words: Iterable[str], found: Parsed) -> None:
        name, equals, value = word[2:].partition("=")
        if not name or name.startswith("-"):
            raise UsageError(f"bad flag syntax: {word}")
        flag = self._by_name.get(name)
        if flag is None:
            from plait.cli.elsewhere import meant_by

            if name == "json" and "json" in self._choices("output"):
                raise UsageError(f"unknown flag: --{name}", hint='did you mean "-o json"?')
            raise self._unknown(f"flag: --{name}", f"flag `{name}'", meant_by(name, list(self._by_name)))
        if equals:
            self._set(flag, value, found)
        elif flag.kind == SWITCH:
            found.add(flag, value=True)
        else:
            self._set(flag, self._next(flag, words, word), found)

    def _read_short(self, word: str, words: Iterable[str], found: Parsed) -> None:
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            flag = self._by_short.get(letter)
            if flag is None:
                name = word.lstrip("-").partition("=")[0]
                meant = [name] if name in self._by_name else []
                error = self._unknown(f"shorthand flag: '{letter}' in {word}", f"flag `{letter}'", meant)
                if letter == "f" and self.arguments:
                    error.hint = f"inputs are given without a flag: {self.name} {self.arguments}"
                raise error
            if letters.startswith("=") and (flag.kind != SWITCH or len(letters) > 1):
                self._set(flag, letters[1:], found)
                return
            if flag.kind == SWITCH:
                found.add(flag, value=True)
            else:
                self._set(flag, letters or self._next(flag, words, f"'{letter}' in {word}"), found)
                return

    def _next(self, flag: Flag, words: Iterable[str], shown: str) -> str:
        value = next(iter(words), None)
        if self.style == GO_FLAGS:
            if value is None:
                raise UsageError(f"expected argument for flag `{flag.shown}'")
            if value.startswith("-") and value != "-" and not (flag.kind == NUMBER and value[1:2].isdigit()):
                raise UsageError(
                    f"expected argument for flag `{flag.shown}', but got option `{value}'",
                    hint=f'if that is the value, write "--{flag.name}={value}"',
                )
        elif value is None:
            raise UsageError(f"flag needs an argument: {shown}", expected=f"{flag.shown} {flag.value}".rstrip())
        return value

    def _set(self, flag: Flag, value: str, found: Parsed) -> None:
        if flag.kind == NUMBER and not _is_integer(value):
            raise UsageError(f"invalid argument for flag `{flag.shown}' (expected int)", found=value)
        if flag.kind != SWITCH:
            found.add(flag, value)
        elif self.style == GO_FLAGS:
            raise UsageError(f"bool flag `{flag.shown}' cannot have an argument", found=value)
        elif value in _TRUE or value in _FALSE:
            found.add(flag, value=value in _TRUE)
        else:
            raise UsageError(
                f'invalid argument "{value}" for "{flag.shown}" flag',
                expected="true or false",
                reference=f'invalid argument "{value}" for "{flag.shown}" flag: strconv.ParseBool: parsing "{value}": '
                "invalid syntax",
            )

    def _choices(self, name: str) -> Sequence[str]:
        flag = self._by_name.get(name)
        return () if flag is None else flag.choices

    def _unknown(self, pflag: str, go_flags: str, meant: list[str]) -> UsageError:
        from plait.spell import listed

        return UsageError(
            f"unknown {go_flags if self.style == GO_FLAGS else pflag}",
            hint=f"did you mean {listed([f'--{name}' for name in meant], quote=chr(34))}?" if meant else None,
        )

    def help_text(self) -> str:
        """What `--help` prints: at most 80 columns wide, what matters most first."""
        from textwrap import wrap

        usage = " ".join(filter(None, (self.name, "[flags]", self.arguments)))
        out = [*wrap(self.summary, _WIDTH), "", "Usage:", *_indented(usage)]
        if self.commands:
            width = max(len(name) for name, _ in self.commands)
            out += [f"  {self.name} [command]", "", "Commands:"]
            out += [f"  {name:<{width}}  {summary}" for name, summary in self.commands]
        for heading, flags in self.groups.items():
            if heading != NO_EFFECT:
                out += ["", f"{heading}:", *(line for flag in flags for line in flag.help_lines())]
        if NO_EFFECT in self.groups:
            names = ", ".join(f"{flag.shown} {flag.value}".rstrip() for flag in self.groups[NO_EFFECT])
            out += ["", f"{NO_EFFECT}:", *_indented(names)]
        return "\n".join(out) + "\n"


def _indented(text: str) -> list[str]:
    from textwrap import wrap

    return wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


class Parsed:
    """The values of one command line.

    arguments: the positional ones, in order. occurrences: each use of a flag, in order, with its text or its state.
    """

    __slots__ = ("_command", "_values", "arguments", "occurrences")

    def __init__(self, command: Command) -> None:
        self._command = command
        self._values: dict[str, list[str]] = {}
        self.arguments: list[str] = []
        self.occurrences: list[tuple[Flag, str | bool]] = []

    def add(self, flag: Flag, value: str | bool) -> None:
        """Note one use of a flag. Raises UsageError for a comma separated list with broken quotes."""
        self.occurrences.append((flag, value))
        texts = self._values.setdefault(flag.name, [])
        if isinstance(value, bool):
            texts[:] = ["true"] if value else []
        elif flag.kind in (TEXT, NUMBER):
            texts[:] = [value]
        elif flag.kind == CSV:
            texts += _split(flag, value)
        else:
            texts.append(value)

    @property
    def program(self) -> str:
        """The program whose command line it is."""
        return self._command.program

    def given(self, name: str) -> bool:
        """Whether the flag stands on the command line."""
        return name in self._values

    def text(self, name: str) -> str:
        """The last value of a flag, its default, or "" when it has none."""
        texts = self.texts(name)
        return texts[-1] if texts else ""

    def texts(self, name: str) -> list[str]:
        """Every value of a flag, in order; its default when it was not given."""
        found = self._values.get(name)
        return list(self._command._by_name[name].default) if found is None else found

    def on(self, name: str) -> bool:
        """Whether a switch is on."""
        return bool(self._values.get(name))


def _split(flag: Flag, text: str) -> list[str]:
    if not text:
        return []
    if '"' not in text:
        return text.split(",")
    import csv

    try:
        return next(csv.reader([text], strict=True))
    except csv.Error as error:
        raise UsageError(f'invalid argument "{text}" for "{flag.shown}" flag', found=str(error)) from None


def _is_integer(text: str) -> bool:
    """Whether a text is an integer of 64 bits as Go writes them: a sign, and digits that 0x, 0o, 0b or 0 may precede."""
    digits = text[1:] if text[:1] in {"+", "-"} else text
    if not digits[:1].isdigit() or not digits.isascii():
        return False
    old_octal = digits[:1] == "0" and digits[1:2] not in {"", "x", "X", "o", "O", "b", "B"}
    try:
        number = int(digits.replace("_", ""), 8) if old_octal else int(digits, 0)
    except ValueError:
        return False
    return number < 1 << 63 or (text[0] == "-" and number == 1 << 63)


def _argument_hint(found: Parsed) -> str | None:
    """What to say about an argument that was meant as a switch's value, or as an input."""
    first = found.arguments[0]
    if first in _TRUE or first in _FALSE:
        last = [flag for flag, _ in found.occurrences if flag.kind == SWITCH][-1:]
        if last:
            return f"a switch takes its value after an equals sign: --{last[0].name}={first}"
    from os.path import lexists

    if "f" in found._command._by_short and (lexists(first) or "." in first or "/" in first):
        return f"an input is given with a flag: -f {first}"
    return f"{found._command.name} --help shows what there is"
