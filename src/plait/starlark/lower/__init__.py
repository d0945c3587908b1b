"""The plain lowering of the syntax tree to Python's tree: from a program with resolved names to a module.

The program becomes one Python function, called "<toplevel>", whose local variables are the program's globals; it ends
by returning them. Functions are functions, closures read the variables of the outer ones, and since neither language
lets a function assign an outer variable, scoping is the same in both.

The code can name only its own variables, and helpers whose names begin with "$" (`runtime.GLOBALS`). Every line number
is the source's own, so Python's traceback is the program's stack.

Every operator, subscript and call is a call of the helper that defines it. That is sufficient; `optimize` replaces some
rules by faster code, and passes of `instrument` change the syntax tree in advance.
"""
