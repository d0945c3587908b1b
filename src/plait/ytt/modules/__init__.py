"""The `@ytt:` modules, loaded with `load("@ytt:json", "json")` (docs/reference/modules.md).

Each module has a file here with a function from the `Context` of the evaluation to a `Module`; MODULES lists them. A
module is imported when a template loads it. The workspace creates `@ytt:data` and `@ytt:library` for each file, because
they depend on its location.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.context import Context
    from plait.ytt.starlark.structs import Module

# The name after `@ytt:`, to the file in this package and its function.
MODULES: dict[str, tuple[str, str]] = {
    "assert": ("assert_", "module"),
    "base64": ("base64", "module"),
    "ip": ("ip", "module"),
    "json": ("json", "module"),
    "math": ("math", "module"),
    "md5": ("hashes", "md5"),
    "module": ("module", "module"),
    "overlay": ("overlay", "module"),
    "regexp": ("regexp", "module"),
    "sha256": ("hashes", "sha256"),
    "struct": ("struct", "module"),
    "template": ("template", "module"),
    "toml": ("toml", "module"),
    "url": ("url", "module"),
    "version": ("version", "module"),
    "yaml": ("yaml", "module"),
}


def load_module(name: str, context: Context) -> Module:
    """The module `@ytt:NAME` for a run. Raises KeyError for a name that is not in MODULES."""
    file, function = MODULES[name]
    module: Module = getattr(import_module(f"plait.ytt.modules.{file}"), function)(context)
    return module


__all__ = ["MODULES", "load_module"]
