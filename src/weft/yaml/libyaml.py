"""The parser that gives events: libyaml through PyYAML's C extension, or PyYAML's own when there is no C extension."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


class Parser:
    """A way to parse.

    events: text -> function that gives the next event. module: where the event classes and errors are.
    """

    __slots__ = ("module", "native", "open")

    def __init__(self, open: Callable[[str], Callable[[], object]], module: ModuleType, native: bool) -> None:
        self.open = open
        self.module = module
        self.native = native


def parser() -> Parser:
    """The fastest parser there is."""
    try:
        import yaml._yaml as module  # type: ignore[import-not-found]
    except ImportError:
        return pure_parser()
    make = module.CParser
    return Parser(lambda text: make(text).get_event, module, True)


def pure_parser() -> Parser:
    """PyYAML's parser in Python: the same events, slower."""
    import yaml

    class Pure(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
        def __init__(self, text: str) -> None:
            yaml.reader.Reader.__init__(self, text)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)

    return Parser(lambda text: Pure(text).get_event, yaml, False)
