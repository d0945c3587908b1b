"""The parser behind the reader: libyaml loaded alone, the real package afterwards, and PyYAML's own parser."""

from __future__ import annotations

import subprocess
import sys

import pytest

from plait.base.errors import LimitError, ReadError
from plait.base.limits import Limits, budget_scope
from plait.base.source import Source
from plait.tree.nodes import Map, walk
from plait.yaml.comments import Comments
from plait.yaml.libyaml import Parser, pure_parser
from plait.yaml.lossless.binding import Spans
from plait.yaml.reader import read, read_value
from plait.yaml.repeats import deduplicate
from plait.yaml.writer import write


def run(program: str) -> str:
    """What a fresh interpreter prints for a program."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


READ = "from plait.base.source import Source\nfrom plait.yaml.reader import read\nfrom plait.yaml.writer import write\nout = write(read(Source('f.yml', 'a: ! [x, 1]')))\n"


def test_reading_imports_neither_the_package_nor_regular_expressions() -> None:
    out = run(
        "import sys\n"
        + READ
        + "print(sorted({'yaml', 'yaml._yaml', 'yaml.events', 're', 'typing'} & set(sys.modules)))"
    )
    assert out == "[]\n"


def test_the_package_works_when_it_is_imported_after_a_read() -> None:
    program = READ + (
        "import sys, yaml\n"
        "assert yaml.__with_libyaml__\n"
        "assert yaml.load('a: [1, {b: c}]', yaml.CSafeLoader) == {'a': [1, {'b': 'c'}]}\n"
        "assert yaml.dump({'a': [1]}, Dumper=yaml.CSafeDumper) == 'a:\\n- 1\\n'\n"
        "for text, kind in [('a: [', yaml.parser.ParserError), ('a: @', yaml.scanner.ScannerError),\n"
        "                   ('a: \\x07', yaml.reader.ReaderError), ('*x', yaml.composer.ComposerError)]:\n"
        "    try:\n"
        "        yaml.load(text, yaml.CSafeLoader)\n"
        "    except yaml.YAMLError as error:\n"
        "        assert type(error) is kind, (text, type(error))\n"
        "    else:\n"
        "        raise AssertionError(text)\n"
        "assert type(list(yaml.parse('a', Loader=yaml.CLoader))[2]) is yaml.ScalarEvent\n"
        "assert type(list(yaml.scan('a', Loader=yaml.CLoader))[1]) is yaml.ScalarToken\n"
        "assert type(yaml.compose('a', Loader=yaml.CLoader)) is yaml.ScalarNode\n"
        "assert not [finder for finder in sys.meta_path if 'plait' in type(finder).__module__]\n"
        "assert write(read(Source('f.yml', 'a: ! [x, 1]'))) == out\n"
        "print('fine')"
    )
    assert run(program) == "fine\n"


def test_reading_works_when_the_package_was_there_before() -> None:
    assert run("import yaml\n" + READ + "print(out, end='')") == "a:\n- x\n- 1\n"


def test_reading_works_without_the_extension() -> None:
    program = (
        "import sys\nsys.modules['yaml._yaml'] = None\nimport yaml\nassert not yaml.__with_libyaml__\n"
        + READ
        + "print(out, end='')"
    )
    assert run(program) == "a:\n- x\n- 1\n"


def test_reading_works_when_the_extension_cannot_be_loaded_alone() -> None:
    program = "import plait.yaml.libyaml as libyaml\nlibyaml._load_alone = lambda: None\n" + READ + "print(out, end='')"
    assert run(program) == "a:\n- x\n- 1\n"


def test_a_read_starts_anew_when_another_thread_imports_the_package() -> None:
    class Other:
        """An event of a class that the reader does not know."""

    pure = pure_parser()
    opened = []

    def open_text(text: str) -> object:
        opened.append(text)
        return Other if len(opened) == 1 else pure.open(text)

    tree = read(Source("f.yml", "a: 1"), parser=Parser(open_text))  # type: ignore[arg-type]
    assert write(tree) == "a: 1\n"
    assert len(opened) == 2


@pytest.mark.parametrize("parser", [None, pure_parser()], ids=["libyaml", "pure"])
@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a:\n\tb: 1", "found character that cannot start any token", 2),
        ("a: b: c", "mapping values are not allowed in this context", 1),
        ("- 1\nb: 2", "did not find expected '-' indicator", 2),
        ("a: 1\n- b", "did not find expected key", 2),
        ("a: [1", "did not find expected ',' or ']'", 1),
        ("a: {b: 1", "did not find expected ',' or '}'", 1),
        ("a: é\nb: \x07", "control characters are not allowed", 2),
        ("a: é\nb: \udc80", "invalid leading UTF-8 octet", 2),
        ('a: "\\q"', "found unknown escape character", 1),
    ],
)
def test_both_parsers_say_what_is_wrong_in_the_same_words(
    parser: Parser | None, text: str, message: str, line: int
) -> None:
    with pytest.raises(ReadError) as caught:
        read(Source("f.yml", text), parser=parser)
    assert (caught.value.message, caught.value.at and caught.value.at.line) == (message, line)


def test_deep_nesting_is_read_and_written_without_recursion() -> None:
    depth = 3_000
    tree = read(Source("f.yml", "[" * depth + "x" + "]" * depth), depth=10_000)
    written = write(deduplicate(tree))
    assert written == "- " * depth + "x\n"
    assert write(read(Source("g.yml", written), depth=10_000)) == written


def test_deep_keys_are_written_without_recursion() -> None:
    depth = 3_000
    tree = read(Source("f.yml", "? " * depth + "x"), depth=10_000)
    assert write(read(Source("g.yml", write(tree)), depth=10_000)) == write(tree)


@pytest.mark.parametrize("text", ["[" * 11, "- " * 11 + "x", "{a: " * 11])
def test_depth_is_limited(text: str) -> None:
    with pytest.raises(LimitError, match=r"the limit nesting=10$"):
        read(Source("f.yml", text), depth=10)


def test_the_default_depth_ends_before_memory_does() -> None:
    with pytest.raises(LimitError):
        read(Source("f.yml", "[" * 100_000))


@pytest.mark.parametrize("text", ["[" * 100_000, f"a: {'[' * 5_000}{']' * 5_000}", "- " * 3_000 + "x", "{a: " * 3_000])
def test_the_parser_for_deep_texts_does_not_read_what_the_limit_rejects(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes quadratic time: 7 seconds for 10 kB."""
    monkeypatch.setattr("plait.yaml.events.pure_parser", lambda: pytest.fail("it reads the text"))
    with pytest.raises(LimitError, match=r"the limit nesting=1000$") as caught:
        read(Source("f.yml", text))
    assert caught.value.at is not None
    assert caught.value.at.line == 1


def test_copies_by_aliases_are_limited() -> None:
    text = "a: &a [x, x, x, x, x, x, x, x]\n"
    for name, before in zip("bcdefg", "abcdef", strict=True):
        text += f"{name}: &{name} [{', '.join(['*' + before] * 8)}]\n"
    with (
        pytest.raises(LimitError, match="what aliases make exceeds the limit aliases=5000") as caught,
        budget_scope(Limits(aliases=5_000)),
    ):
        read(Source("f.yml", text))
    assert caught.value.at is not None
    assert caught.value.at.line == 4


def test_copies_are_new_nodes_at_the_line_of_the_anchor() -> None:
    tree = read(Source("f.yml", "a: &x\n  b: 1\nc: *x\n"))
    root = tree.items[0].value
    assert isinstance(root, Map)
    first, second = (item.value for item in root.items)
    assert isinstance(first, Map)
    assert isinstance(second, Map)
    assert first is not second
    assert first.items[0] is not second.items[0]
    assert second.items[0].line == 2


def test_positions_count_from_the_first_line_of_the_source() -> None:
    comments = Comments()
    tree = read(Source("f.yml", "a: 1 # x\nb:\n- 2\n", first_line=10), comments=comments)
    assert [item.line for item in walk(tree)] == [10, 10, 11, 12]
    assert [comment.line for comment in comments.all] == [10]
    with pytest.raises(ReadError) as caught:
        read(Source("f.yml", "a: 1\nb: [", first_line=10))
    assert caught.value.at is not None
    assert caught.value.at.line == 11


def test_spans_count_in_the_text_of_the_source_with_a_byte_order_mark_before() -> None:
    source = Source("f.yml", "\ufeffkey: value\nb: c\n")
    for keep in (True, False):
        tree = read(source, keep_mark=keep)
        spans = Spans(tree)
        root = tree.items[0].value
        assert isinstance(root, Map)
        first, second = root.items
        value, item = spans.value(first), spans.item(second)
        assert value is not None
        assert item is not None
        assert source.text[value.start : value.end] == "value"
        assert spans.place(item.start) == (2, 1)
        assert first.key == ("\ufeffkey" if keep else "key")


def test_only_templates_are_templates() -> None:
    for text, expected in [
        ("a: 1", False),
        ("a: 1 # b\n#! c", False),
        ("a: '#@ x'", False),
        ("a: 1 #@ b", True),
        ("#@ b", True),
        ("a: |\n  #@ x", False),
    ]:
        comments = Comments()
        read(Source("f.yml", text), comments=comments)
        assert comments.template is expected


def test_in_templates_a_key_beside_a_merge_wins() -> None:
    text = "base: &b {x: 1}\nuse:\n  x: 2\n  <<: *b\n"
    assert "x: 2\n  x: 1" in write(read(Source("f.yml", text), comments=Comments()))
    assert "x: 1\n" not in write(read(Source("f.yml", text + "#@ pass\n"), comments=Comments())).partition("use")[2]


def test_the_value_of_the_first_document() -> None:
    assert write(deduplicate(read(Source("f.yml", "--- {a: 1, a: 2}\n--- 3\n")))) == "a: 2\n---\n3\n"
    value = read_value(Source("f.yml", "--- {a: 1, a: 2}\n--- 3\n"))
    assert isinstance(value, Map)
    assert [item.value for item in value.items] == [2]
    assert read_value(Source("f.yml", "")) is None
