"""Data values from the command line: files, environment variables, single values (docs/reference/data-values.md).

Each argument becomes documents. They are merged by type of flag, not in the order written: files, environment,
environment as YAML, values, values as YAML, values from files.

A file of values is plain YAML, TOML or a `.env` file: its documents merge plainly. A single value is an overlay that
replaces the whole value at its key path and creates the maps on the path, so that `--data-value-yaml 'a={b: 1}'` drops
other keys of `a`.
"""

from __future__ import annotations

import re
from functools import partial

from plait.base.content import names_of_variables
from plait.base.errors import PlaitError, ReadError, UsageError, warning
from plait.base.extensions import split_format
from plait.base.similar_names import counted, listed, near
from plait.base.source import CLAUSE, Position, Source, Wording, public
from plait.tree.annotations import Annotation
from plait.tree.nodes import Document, Map, MapItem, walk
from plait.yaml.comments import Comments
from plait.yaml.document_start import is_second
from plait.yaml.reader import read
from plait.yaml.reading_warnings import reading_warnings
from plait.yaml.repeats import deduplicate
from plait.yaml.scalars import has_typographic_quotes
from plait.ytt.workspace.input_files import YAML
from plait.ytt.workspace.library_references import parse_refs, split_ref
from plait.ytt.workspace.render_job import ReferencedValues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from plait.base.errors import Warn
    from plait.tree.nodes import DocumentSet, Value
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.inputs import Inputs
    from plait.ytt.workspace.library_references import LibraryRefs

_PLAIN = "Expected to be plain YAML, having no annotations"
_PLAIN_IN_YTT = f"{_PLAIN} (hint: remove comments starting with `#@`)"


class ValuesFlags:
    """The arguments of the data value flags, in the order written for each flag."""

    __slots__ = ("env", "env_yaml", "files", "value_files", "values", "values_yaml")

    def __init__(
        self,
        *,
        files: Iterable[str] = (),
        env: Iterable[str] = (),
        env_yaml: Iterable[str] = (),
        values: Iterable[str] = (),
        values_yaml: Iterable[str] = (),
        value_files: Iterable[str] = (),
    ) -> None:
        self.files = files
        self.env = env
        self.env_yaml = env_yaml
        self.values = values
        self.values_yaml = values_yaml
        self.value_files = value_files


def read_values(
    flags: ValuesFlags,
    inputs: Inputs,
    variables: Callable[[str], Mapping[str, str]],
    strict: bool = False,
    warn: Warn | None = None,
    plain: bool = False,
    is_typed: bool = True,
) -> list[ReferencedValues]:
    """All data values set by flags, the lowest precedence first, including those for libraries.

    variables: the environment variables with a prefix. warn: receives likely mistakes. plain: all files are YAML, as in
    ytt, whatever their paths begin with. is_typed: the flags are those of a command line; the settings of a project may
    name variables that not every environment has. Raises UsageError and ReadError with the flag in the stack.
    """
    found: list[ReferencedValues] = []

    def gather(flag: str, arguments: Iterable[str], read: Callable[[str], Iterable[ReferencedValues]]) -> None:
        for argument in arguments:
            try:
                found.extend(read(argument))
            except PlaitError as error:
                told = _EXTRACTING.get(flag, "Extracting data values from env under prefix '{}'").format(argument)
                raise error.within(f"in --{flag} {argument}", role=CLAUSE, reference=told) from None

    gather("data-values-file", flags.files, lambda argument: _from_file(argument, inputs, plain, strict, warn))
    for flag, arguments, as_yaml in (
        ("data-values-env", flags.env, False),
        ("data-values-env-yaml", flags.env_yaml, True),
    ):
        convert = yaml_converter(strict) if as_yaml else None
        told = partial(_warn_about_prefix, flag=flag, warn=warn) if warn is not None and is_typed else None
        gather(flag, arguments, partial(_from_environment, variables=variables, flag=flag, convert=convert, unset=told))
    for flag, arguments, as_yaml in (("data-value", flags.values, False), ("data-value-yaml", flags.values_yaml, True)):
        convert = yaml_converter(strict) if as_yaml else None
        gather(flag, arguments, partial(_from_pair, flag=flag, convert=convert))
    gather("data-value-file", flags.value_files, lambda argument: [_from_value_file(argument, inputs)])
    return found


# ytt's prefix of errors in the value of a flag.
_EXTRACTING = {
    "data-values-file": "Extracting data value from file",
    "data-value-file": "Extracting data value from file",
    "data-value": "Extracting data value from KV",
    "data-value-yaml": "Extracting data value from KV",
}


def _from_file(argument: str, inputs: Inputs, plain: bool, strict: bool, warn: Warn | None) -> list[ReferencedValues]:
    ref, path = split_ref(argument)
    refs = parse_refs(ref) if ref else ()
    form, path = ("", path) if plain else split_format(path)
    # "+:" requests a merge instead of a replacement; for plain values that is the default.
    path = path.removeprefix("+:")
    if not form:
        _warn_about_key(path, warn)
    try:
        files = inputs.files([path])
    except ReadError as error:
        if path.startswith("env:"):
            error.hint = f"the prefix of a .env file is dotenv: --data-values-file dot{path}"
        raise error.within("", role=CLAUSE, reference=f"Find files '{path}'") from None
    return values_of_files(files, refs, form=form, strict=strict, warn=warn, argument=path)


def values_of_files(
    files: Iterable[InputFile],
    refs: LibraryRefs = (),
    *,
    form: str = "",
    strict: bool = False,
    warn: Warn | None = None,
    argument: str = "",
) -> list[ReferencedValues]:
    """The data values of files, for the library that refs name.

    form: the format of the files, of VALUES_FORMATS, or "" for YAML. argument: the one that named the files or their
    directory. warn: as in `read_values`. Raises ReadError.
    """
    if form:
        from plait.ytt.workspace.values_formats import ENDINGS, read_format
    found = []
    for file in files:
        # A directory of values may contain other files. A file that is named itself is read, whatever its name.
        if file.in_directory and not (file.path.endswith(ENDINGS[form]) if form else file.type == YAML):
            continue
        try:
            source = file.source.hidden()
        except PlaitError as error:
            raise error.within("", role=CLAUSE, reference=f"Reading file '{file.path}'") from None
        if form:
            documents = read_format(source, form, yaml_converter(strict), warn)
        else:
            try:
                documents = plain_documents(file, source, "data values", strict=strict, warn=warn, argument=argument)
            except ReadError as error:
                if (hint := _format_hint(file)) is not None:
                    error.hint = hint
                raise
            if documents and type(documents[0].value) is not Map and warn is not None and (hint := _format_hint(file)):
                at = documents[0].position
                warn(warning(f"the file is read as YAML, and is not a map ({hint})", code="format-prefix", at=at))
        found += [ReferencedValues(document, refs, plain=True) for document in documents]
    return found


def _format_hint(file: InputFile) -> Wording | None:
    """A hint for a file that is read as YAML although its name has the extension of another format."""
    form = "toml" if file.path.endswith(".toml") else "dotenv" if file.path.endswith(".env") else ""
    return public(f"a prefix names the format: --data-values-file {form}:{file.shown or file.path}") if form else None


def _warn_about_key(path: str, warn: Warn | None) -> None:
    new_path, equals, rest = path.partition("=")
    if warn is not None and equals and new_path and not new_path.endswith((".yml", ".yaml")) and "/" not in new_path:
        warn(
            warning(
                f'--data-values-file {path}: "{new_path}" is read as a new path of the file, not as a key '
                f"(to set one value to the content of a file: --data-value-file {new_path}={rest})",
                code="path-as-key",
            )
        )


def _warn_about_prefix(argument: str, flag: str, warn: Warn) -> None:
    """Warns that no environment variable has a prefix."""
    library, prefix = split_ref(argument)
    known = [name[: found.start()] for name in names_of_variables() for found in re.finditer("_", name)]
    similar = [f"{library}:{one}" if library else one for one in near(prefix, filter(None, known))]
    hint = (
        f"did you mean --{flag} {listed(similar)}?" if similar else f"export {prefix}_KEY=VALUE sets the data value KEY"
    )
    warn(
        warning(
            f"--{flag} {argument} sets nothing: the environment has no variable {prefix}_...; {hint}",
            code="prefix-without-variables",
        )
    )


def plain_documents(
    file: InputFile,
    source: Source,
    what: str,
    *,
    strict: bool,
    warn: Warn | None,
    argument: str = "",
) -> list[Document]:
    """The documents of a plain YAML file, except null ones. what: their name in messages.

    argument: as in `values_of_files`. Raises ReadError for an annotation.
    """
    comments = Comments() if "#@" in source.text else None
    try:
        documents = read(source, strict=strict, comments=comments, merge_lists=False)
    except ReadError as error:
        raise error.within("", role=CLAUSE, reference=f"Unmarshaling YAML {what} file '{file.path}'") from None
    # Comments at an empty document, or after the last node, have no effect.
    documents = documents.with_items([document for document in documents.items if document.value is not None])
    if comments is not None:
        _check_plain(file, documents, comments, what, argument or file.path)
    settled = deduplicate(documents)
    if warn is not None and (settled is not documents or has_typographic_quotes(source.text)):
        for text in reading_warnings(source, documents):
            warn(text)
    return settled.items


def _check_plain(file: InputFile, documents: DocumentSet, comments: Comments, what: str, argument: str) -> None:
    for node in walk(documents):
        for comment in comments.at(node):
            if comment.text.startswith("@") and comment.text.partition(" ")[0] != "@comment":
                texts = [one.text for one in comments.all]
                hint = "remove comments starting with #@"
                if any(text.startswith(("@data/values", "@ data/values")) for text in texts):
                    hint = f"a file annotated with @data/values is a template: -f {file.shown or file.path}"
                elif any(text.startswith("@overlay/") for text in texts):
                    hint = f"a file annotated with @overlay is a template: -f {file.shown or file.path}"
                elif comment.text.startswith("@ "):
                    path = file.shown or file.path
                    hint = f"write the value in place of the code, or #@data/values and --- at the top, and -f {path}"
                raise ReadError(
                    Wording("Checking ", public(what), " file '", public(file.path), "': ", public(_PLAIN)),
                    at=Position(file.source, comment.line),
                    hint=public(hint),
                    code="plain-data-values",
                    reference=f"Checking {what} file '{argument}': {_PLAIN_IN_YTT}",
                )


def yaml_converter(strict: bool) -> Callable[[Source], Value]:
    """Returns a function that parses a source as one YAML value, and raises ReadError."""

    def convert(source: Source) -> Value:
        # Only the first document is used; a text without any is one null document.
        documents = read(source, strict=strict, merge_lists=False)
        return None if is_second(source, documents) else deduplicate(documents).items[0].value

    return convert


def _from_environment(
    argument: str,
    variables: Callable[[str], Mapping[str, str]],
    flag: str,
    convert: Callable[[Source], Value] | None,
    unset: Callable[[str], None] | None,
) -> list[ReferencedValues]:
    """The values of the environment variables with a prefix. unset: called if there is none."""
    refs, prefix = _refs_and_key(argument)
    name = f"({flag} arg) {prefix}"
    found = []
    for variable, text in variables(prefix + "_").items():
        try:
            value = text if convert is None else convert(Source(name, text).hidden().of_flag(flag, prefix))
        except PlaitError as error:
            told = f"Extracting data value from env variable '{variable}': Deserializing YAML value"
            raise error.within(f"in environment variable {variable}", role=CLAUSE, reference=told) from None
        # Shells reject dots in names: "__" represents a dot, a single "_" itself.
        pieces = variable[len(prefix) + 1 :].split("__")
        source = Source(name, f"{variable}={text}").hidden().of_flag(flag, prefix)
        found.append(ReferencedValues(_overlay(pieces, value, source), refs))
    if unset is not None and not found:
        unset(argument)
    return found


def _from_pair(argument: str, flag: str, convert: Callable[[Source], Value] | None) -> list[ReferencedValues]:
    # The user typed the value, so messages show it. Secret values come from other flags.
    key, equals, text = argument.partition("=")
    if not equals:
        raise UsageError(
            "Expected format key=value", found=argument, hint=_pair_hint(argument, flag), code="data-value-flag"
        )
    name = f"({flag} arg)"
    try:
        value = text if convert is None else convert(Source(name, text).of_flag(flag))
    except PlaitError as error:
        told = f"Deserializing value for key '{key}': Deserializing YAML value"
        raise error.within(f"in the value of key '{key}'", role=CLAUSE, reference=told) from None
    refs, key = _refs_and_key(key)
    return [ReferencedValues(_overlay(_key_path(key), value, Source(name, argument).of_flag(flag)), refs)]


def _pair_hint(argument: str, flag: str) -> str | None:
    if argument.endswith((".yml", ".yaml")):
        return f"to read many values from a plain YAML file: --data-values-file {argument}"
    if ":" in argument:
        key, _, value = argument.partition(":")
        return f"--{flag} {key}={value.strip()}"
    return None


def _from_value_file(argument: str, inputs: Inputs) -> ReferencedValues:
    key, equals, path = argument.partition("=")
    if not equals:
        raise UsageError(
            "Expected format key=/file/path",
            found=argument,
            hint=f"to read many values from a plain YAML file: --data-values-file {argument}",
            code="data-value-flag",
        )
    try:
        files = inputs.files([path])
    except ReadError as error:
        raise error.within("", role=CLAUSE, reference=f"Finding file '{path}'") from None
    if len(files) != 1:
        found = counted(len(files), "file") if files else "no files"
        raise ReadError(f"Expected '{path}' to be a file, but is a directory", found=found, code="not-regular-file")
    content = files[0].text()
    refs, key = _refs_and_key(key)
    source = Source(f"(data-value-file arg) {key}={path}", content).hidden().of_flag("data-value-file", f"{key}={path}")
    return ReferencedValues(_overlay(_key_path(key), content, source), refs)


def _refs_and_key(argument: str) -> tuple[LibraryRefs, str]:
    ref, key = split_ref(argument)
    if ":" in key:
        raise UsageError(
            f"Expected at most one library-key separator ':' in '{key}'",
            hint=None if ref else f'a library is named with a leading "@": @{key}',
            code="data-value-flag",
        )
    return (parse_refs(ref) if ref else ()), key


def _key_path(key: str) -> list[str]:
    # "key+=value" means "add if missing", which is the default.
    if key.endswith("+"):
        key = key[:-1]
        if key.startswith("(") and key.endswith(")"):
            key = key[1:-1]
    return key.split(".")


def _overlay(pieces: Sequence[str], value: Value, source: Source) -> Document:
    match = Annotation("overlay/match", kwargs={"missing_ok": True}, source=source, line=1)
    replace = Annotation("overlay/replace", kwargs={"or_add": True}, source=source, line=1)
    annotations = {match.name: match, replace.name: replace}
    for piece in reversed(pieces):
        value = Map([MapItem(piece, value, source, 1, annotations)], source, 1)
        annotations = {match.name: match}
    return Document(value, source, 1)
