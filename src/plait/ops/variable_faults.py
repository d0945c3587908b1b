"""Errors about variables: those without a value, those that are not used, and signers of certificates."""

from __future__ import annotations

from plait.base.errors import Finding, OpsError, full, part_of
from plait.base.similar_names import counted, did_you_mean, near
from plait.base.source import Advice, Flag, Quoted, Wording, public, quotation
from plait.ops.placeholders import MARK, names
from plait.ops.rewrite import rewrite_texts
from plait.ops.scalar_text import scalar_text
from plait.ops.text_places import place_of
from plait.tree.nodes import Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from plait.base.source import Position
    from plait.ops.options import VariableDefinition
    from plait.ops.variables import Sources
    from plait.tree.nodes import ArrayItem, MapItem, Value

# Maximum numbers of lines and names shown.
_LINES = 10
_NAMES = 6


def cause(definition: VariableDefinition, code: str) -> Position:
    """The line of a definition that an error of its generation is about."""
    value = definition.item.value
    type_, options = (value.find(key) if type(value) is Map else None for key in ("type", "options"))
    if code == "variable-type" and type_ is not None:
        return type_.position
    if options is None:
        return definition.item.position
    signer = options.value.find("ca") if code == "certificate-signer" and type(options.value) is Map else None
    return options.position if signer is None else signer.position


def explain_scalar(error: OpsError, sources: Sources) -> None:
    """Adds the place of a variable whose value cannot be part of a string, and the form that makes it a string."""
    name = error.word.partition(".")[0]
    place, value = sources.place_of(name), sources.named().get(name)
    if place is not None:
        error.also = [*error.also, place.labelled("the variable")]
    if type(value) is float or type(value) is bool:
        text = sources.numbers.get(name, scalar_text(value))
        if sources.flag_of(name) == "--var":
            error.hint = f"quotes make it a string: -v {name}='\"{text}\"'"
        elif place is not None:
            error.hint = f'quotes make it a string: {name}: "{text}"'


def explain_signer(
    error: OpsError, definition: VariableDefinition, defined: Mapping[str, Sequence[VariableDefinition]]
) -> None:
    """Adds a hint about a missing signer: its definition further below, or a definition with a similar name."""
    options = definition.options
    signer = options.find("ca") if type(options) is Map else None
    if signer is None or type(signer.value) is not str:
        return
    found = defined.get(signer.value)
    if found:
        at = found[0].item.position
        if definition.item.line < at.line and definition.item.source is at.source:
            error.message = Wording(
                'the variable "', Quoted(signer.value), '" is defined after the certificate that it signs'
            )
            error.also = [*error.also, at.labelled("the definition of the signer")]
            error.hint = f"put its definition (line {at.line}) before this one: variables are generated in their order"
        return
    meant = did_you_mean(signer.value, [name for name in defined if name != definition.name])
    if meant is not None:
        error.hint = quotation(meant)


def report(
    root: Value,
    section: Sequence[VariableDefinition],
    sources: Sources,
    used: Collection[str],
    missing: Collection[str],
    *,
    expect_use: bool,
) -> None:
    """Raises OpsError about variables without a value, and given ones that are not used.

    section: the definitions of the document. used, missing: names. expect_use: every given value must be used.
    """
    findings: list[Finding] = []
    offered = sources.names()
    unused = sorted(name for name in set(offered) if name not in used)
    if missing:
        findings.append(_missing(root, section, sources, sorted(missing), unused))
    if expect_use and unused:
        places = [at for at in map(sources.place_of, unused) if at is not None]
        hint = _suggestions(unused, sorted({*used}.difference(unused)))
        findings.append(
            Finding(
                public("variables that are not used"),
                at=places[0] if places else None,
                also=[at.labelled("another variable") for at in places[1:_LINES]],
                found=public("\n".join(f"{sources.flag_of(name)} {name}".lstrip() for name in unused)),
                reference=_listing("Expected to use variables", unused),
                hint=None if hint is None else public(hint),
                code="unused-variables",
            )
        )
    if findings:
        first, *rest = findings
        raise OpsError(
            Wording(part_of(first, "message")),
            at=first.at,
            also=first.also,
            found=full(first, "found"),
            hint=full(first, "hint"),
            findings=rest,
            reference=str(first.reference),
            code=first.code,
        )


def _missing(
    root: Value,
    section: Sequence[VariableDefinition],
    sources: Sources,
    missing: Sequence[str],
    unused: Sequence[str],
) -> Finding:
    """The finding about variables without a value. Those that a store would generate are counted, and named last."""
    store = sources.store
    made = {one.name for one in section if one.kind} if store is None else set()
    given = [name for name in missing if name.partition(".")[0] not in made]
    generated = [name for name in missing if name.partition(".")[0] in made]
    places = {one.name: one.item.position for one in section if one.item.source is not None} | placeholders(root)
    known = [places[name] for name in given or generated if name in places]
    found = given
    known_names = [name for name in unused or sources.names() if not name.startswith(MARK)]
    hint: str | Wording | None = _within_marks(given, sources) or _suggestions(given, known_names)
    below = nested(given, sources)
    if below is not None:
        hint = below[1] if below[0] is None else f"{below[0]}: {below[1]}"
    if generated:
        listed = ", ".join(generated[:_NAMES])
        more = f" and {len(generated) - _NAMES} more" if len(generated) > _NAMES else ""
        found = [*given, f'{counted(len(generated), "variable")} that "variables" defines: {listed}{more}']
        hint = Advice(
            *((hint, "\n") if hint else ()), Flag("vars-store", "creds.yml"), " generates those that are defined"
        )
    elif hint is None and store is not None:
        hint = "the store generates the variables that the document defines"
    return Finding(
        "variables without a value",
        at=known[0] if known else None,
        also=[at.labelled("another variable") for at in known[1:_LINES]],
        found="\n".join(found),
        reference=_listing("Expected to find variables", missing),
        hint=hint,
        code="unresolved-variables",
    )


def nested(
    missing: Sequence[str], sources: Sources, used: Collection[str] = (), root: Value = None
) -> tuple[Position | None, str] | None:
    """The hint for variables whose values are given below another name, and the line to edit; or None.

    used: the names below which no other is expected. root: the document with the placeholders.
    """
    for name, value in sources.named().items():
        if type(value) is not Map:
            continue
        joined = [one for one in missing if value.find(one.removeprefix(name)[1:]) is not None]
        if joined and joined[0].startswith((f"{name}_", f"{name}-", f"{name}/")):
            return placeholders(root).get(
                joined[0]
            ), f"a dot separates the keys of a variable: (({name}.{joined[0].removeprefix(name)[1:]}))"
        inner = [one for one in missing if name not in used and value.find(one) is not None]
        if inner:
            more = f" and {len(inner) - 1} more" if len(inner) > 1 else ""
            hint = f'"{name}" has {inner[0]}{more}: remove the line "{name}:" and the indentation below it'
            return sources.place_of(name), hint
    return None


def _within_marks(missing: Collection[str], sources: Sources) -> str | None:
    """The hint for a variable whose name is given with parentheses around it, or None."""
    for name in sources.named():
        alone = name.strip().removeprefix(MARK).removesuffix("))").strip()
        if alone != name and alone in missing:
            return f'"{name}" is set; the name of a variable is written alone: {alone}'
    return None


def _listing(title: str, names: Sequence[str]) -> str:
    """Names as BOSH lists them."""
    return "\n".join([f"- {title}:", *(f"    - {name}" for name in names)])


def _suggestions(expected: Sequence[str], known: Iterable[str]) -> str | None:
    """Suggests the most similar known name for each expected name, unless it is more similar to another one."""
    known = [*known][:1000]
    hints = [(name, hint) for name in expected[:_LINES] if (hint := did_you_mean(name, known)) is not None]
    if len(expected) == 1:
        return hints[0][1] if hints else None
    mutual = [(name, hint) for name, hint in hints if any(name in near(one.new, expected) for one in hint.suggestions)]
    return "\n".join(f"{name}: {hint}" for name, hint in mutual) or None


def placeholders(root: Value) -> dict[str, Position]:
    """The first position of each name in a placeholder. A dotted name also counts for its first part."""
    found: dict[str, Position] = {}

    def note(text: str, item: MapItem | ArrayItem | None, is_key: bool) -> Value:  # noqa: ARG001 - one shape for all
        if item is not None and item.source is not None:
            for name in names(text):
                at = place_of(item, f"(({name}))") or item.position
                found.setdefault(name, at)
                found.setdefault(name.partition(".")[0], at)
        return text

    rewrite_texts(root, MARK, note)
    return found
