"""Translates Python's exceptions to Starlark errors, with the stack of calls.

Python detects many faults of compiled code: a wrong call, an unset variable, an index out of range, deep recursion.
When such an exception leaves Starlark (`Program.run`, `call`), it is translated to Starlark's message here. The Python
traceback becomes the stack: frames whose globals contain "$source" belong to the program.
"""

from __future__ import annotations

from plait.base.errors import LimitError, PlaitError, StarlarkError
from plait.base.limits import current_budget, limit_error
from plait.base.similar_names import did_you_mean
from plait.base.source import CALL, INSTRUCTION, Frame, Position
from plait.ytt.starlark.error_names import name_operand
from plait.ytt.starlark.runtime import bad_place
from plait.ytt.starlark.teardown import unwind
from plait.ytt.starlark.values import Value, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, FrameType, FunctionType, TracebackType

    from plait.base.source import Source

_LONGEST_STACK = 60
# A statement whose first operand is a literal.
_CONSTANT_FIRST = r"\s*+(?:#@\s*+)?(?:pass\b|return\s*+$|(?:(?:return\b|\w++\s*+=(?!=))\s*+)?-?(?:[rb]?[\"'\d]|(?:True|False|None)\b))"
_MANY = 5000
_TYPES = {"str": "string", "List": "list", "Dict": "dict", "Set": "set"}


def translated(error: Exception) -> Exception:
    """The error to raise at the boundary instead of `error`: a PlaitError with its position and stack.

    An exception that is not the program's fault is returned unchanged.
    """
    frames = _frames(error.__traceback__)
    if isinstance(error, PlaitError):
        wording: PlaitError | None = error
    elif isinstance(error, RecursionError):
        budget = frames[0][0].f_globals.get("$budget") if frames else None
        limit = "" if budget is None else f" (limit depth={budget.limits.depth})"
        wording = LimitError(f"too many nested calls{limit}: is there an infinite recursion?", code="limit-depth")
        wording.limit = "depth"
    elif isinstance(error, MemoryError):
        wording = limit_error("the memory of values", "memory", current_budget().most("memory"))
    else:
        wording = _worded(error)
    if wording is None:
        return error
    if frames:
        if isinstance(wording, StarlarkError) and (wording.of_type or wording.word):
            name_operand(wording, frames)
        stack = _stack(frames)
        if wording.at is None:
            wording.at = stack[0].at
        elif (
            all(step.role == INSTRUCTION for step in wording.stack)
            and stack[0].at is not None
            and wording.at.source is stack[0].at.source
        ):
            # One template statement builds nodes of many lines; the error has the right line.
            stack[0].at = wording.at
        wording.stack.extend(stack)
    return wording


def _frames(traceback: TracebackType | None) -> list[tuple[FrameType, int]]:
    """The program's frames, outermost first."""
    frames: list[tuple[FrameType, int]] = []
    while traceback is not None:
        if "$source" in traceback.tb_frame.f_globals:
            frames.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    return frames


def _stack(frames: list[tuple[FrameType, int]]) -> list[Frame]:
    """The frames, innermost first. A comprehension is not a call: it only sets the line of its function's frame."""
    steps: list[Frame] = []
    line = 0
    for frame, number in reversed(frames):
        name = frame.f_code.co_name
        line = line or number
        if name in {"<listcomp>", "<dictcomp>"} or not number:
            # Line 0: a traced function that calls its untraced version.
            continue
        shown = "lambda" if name == "<lambda>" else name
        steps.append(Frame(f"in {shown}", Position(frame.f_globals["$source"], line), role=CALL))
        line = 0
    if len(steps) > _LONGEST_STACK:
        half = _LONGEST_STACK // 2
        count = len(steps) - _LONGEST_STACK
        # The number of frames that fit depends slightly on the caller.
        left_out = Frame(f"... {count} more calls" if count < _MANY else "... thousands more calls")
        steps = [*steps[:half], left_out, *steps[-half:]]
    return steps


def drop_frames(fault: BaseException) -> None:
    """Drops the tracebacks of an exception and of those chained to it, which keep frames as well."""
    link: BaseException | None = fault
    while link is not None:
        unwind(link)
        before, link.__context__, link.__cause__ = link.__context__, None, None
        link = before


def _worded(error: Exception) -> StarlarkError | None:
    """The Starlark message for an exception raised by compiled code itself; None if other code raised it."""
    traceback = error.__traceback__
    if traceback is None:
        return None
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    frame = traceback.tb_frame
    if "$source" not in frame.f_globals:
        # A wrong call from the host raises the exception in the host's frame.
        return _call_fault(str(error), None) if isinstance(error, TypeError) else None
    if isinstance(error, NameError):
        return _unbound(error, frame)
    if isinstance(error, IndexError):
        return _subscript(traceback)
    if isinstance(error, TypeError):
        return _call_fault(str(error), frame)
    if isinstance(error, OverflowError):
        return StarlarkError("number too large", code="number-range")
    return None


def _unbound(error: NameError, frame: FrameType) -> StarlarkError:
    name = str(error).split("'")[1]
    code = frame.f_code
    is_global = code.co_name == "<toplevel>" or (
        name in code.co_freevars and name.removeprefix("$f.").removeprefix("$q.") in frame.f_globals.get("$globals", ())
    )
    name = name.removeprefix("$f.").removeprefix("$q.").removeprefix("$")
    wording = StarlarkError(
        f"{'global' if is_global else 'local'} variable {name} referenced before assignment",
        code="unbound-variable",
        word=name,
    )
    # In a traced program: the conditions that prevented the assignment.
    return wording.made_of(*frame.f_locals.get(f"$o.{name}", ()))


def _subscript(traceback: TracebackType) -> StarlarkError:
    """The error for a subscript. Its column encodes which variables took part (see `optimize.subscripts`)."""
    frame = traceback.tb_frame
    positions = list(frame.f_code.co_positions())
    column = positions[traceback.tb_lasti // 2][2]
    sites: Sequence[tuple[str | None, object, str | None, object]] = frame.f_globals.get("$sites", ())
    if not column or column > len(sites):
        return StarlarkError("index out of range", code="index-range")
    x_name, x, place_name, place = sites[column - 1]
    if x_name is not None:
        x = frame.f_locals[x_name]
    if place_name is not None:
        place = frame.f_locals[place_name]
    return bad_place(place, len(x) if isinstance(x, (str, list, tuple, range)) else 0, type_of(x))


def _call_fault(text: str, frame: FrameType | None) -> StarlarkError | None:
    """The error for a failed call, from Python's message.

    The arguments are no longer available, so the message is the only source of their number and names. Checking calls
    in advance would slow down every call.
    """
    if text.endswith("object is not callable"):
        kind = _type_name(text.split(chr(39))[1])
        return StarlarkError(f"invalid call of non-function ({kind})", code="not-callable").about(kind, "(")
    called, parenthesis, rest = text.partition("() ")
    if not parenthesis:
        return None
    scope, _, name = called.rpartition(".")
    if not scope or scope.startswith("plait."):
        # Builtins report their own errors, but only Python detects a name that `**` repeats.
        repeated = rest.split("'")[1::2] if "multiple values" in rest else []
        return (
            StarlarkError(f'{name}: duplicate keyword arg: "{repeated[0]}"', code="repeated-argument")
            if repeated
            else None
        )
    if name == "<lambda>":
        name = "lambda"
    function = _function(called, name, frame)
    code = function.__code__ if function is not None else None
    wrong = _wrong_call(f"function {name}", rest, code)
    if wrong is None:
        return None
    source: Source | None = None
    if function is not None and code is not None:
        source = function.__globals__["$source"]
        # ytt reports the first line of the body; the definition is more helpful.
        start, body = Position(source, code.co_firstlineno), Position(source, _body_line(code))
        wrong.also = [start.labelled("the definition"), *([body] if body != start else [])]
    elif frame is not None and (code := _constant(called, frame.f_code)) is not None:
        source = frame.f_globals["$source"]
    if source is not None and code is not None:
        wrong.within("", Position(source, _called_line(source, code)), role=CALL, reference=f"in {name}")
    return wrong


def _constant(qualified: str, code: CodeType) -> CodeType | None:
    """The code of a function defined in this code, or None if its name is not unique."""
    found = [one for one in code.co_consts if type(one) is type(code) and one.co_qualname == qualified]
    return found[0] if len(found) == 1 else None


def _body_line(code: CodeType) -> int:
    """The first line of a function's body, or of its definition if the body is on the same line."""
    start = code.co_firstlineno
    return min((line for _, _, line in code.co_lines() if line is not None and line > start), default=start)


def _called_line(source: Source, code: CodeType) -> int:
    """The line that ytt reports for a call that fails before its body runs. A constant at the start of the body has no
    line.
    """
    body = _body_line(code)
    import re  # the import takes as long as a small run

    return code.co_firstlineno if re.match(_CONSTANT_FIRST, source.line(body) or "") else body


def _wrong_call(subject: str, rest: str, code: CodeType | None) -> StarlarkError | None:
    """The error for a failed call of a program's function. rest: Python's message after the name."""
    quoted = rest.split("'")[1::2]
    words = rest.split()
    if words[0] == "missing":
        plural = "s" if len(quoted) > 1 else ""
        return StarlarkError(
            f"{subject} missing {len(quoted)} argument{plural} ({', '.join(quoted)})", code="argument-count"
        )
    if words[0] == "takes":
        given = next(int(word) for word in words[words.index("but") :] if word.isdigit())
        # "takes 2 positional arguments but ..." or "takes from 1 to 2 positional arguments but ..."
        at_most, most = ("at most ", int(words[4])) if words[1] == "from" else ("", int(words[1]))
        if most == 0 and (code is None or not (code.co_kwonlyargcount or code.co_flags & 8)):
            return StarlarkError(f"{subject} accepts no arguments ({given} given)", code="argument-count")
        plural = "" if most == 1 else "s"
        return StarlarkError(
            f"{subject} accepts {at_most}{most} positional argument{plural} ({given} given)", code="argument-count"
        )
    if "unexpected keyword" in rest:
        if code is not None and not code.co_argcount and not code.co_kwonlyargcount and not code.co_flags & 4:
            return StarlarkError(f"{subject} accepts no arguments ({len(quoted)} given)", code="unexpected-keyword")

        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code is not None else ()
        return StarlarkError(
            f'{subject} got an unexpected keyword argument "{quoted[0]}"',
            hint=did_you_mean(quoted[0], parameters),
            code="unexpected-keyword",
        )
    if "multiple values" in rest:
        return StarlarkError(f'{subject} got multiple values for parameter "{quoted[0]}"', code="repeated-argument")
    return None


def _function(qualified: str, name: str, frame: FrameType | None) -> FunctionType | None:
    """The called function, if its name identifies it, or None."""
    found = frame.f_locals.get(name) if frame is not None else None
    if found is not None and getattr(found, "__qualname__", None) == qualified:
        function: FunctionType = found
        return function
    return None


def _type_name(name: str) -> str:
    """Starlark's name for a Python class."""
    if name in _TYPES:
        return _TYPES[name]

    todo = [Value]
    while todo:
        kind = todo.pop()
        if kind.__name__ == name and type(kind.type_name) is str:
            return kind.type_name
        todo.extend(kind.__subclasses__())
    return name
