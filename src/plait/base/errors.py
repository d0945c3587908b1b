"""Errors, warnings and findings, with one layout.

An error has a message and a position. `also` lists related positions, `document` names the changed document,
`expected`, `found` and `hint` help to correct it, and `stack` lists the calls and levels that led to it. Callers add
outer levels to the stack.

Texts about a private source (values files, variables, secrets) are shown without quotations of it. A `Wording` knows
its quotations, so they are withheld one by one. Any other text is withheld as a whole; then only the kind of error and
its position are shown. `--quote-values` shows all texts.

`reference` of errors, findings and stack frames is the text of a reference program; see `plait.base.reference`.
"""

from __future__ import annotations

from plait.base.source import OURS, WITHHELD, Advice, Flag, Frame, Position, Quoted, Wording, public, suggested

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Literal, Self, TypeAlias, TypedDict, TypeVar

    from plait.base.styles import Styles
    from plait.base.suggestions import Hint, Suggestion

    Error = TypeVar("Error", "PlaitError", "Finding")
    Warn: TypeAlias = Callable[["Warning"], None]

    class Facts(TypedDict, total=False):
        """Facts of an error in addition to its message, passed on to `PlaitError`."""

        at: Position | None
        also: Iterable[Position]
        document: str | None
        expected: str | None
        found: str | None
        hint: str | None
        stack: Iterable[Frame]
        findings: Sequence[Finding]
        reference: str | None
        code: str
        word: str
        suggestions: Sequence[Suggestion]


class Diagnostic:
    """An error, a warning or a finding, as data. Each text is available complete (`text`), or as shown without
    `--quote-values`.

    code: from `plait.base.codes`, or "". severity: "error" or "warning". at: the primary position; also: related
    ones. word: the word at fault on the line of `at`, or "". focus: the position of the text at fault, such as a
    matcher, if `at` is the line of its parent. subject: the document, or the type of the value, that an
    error is about; detail: the message without subject, kind and number.
    """

    code = ""
    word = ""
    subject = ""
    detail = ""
    focus: Position | None = None
    severity: Literal["error", "warning"] = "error"
    _suggestions: Sequence[Suggestion] = ()
    if TYPE_CHECKING:
        at: Position | None
        also: list[Position]
        stack: list[Frame]
        is_concealed: bool
        _reference: object
        _message: str
        _expected: str | None
        _found: str | None
        _hint: str | None
    _document: str | None = None
    # The replacement of a message that is withheld as a whole.
    unspecific = "not valid"
    # Spells options for API callers; None for the command line.
    keyword: Callable[[Flag], str] | None = None
    # The faults of one text, if this is the error about all of them.
    findings: Sequence[Finding] = ()
    # The source could not be read, so its lines have no known keys.
    is_unread = False

    @property
    def place(self) -> Position | None:
        """The position, or the innermost one of the stack that has a source."""
        if self.at is not None and self.at.source is not None:
            return self.at
        if self.findings:
            return None
        return next((step.at for step in self.stack if step.at is not None and step.at.source is not None), None)

    @property
    def is_private(self) -> bool:
        """True if the texts are about a private source."""
        return self.is_concealed or (self.at is not None and self.at.source is not None and self.at.source.private)

    def text(self, name: str, *, complete: bool = False) -> str | None:
        """A text by its attribute name, or None if it is absent or withheld as a whole. complete: with all
        quotations.
        """
        found: str | None = getattr(self, f"_{name}")
        if isinstance(found, Advice) and self.keyword is not None:
            found = found.told(self.keyword)
        if found is None or complete:
            return found
        private = self.is_private
        if isinstance(found, Wording):
            shown = found.shown(private=private)
            return None if shown == WITHHELD else shown
        return None if private else found

    @property
    def message(self) -> str:
        found = self.text("message")
        return self.unspecific if found is None else found

    @message.setter
    def message(self, text: str) -> None:
        self._message = self.reference = text

    @property
    def reference(self) -> object:
        """The text of the reference program; if it is about a secret source, the message.

        A `Wording` is shown without its quotations.
        """
        told = self._reference
        if not self.is_concealed or not isinstance(told, str):
            return told
        return told.shown(private=True) if isinstance(told, Wording) and told is not self._message else self.message

    @reference.setter
    def reference(self, text: object) -> None:
        self._reference = text

    @property
    def expected(self) -> str | None:
        return self.text("expected")

    @expected.setter
    def expected(self, text: str | None) -> None:
        self._expected = text

    @property
    def found(self) -> str | None:
        return self.text("found")

    @found.setter
    def found(self, text: str | None) -> None:
        self._found = text

    @property
    def hint(self) -> str | None:
        return self.text("hint")

    @hint.setter
    def hint(self, text: str | None) -> None:
        self._hint = text

    @property
    def suggestions(self) -> Sequence[Suggestion]:
        """Proposed changes: those of the message, the hint, and others. Empty if one of these texts is withheld."""
        if self.is_private and self.hint != self._hint:
            return ()
        is_whole = not self.is_private or self.message == self._message
        return (*suggested((self._message if is_whole else None, self._hint)), *self._suggestions)

    @suggestions.setter
    def suggestions(self, found: Sequence[Suggestion]) -> None:
        self._suggestions = found

    def _classify(self, code: str, word: str, suggestions: Sequence[Suggestion]) -> None:
        # Class attributes, because most diagnostics use the defaults.
        if code:
            self.code = code
        if word:
            self.word = word
        if suggestions:
            self._suggestions = suggestions


class Finding(Diagnostic):
    """One of several faults: errors that collect (schema checks, several names) hold a list of findings.

    origins: as for an error. reference: the reference program's report; by default `message`. told_at: the position
    that the reference program names, if different. rank: the reference program lists lower ranks first. is_last: it
    reports this finding after the end of the text.
    """

    told_at: Position | None = None
    rank = 0
    is_last = False

    def __init__(
        self,
        message: str,
        *,
        at: Position | None = None,
        also: Iterable[Position] = (),
        expected: str | None = None,
        found: str | None = None,
        hint: str | None = None,
        stack: Iterable[Frame] = (),
        reference: object = None,
        code: str = "",
        word: str = "",
        suggestions: Sequence[Suggestion] = (),
    ) -> None:
        self.is_concealed = False
        self._classify(code, word, suggestions)
        self.message = message
        self.reference = reference or self.reference
        self.at = at
        self.also = list(also)
        self.expected = expected
        self.found = found
        self.hint = hint
        self.stack = list(stack)
        self.origins: tuple[object, ...] | None = None

    def made_of(self, *origins: object) -> Self:
        """Sets the origins, and returns the finding."""
        self.origins = origins
        return self

    def report(self) -> str:
        """The whole message, with places, source lines and hints, as the command line prints it."""
        return self.styled(None)

    def styled(self, styles: Styles | None, width: int | None = None) -> str:
        """The whole message, styled for a terminal. width: as in `render`."""
        from plait.base.message_text import block, page

        return page(block("", self, quote_values=False, width=width), styles)


class PlaitError(Diagnostic, Exception):
    """An error that a user can correct. The command line prints it and exits with `exit_status`.

    message: the fault, in the user's words, or in those of the reference program if they are part of its contract.
    reference: the message of the reference program, if plait runs under its name; by default `message`. document: the
    document that was being changed, and the path in it, if it is one of many. stack: frames from the innermost to the
    outermost. origins: what the error depends on, as `plait.tree.provenance` records it; None if unknown. A run that
    uses secrets shows an error in full only if its origins are known and none is secret (see
    `plait.tree.provenance.marks`). decided_at: the outermost condition that depends on a secret and led to the error,
    or None.
    """

    exit_status = 1
    if TYPE_CHECKING:
        findings: list[Finding]
        reference: str  # for a finding it may be another program's report
    origins: tuple[object, ...] | None = None
    judged: tuple[object, ...] = ()
    # The message quotes a value of the output whose origins are unknown, so a run with secrets withholds it.
    quotes_output = False
    decided_at: Position | None = None
    # The faults of a text, in the order of the reference program.
    listed: Sequence[Finding] = ()

    def __init__(
        self,
        message: str,
        *,
        at: Position | None = None,
        also: Iterable[Position] = (),
        document: str | None = None,
        expected: str | None = None,
        found: str | None = None,
        hint: str | None = None,
        stack: Iterable[Frame] = (),
        findings: Sequence[Finding] = (),
        reference: str | None = None,
        code: str = "",
        word: str = "",
        suggestions: Sequence[Suggestion] = (),
    ) -> None:
        super().__init__()
        self.is_concealed = False
        self._classify(code, word, suggestions)
        self.message = message
        self.reference = self.reference if reference is None else reference
        self.at = at
        self.also = list(also)
        self._document = document
        self.expected = expected
        self.found = found
        self.hint = hint
        self.stack = list(stack)
        self.findings = list(findings)

    @property
    def document(self) -> str | None:
        return self.text("document")

    @document.setter
    def document(self, text: str | None) -> None:
        self._document = text

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return _revived, (type(self), self.__dict__)

    if not TYPE_CHECKING:

        @property
        def args(self) -> tuple[str]:
            return (self.message,)

        @args.setter
        def args(self, _: object) -> None:
            pass

        def __getattr__(self, name: str) -> object:
            from plait.base.similar_names import no_attribute

            if name in ("line", "file", "path", "column"):
                raise AttributeError(
                    f"an error has no attribute {name!r}; its position is at: at.source.shown, at.line"
                )
            raise no_attribute(self, name)

    def report(self, *, quote_values: bool = False) -> str:
        """The whole message, with places, source lines and hints, as the command line prints it.

        quote_values: also quote lines of values files and values of environment variables.
        """
        return render(self, quote_values=quote_values)

    def made_of(self, *origins: object) -> Self:
        """Sets the origins, and returns the error. Without arguments, the error depends only on inputs that are not
        secret.

        Only the first call has an effect, because the innermost code is the most precise.
        """
        if self.origins is None:
            self.origins = origins
        return self

    def made_of_inputs(self) -> Self:
        """Records that the error and its findings depend only on the text of inputs, which is not secret. Returns the
        error.
        """
        for one in self.findings:
            one.origins = one.origins or ()
        return self.made_of()

    def within(self, text: str, at: Position | None = None, *, role: str = OURS, reference: str | None = None) -> Self:
        """Adds an outer frame to the stack, and returns the error for raising it again. role, reference: as in `Frame`."""
        self.stack.append(Frame(text, at, role=role, reference=reference))
        return self


def _revived(kind: type[PlaitError], state: dict[str, object]) -> PlaitError:
    error = kind.__new__(kind)
    error.__dict__.update(state)
    return error


def as_finding(error: PlaitError | Finding) -> Finding:
    """The error as a finding, without its own findings."""
    made = Finding(
        full(error, "message") or "",
        at=error.at,
        also=error.also,
        expected=full(error, "expected"),
        found=full(error, "found"),
        hint=full(error, "hint"),
        stack=error.stack,
        reference=error.reference,
        code=error.code,
        word=error.word,
        suggestions=own_suggestions(error),
    )
    made.is_concealed = error.is_concealed
    made.origins = None if getattr(error, "quotes_output", False) else error.origins
    if error.focus is not None:
        made.focus = error.focus
    return made


def part_of(error: PlaitError | Finding, name: str) -> str | Quoted:
    """A complete text of an error as a part of another error's Wording. A text without known quotations is one
    quotation.
    """
    found = full(error, name) or ""
    return found if isinstance(found, Wording) else Quoted(found)


def full(error: PlaitError | Finding, name: str) -> str | None:
    """A complete text of an error, or None. For use in another error, not for display."""
    return error.text(name, complete=True)


def own_suggestions(error: PlaitError | Finding) -> Sequence[Suggestion]:
    """All suggestions of an error, except those of its texts. For use in another error, not for display."""
    return error._suggestions


class UsageError(PlaitError):
    """A wrong flag or argument. parsed: the preceding words of the command line, if known."""

    parsed: object = None

    exit_status = 2
    origins: tuple[object, ...] | None = ()


class ReadError(PlaitError):
    """An input that cannot be read: a missing file, invalid YAML, a rejected link."""

    # The program that requested the input adds the origins of the path.
    origins: tuple[object, ...] | None = ()
    is_unread = True


class PermissionDeniedError(PlaitError):
    """A file that names a resource its project may not use: a path, a URL, a program, a limit or an environment
    variable.

    access: "read", "write", "network", "programs", "limits" or "environment". name: the absolute path, the origin of
    the URL, the program, the limit, or the variables.
    """

    code = "permission-denied"
    access = ""
    name = ""

    origins: tuple[object, ...] | None = ()


class StarlarkError(PlaitError):
    """A program that does not scan, parse or resolve, or that fails at run time.

    of_type: the type of the value at fault. mark: the character after that value on the line, or "".
    """

    of_type = mark = ""

    def about(self, of_type: str, mark: str = "") -> Self:
        self.of_type, self.mark = of_type, mark
        return self


class TemplateError(PlaitError):
    """A template whose comments and nodes do not form a program."""


class OverlayError(PlaitError):
    declared_hint: str | None = None  # for data values with a schema


class SchemaError(PlaitError):
    """An invalid schema, or data values that do not conform to it; see `findings`."""


class OpsError(PlaitError):
    """An operations file, pointer or variable that cannot be used."""


class LayeringError(PlaitError):
    """Documents that cannot be layered, substituted or validated.

    kind: the name of the rule, as the service reports it (`InvalidDocumentParent`); see `plait.layering.failures`.
    """

    kind = ""


class LimitError(PlaitError):
    """A limit on time, size or depth was reached. limit: its name in `--limit NAME=VALUE`, or ""."""

    exit_status = 3
    code = "too-deep"
    limit = ""
    origins: tuple[object, ...] | None = ()


def limit_reached(
    message: str, name: str, *, at: Position | None, expected: str | None, hint: str | None
) -> LimitError:
    """The error for an exceeded limit. name: its name. hint: advice before that of raising it."""
    again = Advice("if this is intended, raise the limit with ", Flag("limit", f"{name}=N"))
    told = again if hint is None else Advice(hint, "; ", *again.parts)
    error = LimitError(message, at=at, expected=expected, hint=told, code=f"limit-{name}")
    error.limit = name
    return error


def conceal(error: Error) -> Error:
    """Marks the error as one about a secret source: its quotations and even the keys of private lines are withheld."""
    error.is_concealed = True
    for one in getattr(error, "findings", ()):
        one.is_concealed = True
    return error


def render(
    error: PlaitError,
    program: str = "plait",
    *,
    quote_values: bool = False,
    codes: bool = False,
    styles: Styles | None = None,
    width: int | None = None,
    rename: Callable[[str], str] | None = None,
) -> str:
    """The whole message for a reader, ending in a line break. program: printed before it, unless "".

    codes: include codes and the roles of related lines, as on a terminal. width: in columns; repeated
    positions are shortened to fit. rename: replaces paths that the reader does not know.
    """
    from plait.base.message_text import message_text

    return message_text(
        error, program, quote_values=quote_values, codes=codes, styles=styles, width=width, rename=rename
    )


def heading(error: PlaitError | Finding) -> str:
    """The first line of the whole message."""
    from plait.base.message_text import block

    return "".join([text for _, text in block("", error, quote_values=False)[0]])


def text_of(error: PlaitError, rename: Callable[[str], str] | None = None) -> str:
    """The whole message, for use in another text. rename: as in `render`."""
    return render(error, "", rename=rename).rstrip("\n")


class Warning(str):
    """A warning as a line of text, with the diagnostic that the line is about."""

    __slots__ = ("diagnostic",)
    diagnostic: Finding

    def __new__(cls, text: str, diagnostic: Finding) -> Self:
        made = super().__new__(cls, text)
        made.diagnostic = diagnostic
        return made

    def __reduce__(self) -> tuple[type[Warning], tuple[str, Finding]]:
        from plait.base.excerpts import excerpt

        return Warning, (str(self), excerpt(self.diagnostic))


def warning(
    message: str,
    *,
    code: str,
    at: Position | None = None,
    also: Iterable[Position] = (),
    word: str = "",
    suggestions: Sequence[Suggestion] = (),
) -> Warning:
    """A warning about a mistake. code: its name in `plait.base.codes`. at: the line shown before the message, if it has
    a source.
    """
    # A command line prints warnings completely, because they quote no values of private sources.
    found = Finding(public(message), at=at, also=also, code=code, word=word, suggestions=suggestions)
    found.severity = "warning"
    return Warning(f"{at}: {message}" if at is not None else message, found)


def did_you_mean(name: str, candidates: Iterable[str]) -> Hint | None:
    """A hint that names the nearest candidates, with suggestions to replace `name`; or None."""
    from plait.base import similar_names  # imported on demand, because only errors need it

    return similar_names.did_you_mean(name, candidates)


def replacing(old: str, names: list[str] | tuple[str, ...], text: str) -> Hint:
    """A hint that proposes to replace a word by one of several names. text: the sentence."""
    from plait.base import suggestions  # imported on demand, because only errors need it

    return suggestions.replacing(old, names, text)
