"""Reads a YAML file, or its cached form."""

from __future__ import annotations

from plait.tree.nodes import Document
from plait.ytt.templates.file import YamlFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.code_cache import CodeCache
    from plait.base.source import Source
    from plait.tree.nodes import DocumentSet
    from plait.yaml.comments import Comments


def read_yaml(
    source: Source, *, strict: bool = False, plain: bool = False, cache: CodeCache | None = None, traced: bool = False
) -> YamlFile:
    """Reads a YAML file. plain: drop its comments (docs/guide-render.md). cache: templates of earlier runs. traced:
    compile for provenance. Raises ReadError.
    """
    kept = None
    if cache is not None and not plain and "#@" in source.text:
        from plait.ytt.templates.cached_template import find, may_replace_reading

        kept = find(cache, source, traced=traced)
        if kept is not None and not strict and may_replace_reading():
            return kept
    from plait.yaml.comments import Comments
    from plait.yaml.reader import read

    comments = None if plain or "#" not in source.text else Comments()
    file = YamlFile(source, read(source, strict=strict, comments=comments, merge_lists=False), comments)
    file.kept = kept
    if file.is_template and comments is not None:
        _own_leftovers(file.documents, comments)
    return file


def _own_leftovers(documents: DocumentSet, comments: Comments) -> None:
    """Gives comments after the last node a document of their own, without a value, because it may be an overlay."""
    left = comments.of.pop(documents, None)
    if left is not None:
        last = Document(None, documents.source, left[0].line)
        documents.items.append(last)
        comments.of[last] = left
