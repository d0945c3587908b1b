"""Documents printed in the form in which they were read: they mean what they would mean, and what nobody touched stays."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.base.source import Source
from plait.tree.equality import alike
from plait.tree.nodes import Array, DocumentSet, Map, MapItem, from_plain
from plait.yaml.preserved_text import PreservedTexts
from plait.yaml.reader import read
from plait.yaml.repeats import deduplicate

VALUES: list[object] = ["x", "yes", "0o17", 5, 1.5, None, True, {"a": {"b": [1, {"c": 2}]}}, ["p", ["q"]], "two\nlines\n",
                        "a: b # c", "", "it's", [], {}]  # fmt: skip
scalars = st.sampled_from(
    ["1", "'one'", '"two"', "yes", "~", "0x1F", "word", "|\n{pad}  text\n{pad}  more", "1.50", "&a x"]
)


def written(draw: st.DrawFn, pad: str = "", depth: int = 0) -> str:
    """A block map as somebody might write it, with comments and blank lines."""
    step = draw(st.sampled_from(["  ", "    "]))
    lines = []
    for number in range(draw(st.integers(1, 4))):
        if draw(st.booleans()):
            lines.append(draw(st.sampled_from([f"{pad}# above {number}\n", "\n"])))
        comment = draw(st.sampled_from(["", "   # beside"]))
        kind = draw(st.integers(0, 5)) if depth < 3 else 0
        if kind == 1:
            lines.append(f"{pad}k{number}:{comment}\n{written(draw, pad + step, depth + 1)}")
        elif kind == 2:
            dash = draw(st.sampled_from(["", "  "]))
            items = "".join([f"{pad}{dash}- i{place}{comment}\n" for place in range(draw(st.integers(1, 3)))])
            lines.append(f"{pad}k{number}:\n{items}")
        elif kind == 3:
            lines.append(f"{pad}k{number}: {{a:  1, 'b': [x,  y]}}{comment}\n")
        else:
            value = draw(scalars).replace("{pad}", pad)
            lines.append(f"{pad}k{number}: {value}{comment if chr(10) not in value else ''}\n")
    return "".join(lines)


def text_of(draw: st.DrawFn) -> str:
    parts = [written(draw) for _ in range(draw(st.integers(1, 3)))]
    text = draw(st.sampled_from(["", "# head\n", "---\n"])) + "---  # next\n".join(parts)
    # A file may end without a line break, also in a block text.
    return text.removesuffix("\n") if draw(st.booleans()) else text


texts = st.composite(text_of)()


def parsed(text: str) -> DocumentSet:
    return deduplicate(read(Source("a.yml", text)))


def originals_of(documents: DocumentSet) -> PreservedTexts:
    originals = PreservedTexts()
    originals.add(documents, lambda source: deduplicate(read(source)))
    return originals


@given(texts)
def test_what_nobody_changes_keeps_its_bytes(text: str) -> None:
    documents = parsed(text)
    assert originals_of(documents).write(documents) == text


@given(texts, st.randoms(use_true_random=False))
def test_a_change_means_what_it_says_and_touches_no_other_key(text: str, chance: random.Random) -> None:
    documents = parsed(text)
    place = chance.randrange(len(documents.items))
    document = documents.items[place]
    root = document.value
    assert isinstance(root, Map)
    items = list(root.items)
    chosen = chance.randrange(len(items))
    value = from_plain(chance.choice(VALUES))
    if chance.random() < 0.3:
        items.append(MapItem("new", value))
    else:
        items[chosen] = items[chosen].with_value(value)
    changed = document.with_value(root.with_items(items))
    wanted = documents.with_items([*documents.items[:place], changed, *documents.items[place + 1 :]])
    printed = originals_of(documents).write(wanted)
    found = parsed(printed)
    assert all(alike(one.value, other.value) for one, other in zip(found.items, wanted.items, strict=True))
    # The comments above the other keys are all still there.
    if not any(isinstance(item.value, (Map, Array)) for item in root.items):
        assert printed.count("# above") >= text.count("# above") - 1


@given(texts, st.randoms(use_true_random=False))
def test_documents_in_any_order_mean_the_same(text: str, chance: random.Random) -> None:
    documents = parsed(text)
    items = [*documents.items, *parsed("z: 1\n").items]
    chance.shuffle(items)
    items = items[: chance.randrange(1, len(items) + 1)]
    wanted = documents.with_items(items)
    found = parsed(originals_of(documents).write(wanted))
    assert all(alike(one.value, other.value) for one, other in zip(found.items, wanted.items, strict=True))


@pytest.mark.parametrize(
    ("first", "second"),
    [("a: |\n  x", "b: 1"), ("a: |+\n  x\n", "\n\n---\nb: 1\n"), ("a: 1\n---\nb: |\n  x", "# c\n---\nc: >\n  y")],
)
def test_texts_one_behind_the_other_mean_what_each_means(first: str, second: str) -> None:
    sets = [deduplicate(read(Source(name, text))) for name, text in (("a.yml", first), ("b.yml", second))]
    originals = PreservedTexts()
    for documents in sets:
        originals.add(documents, lambda source: deduplicate(read(source)))
    items = [document for documents in sets for document in documents.items]
    found = parsed(originals.write(DocumentSet(items)))
    assert all(alike(one.value, other.value) for one, other in zip(found.items, items, strict=True))
