"""The parser that gives events: libyaml through PyYAML's C extension, or PyYAML's own when there is no C extension.

`import yaml` takes longer than all the rest of a small run, and nothing of it is needed but the extension. So the
extension is loaded alone. While it starts it asks the package for its classes of events and errors; it gets slim ones
of ours, from modules that are in `sys.modules` only that long. An extension can be loaded once in a process, so when
somebody imports the real package later, the extension is handed the package's classes before anybody sees it: a finder
waits for that one import, and leaves.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, Protocol

    class Mark(Protocol):
        index: int
        line: int
        column: int

    class Event(Protocol):
        """An event of any kind; each kind has the attributes that make sense for it."""

        start_mark: Mark
        end_mark: Mark
        anchor: str | None
        tag: str | None
        implicit: tuple[bool, bool]
        value: str
        style: str | None
        flow_style: bool | None
        explicit: bool


class Parser:
    """A way to parse.

    open: text -> function that gives the next event. module: where the classes of events are.
    """

    __slots__ = ("module", "open")

    def __init__(self, open: Callable[[str], Callable[[], Event]], module: Any) -> None:
        self.open = open
        self.module = module


def parser() -> Parser:
    """The fastest parser there is."""
    found = _memo.get("parser")
    if found is None:
        found = _memo["parser"] = _native() or pure_parser()
    return found


_memo: dict[str, Parser] = {}


def _native() -> Parser | None:
    module: Any = None if "yaml" in sys.modules else _load_alone()
    if module is None:
        try:
            from yaml import _yaml as module
        except ImportError:
            return None
    make = module.CParser
    return Parser(lambda text: make(text).get_event, module)


def open_keeping_marks(parser: Parser, text: str) -> Callable[[], Event]:
    """The events of a text, with byte order marks kept where libyaml would drop them: at the start of lines."""
    if "\ufeff" not in text or not (text[0] == "\ufeff" or "\n\ufeff" in text or "\r\ufeff" in text):
        return parser.open(text)
    # A character that the text has not stands in for the mark.
    stand_in = next(chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text)
    next_event = parser.open(text.replace("\ufeff", stand_in))

    def with_marks() -> Event:
        event = next_event()
        value = getattr(event, "value", None)
        if value is not None and stand_in in value:
            event.value = value.replace(stand_in, "\ufeff")
        return event

    return with_marks


def pure_parser() -> Parser:
    """PyYAML's parser in Python: the same events, slower."""
    import yaml
    from yaml.parser import Parser as EventParser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class Pure(Reader, Scanner, EventParser):
        def __init__(self, text: str) -> None:
            Reader.__init__(self, text)
            Scanner.__init__(self)
            EventParser.__init__(self)

    return Parser(lambda text: Pure(text).get_event, yaml)


class _Problem(Exception):
    """What the extension raises when a text is no YAML."""

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


class _BadCharacter(Exception):
    def __init__(self, _name: str, position: int, character: int, _encoding: str, reason: str) -> None:
        super().__init__(reason)
        self.position = position
        self.character = character
        self.reason = reason


class _StreamStart:
    __slots__ = ()

    def __init__(self, *_facts: object) -> None:
        pass


class _StreamEnd:
    __slots__ = ()

    def __init__(self, *_facts: object) -> None:
        pass


class _DocumentStart:
    __slots__ = ("end_mark", "explicit", "start_mark")

    def __init__(self, start_mark: Mark, end_mark: Mark, explicit: bool, *_facts: object) -> None:
        self.start_mark = start_mark
        self.end_mark = end_mark
        self.explicit = explicit


class _DocumentEnd:
    __slots__ = ()

    def __init__(self, *_facts: object) -> None:
        pass


class _Alias:
    __slots__ = ("anchor", "end_mark", "start_mark")

    def __init__(self, anchor: str, start_mark: Mark, end_mark: Mark) -> None:
        self.anchor = anchor
        self.start_mark = start_mark
        self.end_mark = end_mark


class _Scalar:
    __slots__ = ("anchor", "end_mark", "implicit", "start_mark", "style", "tag", "value")

    def __init__(
        self,
        anchor: str | None,
        tag: str | None,
        implicit: tuple[bool, bool],
        value: str,
        start_mark: Mark,
        end_mark: Mark,
        style: str | None,
    ) -> None:
        self.anchor = anchor
        self.tag = tag
        self.implicit = implicit
        self.value = value
        self.start_mark = start_mark
        self.end_mark = end_mark
        self.style = style


class _Start:
    __slots__ = ("anchor", "end_mark", "flow_style", "start_mark", "tag")

    def __init__(
        self,
        anchor: str | None,
        tag: str | None,
        _implicit: bool,
        start_mark: Mark,
        end_mark: Mark,
        flow_style: bool | None,
    ) -> None:
        self.anchor = anchor
        self.tag = tag
        self.start_mark = start_mark
        self.end_mark = end_mark
        self.flow_style = flow_style


class _MappingStart(_Start):
    __slots__ = ()


class _SequenceStart(_Start):
    __slots__ = ()


class _End:
    __slots__ = ("end_mark", "start_mark")

    def __init__(self, start_mark: Mark, end_mark: Mark) -> None:
        self.start_mark = start_mark
        self.end_mark = end_mark


class _MappingEnd(_End):
    __slots__ = ()


class _SequenceEnd(_End):
    __slots__ = ()


class _Unused:
    """Stands for what only the extension's composer, scanner and emitter would use."""

    __slots__ = ()


# The package's modules, with the classes that the extension takes from each; None: never used here.
_CLASSES: dict[str, dict[str, type | None]] = {
    "error": {"YAMLError": Exception},
    "reader": {"ReaderError": _BadCharacter},
    "scanner": {"ScannerError": _Problem},
    "parser": {"ParserError": _Problem},
    "composer": {"ComposerError": _Problem},
    "constructor": {"ConstructorError": _Problem},
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
        "StreamStartEvent": _StreamStart,
        "StreamEndEvent": _StreamEnd,
        "DocumentStartEvent": _DocumentStart,
        "DocumentEndEvent": _DocumentEnd,
        "AliasEvent": _Alias,
        "ScalarEvent": _Scalar,
        "SequenceStartEvent": _SequenceStart,
        "SequenceEndEvent": _SequenceEnd,
        "MappingStartEvent": _MappingStart,
        "MappingEndEvent": _MappingEnd,
    },
    "nodes": dict.fromkeys(("MappingNode", "ScalarNode", "SequenceNode")),
}

_EXTENSION = "yaml._yaml"


def _load_alone() -> ModuleType | None:
    """The extension without its package; None if that does not work here."""
    try:
        from _frozen_importlib_external import PathFinder  # importlib.machinery's, without what that imports
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
    """Waits for somebody to import the extension with its package, and puts the package's classes back first."""

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
