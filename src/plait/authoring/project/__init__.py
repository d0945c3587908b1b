"""Projects: named runs with inputs and settings, for all tools (docs/project.md).

`file` reads a project file, `run_inference` infers runs without one, `run` evaluates a run.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.project import unknown_names as unknown_names
else:

    def __getattr__(name: str) -> object:
        # Only errors need this module.
        if name != "unknown_names":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return __import__(f"{__name__}.unknown_names", fromlist=[name])
