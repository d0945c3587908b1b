"""The directives in the comments of a node: code, annotations, a value. See docs/reference/templates.md."""

from __future__ import annotations

from plait.base.errors import TemplateError
from plait.base.source import Advice, Flag, Position, Source
from plait.base.suggestions import COMMENT as COMMENT_MARK
from plait.base.suggestions import Hint, Suggestion
from plait.ytt.starlark.program_parts import CodePart, ExprSlot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.yaml.comments import Comment

# Keywords with `/end` open a block that contains exactly the next node.
_NODE_KEYWORDS = {"if/end": "if", "elif/end": "elif", "else/end": "else", "for/end": "for", "def/end": "def"}

TEXT_TEMPLATED = "yaml/text-templated-strings"
CODE = "template/code"
VALUE = "template/value"
COMMENT = "comment"  # the long form of `#!`

# Every annotation with a meaning, as written after the "#"; "@" alone is code or a value.
KNOWN_BY_NAME = (
    "@assert/validate",
    "@data/values",
    "@data/values-schema",
    "@library/ref",
    "@overlay/append",
    "@overlay/assert",
    "@overlay/insert",
    "@overlay/match",
    "@overlay/match-child-defaults",
    "@overlay/merge",
    "@overlay/remove",
    "@overlay/replace",
    "@schema/default",
    "@schema/deprecated",
    "@schema/desc",
    "@schema/examples",
    "@schema/nullable",
    "@schema/title",
    "@schema/type",
    "@schema/validation",
    "@template/code",
    "@template/value",
    "@yaml/map-key-override",
    "@yaml/text-templated-strings",
)
# Annotations of extensions.
ADDED = ("@output/file", "@overlay/inside", "@schema/key", "@schema/one-of", "@schema/required", "@schema/secret")
KNOWN = frozenset({"@", "@comment", *KNOWN_BY_NAME, *ADDED})


class Directives:
    """The comments of one node, by effect.

    code: lines that run before the node. annotations: (name, arguments as text, line). values: expressions for the
    node's value. ends: how many `/end` blocks were opened, to be closed after the node.
    """

    __slots__ = ("annotations", "code", "ends", "values")

    def __init__(self) -> None:
        self.code: list[CodePart] = []
        self.annotations: list[tuple[str, str, int]] = []
        self.values: list[ExprSlot] = []
        self.ends = 0

    def __bool__(self) -> bool:
        return bool(self.code or self.annotations or self.values)

    @property
    def is_text_templated(self) -> bool:
        """True if the strings in and below the node are text templates."""
        return bool(self.annotations) and any(name == TEXT_TEMPLATED for name, _, _ in self.annotations)


# The directives of a node without comments.
NOTHING = Directives()


def split(text: str) -> tuple[str, str] | None:
    """(name, content) of an annotation comment (the text after `#`), or None for `!` comments and plain ones.

    The name is empty for code and values: `#@ x`.
    """
    if text[:1] != "@":
        return None
    name, _, content = text.partition(" ")
    return name[1:], content


def is_plain(comment: Comment) -> bool:
    """True if a comment is neither `#@` nor `#!`."""
    return comment.text[:1] not in ("@", "!")


def names(comments: Iterable[Comment]) -> list[str]:
    """The annotation names of a node's comments, without evaluating anything (docs/reference/data-values.md)."""
    out = []
    for comment in comments:
        parts = split(comment.text)
        if parts is not None:
            out.append(parts[0] or (CODE if comment.own_line else VALUE))
    return out


def read(comments: Iterable[Comment], source: Source, *, has_value: bool, ignore_unknown: bool) -> Directives:
    """Sorts the comments of a node.

    has_value: the node has a YAML value that is not null. Raises TemplateError for a comment of unknown form (unless
    `ignore_unknown`), for a node with both a computed and a YAML value, and for code after a `/end` block.
    """
    out = Directives()
    for comment in comments:
        parts = split(comment.text)
        if parts is None:
            if ignore_unknown or not is_plain(comment):
                continue
            raise unknown_comment(comment, source)
        name, content = parts
        if not name:
            name = CODE if comment.own_line else VALUE
        if name == COMMENT:
            continue
        if name == VALUE:
            if has_value:
                raise TemplateError(
                    f"Expected YAML node at line {Position(source, comment.line)} to have either computed or YAML "
                    "value, but found both",
                    at=Position(source, comment.line),
                    code="two-values",
                )
            out.values.append(ExprSlot(content or "()", comment.line))
        elif name == CODE:
            if out.ends:
                raise TemplateError(
                    f"Unexpected code at line {Position(source, comment.line)} after use of '*/end', "
                    "expected YAML node",
                    at=Position(source, comment.line),
                    code="code-after-end",
                )
            if "/end" in content:
                stripped = content.lstrip()
                for keyword, plain in _NODE_KEYWORDS.items():
                    if stripped.startswith(keyword):
                        out.ends += 1
                        content = content.replace(keyword, plain, 1)
                        break
            out.code.append(CodePart(content, comment.line))
        else:
            out.annotations.append((name, content, comment.line))
    return out


_PLAIN = Advice("or allow plain ones with ", Flag("ignore-unknown-comments"))
_WRITE = Hint("write '#!' for a comment, ", Suggestion(COMMENT_MARK, "#!"))


def unknown_comment(comment: Comment, source: Source) -> TemplateError:
    """The error for a plain comment in a template."""
    hint: str | None = None
    text = comment.text.lstrip()
    if comment.text[:1] == " " and text.startswith("@"):
        hint = Hint(f"remove the space: #{text}", Suggestion(COMMENT_MARK, f"#{text}", old=f"#{comment.text}"))
    elif "@" + comment.text.partition(" ")[0] in KNOWN_BY_NAME:
        meant = f"@{comment.text}"
        hint = Hint(f"did you mean #{meant}?", Suggestion(COMMENT_MARK, f"#{meant}", old=f"#{comment.text}"))
    elif (
        text == "end" or (text.endswith(":") and text.startswith(("if ", "elif ", "else", "for ", "def ")))
        if comment.own_line
        else (source.line(comment.line) or "")[: comment.column - 1].rstrip().endswith(":")
    ):
        hint = Advice(
            Hint(
                f"write '#@ {text}' if that is {'code' if comment.own_line else 'the value'}, '#!' for a comment, ",
                Suggestion(COMMENT_MARK, "#@"),
                *_WRITE.suggestions,
            ),
            *_PLAIN.parts,
        )
    told = f"Failed to parse line {comment.line}: '#{comment.text}'"
    return TemplateError(
        told,
        reference=f"{told}: Expected ytt-formatted string (use '#@' for annotations or code, '#!' for comments)",
        at=Position(source, comment.line, comment.column),
        expected="'#@' for annotations or code, '#!' for comments (Expected ytt-formatted string)",
        found=f"#{comment.text}",
        hint=hint or Advice(_WRITE, *_PLAIN.parts),
        code="unmarked-comment",
    )
