"""Parses command lines into requests, by a table of flags.

All commands share a small parser, because importing a general one takes longer than a small render. A `Command` lists
its flags; `parse` parses a command line, `help_text` prints the help. There are two grammars, which differ in two
points (`GO_FLAGS`, docs/reference/operations.md):

- after pflag (`plait render`, and plait's own commands) a switch accepts a value, `--strict=false`, and a flag's value
may look like a flag, `-f -s`;
- after go-flags (`plait patch`) a switch has no value, and a value that looks like a flag counts as missing.

Both accept `--name value`, `--name=value`, `-n value`, `-nvalue`, `-n=value`, combined short flags (`-sf -`), flags
after arguments, and treat everything after `--` as arguments.
"""

from __future__ import annotations

from plait.base.errors import UsageError
from plait.engine.common import FALSE, GENERAL, NO_EFFECT, TRUE
from plait.engine.options import GO_FLAGS, NUMBER, PFLAG, SWITCH, Option, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence
    from typing import Any, Generic, TypeAlias, TypeVar

    from plait.engine.options import Declared

    R = TypeVar("R", bound=Request)
    # A command with any request.
    AnyCommand: TypeAlias = "Command[Any]"
else:
    from plait.engine.options import Generic

    R = None


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


class Command(Generic[R]):
    """The command line of a request. request: the class that `parse` returns. name: with that of the program. groups: the flags by heading."""

    __slots__ = ("_by_name", "_by_short", "flags", "groups", "name", "request", "style")

    def __init__(self, request: type[R], name: str = "") -> None:
        self.request = request
        self.name = name or f"plait {request.command}"
        self.style = request.grammar
        self.groups: dict[str, list[Option]] = {}
        heading = "Flags"
        for row in request.rows:
            if isinstance(row, str):
                heading = row
            elif row.name:
                self.groups.setdefault(heading, []).append(row)
        shared: Declared = Request
        if len(self.groups) > 1 or heading == NO_EFFECT:
            heading = GENERAL
        self.groups.setdefault(heading, []).append(shared.help)
        self.flags = [flag for group in self.groups.values() for flag in group]
        hidden = shared.shared if request.program == "plait" else [shared.debug]
        self._by_name: dict[str, Option] = {flag.name: flag for flag in (*hidden, *self.flags)}
        self._by_short = {flag.short: flag for flag in self.flags if flag.short}

    def parse(self, argv: Sequence[str], settings: Container[str] = ()) -> R:
        """Parses a command line without the words that selected the command. settings: other options that are used.

        Raises UsageError for an unknown flag, a missing or superfluous value, an invalid value of a switch, unexpected
        arguments, and a flag without one that it requires. With `--help` the rest is parsed, but not checked.
        """
        return self.checked(self.read(argv), settings)

    def checked(self, found: R, settings: Container[str] = ()) -> R:
        """As `parse`, for a command line that `read` returned. Raises UsageError."""
        if not found.help and ((found.arguments and not self.request.usage) or found.lacking(settings)):
            from plait.engine.misused_flags import misused

            raise misused(self.name, self.flags, found, settings)
        return found

    def read(self, argv: Sequence[str]) -> R:
        """As `parse`, but accepts unexpected arguments. Raises UsageError."""
        found, words = self.request(), iter(argv)
        for word in words:
            if word == "--":
                for one in words:
                    found.use(self.request.argument, one)
            elif not self._is_flag(word):
                found.use(self.request.argument, word)
            else:
                try:
                    self._read_flag(word, words, found)
                except UsageError:
                    self._read_rest(words, found)
                    raise
            if found.uses and (found.uses[-1].option.is_last or (self.style == GO_FLAGS and found.help)):
                break
        self._check_form(found)
        return found

    def apart(self, argv: Sequence[str], *, anywhere: bool = False) -> tuple[R, list[str]]:
        """The flags of the command at the start of a command line, or anywhere in it, and the remaining words.

        Raises UsageError.
        """
        found, words = self.request(), iter(argv)
        left: list[str] = []
        for word in words:
            head = word.partition("=")[0]
            if word == "--" or not (
                head[2:] in self._by_name if word[:2] == "--" else head[1:] in self._by_short and word[:1] == "-"
            ):
                left.append(word)
                if word == "--" or not anywhere:
                    break
            else:
                self._read_flag(word, words, found)
        self._check_form(found)
        return found, [*left, *words]

    def _check_form(self, found: Request) -> None:
        if found.has(self.request.message_format):
            found.require_choice(self.request.message_format)
        if found.has(self.request.color):
            found.require_choice(self.request.color)

    def first_argument(self, argv: Sequence[str]) -> int | None:
        """The index of the first positional argument in the command line, or None.

        Flags are skipped with their values. A flag that is not in the table counts as a switch.
        """
        index = 0
        while index < len(argv):
            word = argv[index]
            index += 1
            if word == "--":
                return index if index < len(argv) else None
            if not self._is_flag(word):
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

    def _is_flag(self, word: str) -> bool:
        """True if a word is parsed as a flag. In the grammar of go-flags, a word with three leading dashes is not."""
        return word.startswith("-") and word != "-" and not (self.style == GO_FLAGS and word.startswith("---"))

    def _read_flag(self, word: str, words: Iterable[str], found: Request) -> None:
        try:
            (self._read_long if word.startswith("--") else self._read_short)(word, words, found)
        except UsageError as error:
            error.parsed = found
            raise

    def _read_rest(self, words: Iterable[str], found: Request) -> None:
        """Parses the valid flags after a mistake, because they determine the format of the error."""
        for word in words:
            if word == "--":
                return
            if word.startswith("--"):
                try:
                    self._read_flag(word, words, found)
                except UsageError:
                    continue

    def _read_long(self, word: str, words: Iterable[str], found: Request) -> None:
        name, equals, value = word[2:].partition("=")
        if self.style == PFLAG and (not name or name.startswith("-")):
            raise UsageError(f"bad flag syntax: {word}", code="unknown-flag")
        flag = self._by_name.get(name)
        if flag is None:
            if name == "json" and "json" in self._choices("output"):
                raise UsageError(f"unknown flag: --{name}", hint='did you mean "-o json"?', code="unknown-flag")
            raise self._unknown(name, f"flag: --{name}", f"flag `{name}'")
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
                known = [name] if name in self._by_name else None
                error = self._unknown(letter, f"shorthand flag: '{letter}' in {word}", f"flag `{letter}'", known)
                if self.style == PFLAG:
                    escaped = f"\\{letter}" if letter in "'\\" else chr(letter.encode()[0])
                    error.reference = f"unknown shorthand flag: '{escaped}' in -{letter}{letters}"
                raise error
            # In the grammar of pflag, a final equals sign is the value.
            if letters.startswith("=") and (len(letters) > 1 or (self.style == GO_FLAGS and flag.kind != SWITCH)):
                self._set(flag, letters[1:], found)
                return
            if flag.kind == SWITCH:
                found.use(flag, value=True)
            else:
                self._set(flag, letters or self._next(flag, words, f"'{letter}' in -{letter}"), found)
                return

    def _next(self, flag: Option, words: Iterable[str], shown: str) -> str:
        value = next(iter(words), None)
        if self.style == GO_FLAGS:
            if value is None:
                raise UsageError(f"expected argument for flag `{flag.shown}'", code="missing-argument")
            if self._is_flag(value) and not (flag.kind == NUMBER and value[1:2].isdigit()):
                kind = "double dash" if value == "--" else "option"
                raise UsageError(
                    f"expected argument for flag `{flag.shown}', but got {kind} `{value}'",
                    hint=f'if this is the value, write "--{flag.name}={value}"',
                    code="missing-argument",
                )
        elif value is None:
            raise UsageError(
                f"flag needs an argument: {shown}",
                expected=f"{flag.shown} {flag.value}".rstrip(),
                code="missing-argument",
            )
        return value

    def _set(self, flag: Option, value: str, found: Request) -> None:
        if flag.kind == NUMBER and not _is_integer(value):
            told = f"invalid argument for flag `{flag.shown}' (expected int)"
            fault = "value out of range" if value.removeprefix("-").isdigit() else "invalid syntax"
            reference = f'{told}: strconv.ParseInt: parsing "{value}": {fault}'
            raise UsageError(told, found=value, reference=reference, code="invalid-value")
        if flag.kind != SWITCH:
            found.use(flag, value)
        elif self.style == GO_FLAGS:
            raise UsageError(
                f"bool flag `{flag.shown}' cannot have an argument", found=value, code="unexpected-argument"
            )
        elif value in TRUE or value in FALSE:
            found.use(flag, value=value in TRUE)
        else:
            raise UsageError(
                f'invalid argument "{value}" for "{flag.shown}" flag',
                expected="true or false",
                reference=f'invalid argument "{value}" for "{flag.shown}" flag: strconv.ParseBool: parsing "{value}": '
                "invalid syntax",
                code="invalid-value",
            )

    def _choices(self, name: str) -> Sequence[str]:
        flag = self._by_name.get(name)
        return () if flag is None else flag.choices

    def _unknown(self, word: str, pflag: str, go_flags: str, meant: Sequence[str] | None = None) -> UsageError:
        """The error for an unknown flag. meant: the intended ones, if they do not follow from the word."""
        from plait.engine.similar import unknown_hint

        return UsageError(
            f"unknown {go_flags if self.style == GO_FLAGS else pflag}",
            hint=unknown_hint(self.name, self.request.usage, word, [*self._by_name], meant),
            code="unknown-flag",
            word=word,
        )


def shared_flags(words: Sequence[str]) -> tuple[Request, list[str]]:
    """The flags that all commands accept, and the other words of a command line. Raises UsageError."""
    return Command(Request).apart(words, anywhere=True)


def _is_integer(text: str) -> bool:
    """True if a text is a 64-bit Go integer: a sign, and digits after an optional 0x, 0o, 0b or 0."""
    digits = text[1:] if text[:1] in {"+", "-"} else text
    if not digits[:1].isdigit() or not digits.isascii():
        return False
    old_octal = digits[:1] == "0" and digits[1:2] not in {"", "x", "X", "o", "O", "b", "B"}
    try:
        number = int(digits.replace("_", ""), 8) if old_octal else int(digits, 0)
    except ValueError:
        return False
    return number < 1 << 63 or (text[0] == "-" and number == 1 << 63)
