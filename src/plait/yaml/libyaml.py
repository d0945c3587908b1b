"""The event parser: libyaml through PyYAML's C extension, or PyYAML's own parser without it.

`import yaml` takes longer than the rest of a small run, and only the extension is needed, so only the extension is
loaded. During its import, modules in `sys.modules` provide plait's classes of events and errors, which create tuples.
An extension can be loaded once per process, so if the real package is imported later, an import hook first gives the
extension the package's classes.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, Protocol, TypeAlias

    class Mark(Protocol):
        index: int
        line: int
        column: int

    Event: TypeAlias = tuple[Any, ...]


# An event is a tuple that starts with one of these. A tuple costs half as much as an object: SCALAR, anchor, start,
# end, text, is_plain, tag, style MAP_START or ARRAY_START, anchor, start, end, flow, tag        COLLECTION_END, end
# ALIAS, anchor, start, end        DOCUMENT_START, explicit, end, start, version DOCUMENT_END, explicit, end
# STREAM_START        STREAM_END with marks for start and end, and flow, explicit and version (a pair, or None) as the
# parser returns them.
SCALAR, MAP_START, ARRAY_START, COLLECTION_END, ALIAS, DOCUMENT_START, DOCUMENT_END, STREAM_START, STREAM_END = range(9)


class Parser:
    """A YAML parser. open: for a text, returns a function that returns the next event."""

    __slots__ = ("open",)

    def __init__(self, open: Callable[[str], Callable[[], Event]]) -> None:
        self.open = open


def parser() -> Parser:
    """The fastest available parser."""
    found = _memo.get("parser")
    if found is None:
        # During its import another package replaces `yaml`; other threads must not import it meanwhile.
        with _LOADING:
            found = _memo.get("parser")
            if found is None:
                found = _memo["parser"] = _native() or pure_parser()
    return found


_memo: dict[str, Parser] = {}
_LOADING = allocate_lock()


def _native() -> Parser | None:
    module: Any = None if "yaml" in sys.modules else _load_alone()
    if module is None:
        try:
            from yaml import _yaml as module
        except ImportError:
            return None

    def open_text(text: str) -> Callable[[], Event]:
        next_event: Callable[[], Event] = module.CParser(text).get_event
        # Once the package has been imported, the extension creates the package's events.
        return next_event if module.ScalarEvent is _scalar else _as_tuples(next_event)

    return Parser(open_text)


# The levels of flow collections, and those of block collections, that libyaml accepts.
MOST_NESTED = 1000


def too_deep(error: Exception) -> bool:
    """True if libyaml rejected a text only for its depth: since version 0.2.6 it rejects more than MOST_NESTED levels,
    which `pure_parser` accepts.
    """
    return getattr(error, "problem", None) == "exceeded maximum nesting depth"


def open_keeping_marks(parser: Parser, text: str) -> Callable[[], Event]:
    """The events of a text. Byte order marks at the start of lines are preserved, which libyaml would drop."""
    if "\ufeff" not in text or not (text[0] == "\ufeff" or "\n\ufeff" in text or "\r\ufeff" in text):
        return parser.open(text)
    stand_in = unused_character(text)
    next_event = parser.open(text.replace("\ufeff", stand_in))

    def with_marks() -> Event:
        event = next_event()
        if event[0] == SCALAR and stand_in in event[4]:
            return (*event[:4], event[4].replace(stand_in, "\ufeff"), *event[5:])
        return event

    return with_marks


def unused_character(text: str) -> str:
    """A character that a text does not contain, to replace another one during parsing."""
    present = set(text)
    # Private use characters: first those of the basic plane.
    return next(chr(code) for block in _PRIVATE for code in block if chr(code) not in present)


_PRIVATE = (range(0xE000, 0xF900), range(0xF0000, 0xFFFFE))


def pure_parser() -> Parser:
    """PyYAML's parser in Python: the same events, slower."""
    from yaml.parser import Parser as EventParser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class Pure(Reader, Scanner, EventParser):
        def __init__(self, text: str) -> None:
            Reader.__init__(self, text)
            Scanner.__init__(self)
            EventParser.__init__(self)

    return Parser(lambda text: _as_tuples(Pure(text).get_event))


def _as_tuples(next_event: Callable[[], Any]) -> Callable[[], Event]:
    """Converts the package's events to tuples."""

    def converted() -> Event:
        event = next_event()
        return _CONVERTED[type(event).__name__](event)

    return converted


_CONVERTED: dict[str, Callable[[Any], Event]] = {
    "StreamStartEvent": lambda _: (STREAM_START,),
    "StreamEndEvent": lambda _: (STREAM_END,),
    "DocumentStartEvent": lambda e: (DOCUMENT_START, e.explicit, e.end_mark, e.start_mark, e.version),
    "DocumentEndEvent": lambda e: (DOCUMENT_END, e.explicit, e.end_mark),
    "AliasEvent": lambda e: (ALIAS, e.anchor, e.start_mark, e.end_mark),
    "ScalarEvent": lambda e: (SCALAR, e.anchor, e.start_mark, e.end_mark, e.value, e.implicit[0], e.tag, e.style),
    "SequenceStartEvent": lambda e: (ARRAY_START, e.anchor, e.start_mark, e.end_mark, e.flow_style, e.tag),
    "SequenceEndEvent": lambda e: (COLLECTION_END, e.end_mark),
    "MappingStartEvent": lambda e: (MAP_START, e.anchor, e.start_mark, e.end_mark, e.flow_style, e.tag),
    "MappingEndEvent": lambda e: (COLLECTION_END, e.end_mark),
}


class Problem(Exception):
    """Raised by the extension for invalid YAML."""

    def __init__(
        self,
        context: str | None = None,
        context_mark: Mark | None = None,
        problem: str | None = None,
        problem_mark: Mark | None = None,
    ) -> None:
        super().__init__(problem)
        self.context = context
        self.context_mark = context_mark
        self.problem = problem
        self.problem_mark = problem_mark


class ScannerError(Problem):
    """An error of the scanner, whose line numbers differ from the parser's."""


class _BadCharacter(Exception):
    def __init__(self, _name: str, position: int, character: int, _encoding: str, reason: str) -> None:
        super().__init__(reason)
        self.position = position
        self.character = character
        self.reason = reason


# Called by the extension to create events, in place of the package's classes.


def _stream_start(*_facts: object) -> Event:
    return (STREAM_START,)


def _stream_end(*_facts: object) -> Event:
    return (STREAM_END,)


def _document_start(
    start: Mark, end: Mark, explicit: bool, version: tuple[int, int] | None = None, _tags: object = None
) -> Event:
    return (DOCUMENT_START, explicit, end, start, version)


def _document_end(_start: Mark, end: Mark, explicit: bool) -> Event:
    return (DOCUMENT_END, explicit, end)


def _alias(anchor: str, start: Mark, end: Mark) -> Event:
    return (ALIAS, anchor, start, end)


def _scalar(
    anchor: str | None,
    tag: str | None,
    implicit: tuple[bool, bool],
    value: str,
    start: Mark,
    end: Mark,
    style: str | None,
) -> Event:
    return (SCALAR, anchor, start, end, value, implicit[0], tag, style)


def _map_start(anchor: str | None, tag: str | None, _implicit: bool, start: Mark, end: Mark, flow: bool) -> Event:
    return (MAP_START, anchor, start, end, flow, tag)


def _array_start(anchor: str | None, tag: str | None, _implicit: bool, start: Mark, end: Mark, flow: bool) -> Event:
    return (ARRAY_START, anchor, start, end, flow, tag)


def _collection_end(_start: Mark, end: Mark) -> Event:
    return (COLLECTION_END, end)


class _Unused:
    """Placeholder for names that only the extension's composer, scanner and emitter would use."""

    __slots__ = ()


# The package's modules, with the classes that the extension uses from each; None: never used here.
_CLASSES: dict[str, dict[str, Callable[..., object] | None]] = {
    "error": {"YAMLError": Exception},
    "reader": {"ReaderError": _BadCharacter},
    "scanner": {"ScannerError": ScannerError},
    "parser": {"ParserError": Problem},
    "composer": {"ComposerError": Problem},
    "constructor": {"ConstructorError": Problem},
    "emitter": {"EmitterError": Exception},
    "serializer": {"SerializerError": Exception},
    "representer": {"RepresenterError": Exception},
    "tokens": dict.fromkeys(
        f"{name}Token"
        for name in [
            "StreamStart",
            "StreamEnd",
            "Directive",
            "DocumentStart",
            "DocumentEnd",
            "BlockSequenceStart",
            "BlockMappingStart",
            "BlockEnd",
            "FlowSequenceStart",
            "FlowMappingStart",
            "FlowSequenceEnd",
            "FlowMappingEnd",
            "Key",
            "Value",
            "BlockEntry",
            "FlowEntry",
            "Alias",
            "Anchor",
            "Tag",
            "Scalar",
        ]
    ),
    "events": {
        "StreamStartEvent": _stream_start,
        "StreamEndEvent": _stream_end,
        "DocumentStartEvent": _document_start,
        "DocumentEndEvent": _document_end,
        "AliasEvent": _alias,
        "ScalarEvent": _scalar,
        "SequenceStartEvent": _array_start,
        "SequenceEndEvent": _collection_end,
        "MappingStartEvent": _map_start,
        "MappingEndEvent": _collection_end,
    },
    "nodes": dict.fromkeys(("MappingNode", "ScalarNode", "SequenceNode")),
}

_EXTENSION = "yaml._yaml"


def _load_alone() -> ModuleType | None:
    """Loads the extension without its package. Returns None if that is not possible."""
    try:
        from _frozen_importlib_external import PathFinder  # avoids importing importlib.machinery
    except ImportError:
        from importlib.machinery import PathFinder

    package = PathFinder.find_spec("yaml")
    if package is None or package.submodule_search_locations is None:
        return None
    spec = PathFinder.find_spec(_EXTENSION, package.submodule_search_locations)
    if spec is None or spec.loader is None:
        return None
    stand_ins = _stand_ins()
    sys.modules.update(stand_ins)
    try:
        module = spec.loader.create_module(spec)
        if module is None:
            return None
        module.__spec__ = spec
        spec.loader.exec_module(module)
    except (ImportError, AttributeError, TypeError):
        return None
    finally:
        for name in (*stand_ins, _EXTENSION):
            sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Restorer(module))
    return module


def _stand_ins() -> dict[str, ModuleType]:
    kind = type(sys)
    package = kind("yaml")
    package.__path__ = []
    modules = {"yaml": package}
    for name, classes in _CLASSES.items():
        module = kind(f"yaml.{name}")
        for class_name, used in classes.items():
            setattr(module, class_name, used or _Unused)
        setattr(package, name, module)
        modules[f"yaml.{name}"] = module
    return modules


class _Restorer:
    """Restores the package's classes when the extension is imported with its package."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if name == _EXTENSION:
            sys.meta_path.remove(self)
            from importlib import import_module

            # The package imports its own modules before the extension, so they are complete by now.
            self.module.yaml = import_module("yaml")
            for part, classes in _CLASSES.items():
                home = import_module(f"yaml.{part}")
                for class_name in classes:
                    setattr(self.module, class_name, getattr(home, class_name))
        return None
