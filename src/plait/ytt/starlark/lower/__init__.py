"""The plain lowering: translates a program with resolved names to a module in Python's syntax tree.

The program becomes one Python function, called "<toplevel>", whose local variables are the program's globals; it ends
by returning them. Starlark functions become Python functions, and closures read outer variables. Neither language lets
a function assign an outer variable, so scoping is the same.

The code can name only its own variables, and helpers whose names begin with "$" (`runtime.GLOBALS`). Line numbers are
those of the source, so Python's traceback is the program's stack.

Every operator, subscript and call becomes a call of the helper that defines it. That is sufficient; `optimize` replaces
some rules by faster code, and passes of `instrument` change the syntax tree in advance.
"""
