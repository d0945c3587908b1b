"""Projects: named runs with inputs and settings, for all tools (docs/project.md).

`file` reads a project file, `run_inference` infers runs without one, `run` evaluates a run.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.project import indentation as indentation
    from plait.authoring.project import unknown_names as unknown_names
else:

    def __getattr__(name: str) -> object:
        if name not in ("indentation", "unknown_names"):  # only errors need it
            raise AttributeError(name)
        return __import__(f"{__name__}.{name}", fromlist=[name])
