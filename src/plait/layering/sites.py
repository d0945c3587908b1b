"""Airship sites: the files of a site, as Pegleg collects them (docs/reference/layering.md, "Airship sites").

A site is a directory `site/NAME` whose `site-definition.yaml` declares its type. Its documents are in `global/`,
`type/TYPE/` and `site/NAME/` of its repository, and of each repository that the definition names. Pegleg clones these;
plait requires a checkout of each, because an input must not choose the files to read.

Like Pegleg, plait ignores files that do not end in `.yaml`, hidden files, and files in a directory called `tools`. A
document managed by Pegleg (a generated or encrypted secret) is unwrapped.
"""

from __future__ import annotations

import os

from plait.base.content import NO_LINKS, by_directory, files_below, record_listing, source, sources
from plait.base.errors import PlaitError, ReadError, UsageError, warning
from plait.base.path_errors import near
from plait.base.similar_names import did_you_mean
from plait.layering.plain_scalars import plain_values
from plait.tree.nodes import Document, DocumentSet, Map, MapItem, kind_name
from plait.yaml.reader import read
from plait.yaml.repeats import deduplicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plait.base.content import LinkPolicy
    from plait.base.errors import Warn
    from plait.base.source import Source
    from plait.tree.nodes import Value

DEFINITION = "site-definition.yaml"
# The directory of the sites of a repository.
SITES = "site"
# The directories of a repository that may have documents of a site.
_DIRECTORIES = ("global", "type", SITES)
_DEFINITION_SCHEMA = "pegleg/SiteDefinition/"
_MANAGED_SCHEMA = "pegleg/PeglegManagedDocument/"


class LayeringSite:
    """A site. name: the name of its directory. type: from its definition. directories: the existing ones, in order."""

    __slots__ = ("directories", "name", "type")

    def __init__(self, name: str, site_type: str, directories: list[str]) -> None:
        self.name = name
        self.type = site_type
        self.directories = directories

    def sources(self, links: LinkPolicy = NO_LINKS) -> Iterator[Source]:
        """The texts of the files that Pegleg would collect. Raises ReadError, LimitError."""
        for directory in self.directories:
            found = [path for path, below in files_below(directory, links, (".yaml",)) if _is_collected(below)]
            for path in sorted(found, key=by_directory):
                yield source(path)


def _is_collected(below: str) -> bool:
    return not any(part.startswith(".") or part == "tools" for part in below.split("/"))


def find_site(
    path: str,
    warn: Warn,
    *,
    repositories: Mapping[str, str] | None = None,
    links: LinkPolicy = NO_LINKS,
) -> LayeringSite:
    """The site at a path, `site/NAME` or the definition in it. repositories: checkouts, by their names in the
    definition.

    warn: receives notes about missing directories. Raises ReadError, UsageError.
    """
    given = repositories or {}
    directory = os.path.dirname(path) if os.path.basename(path) == DEFINITION else path
    definition = os.path.join(directory, DEFINITION)
    if not os.path.lexists(definition):
        raise _no_site(path)
    data = _data(definition, links)
    name = os.path.basename(os.path.abspath(directory))
    site_type = data.find("site_type")
    if site_type is None or not _is_name(site_type.value):
        raise UsageError(
            "the site definition does not declare the type of the site",
            at=data.position if site_type is None else site_type.position,
            expected="data.site_type, the name of a directory below type/",
            found=None if site_type is None else str(site_type.value),
            code="site-definition",
        )
    revision = data.find("revision")
    parts = _Parts(str(site_type.value), revision.value if revision is not None else None, links)
    base = os.path.normpath(os.path.join(directory, os.pardir, os.pardir))
    found = [*parts.of(base), os.path.normpath(directory)]
    for repository in _checkouts(data, given, definition, warn):
        found += [*parts.of(repository), *parts.there(repository, "site", name)]
    if not parts.type_found:
        types = _names_in(os.path.join(base, "type"))
        hint = did_you_mean(parts.site_type, types)
        warn(
            warning(
                f"there is no directory {os.path.join('type', parts.site_type)} for this site's type"
                + (f"; {hint}" if hint else ""),
                code="site-type-not-found",
                at=site_type.position,
                suggestions=() if hint is None else hint.suggestions,
            )
        )
    return LayeringSite(name, parts.site_type, found)


class _Parts:
    """The directories of a site in a repository. type_found: True if a directory for its type exists."""

    def __init__(self, site_type: str, revision: Value, links: LinkPolicy) -> None:
        self._links = links
        self.site_type = site_type
        self.revision = revision if type(revision) is str and _is_name(revision) else None
        self.type_found = False

    def of(self, repository: str) -> Iterator[str]:
        """The existing directories among `global/` and `type/TYPE/`."""
        yield from self._revised(repository, "global")
        for directory in self._revised(repository, "type", self.site_type):
            self.type_found = True
            yield directory

    def _revised(self, repository: str, *parts: str) -> Iterator[str]:
        """A directory; or, in old site layouts, its subdirectories `common` and the one named after the definition's
        revision.
        """
        if self.revision is not None:
            revised = list(self.there(repository, *parts, self.revision))
            if revised:
                yield from self.there(repository, *parts, "common")
                yield from revised
                return
        yield from self.there(repository, *parts)

    def there(self, repository: str, *parts: str) -> Iterator[str]:
        """A directory of a repository, if it exists. Raises ReadError for a forbidden link in its path."""
        path = os.path.normpath(repository)
        for part in parts:
            path = os.path.join(path, part) if path != os.curdir else part
            if os.path.islink(path):
                self._links.check(path)
        record_listing(path)
        if os.path.isdir(path):
            yield path


def repositories_of(directory: str) -> list[str]:
    """The names of the other repositories that the definition of a site names; empty if it cannot be read."""
    try:
        item = _data(os.path.join(directory, DEFINITION), NO_LINKS).find("repositories")
    except PlaitError:
        return []
    names = [str(one.key) for one in item.value.items] if item is not None and type(item.value) is Map else []
    return [one for one in names if one != "site"]


def _is_name(value: Value) -> bool:
    """True if a value is a valid directory name. Rejects separators and `..`, so that an input cannot leave its
    directory.
    """
    return type(value) is str and value not in ("", os.curdir, os.pardir) and not any(char in value for char in "/\\\0")


def _no_site(path: str) -> ReadError:
    if not os.path.lexists(path):
        below = os.path.join("site", path)
        hint = f"did you mean {below}?" if _has_definition(below) else near(path)
        return ReadError(
            f"site not found: {path}", expected=f"a directory with a {DEFINITION}", hint=hint, code="site-not-found"
        )
    sites = [
        os.path.normpath(os.path.join(directory, name))
        for directory in (path, os.path.join(path, "site"))
        for name in _names_in(directory)
        if _has_definition(directory, name)
    ]
    return ReadError(
        f"{path} is not a site: it has no {DEFINITION}",
        expected="the directory of one site, site/NAME",
        found=", ".join(sites[:12]) or None,
        hint=f"to layer documents, leave out --site: plait layer {path}" if os.path.isfile(path) else None,
        code="site-not-found",
    )


def _has_definition(*parts: str) -> bool:
    return os.path.lexists(os.path.join(*parts, DEFINITION))


def _names_in(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))[:1000]
    except OSError:
        return []


def _data(path: str, links: LinkPolicy) -> Map:
    """The data of a site definition."""
    found = "no document"
    for text in sources(path, links=links):
        for document in deduplicate(read(text, keep_mark=False, plain=plain_values)).items:
            top = document.value
            schema = top.find("schema") if type(top) is Map else None
            if type(top) is not Map or schema is None or not str(schema.value).startswith(_DEFINITION_SCHEMA):
                found = f"schema: {schema.value}" if schema is not None else kind_name(top)
                continue
            data = top.find("data")
            if data is None or type(data.value) is not Map:
                raise UsageError(
                    "the site definition has no data",
                    at=document.position,
                    expected="data with a site_type",
                    code="site-definition",
                )
            return data.value
    raise UsageError(
        f"{path} is not a site definition",
        expected=f"a document with schema: {_DEFINITION_SCHEMA}v1",
        found=found,
        code="site-definition",
    )


def _checkouts(data: Map, given: Mapping[str, str], definition: str, warn: Warn) -> Iterator[str]:
    """The checkouts of the repositories that a definition names, in order; all known ones if it names none."""
    item = data.find("repositories")
    if item is not None and item.value is not None and type(item.value) is not Map:
        raise UsageError(
            "the repositories of the site definition are not a map",
            at=item.position,
            expected="a map from names to url and revision",
            found=kind_name(item.value),
            code="site-definition",
        )
    named = {str(one.key): one for one in item.value.items} if item is not None and type(item.value) is Map else {}
    if "site" in named:
        message = 'the repository "site" is the one that this definition is in'
        warn(warning(message, code="own-repository", at=named.pop("site").position))
    for name in given:
        if named and name not in named:
            raise UsageError(
                f'{definition} names no repository "{name}"',
                found=", ".join(named),
                hint=did_you_mean(name, named),
                code="site-repository",
            )
    missing = [one for name, one in named.items() if name not in given]
    if missing:
        first = missing[0]
        raise UsageError(
            f"the site needs the documents of other repositories: {', '.join(str(one.key) for one in missing)}",
            at=first.position,
            expected=f"a checkout of each ({' '.join(f'--repository {one.key}=DIR' for one in missing)})",
            hint=f"DIR is a checkout{_described(first)}; plait clones nothing",
            code="site-repository",
        )
    for name in named or given:
        if not os.path.isdir(given[name]):
            raise ReadError(
                f'there is no directory {given[name]} for the repository "{name}"',
                hint=near(given[name]),
                code="site-repository",
            )
        if named and not any(os.path.lexists(os.path.join(given[name], part)) for part in _DIRECTORIES):
            raise ReadError(
                f'{given[name]} is not a checkout of the repository "{name}"',
                at=named[name].position,
                expected=f"one of the directories {', '.join(f'{part}/' for part in _DIRECTORIES)}",
                hint=f"DIR of --repository {name}=DIR is a checkout{_described(named[name])}",
                code="site-repository",
            )
        yield given[name]


def _described(repository: MapItem) -> str:
    """Describes the required checkout of a repository."""
    said = {}
    if type(repository.value) is Map:
        for key in ("url", "revision"):
            item = repository.value.find(key)
            said[key] = str(item.value) if item is not None and type(item.value) is not Map else ""
    url, revision = said.get("url"), said.get("revision")
    return (f" of {url}" if url else "") + (f" at {revision}" if revision else "")


def unwrapped(documents: DocumentSet, warn: Warn) -> DocumentSet:
    """The documents as Pegleg passes them to Deckhand: a managed document is replaced by its content.

    warn: receives notes about encrypted data, which stays encrypted.
    """
    found = [_unwrapped(document, warn) for document in documents.items]
    return documents if found == documents.items else DocumentSet(found)


def _unwrapped(document: Document, warn: Warn) -> Document:
    top = document.value
    schema = top.find("schema") if type(top) is Map else None
    data = top.find("data") if type(top) is Map else None
    if schema is None or data is None or not str(schema.value).startswith(_MANAGED_SCHEMA):
        return document
    inner = data.value.find("managedDocument") if type(data.value) is Map else None
    if inner is None or type(data.value) is not Map or type(inner.value) is not Map:
        raise ReadError(
            "this document is managed by Pegleg and contains no document",
            at=data.position,
            expected="data.managedDocument",
            code="site-definition",
        )
    if data.value.find("encrypted") is not None:
        warn(
            warning(
                "the data of this document are encrypted; `pegleg site secrets decrypt` makes them readable",
                code="encrypted-data",
                at=inner.position,
            )
        )
    return Document(inner.value, inner.source, inner.line)
