"""Finds the commands in a shell script, with their words, directory and line, without executing anything.

It follows variables set to literals in the same file, `cd`, subshells, loops over literal words, arrays, and the usual
ways to find the script's own directory. A value known only at run time (an argument, an environment variable, the
output of a program) makes a word unknown; an unknown `cd` makes the directory unknown.
"""

from __future__ import annotations

import os
import sys

from plait.authoring.project.inference.shell_syntax import ShellLiteral, Substitution, Variable, Word, tokens_of
from plait.authoring.project.inference.text_budget import MOST_VALUE, TextBudget
from plait.base.errors import PermissionDeniedError
from plait.base.globbing import is_pattern, matches
from plait.base.input_view import permitted
from plait.base.trust import permissions_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.authoring.project.inference.shell_syntax import Lexeme, Part

_SKIPPED = frozenset(
    {"if", "then", "else", "elif", "while", "until", "do", "!", "{", "}", "time", "fi", "done", "esac"}
)
_DECLARING = frozenset({"export", "local", "readonly", "declare", "typeset"})
_LOOPS = frozenset({"for", "while", "until", "select"})
# A loop over more words is read once, with an unknown variable.
_MOST_ROUNDS = 32
# Maximum number of steps through one script, because nested loops multiply.
_MOST = 5_000
# Maximum nesting of loops and subshells.
_MOST_DEEP = 100
# Maximum words of a command.
_MOST_WORDS = 1_000
# Matches of a pattern of file names that are used.
_MOST_NAMES = 1_000


class ShellWord:
    """A word of a command. text: its value, None if it is known only at run time. written: as in the file.

    is_more: the word before it is written as the same word, which expands to several.
    """

    __slots__ = ("is_more", "line", "text", "written")

    def __init__(self, text: str | None, written: str, line: int, *, is_more: bool = False) -> None:
        self.text = text
        self.written = written
        self.line = line
        self.is_more = is_more

    def __repr__(self) -> str:
        return f"Argument({self.text!r})"


class Invocation:
    """A command of a script. directory: absolute, None if it is unknown. line: the line of its first word. reads_pipe:
    it follows a `|`. turn: the word that the loop around it has come to, or "".
    """

    __slots__ = ("arguments", "directory", "line", "reads_pipe", "turn")

    def __init__(
        self, arguments: Sequence[ShellWord], directory: str | None, line: int, *, reads_pipe: bool, turn: str = ""
    ) -> None:
        self.arguments = arguments
        self.directory = directory
        self.line = line
        self.reads_pipe = reads_pipe
        self.turn = turn


class Shell:
    """The state of a script. top: absolute path of the repository; patterns of file names are expanded below it only.

    budget: counts the text that is read and produced. Once it is spent, reading ends.
    """

    def __init__(
        self,
        directory: str | None,
        top: str,
        script: str = "",
        variables: Mapping[str, str] | None = None,
        budget: TextBudget | None = None,
    ) -> None:
        self.budget = budget or TextBudget()
        self.directory = directory
        self.top = top
        self.variables: dict[str, str | None] = {**(variables or {}), "0": script or None}
        if script:
            self.variables["BASH_SOURCE"] = script
        self.arrays: dict[str, list[ShellWord]] = {}
        self.pushed: list[str | None] = []
        # The directory before the last `cd`.
        self.previous: str | None = None
        # The word that the innermost loop has come to.
        self.turn = ""
        # Directories that the script clones a repository into.
        self.cloned: set[str] = set()
        # A command follows those in its substitutions.
        self.invocations: list[Invocation] = []
        self.steps = [0]
        self.depth = 0

    def read(self, text: str, line: int = 1) -> list[Invocation]:
        """The commands of a script, in order. The state is then that at the end of the script."""
        return self.run(commands_of(text, line), len(text))

    def run(self, commands: Sequence[ShellCommand], size: int) -> list[Invocation]:
        """As `read`, for a script of this size that is already parsed."""
        if self.budget.take(size):
            self._run(commands, 0, len(commands))
        return self.invocations

    def _copy(self) -> Shell:
        """The state of a subshell."""
        other = Shell(self.directory, self.top, budget=self.budget)
        other.variables = dict(self.variables)
        other.arrays = dict(self.arrays)
        other.pushed = list(self.pushed)
        other.previous = self.previous
        other.turn = self.turn
        other.cloned = set(self.cloned)
        other.invocations = self.invocations
        other.steps = self.steps
        other.depth = self.depth
        return other

    def _run(self, commands: Sequence[ShellCommand], at: int, end: int) -> None:
        if self.depth < _MOST_DEEP:
            self.depth += 1
            self._run_flat(commands, at, end)
            self.depth -= 1

    def _run_flat(self, commands: Sequence[ShellCommand], at: int, end: int) -> None:
        reads_pipe = False
        while at < end and self.steps[0] < _MOST and not self.budget.is_spent:
            self.steps[0] += 1
            command = commands[at]
            words = _without_keywords(command.words)
            if command.closing is not None:
                close = min(command.closing, end - 1)
                if (name := _array_name(command.words)) is not None:
                    inner = [word for one in commands[at + 1 : close + 1] for word in one.words]
                    self._set_array(name, inner)
                else:
                    self._copy()._run(commands, at + 1, close + 1)
                at = close
            elif words and words[0].text == "for" and len(words) > 1:
                at = self._loop(commands, words, at, end)
                reads_pipe = False
                continue
            elif words:
                self._command(words, reads_pipe=reads_pipe)
            reads_pipe = command.after in ("|", "|&")
            at += 1

    def _loop(self, commands: Sequence[ShellCommand], words: Sequence[Word], at: int, end: int) -> int:
        done = min(commands[at].done, end)
        name = words[1].text
        rounds: list[str | None] = []
        if len(words) > 2 and words[2].text == "in":
            for word in words[3:]:
                rounds += [one.text for one in self._expand(word)]
        if not rounds or None in rounds or len(rounds) > _MOST_ROUNDS:
            rounds = [None]
        outer = self.turn
        for value in rounds:
            self.variables[name] = value
            self.turn = value or outer
            self._run(commands, at + 1, done)
        self.variables[name] = None
        self.turn = outer
        return done

    def _command(self, words: Sequence[Word], *, reads_pipe: bool) -> None:
        rest = list(words)
        assigned: list[Word] = []
        while rest and _assignment(rest[0]) is not None:
            assigned.append(rest.pop(0))
        if not rest:
            for word in assigned:
                self._assign(word)
            return
        arguments: list[ShellWord] = []
        for word in rest:
            found = self._expand(word)
            if not word.is_redirected:
                arguments += found
        if not arguments:
            return
        if len(arguments) > _MOST_WORDS:
            more = arguments[_MOST_WORDS]
            arguments = [*arguments[:_MOST_WORDS], ShellWord(None, more.written, more.line)]
        name = arguments[0].text
        if name in _DECLARING:
            for word in rest[1:]:
                if _assignment(word) is not None:
                    self._assign(word)
        elif name in ("cd", "pushd"):
            if name == "pushd":
                self.pushed.append(self.directory)
            self._change_directory([one for one in arguments[1:] if one.text != "--"])
        elif name == "popd":
            self.directory = self.pushed.pop() if self.pushed else None
        elif name in ("read", "unset"):
            for one in arguments[1:]:
                if one.text:
                    self.variables[one.text] = None
        else:
            if name == "git":
                self._note_clone([one.text or "" for one in arguments[1:]])
            made = Invocation(arguments, self.directory, rest[0].line, reads_pipe=reads_pipe, turn=self.turn)
            self.invocations.append(made)

    def _change_directory(self, arguments: Sequence[ShellWord]) -> None:
        text = arguments[0].text if arguments else None
        left = self.directory
        if text == "-":
            self.directory = self.previous
        elif text is None or text.startswith("~") or (self.directory is None and not os.path.isabs(text)):
            self.directory = None
        else:
            self.directory = os.path.normpath(os.path.join(self.directory or "", text))
            # Instructions for a clone of this repository, which is the one that is searched.
            own = (*self.cloned, os.path.join(self.top, os.path.basename(self.top)))
            if self.directory in own and not os.path.lexists(self.directory):
                self.directory = self.top
        self.previous = left

    def _note_clone(self, words: Sequence[str]) -> None:
        """Remembers the directory of `git clone URL [DIRECTORY]`."""
        url = next((place for place, word in enumerate(words) if "/" in word), 0)
        if words[:1] != ["clone"] or not url or self.directory is None:
            return
        named = [word for word in words[url + 1 :] if word and not word.startswith("-")]
        name = named[0] if named else os.path.basename(words[url].rstrip("/")).removesuffix(".git")
        self.cloned.add(os.path.normpath(os.path.join(self.directory, name)))

    def _assign(self, word: Word) -> None:
        first = word.parts[0]
        assert isinstance(first, ShellLiteral)
        name, _, rest = first.text.partition("=")
        value = Word([ShellLiteral(rest, is_quoted=True), *word.parts[1:]], word.text, word.line)
        found = self._expand(value, is_one_word=True)
        text = found[0].text
        if name.endswith("+"):
            name = name[:-1]
            before = self.variables.get(name)
            text = None if text is None or before is None else before + text
        self.variables[name] = text if text is not None and self._fits(len(text)) else None

    def _set_array(self, name: str, words: Sequence[Word]) -> None:
        found: list[ShellWord] = []
        for word in words:
            found += self._expand(word)
        adds = name.endswith("+")
        name = name.removesuffix("+")
        held = [*(self.arrays.get(name, []) if adds else []), *found]
        if self._fits(len(held)):
            self.arrays[name] = held
        else:
            self.arrays.pop(name, None)

    def _fits(self, size: int) -> bool:
        """Counts a value of this size. Returns False if it is too large."""
        return size <= MOST_VALUE and self.budget.take(size)

    # ---- words

    def _expand(self, word: Word, *, is_one_word: bool = False) -> list[ShellWord]:
        """The arguments that a word expands to."""
        unknown = ShellWord(None, word.text, word.line)
        if not self.budget.take(len(word.text) + 1):
            return [unknown]
        fields: list[str | None] = [""]
        pattern = is_literal = False
        for part in word.parts:
            if isinstance(part, Variable) and part.is_array:
                if len(word.parts) - any(isinstance(one, ShellLiteral) and not one.text for one in word.parts) > 1:
                    return [unknown]
                held = self.arrays.get(part.name, [unknown])
                return held if self.budget.take(len(held)) else [unknown]
            value = self._value(part)
            if value is not None and not self._fits(len(value) + len(fields[-1] or "")):
                return [unknown]
            if isinstance(part, ShellLiteral):
                is_literal = True
                pattern = pattern or (not part.is_quoted and any(char in part.text for char in "*?["))
            splits = not is_one_word and isinstance(part, Variable | Substitution) and not part.is_quoted
            if value is None or fields[-1] is None:
                fields[-1] = None
            elif splits:
                pieces = value.split()
                if not pieces:
                    continue
                fields[-1] = f"{fields[-1]}{pieces[0]}"
                fields += pieces[1:]
            else:
                fields[-1] = f"{fields[-1]}{value}"
        if fields == [""] and not is_literal and not is_one_word and word.parts:
            return []
        if len(fields) > 1 and not self.budget.take(len(fields) * len(word.text)):  # messages quote each as written
            return [unknown]
        found = [ShellWord(text, word.text, word.line, is_more=number > 0) for number, text in enumerate(fields)]
        if pattern and len(found) == 1 and not is_one_word:
            return self._matching(found[0])
        return found

    def _value(self, part: Part) -> str | None:
        if isinstance(part, ShellLiteral):
            return part.text
        if isinstance(part, Variable):
            text = self._variable(part.name)
            if text is None or (text == "" and part.default is not None):
                text = part.default
            return os.path.dirname(text) if part.is_directory and text is not None else text
        if isinstance(part, Substitution):
            inner = self._copy()
            inner.invocations = []
            commands = _split(part.tokens)
            inner._run(commands, 0, len(commands))
            printed = [self._printed(one) for one in inner.invocations]
            self.invocations += [one for one, text in zip(inner.invocations, printed, strict=True) if text is None]
            return printed[-1] if len(printed) == 1 and not part.is_pipe else None
        return None

    def _variable(self, name: str) -> str | None:
        return self.directory if name == "PWD" and name not in self.variables else self.variables.get(name)

    def _printed(self, command: Invocation) -> str | None:
        """The output of a command that finds a path; None for any other command."""
        directory = command.directory
        words = [argument.text for argument in command.arguments]
        if None in words:
            return None
        name, *rest = [str(word) for word in words]
        last = rest[-1] if rest else ""
        if name == "pwd":
            return directory
        if name == "git" and "--show-toplevel" in rest:
            return self.top
        if name == "echo" and rest and not last.startswith("-"):
            return " ".join(rest)
        if name == "dirname" and last:
            return os.path.dirname(last) or os.curdir
        if name == "basename" and len(rest) == 1:
            return os.path.basename(last)
        if name in ("realpath", "readlink", "greadlink") and last and directory is not None:
            return os.path.normpath(os.path.join(directory, last))
        return None

    def _matching(self, argument: ShellWord) -> list[ShellWord]:
        """The files of the repository that a pattern matches, by name; the pattern itself if there are none."""
        text, directory = argument.text, self.directory
        unknown = [ShellWord(None, argument.written, argument.line)]
        if text is None or directory is None or "**" in text:
            return unknown
        path = os.path.normpath(os.path.join(directory, text))
        start = path.split("*")[0].split("?")[0].split("[")[0]
        if not (os.path.join(os.path.dirname(start), "")).startswith(os.path.join(self.top, "")):
            return unknown
        parts = text.split("/")
        first = next((place for place, part in enumerate(parts) if is_pattern(part)), len(parts))
        if os.pardir in parts[first:]:  # the same directories, once for each match
            return unknown
        try:
            with permitted(permissions_of("", self.top)):
                names = matches(text, directory)[:_MOST_NAMES]
        except PermissionDeniedError:
            return unknown
        if not self.budget.take(sum(map(len, names)) + len(names) * len(argument.written)):
            return unknown
        found = [ShellWord(one, argument.written, argument.line, is_more=n > 0) for n, one in enumerate(names)]
        return found or [argument]


class ShellCommand:
    """The words up to an operator. after: that operator. closing: index of the command that closes the group it opens.
    done: index of the `done` of the loop it begins.
    """

    __slots__ = ("after", "closing", "done", "words")

    def __init__(self, words: list[Word], after: str) -> None:
        self.words = words
        self.after = after
        self.closing: int | None = None
        self.done = sys.maxsize


def commands_of(text: str, line: int = 1) -> list[ShellCommand]:
    """The commands of a script. line: number of its first line."""
    return _split(tokens_of(text, line))


def _split(tokens: Sequence[Lexeme]) -> list[ShellCommand]:
    found: list[ShellCommand] = []
    words: list[Word] = []
    opened: list[ShellCommand] = []
    for token in tokens:
        if isinstance(token, Word):
            words.append(token)
            continue
        if token.text == ")" and opened:
            opened.pop().closing = len(found)
        found.append(ShellCommand(words, token.text))
        words = []
        if token.text == "(":
            opened.append(found[-1])
    found.append(ShellCommand(words, ""))
    for command in opened:
        command.closing = len(found) - 1
    _find_ends_of_loops(found)
    return found


def _find_ends_of_loops(commands: Sequence[ShellCommand]) -> None:
    level = 0
    # The commands after which a level of nesting began, and that have no `done` yet.
    waiting: dict[int, list[ShellCommand]] = {}
    for at, command in enumerate(commands):
        first = next((word.text for word in _without_keywords(command.words)), "")
        change = int(first in _LOOPS or any(word.text in ("while", "until") for word in command.words[:2]))
        change -= any(word.text == "done" for word in command.words[:1])
        level += change
        if change < 0:
            for one in waiting.pop(level + 1, ()):
                one.done = at
        waiting.setdefault(level, []).append(command)


def _without_keywords(words: Sequence[Word]) -> list[Word]:
    start = 0
    while start < len(words) and words[start].text in _SKIPPED:
        start += 1
    return list(words[start:])


def _assignment(word: Word) -> str | None:
    """The name that a word assigns to, or None."""
    first = word.parts[0] if word.parts else None
    if not isinstance(first, ShellLiteral) or first.is_quoted:
        return None
    name, equals, _ = first.text.partition("=")
    return name if equals and name.removesuffix("+").isidentifier() and name.isascii() else None


def _array_name(words: Sequence[Word]) -> str | None:
    """The name in `name=(` or `name+=(`."""
    if words and words[-1].text.endswith("=") and words[-1].text[:-1].removesuffix("+").isidentifier():
        return words[-1].text[:-1]
    return None
