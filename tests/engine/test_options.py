from __future__ import annotations

import pytest

from plait.base.errors import UsageError
from plait.cli.commands import commands
from plait.engine.common import NO_EFFECT
from plait.engine.flags import Command
from plait.engine.helping import help_text
from plait.engine.options import GO_FLAGS, Heading, Request, csv, switch, text, texts


class Plain(Request):
    """A tool."""

    __slots__ = ()
    summary = "Does things."

    file = texts("file", "an input", short="f", value="PATH")
    values = texts("value", "a value", short="v", value="KEY=VALUE")
    output = csv("output", "a form", short="o", value="FORM", default=("yaml",))
    directory = text("directory", "where to", value="DIRECTORY")
    strict = switch("strict", "be strict", short="s")
    quick = switch("quick", "be quick", short="q")


class WithArguments(Plain):
    """A tool with arguments."""

    __slots__ = ()
    usage = "PATH..."


class Go(Plain):
    """A tool whose flags are read as go-flags reads them."""

    __slots__ = ()
    usage = "PATH"
    grammar = GO_FLAGS


PLAIN = Command(Plain, "tool")
WITH_ARGUMENTS = Command(WithArguments, "tool")
GO = Command(Go, "tool")


@pytest.mark.parametrize(
    "argv",
    [["-f", "a"], ["-fa"], ["-f=a"], ["--file", "a"], ["--file=a"], ["-sf", "a"], ["-sfa"], ["-qsf=a"]],
    ids=" ".join,
)
def test_every_spelling_gives_the_value(argv: list[str]) -> None:
    for command in (PLAIN, GO):
        assert command.parse(argv).file == ["a"]


def test_values_keep_equals_signs_and_commas() -> None:
    parsed = PLAIN.parse(["-va=2", "-v=b=3", "--value", "c=1,2", "--value=d==", "-v", ""])
    assert parsed.values == ["a=2", "b=3", "c=1,2", "d==", ""]


def test_of_one_text_the_last_stands() -> None:
    assert PLAIN.parse(["--directory=a", "--directory", "b"]).directory == "b"
    assert PLAIN.parse([]).directory == ""


def test_comma_separated_values() -> None:
    assert PLAIN.parse([]).output == ["yaml"]
    assert PLAIN.parse(["-o", "json,pos", "-o", "yaml"]).output == ["json", "pos", "yaml"]
    assert PLAIN.parse(["-o", '"a,b",c']).output == ["a,b", "c"]
    assert PLAIN.parse(["-o", ""]).output == []
    with pytest.raises(UsageError, match="invalid argument"):
        PLAIN.parse(["-o", '"a'])


@pytest.mark.parametrize(
    ("argv", "on"),
    [
        (["-s"], True),
        (["--strict"], True),
        (["--strict=TRUE"], True),
        (["-s=1"], True),
        (["--strict=false"], False),
        (["-s", "--strict=F"], False),
        (["--strict=0", "-s"], True),
        ([], False),
    ],
)
def test_switches(argv: list[str], on: bool) -> None:
    assert PLAIN.parse(argv).strict is on
    assert PLAIN.parse(argv).has(Plain.strict) is bool(argv)


def test_a_flag_given_as_off_is_given() -> None:
    parsed = PLAIN.parse(["--strict=false"])
    assert parsed.has(Plain.strict)
    assert not parsed.has(Plain.quick)


def test_after_pflag_a_value_may_look_like_a_flag() -> None:
    assert PLAIN.parse(["-f", "-s", "-f", "--"]).file == ["-s", "--"]


def test_arguments_and_their_end() -> None:
    parsed = WITH_ARGUMENTS.parse(["a", "-s", "-", "--", "-f", "--nope"])
    assert parsed.arguments == ["a", "-", "-f", "--nope"]
    assert parsed.strict


def test_occurrences_keep_the_order_of_the_line() -> None:
    parsed = GO.parse(["-v", "a=1", "-f", "x", "p", "-v", "b=2", "-s"])
    assert [(use.option.name, use.value) for use in parsed.uses if not use.option.is_argument] == [
        ("value", "a=1"),
        ("file", "x"),
        ("value", "b=2"),
        ("strict", True),
    ]
    assert parsed.arguments == ["p"]


@pytest.mark.parametrize(
    ("argv", "message", "hint"),
    [
        (["--foo"], "unknown flag: --foo", None),
        (["--fil", "x"], "unknown flag: --fil", 'did you mean "--file"?'),
        (["-x"], "unknown shorthand flag: 'x' in -x", None),
        (["-sx"], "unknown shorthand flag: 'x' in -sx", None),
        (["-quick"], "unknown shorthand flag: 'u' in -quick", 'did you mean "--quick"?'),
        (["-f"], "flag needs an argument: 'f' in -f", None),
        (["--file"], "flag needs an argument: --file", None),
        (["--strict=maybe"], 'invalid argument "maybe" for "-s, --strict" flag', None),
        (["--strict", "false"], "command 'tool' does not accept extra arguments 'false'", "--strict=false"),
        (["app.yml"], "command 'tool' does not accept extra arguments 'app.yml'", "-f app.yml"),
        (["--=x"], "bad flag syntax: --=x", None),
        (["---file"], "bad flag syntax: ---file", None),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes(argv: list[str], message: str, hint: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        PLAIN.parse(argv)
    assert caught.value.message == message
    assert hint is None or hint in str(caught.value.hint)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--strict=true"], "bool flag `-s, --strict' cannot have an argument"),
        (["-s=true"], "bool flag `-s, --strict' cannot have an argument"),
        (["-v"], "expected argument for flag `-v, --value'"),
        (["-v", "-v"], "expected argument for flag `-v, --value', but got option `-v'"),
        (["--nope"], "unknown flag `nope'"),
        (["-x"], "unknown flag `x'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_after_go_flags(argv: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        GO.parse(argv)
    assert caught.value.message == message


def test_help_does_not_mind_arguments_but_flags() -> None:
    assert PLAIN.parse(["-h"]).help
    assert PLAIN.parse(["x", "--help"]).help
    with pytest.raises(UsageError):
        PLAIN.parse(["--help", "--nope"])


@pytest.mark.parametrize(
    ("argv", "place"),
    [
        ([], None),
        (["-f", "a"], None),
        (["cmd"], 0),
        (["-f", "a", "cmd"], 2),
        (["-fa", "cmd"], 1),
        (["-f=a", "cmd"], 1),
        (["-sf", "a", "cmd"], 2),
        (["-s", "cmd"], 1),
        (["-s=true", "cmd"], 1),
        (["--file", "a", "--strict", "cmd"], 3),
        (["--file=a", "cmd"], 1),
        (["--", "cmd"], 1),
        (["--"], None),
        (["-"], 0),
    ],
)
def test_first_argument(argv: list[str], place: int | None) -> None:
    assert PLAIN.first_argument(argv) == place


def test_help_text_comes_from_the_table() -> None:
    class Tool(Request):
        __slots__ = ()
        summary = "Does things."
        program = "tool"
        usage = "PATH"
        commands = (("go", "goes"), ("stop", "stops"))
        file = Plain.file
        output = Plain.output
        strict = Plain.strict

    command = Command(Tool, "tool")
    assert help_text(command) == (
        "Does things.\n"
        "\n"
        "Usage:\n"
        "  tool [flags] PATH\n"
        "  tool [command]\n"
        "\n"
        "Commands:\n"
        "  go    goes\n"
        "  stop  stops\n"
        "\n"
        "Flags:\n"
        "  -f, --file PATH               an input (repeatable)\n"
        "  -o, --output FORM             a form (repeatable) (default yaml)\n"
        "  -s, --strict                  be strict\n"
        "  -h, --help                    print this help\n"
    )


def test_help_has_headings_and_names_flags_without_effect_last() -> None:
    class Tool(Request):
        __slots__ = ()
        summary = "Does things."
        program = "tool"
        _1 = Heading("Inputs")
        file = Plain.file
        _2 = Heading("Output")
        output = Plain.output
        _3 = Heading(NO_EFFECT)
        strict = Plain.strict

    found = help_text(Command(Tool, "tool"))
    assert found.partition("Usage:\n  tool [flags]\n\n")[2] == (
        "Inputs:\n"
        "  -f, --file PATH               an input (repeatable)\n"
        "\n"
        "Output:\n"
        "  -o, --output FORM             a form (repeatable) (default yaml)\n"
        "\n"
        "General:\n"
        "  -h, --help                    print this help\n"
        "\n"
        "Accepted for compatibility, no effect:\n"
        "  -s, --strict\n"
    )


@pytest.mark.parametrize("name", commands())
def test_help_fits_80_columns(name: str) -> None:
    for line in help_text(commands()[name]).splitlines():
        assert len(line) <= 80, line


def test_flags_at_the_beginning_or_anywhere_are_read_apart_from_other_words() -> None:
    flags, left = PLAIN.apart(["-s", "--directory", "d", "go", "-q", "--nope", "x"])
    assert (flags.strict, flags.directory, flags.quick, left) == (True, "d", False, ["go", "-q", "--nope", "x"])
    flags, left = PLAIN.apart(["go", "-q", "--nope", "x", "--", "-s"], anywhere=True)
    assert (flags.strict, flags.quick, left) == (False, True, ["go", "--nope", "x", "--", "-s"])


def test_an_option_of_a_class_replaces_that_of_its_base_and_stands_in_its_place() -> None:
    class Quiet(Plain):
        __slots__ = ()
        output = csv("output", "a form", short="o", value="FORM", default=("json",))
        more = switch("more", "more")

    assert [one.attribute for one in Quiet.options] == [*(one.attribute for one in Plain.options), "more"]
    assert (Quiet().output, Plain().output) == (["json"], ["yaml"])
