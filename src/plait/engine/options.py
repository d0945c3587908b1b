"""Options, and requests as lists of their uses.

An `Option` is declared once. The command line, its help and completion, the flag reference, settings of project files,
their JSON Schema and the keywords of the API are derived from the declaration. A `Request` keeps every use of an option
in order, with its origin.

A dialect's request is a class whose attributes are options (`plait.engine.render` and its neighbours). An annotated
attribute is a keyword of the API as well. `Render.strict` is the declaration, `request.strict` is the value.
"""

from __future__ import annotations

from plait.base.errors import PlaitError, UsageError, did_you_mean
from plait.base.extensions import split_format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence
    from typing import Any, ClassVar, Self, TypeAlias, TypeVar, dataclass_transform

    from plait.base.source import Position
    from plait.tree.nodes import Map

    T = TypeVar("T")
    # An option as the attribute of a class: type checkers take it for its value.
    Declared: TypeAlias = Any
    # A string, True or False, a map, or an object passed by a program.
    Used: TypeAlias = Any

    # The line in a project file; None for an option on the command line, or passed by a program.
    Origin: TypeAlias = Position | None
else:

    def dataclass_transform(**_: object) -> Callable[[T], T]:
        """A substitute for the decorator of `typing`, which only type checkers need."""
        return lambda one: one

    class Generic:
        """A substitute for the class of `typing`, which only type checkers need."""

        __slots__ = ()

        def __class_getitem__(cls, _: object) -> type:
            return cls


# The types of values: a string (the last use wins), a list of strings, comma-separated strings, an integer, a boolean,
# and a map of values from the project file or a program (later uses are merged over earlier ones, deeply).
TEXT = "text"
TEXTS = "texts"
CSV = "csv"
NUMBER = "number"
SWITCH = "switch"
MAP = "map"
# An object that only programs can pass.
VALUE = "value"
LISTS = frozenset({TEXTS, CSV})

# The scope of an option: the evaluation, the delivery of its result, or the process that runs it.
EVALUATION = "evaluation"
DELIVERY = "delivery"
PROCESS = "process"


# The grammars of flags (`plait.engine.flags`).
PFLAG = "pflag"
GO_FLAGS = "go-flags"


class PathForm:
    """The path, URL or program in the value of an option, and its position in the value.

    access: the permission that a project file needs: "read" or "write".
    after: the character that ends the text before the path, "" for a value that is a path.
    may_be_missing: the path need not exist.
    is_source: the value is a source of secrets.
    has_pointer: a pointer may follow, `FILE#/pointer`.
    may_be_url: an http or https URL may replace the path.
    is_pattern: the path may contain wildcards.
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
        """The text before the path in a value, and the path; "" as the path if there is none."""
        if self.after == ":":  # [@LIBRARY:][FORMAT:]PATH
            path = text.partition(":")[2] if text[:1] == "@" else text
            path = split_format(path)[1].removeprefix("+:")
            return text.removesuffix(path), path
        if self.is_source:
            from plait.engine.secret_sources import Named

            path = Named(text).path
            return text.removesuffix(path), path
        if not self.after:
            return "", text
        if self.may_be_url and "://" in text.partition(self.after)[0]:
            return "", text
        before, found, path = text.partition(self.after)
        if found:
            return before + found, path
        # A new name before an input file is optional.
        return ("", text) if self.may_be_url else (text, "")

    def path(self, text: str) -> str:
        """The path in a value, without a pointer; "" if there is none."""
        path = self.split(text)[1]
        return path.rpartition("#")[0] or path if self.has_pointer else path


READ_PATH = PathForm("read")
VALUES_PATH = PathForm("read", ":")
WRITTEN_PATH = PathForm("write", may_be_missing=True)
# Links are detected only below the allowed path.
LINKED_PATH = PathForm("read", may_be_missing=True)


class Option:
    """The declaration of an option.

    name: its flag without dashes, or "".
    kind: the type of its values.
    help: a help text of one line.
    short: the letter of a short flag.
    value: the placeholder for a value in help.
    default: shown by help.
    choices: all valid values, or ().
    is_last: the rest of the command line is ignored, mistakes included.
    path: the form of a path in its value, or None.
    program: the programs that the switch lets sources of secrets start (`plait.base.permissions`).
    environment: the environment variables that a value reads, as `PREFIX*`, with `{}` for the value; "" for none.
    setting: its name in project files, "" for none; by default the name of the flag.
    is_in_steps: the setting belongs to steps of pipelines, too.
    part: EVALUATION, DELIVERY or PROCESS.
    is_argument: without a flag on the command line.
    is_positional: without a name in the API.
    is_negated: the attribute is the opposite of the switch.
    has_effect: False for a flag that is accepted and ignored.
    requires: the attributes of options; without one of them it has no effect.
    attribute: the attribute of the request, by default the name.
    """

    __slots__ = (
        "attribute", "choices", "default", "environment", "has_effect", "help", "is_argument", "is_last", "is_negated", "is_positional", "kind", "name",
        "part", "path", "program", "requires", "setting", "short", "step", "value",
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
        path: PathForm | None = None,
        program: str = "",
        environment: str = "",
        setting: str | None = None,
        is_in_steps: bool = False,
        part: str = EVALUATION,
        is_argument: bool = False,
        is_positional: bool = False,
        is_negated: bool = False,
        has_effect: bool = True,
        requires: Sequence[str] = (),
        attribute: str = "",
    ) -> None:
        self.attribute = attribute or name
        self.name = name
        self.path = path
        self.program = program
        self.environment = environment
        self.setting = name if setting is None else setting
        self.step = self.setting if is_in_steps else ""
        self.kind = kind
        self.help = help
        self.short = short
        self.value = value
        self.default = default
        self.choices = choices
        self.is_last = is_last
        self.part = part
        self.is_argument = is_argument
        self.is_positional = is_positional
        self.is_negated = is_negated
        self.has_effect = has_effect
        self.requires = requires

    def __repr__(self) -> str:
        return f"Option({self.shown!r})"

    def __set_name__(self, _owner: type, attribute: str) -> None:
        self.attribute = attribute

    def __get__(self, request: Request | None, _owner: type) -> Used:
        return self if request is None else request.value(self)

    @property
    def shown(self) -> str:
        """The flag, as messages show it."""
        return f"-{self.short}, --{self.name}" if self.short else f"--{self.name}"

    def variables(self, text: str) -> str:
        """The environment variables that a value reads, as `PREFIX*`; "" for none."""
        # The name of a library may precede the prefix.
        return self.environment.format(text.rpartition(":")[2])

    def replaced(self, **changes: object) -> Option:
        """A copy of the option with other properties."""
        new = Option.__new__(type(self))
        for slot in Option.__slots__:
            setattr(new, slot, changes.get(slot, getattr(self, slot)))
        return new


class Use:
    """One use of an option. value: a string, True or False, a map, or an object passed by a program."""

    __slots__ = ("option", "origin", "value")

    def __init__(self, option: Declared, value: Used, origin: Origin = None) -> None:
        self.option: Option = option
        self.value = value
        self.origin = origin

    def __repr__(self) -> str:
        return f"Use({self.option!r}, {self.value!r})"


# Declarations of attributes. For type checkers they have the type of the value.


def declared(name: str, kind: str, help: str, **more: Used) -> Declared:
    """An option of any type."""
    return Option(name, kind, help, **more)


def positional(name: str, kind: str, help: str, *, kw_only: bool = False, **more: Used) -> Declared:  # noqa: ARG001 - for type checkers
    """An option that is positional in the API."""
    more["is_positional"] = True
    return Option(name, kind, help, **more)


def keyword(default: object = None) -> Declared:
    """A keyword of the API without a flag."""
    return Option("", VALUE, "", setting="", default=() if default is None else (default,))  # type: ignore[arg-type]


def switch(name: str, help: str, **more: Used) -> bool:
    """A boolean option."""
    found: bool = declared(name, SWITCH, help, **more)
    return found


def text(name: str, help: str, **more: Used) -> str:
    """An option with one string, the last one used."""
    found: str = declared(name, TEXT, help, **more)
    return found


def texts(name: str, help: str, **more: Used) -> list[str]:
    """An option with a list of strings, one per use."""
    found: list[str] = declared(name, TEXTS, help, **more)
    return found


def csv(name: str, help: str, **more: Used) -> list[str]:
    """An option with a list of strings, several per use, separated by commas."""
    found: list[str] = declared(name, CSV, help, **more)
    return found


def value_map(help: str, **more: Used) -> Declared:
    """A map of values, which has no flag."""
    return Option("", MAP, help, **more)


class Heading(str):
    """The heading of the options that follow it, in help."""

    __slots__ = ()


# The formats of errors and warnings, for `--message-format`.
FORMS = ("text", "json", "github", "sarif", "ytt", "bosh")
# The values of `--color`.
COLOURS = ("auto", "always", "never")


@dataclass_transform(kw_only_default=True, field_specifiers=(positional,))
class Request:
    """Uses of options, in order. The class attributes are the options; instances have the values as attributes.

    command, usage, summary, commands: for help. grammar: the grammar of its flags. program: the owner of the command
    line, "plait" or a reference program. is_long_running: the command serves until it is stopped, or evaluates many
    runs, so that the limits of one run do not apply to it. takes_words: the command parses its own command line, which
    may contain another command line. rows: the options with the headings of help. argument: the positional one. passed:
    the keywords of an API call.

    A class that lists `rows` of its base decides their position. Otherwise they come first, and an option of the class
    replaces one of its base with the same attribute.
    """

    if TYPE_CHECKING:
        _values: dict[str, list[Used]]
        passed: Mapping[str, Used]
        uses: list[Use]

    __slots__ = ("_values", "passed", "uses")
    command: ClassVar[str] = ""
    grammar: ClassVar[str] = PFLAG
    program: ClassVar[str] = "plait"
    usage: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    commands: ClassVar[Sequence[tuple[str, str]]] = ()
    is_long_running: ClassVar[bool] = False
    # The number of evaluations whose results a long-running command keeps at once.
    kept: ClassVar[int] = 1
    takes_words: ClassVar[bool] = False
    options: ClassVar[tuple[Option, ...]] = ()
    rows: ClassVar[tuple[Option | Heading, ...]] = ()
    argument: ClassVar[Option] = Option("", TEXTS, "", is_argument=True, setting="")
    # All commands have these.
    help = switch("help", "print this help", short="h", setting="", part=PROCESS)
    quiet = switch("quiet", "print only results and errors, no warnings", setting="", part=PROCESS)
    verbose = switch("verbose", "print each file, run or test as it begins", setting="", part=PROCESS)
    debug = switch("debug", "print each step with details, for a bug report", setting="", part=PROCESS)
    color = text(
        "color",
        "colours; auto: on a terminal, unless NO_COLOR is set",
        value="auto|always|never",
        default=("auto",),
        choices=COLOURS,
        setting="",
        part=PROCESS,
    )
    message_format = text(
        "message-format",
        "errors and warnings as text, json, github, sarif, ytt or bosh",
        value="FORMAT",
        default=("text",),
        choices=FORMS,
        setting="",
        part=PROCESS,
    )
    # Options of all commands of plait, which the help of one command does not list.
    shared: ClassVar[tuple[Option, ...]] = (quiet, verbose, debug, color, message_format)  # type: ignore[assignment]

    def __init_subclass__(cls) -> None:
        own: list[Option | Heading] = []
        for one in cls.__dict__.values():
            if isinstance(one, (Option, Heading)):
                own.append(one)
            elif type(one) is tuple:
                own += [row for row in one if isinstance(row, (Option, Heading))]
        inherited = [row for base in cls.__bases__ for row in base.__dict__.get("rows", ())]
        if inherited and not any(row is inherited[0] for row in own):
            new = {one.attribute: one for one in own if isinstance(one, Option)}
            before = [new.pop(one.attribute, one) if isinstance(one, Option) else one for one in inherited]
            own = [*before, *(one for one in own if isinstance(one, Heading) or one.attribute in new)]
        cls.rows = tuple(own)
        cls.options = tuple(one for one in own if isinstance(one, Option))
        for one in cls.options:
            if one.is_argument:
                cls.argument = one

    if not TYPE_CHECKING:

        def __init__(self, **values: object) -> None:
            self._values = {}
            self.uses = []
            self.passed = values
            for attribute, value in values.items():
                self._pass(getattr(type(self), attribute), value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.uses}>"

    def use(self, option: Declared, value: Used, origin: Origin = None) -> None:
        """Adds one use of an option. Raises UsageError for a comma separated list with broken quotes."""
        self.uses.append(Use(option, value, origin))
        values = self._values.setdefault(option.attribute, [])
        if option.kind == CSV:
            values += _split(option, value)
        elif option.kind == TEXTS:
            values.append(value)
        elif option.kind == MAP and values:
            values[:] = [merged(values[0], value)]
        else:
            values[:] = [value]

    def _pass(self, option: Option, value: object) -> None:
        """Adds the uses for the value of a keyword. A value that is neither a string nor a boolean is only in `passed`."""
        if option.kind == SWITCH:
            self.use(option, bool(value) is not option.is_negated)
        elif option.kind in LISTS and isinstance(value, (list, tuple)):
            for one in value:
                self.use(option, one)
        elif option.kind not in LISTS and value is not None:
            self.use(option, value)

    @classmethod
    def of(cls, *lists: Sequence[Use]) -> Self:
        """A request with these uses."""
        new = cls()
        for uses in lists:
            for one in uses:
                new.use(one.option, one.value, one.origin)
        return new

    def over(self, *others: Sequence[Use]) -> Self:
        """A copy of the request with more uses after its own."""
        return self.of(self.uses, *others)

    def without(self, *options: Declared) -> Self:
        """A copy of the request without the uses of some options."""
        left_out = {one.attribute for one in options}
        return self.of([one for one in self.uses if one.option.attribute not in left_out])

    def apart(self) -> tuple[Self, Used]:
        """A copy of the request without its last positional argument, and that argument."""
        last = next(one for one in reversed(self.uses) if one.option.is_argument)
        return self.of([one for one in self.uses if one is not last]), last.value

    def value(self, option: Declared) -> Used:
        """The value of an option, from its uses or its default."""
        values = self._values.get(option.attribute, option.default)
        if option.kind in LISTS:
            return list(values)
        if option.kind == SWITCH:
            return bool(values and values[-1]) is not option.is_negated
        if option.kind == NUMBER:
            return int(values[-1], 0)
        return values[-1] if values else None if option.kind in (MAP, VALUE) else ""

    def uses_of(self, option: Declared) -> list[Use]:
        """The uses of an option, in order."""
        attribute = option.attribute
        return [one for one in self.uses if one.option.attribute == attribute] if attribute in self._values else []

    def has(self, *options: Declared) -> bool:
        """True if one of the options is used."""
        return any(one.attribute in self._values for one in options)

    def lacking(self, settings: Container[str] = ()) -> Option | None:
        """The first used option without one that it requires, or None. settings: attributes of other used options."""
        for use in self.uses:
            needed = use.option.requires
            if needed and not any(one in self._values or one in settings for one in needed):
                return use.option
        return None

    @property
    def key(self) -> tuple[tuple[str, object], ...]:
        """The uses that can change a result, as a key for caches."""
        return tuple(
            (one.option.attribute, one.value if isinstance(one.value, (str, bool)) else _text(one.value))
            for one in self.uses
            if one.option.part != PROCESS and one.option.has_effect
        )

    @property
    def arguments(self) -> list[Used]:
        """The positional arguments, in order."""
        return [one.value for one in self.uses if one.option.is_argument]

    def require_choice(self, option: Declared) -> None:
        """Raises UsageError if the value of an option is not one of its choices."""
        found = self.value(option)
        for value in found if option.kind in LISTS else [found]:
            if value not in option.choices:
                known = option.choices
                with located(self, option):
                    raise UsageError(
                        f'unknown --{option.name} "{value}"',
                        expected=", ".join(known),
                        hint=did_you_mean(value, known),
                        code="unknown-choice",
                    )


# The declarations of the options that all commands share.
SHARED: Declared = Request


class located:  # noqa: N801 - reads as what it does
    """`with located(request, Render.file_marks) as texts:` iterates over the values of an option.

    An error without a position gets the line of the current value in the project file; without iteration, that of the
    last value.
    """

    __slots__ = ("_use", "_uses")

    def __init__(self, request: Request, option: Declared) -> None:
        self._uses = request.uses_of(option)
        self._use = self._uses[-1] if self._uses else None

    def __enter__(self) -> Iterator[Used]:
        return self._values()

    def _values(self) -> Iterator[Used]:
        for use in self._uses:
            self._use = use
            yield use.value

    def __exit__(self, _kind: object, error: BaseException | None, _at: object) -> None:
        use = self._use
        if use is not None and use.origin is not None and isinstance(error, PlaitError) and error.at is None:
            error.within(f'in the setting "{use.option.setting}"', use.origin)


def merged(low: Map, high: Map) -> Map:
    """Merges two maps deeply; values of the second win."""
    from plait.tree.nodes import Map

    items = {item.key: item for item in low.items}
    for item in high.items:
        before = items.get(item.key)
        if before is not None and type(before.value) is Map and type(item.value) is Map:
            items[item.key] = item.with_value(merged(before.value, item.value))
        else:
            items[item.key] = item
    return Map(list(items.values()), high.source, high.line)


def _text(value: Map) -> str:
    from plait.yaml.writer import write_value

    return write_value(value)


def _split(option: Option, text: str) -> list[str]:
    if not text:
        return []
    if '"' not in text:
        return text.split(",")
    import csv

    try:
        return next(csv.reader([text], strict=True))
    except csv.Error as error:
        raise UsageError(
            f'invalid argument "{text}" for "{option.shown}" flag', found=str(error), code="invalid-value"
        ) from None
