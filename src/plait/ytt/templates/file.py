"""A YAML file as read: its documents, its comments, and whether it is a template (docs/reference/templates.md). See
`template_files`.
"""

from __future__ import annotations

from plait.base.errors import TemplateError
from plait.tree.nodes import Array, Document, DocumentSet, Map, MapItem, kind_name, walk
from plait.yaml.scalars import has_typographic_quotes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.base.source import Source
    from plait.tree.nodes import Item
    from plait.yaml.comments import Comment, Comments
    from plait.ytt.templates.remarks import Remark


# The beginning of a negation that YAML reads as a tag.
_NEGATED = "!data.values."
# Starts of code and of annotations.
_QUOTABLE = ("#@ ", "#@data/", "#@overlay/", "#@schema/")


def _calls(name: str, text: str) -> bool:
    """True if a template may load or define a function of this name."""
    return name.replace(".", "").isidentifier() and (
        f'"{name}"' in text or f"def {name}(" in text or f"{name}=" in text
    )


def _names(comments: Sequence[Comment]) -> list[str]:
    """The annotations among the comments of a node."""
    from plait.ytt.templates import directives

    return directives.names(comments)


class TemplateResult:
    """The result of a run: the names it defines, and its documents (YAML) or its text."""

    __slots__ = ("documents", "exports", "text")

    def __init__(self, exports: Mapping[str, object], documents: DocumentSet | None = None, text: str = "") -> None:
        self.exports = exports
        self.documents = documents
        self.text = text


class YamlFile:
    """The contents of one YAML file.

    documents: as written, including duplicate keys. comments: None for a file whose comments have no meaning. kept: its
    cached form, if the file had to be read nevertheless.
    """

    __slots__ = ("_annotated", "_plain", "comments", "documents", "is_template", "kept", "source")

    def __init__(self, source: Source, documents: DocumentSet, comments: Comments | None) -> None:
        self.source = source
        self.documents = documents
        self.comments = comments
        self.is_template = comments is not None and comments.template
        self.kept: YamlFile | None = None
        self._plain: DocumentSet | None = None
        self._annotated: dict[str, bool] = {}

    @property
    def plain(self) -> DocumentSet:
        """The documents of a plain file: a duplicate key has its last value, at its first position."""
        if self._plain is None:
            from plait.yaml.repeats import deduplicate

            self._plain = deduplicate(self.documents)
        return self._plain

    @property
    def repeats_keys(self) -> bool:
        """True if a map has a duplicate key."""
        from plait.yaml.repeats import has_repeated_keys

        return has_repeated_keys(self.documents)

    def has_document_annotated(self, name: str) -> bool:
        """True if the source has a document annotated with `@name`, evaluated or not.

        Raises TemplateError if the annotation belongs to anything but a document, or occurs twice on one.
        """
        if name not in self._annotated:
            self._annotated[name] = self._finds_document_annotated(name)
        return self._annotated[name]

    def _finds_document_annotated(self, name: str) -> bool:
        if not self.is_template or self.comments is None or f"#@{name}" not in self.source.text:
            return False
        found = False
        for node, comments in self.comments.of.items():
            count = _names(comments).count(name)
            if count == 0:
                continue
            if type(node) is not Document:
                raise TemplateError(
                    f"Found @{name} on {kind_name(node)} ({node.position}); "
                    f"only documents (---) can be annotated with @{name}",
                    at=node.position,
                    hint="put --- on the line after the annotation",
                    code="misplaced-annotation",
                )
            if count > 1:
                raise TemplateError(
                    f"{name} annotation may only be used once per document",
                    at=node.position,
                    code="repeated-annotation",
                )
            found = True
        return found

    def misspelt(self) -> list[tuple[int, str, list[str], str]]:
        """Unknown annotations that look like known ones: (line, name, known names, hint); like code: without names."""
        if not self.is_template or self.comments is None:
            return []
        from plait.ytt.templates import directives

        found = []
        for comments in self.comments.of.values():
            for comment in comments:
                name = comment.text.partition(" ")[0]
                if name == "@":
                    # This is code, and fails only when it is evaluated, after the templates without these values.
                    word = comment.text[2:] if comment.text.startswith("@ data/values") else ""
                    if word and f"@{word}" in directives.KNOWN:
                        found.append((comment.line, f" {word}", [word], f"an annotation has no space: #@{word}"))
                elif name[:1] == "@" and name not in directives.KNOWN:
                    from plait.ytt.templates.misspelt_annotations import meant

                    alike, hint = meant(name[1:])
                    if hint:
                        found.append((comment.line, name[1:], alike, hint))
        return found

    def ignored(self) -> int | None:
        """The line of the first annotation or code after the `...` that ends the last document, which has no effect; or
        None.
        """
        ignored = [] if self.comments is None else self.comments.ignored
        return next((comment.line for comment in ignored if comment.text[:1] == "@"), None)

    def remarks(self) -> Sequence[Remark]:
        """The warnings that follow from the text alone: line, code of the warning, message."""
        text = self.source.text
        has_code = "#@ " in text
        is_outside = "#@schema/" in text and ("#@data/values\n" in text or "#@data/values-schema" not in text)
        has_more = is_outside or has_typographic_quotes(text)
        if "{{" not in text and not has_code and not has_more:
            return ()
        first: dict[str, Item] = {}
        likely: list[Item] = []
        # A large text is searched once for each name, and not for each item.
        called: dict[str, bool] = {}
        has_negated = _NEGATED in text
        for item in walk(self.documents):
            value = item.value
            if type(item) is MapItem and type(item.key) is Map:
                first.setdefault("braces", item)
            if has_code and type(item) is MapItem and type(item.key) is str and item.key.startswith(_QUOTABLE):
                first.setdefault("quotes", item)
            if type(value) is not str or not has_code:
                if value is None and has_code and type(item) is MapItem and str(item.key).startswith("data.values."):
                    first.setdefault("flow", item)
                continue
            if value.startswith(_QUOTABLE) and "\n" not in value:
                first.setdefault("quotes", item)
            elif "#@ " in value or "data.values." in value or (has_negated and not value):
                likely.append(item)
            elif "(" in value:
                name = value.partition("(")[0]
                if name not in called:
                    called[name] = _calls(name, text)
                if called[name]:
                    likely.append(item)
        if not first and not likely and not has_more and (" *" not in text or " &" not in text):
            return ()
        from plait.ytt.templates.remarks import remarks

        return remarks(self.source, self.documents, self.comments if self.is_template else None, first, likely)

    def untemplated_text(self) -> int | None:
        """The first line of a value with an unevaluated `(@= @)`, or None.

        A string that contains `#@` is itself a template for another evaluation.
        """
        if "(@=" not in self.source.text:
            return None
        of = {} if self.comments is None else self.comments.of
        pending: list[Item] = [*reversed(self.documents.items)]
        while pending:
            item = pending.pop()
            if item in of and "yaml/text-templated-strings" in _names(of[item]):
                continue
            value = item.value
            if type(value) is str:
                if "@)" in value[value.find("(@=") + 1 :] and "(@=" in value and "#@" not in value:
                    return item.line
            elif type(value) is Map or type(value) is Array:
                pending += reversed(value.items)
        return None

    def unused_overlay(self) -> tuple[int, str] | None:
        """The first overlay annotation in a file that uses no overlays: (line, name), or None. An annotation that is
        not above the `---` belongs to the first key.
        """
        if not self.is_template or self.comments is None or "@overlay/" not in self.source.text:
            return None
        if "def " in self.source.text:
            return None  # the result of a function may be an overlay itself
        from plait.ytt.templates import directives

        first: tuple[int, str] | None = None
        for node, comments in self.comments.of.items():
            for comment in comments:
                name = comment.text.partition(" ")[0]
                if name.startswith("@overlay/") and name in directives.KNOWN:
                    if type(node) is Document:
                        return None
                    if first is None or comment.line < first[0]:
                        first = comment.line, name[1:]
                elif name.startswith("@data/"):
                    return None
        return first
