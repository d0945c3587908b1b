"""Documents that an earlier run has read: another run takes them if their text is the same, and changes nothing of them."""

from __future__ import annotations

from random import Random

import pytest

from layersets import layer_set
from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.layering import job
from plait.layering.job import LayerJob
from plait.layering.known_documents import KnownDocuments
from plait.layering.rendering import LayeringOptions
from plait.tree.context import Context
from plait.tree.nodes import DocumentSet, from_plain
from plait.yaml.reader import read
from plait.yaml.writer import write_value


def made(texts: list[str], kept: KnownDocuments | None, *, like_deckhand: bool) -> str:
    context = Context()
    if kept is not None:
        kept.begin()
    sources = [Source(f"{place}.yml", text) for place, text in enumerate(texts)]
    try:
        result = LayerJob(sources, LayeringOptions(lenient=True, like_deckhand=like_deckhand), known=kept).run(context)
    except PlaitError as error:
        return error.report()
    return LayerJob.text(result) + "\n".join(context.warnings)


@pytest.mark.parametrize("seed", range(40))
def test_runs_that_share_what_they_read_give_what_each_gives_alone(seed: int) -> None:
    texts = [write_value(from_plain(one)) for one in layer_set(Random(seed))]
    kept = KnownDocuments()
    for like_deckhand in (True, False, True, False):
        assert made(texts, kept, like_deckhand=like_deckhand) == made(texts, None, like_deckhand=like_deckhand)


def test_a_text_is_read_again_if_it_is_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [write_value(from_plain(one)) for one in layer_set(Random(1))]
    kept = KnownDocuments()
    made(texts, kept, like_deckhand=False)
    seen: list[str] = []

    def noted(source: Source, **settings: object) -> DocumentSet:
        seen.append(source.name)
        return read(source, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr(job, "read", noted)
    texts[2] += "# another\n"
    again = made(texts, kept, like_deckhand=False)
    assert seen == ["2.yml"]
    assert again == made(texts, None, like_deckhand=False)
