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

from plait.engine.common import GENERAL, NO_EFFECT, OUTPUT_LINKS
from plait.engine.options import GO_FLAGS, LISTS, NUMBER, PFLAG, SWITCH, Option, Request
from plait.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})


HELP = Option("help", SWITCH, "print this help", short="h", setting="")
_WIDTH = 80
_COLUMN = 32


def command_of(dialect: type[Request], name: str = "", **more: Any) -> Command:
    """The command of a dialect. name: if it is called otherwise. more: of `Command`."""
    own: dict[str, Any] = {
        "summary": dialect.summary,
        "flags": dialect.rows,
        "arguments": dialect.usage,
        "style": dialect.grammar,
        "request": dialect,
    }
    return Command(name or f"plait {dialect.command}", **own | more)


def words_of(request: Request) -> list[str]:
    """A request as one would type it, for messages."""
    found: list[str] = []
    for use in request.uses:
        if use.option.is_argument:
            found.append(use.value)
        elif use.option.kind == SWITCH:
            found += [f"--{use.option.name}"] if use.value else []
        elif use.option.name:
            found.append(f"--{use.option.name}={use.value}")
    return found


def help_lines(option: Option) -> list[str]:
    """The lines about an option in the help of its command."""
    from textwrap import wrap

    head = f"  {'-' + option.short + ',' if option.short else '   '} --{option.name} {option.value}".rstrip()
    text = option.help
    if option.kind in LISTS:
        text += " (repeatable)"
    if option.default:
        text += f" (default {','.join(option.default)})"
    lines = [" " * _COLUMN + line for line in wrap(text, _WIDTH - _COLUMN, break_on_hyphens=False)]
    if len(head) > _COLUMN - 2:
        return [head, *lines]
    return [head.ljust(_COLUMN) + lines[0].lstrip(), *lines[1:]]


class Command:
    """A command: how it is called, what it does, its flags.

    flags: options in the order in which help lists them; a string among them is the heading of those that follow.
    arguments: how usage shows its positional arguments ("" for none). commands: (name, summary) of those under it.
    groups: the flags by heading. program: the program that it is a command of, "plait", or the reference program in whose
    place plait runs. request: the class of what `parse` returns. is_long_running: it serves until it is ended, or makes many
    runs, so that the limits of one run are not its own.
    """

    __slots__ = (
        "_by_name",
        "_by_short",
        "arguments",
        "commands",
        "flags",
        "groups",
        "is_long_running",
        "name",
        "program",
        "request",
        "style",
        "summary",
    )

    def __init__(
        self,
        name: str,
        summary: str,
        flags: Iterable[object] = (),
        *,
        arguments: str = "",
        commands: Sequence[tuple[str, str]] = (),
        style: str = PFLAG,
        program: str = "plait",
        request: type[Request] = Request,
        is_long_running: bool = False,
    ) -> None:
        self.name = name
        self.is_long_running = is_long_running
        self.request = request
        self.program = program
        self.summary = summary
        self.groups: dict[str, list[Option]] = {}
        heading = "Flags"
        for row in flags:
            if isinstance(row, str):
                heading = row
            elif isinstance(row, Option) and row.name:
                self.groups.setdefault(heading, []).append(row)
        self.groups.setdefault(GENERAL if len(self.groups) > 1 else heading, []).append(HELP)
        self.flags = [flag for group in self.groups.values() for flag in group]
        self.arguments = arguments
        self.commands = commands
        self.style = style
        self._by_name = {flag.name: flag for flag in self.flags}
        self._by_short = {flag.short: flag for flag in self.flags if flag.short}

    def has(self, name: str) -> bool:
        """True if the command has a flag of this name."""
        return name in self._by_name

    def parse(self, argv: Sequence[str]) -> Request:
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
                reference=f"command '{self.name}' does not accept extra arguments '{found.arguments[0]}'",
                hint=did_you_mean(found.arguments[0], known) or _argument_hint(self, found),
            )
        return found

    def read(self, argv: Sequence[str]) -> Request:
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

    def _read(self, argv: Sequence[str]) -> Request:
        found = self.request(self._by_name, self.program)  # type: ignore[call-arg]
        argument, words = self.request.argument, iter(argv)
        for word in words:
            if word == "--":
                for one in words:
                    found.use(argument, one)
            elif not word.startswith("-") or word == "-":
                found.use(argument, word)
            else:
                try:
                    (self._read_long if word.startswith("--") else self._read_short)(word, words, found)
                except UsageError as error:
                    error.parsed = found
                    raise
            if found.uses and found.uses[-1].option.is_last:
                break
        return found

    def _read_long(self, word: str, words: Iterable[str], found: Request) -> None:
        name, equals, value = word[2:].partition("=")
        if not name or name.startswith("-"):
            raise UsageError(f"bad flag syntax: {word}")
        flag = self._by_name.get(name)
        if flag is None:
            from plait.engine.similar import meant_by

            if name == "json" and "json" in self._choices("output"):
                raise UsageError(f"unknown flag: --{name}", hint='did you mean "-o json"?')
            raise self._unknown(f"flag: --{name}", f"flag `{name}'", meant_by(name, list(self._by_name)))
        if equals:
            self._set(flag, value, found)
        elif flag.kind == SWITCH:
            found.use(flag, value=True)
        else:
            self._set(flag, self._next(flag, words, word), found)

    def _read_short(self, word: str, words: Iterable[str], found: Request) -> None:
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            flag = self._by_short.get(letter)
            if flag is None:
                name = word.lstrip("-").partition("=")[0]
                meant = [name] if name in self._by_name else []
                error = self._unknown(f"shorthand flag: '{letter}' in {word}", f"flag `{letter}'", meant)
                if self.style == PFLAG:
                    error.reference = f"unknown shorthand flag: '{letter}' in -{letter}{letters}"
                if letter == "f" and self.arguments:
                    error.hint = f"inputs are given without a flag: {self.name} {self.arguments}"
                raise error
            if letters.startswith("=") and (flag.kind != SWITCH or len(letters) > 1):
                self._set(flag, letters[1:], found)
                return
            if flag.kind == SWITCH:
                found.use(flag, value=True)
            else:
                self._set(flag, letters or self._next(flag, words, f"'{letter}' in {word}"), found)
                return

    def _next(self, flag: Option, words: Iterable[str], shown: str) -> str:
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

    def _set(self, flag: Option, value: str, found: Request) -> None:
        if flag.kind == NUMBER and not _is_integer(value):
            told = f"invalid argument for flag `{flag.shown}' (expected int)"
            fault = "value out of range" if value.removeprefix("-").isdigit() else "invalid syntax"
            reference = f'{told}: strconv.ParseInt: parsing "{value}": {fault}'
            raise UsageError(told, found=value, reference=reference)
        if flag.kind != SWITCH:
            found.use(flag, value)
        elif self.style == GO_FLAGS:
            raise UsageError(f"bool flag `{flag.shown}' cannot have an argument", found=value)
        elif value in _TRUE or value in _FALSE:
            found.use(flag, value=value in _TRUE)
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
                out += ["", f"{heading}:", *(line for flag in flags for line in help_lines(flag))]
        if NO_EFFECT in self.groups:
            names = ", ".join(f"{flag.shown} {flag.value}".rstrip() for flag in self.groups[NO_EFFECT])
            out += ["", f"{NO_EFFECT}:", *_indented(names)]
        return "\n".join(out) + "\n"


def _indented(text: str) -> list[str]:
    from textwrap import wrap

    return wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


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


def _argument_hint(command: Command, found: Request) -> str | None:
    """What to say about an argument that was meant as a switch's value, or as an input."""
    first = found.arguments[0]
    if first in _TRUE or first in _FALSE:
        last = [use.option for use in found.uses if use.option.kind == SWITCH][-1:]
        if last:
            return f"a switch takes its value after an equals sign: --{last[0].name}={first}"
    from os.path import lexists

    if "f" in command._by_short and (lexists(first) or "." in first or "/" in first):
        return f"an input is given with a flag: -f {first}"
    return f"{command.name} --help shows what there is"
