"""Regular expressions of RE2 in a JSON Schema: the same keys match, as Python's `re` sees it."""

from __future__ import annotations

import random
import re
import string

import pytest
import re2

from plait.ytt.schema.ecmascript_regex import in_ecma

PIECES = (
    "a", "b", "-", ".", "x", "1", "_", "{", "}", "]", " ", "é", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\.", r"\-", r"\_",
    r"\x41", r"\x{42}", r"\x{20AC}", r"\Qa.b[\E", r"\t", "[ab]", "[^ab]", "[a-c1]", "[]a]", "[^]a]", "[[:alpha:]]", "[^[:digit:]_]",
    r"[\d-]", r"[\w.]", r"[a\]b]", "[[a]", "[&^]", "[a-]", r"[\x{41}-C]", "(a|b)", "(?P<name>ab)", "(?<name>b)", "(?:1|2)",
    r"[[:punct:]]", r"[\s\d]", "/", r"\/", '"', r"\"",
)  # fmt: skip
TIMES = ("", "", "", "*", "+", "?", "*?", "{2}", "{1,}", "{0,2}")
LETTERS = 'abcABC12 .-_[]{}x/"é€\t\n~&^'


def expressions(seed: int) -> tuple[str, random.Random]:
    chosen = random.Random(seed)
    return "".join(chosen.choice(PIECES) + chosen.choice(TIMES) for _ in range(chosen.randrange(1, 5))), chosen


@pytest.mark.parametrize("first", range(0, 2000, 500))
def test_the_same_keys_match(first: int) -> None:
    options = re2.Options()
    options.log_errors = False
    compared = matched = 0
    for seed in range(first, first + 500):
        pattern, chosen = expressions(seed)
        try:
            original = re2.compile(pattern, options)
        except re2.error:
            continue
        translated = in_ecma(pattern)
        assert translated is not None, pattern
        other = re.compile(translated)
        for _ in range(20):
            key = "".join(chosen.choice(LETTERS) for _ in range(chosen.randrange(4)))
            found = original.fullmatch(key) is not None
            assert (other.fullmatch(key) is not None) is found, (pattern, translated, key)
            compared += 1
            matched += found
    assert compared > 5000
    assert matched > 200


@pytest.mark.parametrize(
    "name",
    sorted(
        [
            "alnum",
            "alpha",
            "ascii",
            "blank",
            "cntrl",
            "digit",
            "graph",
            "lower",
            "print",
            "punct",
            "space",
            "upper",
            "word",
            "xdigit",
        ]
    ),
)
def test_named_classes(name: str) -> None:
    translated = in_ecma(f"[[:{name}:]]")
    assert translated is not None
    for char in map(chr, range(256)):
        assert (re.fullmatch(translated, char) is None) is (re2.fullmatch(f"[[:{name}:]]", char) is None), char


@pytest.mark.parametrize(
    "pattern", ["(?i)ab", "(?s:.)", r"\pL", r"\p{Greek}", r"[\pN]", r"[^\D]", "[[:^alpha:]]", r"\C", r"\012"]
)
def test_what_is_not_the_same_everywhere(pattern: str) -> None:
    re2.compile(pattern)
    assert in_ecma(pattern) is None


@pytest.mark.parametrize("pattern", ["[a-z][a-z0-9-]*", "x|y", "(?:a|b)+", string.ascii_letters])
def test_what_stays(pattern: str) -> None:
    assert in_ecma(pattern) == pattern
