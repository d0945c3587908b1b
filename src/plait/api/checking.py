"""Checks that return findings about data values or layered documents, for which `render` and `layer` raise errors."""

from __future__ import annotations

from plait.api.data_values import data_values
from plait.api.isolation import can_be_isolated
from plait.api.layering import layer
from plait.api.worker_messages import fault_of, finding_of
from plait.base.errors import Finding, LayeringError, SchemaError, as_finding
from plait.engine.equality import Comparable
from plait.engine.notebook import text_html

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Self, overload

    from plait.base.errors import PlaitError
    from plait.engine.results import State
    from plait.engine.types import Inputs, Limits, Texts
    from plait.tree.plain_data import Plain


class Findings(Comparable):
    r"""The findings of a check: a sequence of `Finding`, empty if there are none.

    >>> import plait
    >>> found = plait.check_data_values({"schema.yml": "#@data/values-schema\n---\nport: 80\n"}, values={"port": "http"})
    >>> [(one.message, one.expected, one.found) for one in found]
    [('Given data value is not of the declared type', 'integer (by schema.yml:3)', 'string')]
    """

    __slots__ = ("_all",)

    def __init__(self, found: Iterable[Finding]) -> None:
        self._all = list(found)

    def state(self) -> State:
        """The state from which another process restores the findings."""
        return {"findings": [fault_of(one) for one in self._all]}

    @classmethod
    def of_state(cls, state: State) -> Self:
        """The findings of a `state`."""
        return cls(finding_of(one) for one in state["findings"])

    def _held(self) -> State:
        # Texts of a reference program are not compared.
        return {"findings": [{**one, "reference": None} for one in self.state()["findings"]]}

    def __repr__(self) -> str:
        shown = "".join(f"{', ' if number else ': '}{one.message!r}" for number, one in enumerate(self._all[:3]))
        return f"<Findings: {len(self)}{shown}{', ...' if len(self) > 3 else ''}>"

    def _repr_html_(self) -> str:
        return text_html(self.report() or "there are no findings")

    def __str__(self) -> str:
        return self.report()

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._all)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> Finding: ...

        @overload
        def __getitem__(self, index: slice) -> list[Finding]: ...

    def __getitem__(self, index: int | slice) -> Finding | list[Finding]:
        return self._all[index]

    def report(self) -> str:
        """All findings with positions, source lines and hints, as the command line prints them; "" if there are none."""
        return "\n".join(one.report() for one in self._all)

    def to_list(self) -> list[dict[str, str | int | None]]:
        """The findings as plain data, for JSON: message, file, line, expected, found and hint of each; None for unknown
        ones.
        """
        return [
            {
                "message": one.message,
                "file": None if one.at is None or one.at.source is None else one.at.source.shown,
                "line": None if one.at is None or one.at.source is None or one.at.line <= 0 else one.at.line,
                "expected": one.expected,
                "found": one.found,
                "hint": one.hint,
            }
            for one in self._all
        ]


@can_be_isolated(Findings)
def check_data_values(
    inputs: Inputs,
    *,
    values: Mapping[str, Plain] | None = None,
    values_files: Inputs = (),
    environment: Mapping[str, str] | None = None,
    secrets: Mapping[str, Plain] | None = None,
    file_marks: Texts = (),
    strict: bool = False,
    ignore_unknown_comments: bool = False,
    implicit_map_key_overrides: bool = False,
    extensions: Texts = (),
    schema: str | os.PathLike[str] = "",
    allow_links: Texts = (),
    limits: Limits | None = None,
    isolated: bool = False,  # noqa: ARG001 - can_be_isolated has seen to it
) -> Findings:
    r"""Checks data values against the schema and its validations, as `render` does, without rendering templates.

    The options are those of `render`. Returns violations of the schema and its rules; without a schema all values are
    valid. Raises PlaitError for inputs that cannot be read or evaluated.

    >>> files = {"schema.yml": "#@data/values-schema\n---\n#@schema/validation min=1\nreplicas: 1\n"}
    >>> plait.check_data_values(files, values={"replicas": 3})
    <Findings: 0>
    >>> print(plait.check_data_values(files, values={"replcas": 3}).to_list()[0]["hint"])
    did you mean "replicas"?
    """
    try:
        data_values(
            inputs,
            values=values,
            values_files=values_files,
            environment=environment,
            secrets=secrets,
            file_marks=file_marks,
            strict=strict,
            ignore_unknown_comments=ignore_unknown_comments,
            implicit_map_key_overrides=implicit_map_key_overrides,
            extensions=extensions,
            schema=schema,
            allow_links=allow_links,
            limits=limits,
        )
    except SchemaError as error:
        return _found(error)
    return Findings([])


@can_be_isolated(Findings)
def check_layers(
    inputs: Inputs,
    *,
    lenient: bool = False,
    relaxed: bool = False,
    strict: bool = False,
    like_deckhand: bool = False,
    secrets: Mapping[str, Plain] | None = None,
    allow_links: Texts = (),
    limits: Limits | None = None,
    isolated: bool = False,  # noqa: ARG001 - can_be_isolated has seen to it
) -> Findings:
    r"""Checks layered documents: their structure, their rendering, and the rendered data against their DataSchemas.

    The options are those of `layer`; `validate` and `validate_data` are enabled. Returns violations of layering rules;
    raises PlaitError for inputs that cannot be read.

    >>> [found] = plait.check_layers({"port.yml": "schema: demo/Port/v1\nmetadata: {name: http}\ndata: 80\n"})
    >>> found.message
    "D001 [demo/Port/v1] http: 'schema' is a required property"
    """
    try:
        layer(
            inputs,
            validate=True,
            validate_data=True,
            lenient=lenient,
            relaxed=relaxed,
            strict=strict,
            like_deckhand=like_deckhand,
            secrets=secrets,
            allow_links=allow_links,
            limits=limits,
        )
    except LayeringError as error:
        return _found(error)
    return Findings([])


def _found(error: PlaitError) -> Findings:
    """The findings of an error that collects them. Any other error is its own only finding."""
    return Findings(error.findings or [as_finding(error)])
