"""Library references: `@path`, `@~alias`, `@path~alias`, nested `@outer@inner` (docs/reference/data-values.md)."""

from __future__ import annotations

from plait.base.errors import PlaitError, TemplateError, UsageError
from plait.base.similar_names import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from plait.tree.annotations import Annotation

    LibraryRefs: TypeAlias = "tuple[LibraryRef, ...]"


class LibraryRef:
    """One part of a reference: a library's path, an alias, or both."""

    __slots__ = ("alias", "path")

    def __init__(self, path: str = "", alias: str = "") -> None:
        self.path = path
        self.alias = alias

    def __str__(self) -> str:
        return f"{self.path}~{self.alias}" if self.alias else self.path

    def __repr__(self) -> str:
        return f"LibraryRef({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LibraryRef) and (self.path, self.alias) == (other.path, other.alias)

    def __hash__(self) -> int:
        return hash((self.path, self.alias))

    def matches(self, path: str, alias: str) -> bool:
        """True if the reference names the library instance with this path and alias ("" for none).

        Without an alias, the paths must be equal. With an alias, the aliases must be equal, and the paths too if the
        reference has one.
        """
        if not self.alias:
            return self.path == path
        return self.alias == alias and (not self.path or self.path == path)


def parse_refs(text: str) -> LibraryRefs:
    """The parts of a reference, outermost first. Raises UsageError."""
    if not text:
        raise UsageError(
            "Expected library ref to not be empty",
            expected='"@path", "@~alias" or "@path~alias"',
            code="library-reference",
        )
    if not text.startswith("@"):
        raise UsageError(
            "Expected library ref to start with '@'", found=text, hint=f'write "@{text}"', code="library-reference"
        )
    pieces = []
    for piece in text.split("@")[1:]:
        path, *alias = piece.split("~")
        if len(alias) > 1:
            raise UsageError(
                f"Expected library ref to have form: '@path', '@~alias', or '@path~alias', got: '{text}'",
                code="library-reference",
            )
        if alias == [""]:
            raise UsageError("Expected library alias to not be empty", found=text, code="library-reference")
        pieces.append(LibraryRef(path, alias[0] if alias else ""))
    return tuple(pieces)


def refs_of(annotation: Annotation) -> LibraryRefs:
    """The reference in a `@library/ref`. Raises TemplateError."""
    name, at = annotation.name, annotation.position
    if len(annotation.args) != 1:
        raise TemplateError(
            f"Expected {name} annotation to have one arg, got {len(annotation.args)}", at=at, code="library-annotation"
        )
    text = annotation.args[0]
    if type(text) is not str:
        raise TemplateError(f"Expected {name} annotation's argument to be a string", at=at, code="library-annotation")
    try:
        return parse_refs(text)
    except PlaitError as error:
        told = f"Annotation {name}: {error.reference}"
        raise TemplateError(
            error.message, at=at, hint=error.hint, found=error.found, reference=told, code=error.code
        ) from None


def is_after_module(annotation: Annotation, refs: LibraryRefs) -> bool:
    """The value of `after_library_module=` in a `@data/values`; False if it is absent. refs: the library references of
    its document.

    Raises TemplateError.
    """
    name, at = annotation.name, annotation.position
    after = False
    for key, value in annotation.kwargs.items():
        if key != "after_library_module":
            hint = did_you_mean(key, ["after_library_module"])
            raise TemplateError(
                f"Unknown kwarg {key} for annotation {name}", at=at, hint=hint, code="library-annotation"
            )
        if type(value) is not bool:
            raise TemplateError(
                f"expected after_library_module of @{name} to be a bool", at=at, code="library-annotation"
            )
        if not refs:
            raise TemplateError(
                f"Annotation {name}: Expected kwarg 'after_library_module' to be used with library/ref annotation",
                at=at,
                code="library-annotation",
            )
        after = value
    return after


def show_refs(refs: LibraryRefs) -> str:
    """The reference as text, `@outer@inner~alias`."""
    return "".join(f"@{ref}" for ref in refs)


def split_ref(argument: str) -> tuple[str, str]:
    """The reference and the rest of an argument `@ref:rest`. The reference is "" if there is none.

    The first `:` ends the reference; an argument without `:` has none, even when it starts with `@`.
    Raises UsageError for an empty reference.
    """
    if argument.startswith("@"):
        ref, colon, rest = argument.partition(":")
        if colon:
            if ref == "@":
                raise UsageError("Expected library ref to not be empty", found=argument, code="library-reference")
            return ref, rest
    return "", argument
